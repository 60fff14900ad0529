import * as vscode from 'vscode';
import { runInWorktree } from '../process/runInWorktree.ts';
import { changesOf, fileAtBase } from '../process/worktreeChanges.ts';
import { mergeWorktree } from '../process/worktreeMerge.ts';
import { removeWorktree, whatWouldBeLost } from '../process/worktreeRemove.ts';
import type { Worktree } from '../protocol/worktree.ts';
import type { ChangedFile, MergeOutcome, OnlyThere, WorktreeOperations } from '../ui/ports.ts';
import { requireTrust } from '../ui/trust.ts';

/** Longest time of a tear-down command, in milliseconds. */
const TEAR_DOWN_MS = 5 * 60 * 1000;

/** Git runs a repository's own filters and settings: nothing of this in an untrusted workspace. */
export class WindowWorktrees implements WorktreeOperations {
	async changes(worktree: Worktree): Promise<readonly ChangedFile[]> {
		requireTrust();
		return (await changesOf(worktree)).files;
	}

	async base(worktree: Worktree, path: string): Promise<Buffer | undefined> {
		requireTrust();
		return fileAtBase(worktree, path);
	}

	async merge(worktree: Worktree, message: string): Promise<MergeOutcome> {
		requireTrust();
		return mergeWorktree(worktree, message);
	}

	async only(worktree: Worktree): Promise<OnlyThere> {
		requireTrust();
		return whatWouldBeLost(worktree);
	}

	async remove(
		worktree: Worktree,
		{ discard, tearDown }: { discard: boolean; tearDown: string | undefined },
	): Promise<{ isRemoved: boolean; says: string }> {
		requireTrust();
		if (tearDown !== undefined && tearDown.trim() !== '') {
			const { code, isTimeout, output } = await runInWorktree(worktree, tearDown, TEAR_DOWN_MS);
			if (code !== 0 || isTimeout) {
				const end = output.trim().slice(-300);
				return {
					isRemoved: false,
					says: vscode.l10n.t('The tear-down command failed, so the worktree stays: {0}', end),
				};
			}
		}
		return removeWorktree(worktree, { discard });
	}
}
