import { redactText } from '../core/traffic/redact.ts';
import type { Worktree } from '../protocol/worktree.ts';
import { runInWorktree } from './runInWorktree.ts';

/** Longest time of a tear-down command, in milliseconds. */
const TEAR_DOWN_MS = 5 * 60 * 1000;

/** Runs the user's command before a worktree is removed. Returns the end of its output if it failed. */
export async function tearDown(worktree: Worktree, command: string | undefined): Promise<string | undefined> {
	if (command === undefined || command.trim() === '') return undefined;
	const { code, isTimeout, output } = await runInWorktree(worktree, command, TEAR_DOWN_MS);
	return code === 0 && !isTimeout ? undefined : redactText(output).trim().slice(-300);
}
