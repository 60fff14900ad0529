import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { errorText } from '../base/errors.ts';
import { identify } from '../base/liveness.ts';
import type { Worktree } from '../protocol/worktree.ts';
import { withoutGitVariables } from './gitSwitches.ts';
import { markWithin, RUN_MARK, stopMarked } from '../process/marked.ts';
import { stopGroup } from '../process/stopTree.ts';

export interface CommandEnd {
	/** `undefined` if a signal ended it, or it could not be started. */
	code?: number;
	isTimeout: boolean;
	/** The last part of its output. */
	output: string;
}

const OUTPUT_KEPT = 8000;
/** How long Nancy waits for the output after the end: a background process may hold it for ever. */
const PIPES_MS = 500;

/**
 * Runs a set-up or tear-down command of the user's with `sh` in a worktree. A failure of the command is a result, not an error.
 * @param mark value of NANCY_RUN, which identifies the command's children if its runner is killed
 */
export async function runInWorktree(
	worktree: Worktree,
	command: string,
	timeoutMs: number,
	signal?: AbortSignal,
	mark = '',
): Promise<CommandEnd> {
	if (!existsSync(worktree.folder)) return { isTimeout: false, output: `${worktree.folder} is gone` };
	const child = startIn(worktree, command, mark);
	const ended = endOf(child);
	let output = Buffer.alloc(0);
	const keep = (data: Buffer) => {
		output = Buffer.concat([output, data]).subarray(-OUTPUT_KEPT);
	};
	child.stdout.on('data', keep);
	child.stderr.on('data', keep);
	let isTimeout = false;
	let stopping: Promise<unknown> | undefined;
	const stop = () => {
		if (child.pid !== undefined) stopping ??= stopGroup(identify(child.pid));
	};
	const timer = setTimeout(() => {
		isTimeout = true;
		stop();
	}, timeoutMs);
	signal?.addEventListener('abort', stop, { once: true });
	if (signal?.aborted) stop();

	const { code, complaint } = await ended;
	clearTimeout(timer);
	signal?.removeEventListener('abort', stop);
	await stopping;
	if (mark !== '') await stopMarked(RUN_MARK, mark);
	const text = output.toString('utf8') + complaint;
	return { ...(code !== null && !isTimeout && { code }), isTimeout, output: text };
}

function startIn({ folder, repository }: Worktree, command: string, mark: string) {
	return spawn('sh', ['-c', command], {
		cwd: folder,
		env: {
			...withoutGitVariables(),
			NANCY_WORKTREE: folder,
			NANCY_REPOSITORY: repository,
			...(mark !== '' && { [RUN_MARK]: markWithin(mark) }),
		},
		stdio: ['ignore', 'pipe', 'pipe'],
		// A group of its own, so that Nancy can end it with all its children.
		detached: true,
	});
}

/** Resolves when the command has ended and its pipes are closed, or could not be started. */
function endOf(child: ReturnType<typeof startIn>): Promise<{ code: number | null; complaint: string }> {
	return new Promise(resolve => {
		child.once('error', error => resolve({ code: null, complaint: errorText(error) }));
		child.once('exit', code => {
			const drop = () => {
				child.stdout.destroy();
				child.stderr.destroy();
			};
			// After a stall this timer comes before what the pipes hold is read.
			const late = setTimeout(() => setImmediate(drop), PIPES_MS);
			child.once('close', () => {
				clearTimeout(late);
				resolve({ code, complaint: '' });
			});
		});
	});
}
