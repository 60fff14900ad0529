import { spawn } from 'node:child_process';
import { root } from './bootstrap.mjs';

/**
 * Runs a program to its end. `quiet` keeps the output back and puts it in the error instead.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, quiet?: boolean }} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export async function run(command, args, { cwd = root, env = process.env, quiet = false } = {}) {
	const child = spawn(command, args, {
		cwd,
		env,
		stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
	});
	let output = '';
	child.stdout?.on('data', chunk => (output += chunk));
	child.stderr?.on('data', chunk => (output += chunk));
	const code = await new Promise((resolve, reject) => {
		child.once('error', reject);
		child.once('close', (status, signal) => resolve(status ?? (signal ? 1 : 0)));
	});
	return { code, output };
}

/** Like {@link run} with `quiet`, but a failure throws with all that was printed. */
export async function runOrThrow(command, args, options = {}) {
	const { code, output } = await run(command, args, { ...options, quiet: true });
	if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}\n${output}`);
	return output;
}
