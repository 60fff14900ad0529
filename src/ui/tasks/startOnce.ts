import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryName } from '../../base/atomicFile.ts';
import type { OwnFolder } from '../../core/files/ownFolder.ts';
import type { WorkerStart } from '../ports.ts';
import { STARTS } from '../../core/start/workerProcess.ts';

/**
 * What shells print before a command (VS Code's shell integration). VS Code then hands an extension what the program prints, which it does
 * not do otherwise.
 */
const MARKS = String.raw`\033]633;A\007\033]633;B\007\033]633;C\007`;

export interface OnceStarted {
	shellPath: string;
	shellArgs: string[];
	/** Whether VS Code may bring the terminal back in a later session. */
	isTransient: boolean;
}

/**
 * Starts the agent with these marks before it. The shell that prints them becomes the agent: the terminal's process is the agent's. The
 * shell runs once: when VS Code is quit and opened again, it runs a terminal's command anew, and the agent would do its first prompt again,
 * unasked. Windows has no such shell. There a terminal does not come back, after a reload either.
 */
export async function onceStarted(
	own: OwnFolder,
	{ command, args }: Pick<WorkerStart, 'command' | 'args'>,
): Promise<OnceStarted> {
	if (process.platform === 'win32') return { shellPath: command, shellArgs: [...args], isTransient: true };
	const file = temporaryName(join(await own.makeFolder(STARTS), 'start'));
	writeFileSync(file, 'not started yet\n', { mode: 0o600 });
	// Without another program, which a start would wait for. Not `:`, whose redirection ends a shell that cannot write.
	const script = `[ -s "$0" ] || exit 0; true >"$0"; printf '${MARKS}'; exec "$@"`;
	return { shellPath: '/bin/sh', shellArgs: ['-c', script, file, command, ...args], isTransient: false };
}

/** The terminal could not be made. */
export function abandonOnce({ shellArgs: [, , file], isTransient }: OnceStarted): void {
	if (!isTransient && file !== undefined) rmSync(file, { force: true });
}
