import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { root } from './bootstrap.mjs';

/** Of `nice`: who has it gets a seventh of a core that another one wants too. */
const LOWER = 8;

/**
 * Runs a program to its end. `quiet` keeps the output back and returns it; `onOutput` gets it piece by piece instead of the
 * terminal; `signal` ends the program when it is aborted, and then throws; `yields` lets other programs go first, here and below it.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, quiet?: boolean, onOutput?: (text: string) => void, signal?: AbortSignal, yields?: boolean }} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export async function run(command, args, options = {}) {
	const { cwd = root, env = process.env, quiet = false, onOutput, signal, yields = false } = options;
	const stdio = quiet || onOutput ? 'pipe' : 'inherit';
	const child = spawn(command, args, { cwd, env, signal, stdio: ['ignore', stdio, stdio] });
	if (yields && child.pid !== undefined) setPriority(child.pid, LOWER);
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
