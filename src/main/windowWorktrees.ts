import { IN_WINDOW } from '../core/asker/asker.ts';
import type { OnlyThere } from '../core/delegates/batches.ts';
import * as operations from '../operations/index.ts';
import { perform } from '../operations/operation.ts';
import type { Worktree } from '../protocol/worktree.ts';
import { translated } from '../ui/kit/translated.ts';
import type {
	Changes,
	ChangesOf,
	Folder,
	MergeOutcome,
	MergePreview,
	UndoOutcome,
	WorktreeOperations,
	WorktreeRemoval,
} from '../ui/ports.ts';
import { operationContext, type WindowTools } from './operationContext.ts';

/** The window's way to the operations on worktrees. */
export class WindowWorktrees implements WorktreeOperations {
	constructor(private readonly tools: WindowTools) {}

	async verify(folder: Folder, worktree: Worktree): Promise<void> {
		await perform(await operations.verifyWorktree(), IN_WINDOW, { worktree }, this.contextOf(folder));
	}

	async changes(folder: Folder, of: ChangesOf): Promise<Changes> {
		const context = this.contextOf(folder);
		return 'worktree' in of
			? perform(await operations.worktreeChanges(), IN_WINDOW, { worktree: of.worktree }, context)
			: perform(await operations.taskChanges(), IN_WINDOW, { task: of.task }, context);
	}

	async base(folder: Folder, of: ChangesOf, path: string): Promise<Buffer | undefined> {
		const context = this.contextOf(folder);
		const { content } = await ('worktree' in of
			? perform(await operations.fileAtBase(), IN_WINDOW, { worktree: of.worktree, path }, context)
			: perform(await operations.fileAtStart(), IN_WINDOW, { task: of.task, path }, context));
		return content;
	}

	async previewMerge(folder: Folder, worktree: Worktree): Promise<MergePreview> {
		return perform(await operations.mergePreview(), IN_WINDOW, { worktree }, this.contextOf(folder));
	}

	async undoMerge(folder: Folder, worktree: Worktree): Promise<UndoOutcome> {
		const done = await perform(await operations.undoMerge(), IN_WINDOW, { worktree }, this.contextOf(folder));
		return done.ok ? done : { ...done, reason: translated(done.reason) };
	}

	async merge(folder: Folder, worktree: Worktree, message: string): Promise<MergeOutcome> {
		const done = await perform(
			await operations.mergeWorktree(),
			IN_WINDOW,
			{ worktree, message },
			this.contextOf(folder),
		);
		return done.ok ? done : { ...done, reason: translated(done.reason) };
	}

	/** After a kill: see {@link operations.settleMerges}. */
	async settle(folder: Folder): Promise<void> {
		await perform(await operations.settleMerges(), IN_WINDOW, {}, this.contextOf(folder));
	}

	async only(folder: Folder, worktree: Worktree): Promise<OnlyThere> {
		return perform(await operations.worktreeLoss(), IN_WINDOW, { worktree }, this.contextOf(folder));
	}

	async remove(
		folder: Folder,
		worktree: Worktree,
		options: { discard: boolean; anyway: boolean },
	): Promise<WorktreeRemoval> {
		const input = { worktree, ...options };
		const done = await perform(await operations.removeWorktree(), IN_WINDOW, input, this.contextOf(folder));
		return { ...done, says: translated(done.says) };
	}

	private contextOf(folder: Folder) {
		return operationContext(folder, this.tools);
	}
}
