import { spawn } from 'node:child_process';
import { root } from './bootstrap.mjs';

/**
 * Runs a program to its end. `quiet` keeps the output back and returns it; `onOutput` gets it piece by piece instead of the
 * terminal; `signal` ends the program when it is aborted, and then throws.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, quiet?: boolean, onOutput?: (text: string) => void, signal?: AbortSignal }} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export async function run(command, args, options = {}) {
	const { cwd = root, env = process.env, quiet = false, onOutput, signal } = options;
	const stdio = quiet || onOutput ? 'pipe' : 'inherit';
	const child = spawn(command, args, { cwd, env, signal, stdio: ['ignore', stdio, stdio] });
	let output = '';
	const take = onOutput ?? (text => (output += text));
	for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', take);
	const code = await new Promise((resolve, reject) => {
		child.once('error', reject);
		child.once('close', (status, killedBy) => resolve(status ?? (killedBy ? 1 : 0)));
	});
	return { code, output };
}

/** Like {@link run} with `quiet`, but a failure throws with all that was printed. */
export async function runOrThrow(command, args, options = {}) {
	const { code, output } = await run(command, args, { ...options, quiet: true });
	if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}\n${output}`);
	return output;
}
