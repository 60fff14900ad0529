import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { redactText } from '../core/traffic/redact.ts';
import type { Worktree } from '../protocol/worktree.ts';
import { runInWorktree } from './runInWorktree.ts';

/** Longest time of a set-up command, in milliseconds: it may install what a project needs. */
const SET_UP_MS = 10 * 60 * 1000;

export interface SetUpOptions {
	signal?: AbortSignal;
	/** See {@link runInWorktree}. */
	mark?: string;
	/** Gets the command and its output. */
	say?: (text: string) => void;
}

/**
 * Runs the user's command in a new worktree.
 * @throws NancyError `io` with the end of its output if it failed. A command that was aborted has not failed
 */
export async function setUp(
	worktree: Worktree,
	command: string | undefined,
	{ signal, mark, say }: SetUpOptions = {},
): Promise<void> {
	if (command === undefined || command.trim() === '') return;
	say?.(`$ ${command}\n`);
	const { code, isTimeout, output } = await runInWorktree(worktree, command, SET_UP_MS, signal, mark);
	say?.(output);
	if (code === 0 || signal?.aborted) return;
	const ended = code === null ? phrase`ended with a signal` : phrase`ended with ${code}`;
	const ending = isTimeout ? phrase`took too long` : ended;
	throw new NancyError('io', phrase`the set-up command ${ending}: ${redactText(output).slice(-500)}`);
}
