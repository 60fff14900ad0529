import * as vscode from 'vscode';
import { dataFolder } from '../base/folders.ts';
import type { OnlyThere } from '../core/delegates/batches.ts';
import { Delegates } from '../core/delegates/delegates.ts';
import { Tickets } from '../core/delegates/tickets.ts';
import { endedWorktree, ownWorktree } from '../git/ownWorktree.ts';
import { tearDown as runTearDown } from '../git/tearDown.ts';
import { changesOf, fileAtBase } from '../git/worktreeChanges.ts';
import { mergeWorktree } from '../git/worktreeMerge.ts';
import { removeWorktree, whatWouldBeLost } from '../git/worktreeRemove.ts';
import type { Worktree } from '../protocol/worktree.ts';
import type { ChangedFile, Folder, MergeOutcome, WorktreeOperations } from '../ui/ports.ts';
import { requireTrust } from '../ui/trust.ts';

/** Git runs a repository's own filters and settings: nothing of this in an untrusted workspace. */
export class WindowWorktrees implements WorktreeOperations {
	async verify(folder: Folder, worktree: Worktree): Promise<void> {
		await this.own(folder, worktree);
	}

	async changes(folder: Folder, worktree: Worktree): Promise<readonly ChangedFile[]> {
		return (await changesOf(await this.own(folder, worktree))).files;
	}

	async base(folder: Folder, worktree: Worktree, path: string): Promise<Buffer | undefined> {
		return fileAtBase(await this.own(folder, worktree), path);
	}

	async merge(folder: Folder, worktree: Worktree, message: string): Promise<MergeOutcome> {
		return mergeWorktree(await this.ended(folder, worktree), message);
	}

	async only(folder: Folder, worktree: Worktree): Promise<OnlyThere> {
		return whatWouldBeLost(await this.own(folder, worktree));
	}

	async remove(
		folder: Folder,
		claimed: Worktree,
		{ discard, tearDown }: { discard: boolean; tearDown: string | undefined },
	): Promise<{ isRemoved: boolean; says: string }> {
		const worktree = await this.ended(folder, claimed);
		const failed = await runTearDown(worktree, tearDown);
		if (failed !== undefined) {
			return {
				isRemoved: false,
				says: vscode.l10n.t('The tear-down command failed, so the worktree stays: {0}', failed),
			};
		}
		return removeWorktree(worktree, { discard });
	}

	private async ended({ workspace }: Folder, worktree: Worktree): Promise<Worktree> {
		requireTrust();
		return endedWorktree(new Delegates(workspace), new Tickets(dataFolder(), workspace.folder), worktree);
	}

	private async own({ workspace }: Folder, worktree: Worktree): Promise<Worktree> {
		requireTrust();
		return ownWorktree(new Delegates(workspace), new Tickets(dataFolder(), workspace.folder), worktree);
	}
}
