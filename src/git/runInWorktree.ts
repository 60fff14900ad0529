import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { errorText } from '../base/errors.ts';
import { identify } from '../base/liveness.ts';
import type { Worktree } from '../protocol/worktree.ts';
import { withoutGitVariables } from './git.ts';
import { markWithin, RUN_MARK, stopMarked } from '../process/marked.ts';
import { stopTree } from '../process/stopTree.ts';

export interface CommandEnd {
	/** `undefined` when a signal ended it, or it could not be started. */
	code?: number;
	isTimeout: boolean;
	/** The last of what it printed. */
	output: string;
}

const OUTPUT_KEPT = 8000;
/** What a command leaves running in the background may hold its output for ever. */
const PIPES_MS = 500;

/** Runs a set-up or tear-down command of the user's with `sh` in a worktree. Never throws for what the command does. */
export function runInWorktree(
	worktree: Worktree,
	command: string,
	timeoutMs: number,
	signal?: AbortSignal,
	/** Value of NANCY_RUN, by which what it starts is known when its runner is killed. */
	mark = '',
): Promise<CommandEnd> {
	if (!existsSync(worktree.folder))
		return Promise.resolve({ isTimeout: false, output: `${worktree.folder} is gone` });
	return new Promise(resolve => {
		const child = spawn('sh', ['-c', command], {
			cwd: worktree.folder,
			env: {
				...withoutGitVariables(),
				NANCY_WORKTREE: worktree.folder,
				NANCY_REPOSITORY: worktree.repository,
				...(mark !== '' && { [RUN_MARK]: markWithin(mark) }),
			},
			stdio: ['ignore', 'pipe', 'pipe'],
			// A group of its own, so that it can be ended with all that it has started.
			detached: true,
		});
		let output = Buffer.alloc(0);
		const keep = (data: Buffer) => {
			output = Buffer.concat([output, data]).subarray(-OUTPUT_KEPT);
		};
		child.stdout.on('data', keep);
		child.stderr.on('data', keep);
		let isTimeout = false;
		let stopping: Promise<unknown> | undefined;
		const stop = () => {
			if (child.pid !== undefined) stopping ??= stopTree(identify(child.pid));
		};
		const timer = setTimeout(() => {
			isTimeout = true;
			stop();
		}, timeoutMs);
		signal?.addEventListener('abort', stop, { once: true });
		if (signal?.aborted) stop();

		const end = async (code: number | null, complaint = '') => {
			clearTimeout(timer);
			signal?.removeEventListener('abort', stop);
			await stopping;
			if (mark !== '') await stopMarked(RUN_MARK, mark);
			const text = output.toString('utf8') + complaint;
			resolve({ ...(code !== null && !isTimeout && { code }), isTimeout, output: text });
		};
		child.once('error', error => void end(null, errorText(error)));
		child.once('exit', code => {
			const late = setTimeout(() => {
				child.stdout.destroy();
				child.stderr.destroy();
			}, PIPES_MS);
			child.once('close', () => {
				clearTimeout(late);
				void end(code);
			});
		});
	});
}
