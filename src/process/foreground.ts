import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { errorText, NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { mergedEnvironment } from './environment.ts';

/** A program to run, with what changes in its environment: `null` removes a variable. */
export interface ForegroundProgram {
	command: string;
	args: readonly string[];
	cwd: string;
	env: Readonly<Record<string, string | null>>;
}

/** The terminal sends these to every process in the foreground itself. Passing them on would send them twice. */
const SENT_BY_TERMINAL = ['SIGINT', 'SIGQUIT'] as const;
const PASSED_ON = ['SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a program in this process's terminal until it ends.
 * @param onStart gets the program's pid, and is awaited before anything else. If it fails, the program is ended: nobody would know of it
 * @returns its exit code, or 128 + the signal's number, as in a shell
 */
export async function runInForeground(
	{ command, args, cwd, env }: ForegroundProgram,
	onStart: (pid: number) => Promise<void>,
): Promise<number> {
	const ignore = () => {};
	let child: ChildProcess | undefined;
	let failure: { error: unknown } | undefined;
	const passOn = (name: NodeJS.Signals) => child?.kill(name);
	const noStart = (cause: unknown) =>
		new NancyError('no-agent', phrase`${command} could not be started: ${errorText(cause)}`, { cause });
	// Before there is a child, which may be at work before this process goes on. Listeners are called after this function has ended.
	for (const name of SENT_BY_TERMINAL) process.on(name, ignore);
	for (const name of PASSED_ON) process.on(name, passOn);
	try {
		const started = spawnHere(command, args, { cwd, env: mergedEnvironment(env) }, noStart);
		child = started;
		const ended = once(started, 'exit').catch((error: unknown) => {
			throw noStart(error);
		});
		if (started.pid !== undefined) {
			const known = onStart(started.pid).catch((error: unknown) => {
				failure = { error };
				started.kill();
			});
			await Promise.race([known, ended.catch(() => undefined)]);
		}
		const [code, signal]: unknown[] = await ended;
		if (failure) throw failure.error;
		return typeof code === 'number' ? code : 128 + signalNumber(signal);
	} finally {
		for (const name of SENT_BY_TERMINAL) process.off(name, ignore);
		for (const name of PASSED_ON) process.off(name, passOn);
	}
}

function spawnHere(
	command: string,
	args: readonly string[],
	options: { cwd: string; env: NodeJS.ProcessEnv },
	noStart: (cause: unknown) => NancyError,
): ChildProcess {
	try {
		return spawn(command, args, { ...options, stdio: 'inherit' });
	} catch (cause) {
		throw noStart(cause);
	}
}

function signalNumber(name: unknown): number {
	const found = Object.entries(constants.signals).find(([known]) => known === name);
	return found?.[1] ?? 0;
}
