import { join } from 'node:path';
import * as vscode from 'vscode';
import { l10n } from 'vscode';
import * as z from 'zod/mini';
import { isAnythingOnly } from '../../core/delegates/batches.ts';
import { Worktree } from '../../protocol/worktree.ts';
import { SCHEMES, VIEWS } from '../contributions.ts';
import type { Folders } from '../folders.ts';
import { ask, inform, warn } from '../kit/messages.ts';
import { plainLine } from '../kit/plain.ts';
import { inProgress } from '../kit/progress.ts';
import { sentence } from '../kit/failures.ts';
import type { ChangedFile, WorktreeOperations } from '../ports.ts';
import { askForMerge, mergedWords } from './mergeQuestion.ts';
import type { OpenReviews } from './openReviews.ts';
import { reviewedOf, type Reviewed, type ReviewedItem } from './reviewed.ts';
import { lossWords } from './worktreeWords.ts';

/** A file of a worktree's base. It is in the query of the file's address. */
const BaseAddress = z.object({ folder: z.string(), worktree: Worktree, path: z.string() });

/** The changes in worktrees of delegates and of tasks. The user reviews, merges or discards them. */
export class Reviews {
	constructor(
		private readonly folders: Folders,
		private readonly worktrees: WorktreeOperations,
		private readonly opened: OpenReviews,
		private readonly agentName: (driver: string) => string,
	) {}

	/** Opens all changes side by side. */
	async open(item: ReviewedItem): Promise<void> {
		const { folder, worktree, label: title } = this.of(item);
		const files = await this.worktrees.changes(folder, worktree);
		if (files.length === 0) {
			void inform(l10n.t('“{0}” has changed nothing.', title));
			return;
		}
		const resources = files.map(file => {
			const now = vscode.Uri.file(join(worktree.folder, file.path));
			return [now, baseOf(folder.path, worktree, file), file.status === 'deleted' ? undefined : now];
		});
		const label = plainLine(l10n.t('Changes of “{0}”', title));
		const shown = files.map(({ path }) => join(worktree.folder, path));
		this.opened.add(label, item, worktree.folder, shown);
		await vscode.commands.executeCommand('vscode.changes', label, resources);
	}

	/** Text of a file as it was before the work began. */
	async base(uri: vscode.Uri): Promise<string> {
		const address = BaseAddress.parse(JSON.parse(uri.query));
		const folder = this.folders.list().find(({ path }) => path === address.folder);
		// A removed worktree counts too: its editor may still be open. The operation asks for proof that it was Nancy's.
		const content = folder && (await this.worktrees.base(folder, address.worktree, address.path));
		return content?.toString('utf8') ?? '';
	}

	/** Says what would come and where, and asks for the subject of the commit. */
	async merge(item: ReviewedItem): Promise<void> {
		const reviewed = this.of(item);
		const { folder, worktree, label } = reviewed;
		reviewed.requireMergeable();
		const preview = await inProgress(viewOf(item), () => this.worktrees.previewMerge(folder, worktree));
		if (preview.files === 0) {
			void inform(l10n.t('There is nothing left to merge of “{0}”.', label));
			return;
		}
		const subject = await askForMerge(label, reviewed.title, preview);
		if (subject === undefined) return;
		// This text is for git, so it is not translated.
		const outcome = await inProgress(viewOf(item), () =>
			this.worktrees.merge(folder, worktree, `${subject}\n\n${reviewed.source}\n`),
		);
		await folder.refresh();
		if (!outcome.ok) {
			const open = l10n.t('Open Worktree');
			const text = l10n.t('Nothing was merged: {0}', outcome.reason);
			if ((await warn(text, open)) === open) await openFolder(worktree);
			return;
		}
		const undo = l10n.t('Undo');
		const remove = l10n.t('Remove Worktree');
		const buttons = outcome.how === 'nothing' ? [remove] : [undo, remove];
		const chosen = await inform(mergedWords(label, preview, outcome.how), ...buttons);
		if (chosen === undo) await this.undoMerge(item);
		if (chosen === remove) await this.remove(reviewed, false);
	}

	/** Needs no question: the work stays in the worktree, and can be merged again. */
	async undoMerge(item: ReviewedItem): Promise<void> {
		const { folder, worktree, label } = this.of(item);
		const outcome = await inProgress(viewOf(item), () => this.worktrees.undoMerge(folder, worktree));
		await folder.refresh();
		if (outcome.ok) {
			const text = outcome.isGone
				? l10n.t(
						'The branch does not have the merge of “{0}” any more. Its worktree still has the changes.',
						label,
					)
				: l10n.t('The merge of “{0}” is undone. Its worktree still has the changes.', label);
			void inform(text);
			return;
		}
		const again = l10n.t('Merge Again');
		const text = l10n.t('The merge of “{0}” was not undone: {1}.', label, outcome.reason);
		if ((await warn(text, again)) === again) await this.merge(item);
	}

	async openWorktree(item: ReviewedItem): Promise<void> {
		const { folder, worktree } = this.of(item);
		await this.worktrees.verify(folder, worktree);
		await openFolder(worktree);
	}

	/** Asks first, and names the work that exists only there. */
	async discard(item: ReviewedItem): Promise<void> {
		const reviewed = this.of(item);
		const { folder, worktree, label } = reviewed;
		reviewed.requireRemovable();
		const only = await this.worktrees.only(folder, worktree);
		const question = l10n.t('Remove the worktree of “{0}”?', label);
		const keep = l10n.t('Remove, Keep Branch');
		const discard = l10n.t('Discard Everything');
		const remove = l10n.t('Remove');
		const detail = lossWords(worktree, only);
		const buttons = isAnythingOnly(only) ? [keep, discard] : [remove];
		const answer = await ask(question, detail, ...buttons);
		if (answer === undefined) return;
		await this.remove(reviewed, answer === discard);
	}

	private of(item: ReviewedItem): Reviewed {
		return reviewedOf(item, this.agentName);
	}

	private async remove(reviewed: Reviewed, discard: boolean): Promise<void> {
		const { folder, worktree } = reviewed;
		reviewed.requireRemovable();
		const options = { discard, anyway: false };
		const { isRemoved, says, hasTornDown } = await this.worktrees.remove(folder, worktree, options);
		await folder.refresh();
		if (isRemoved) {
			void inform(sentence(says));
			return;
		}
		const anyway = l10n.t('Remove Anyway');
		const choices = hasTornDown ? [anyway] : [];
		if ((await warn(sentence(says), ...choices)) !== anyway) return;
		const second = await this.worktrees.remove(folder, worktree, { discard, anyway: true });
		await folder.refresh();
		void inform(sentence(second.says));
	}
}

function viewOf(item: ReviewedItem): string {
	return 'delegate' in item ? VIEWS.delegates : VIEWS.tasks;
}

/** At the same path as the file that it is compared with. VS Code shows a file at another path as renamed. */
function baseOf(
	folder: string,
	worktree: Worktree,
	{ path: now, before, status }: ChangedFile,
): vscode.Uri | undefined {
	if (status === 'added') return undefined;
	const path = before ?? now;
	const { repository, folder: place, branch, base } = worktree;
	const address: z.infer<typeof BaseAddress> = {
		folder,
		worktree: { repository, folder: place, branch, base },
		path,
	};
	return vscode.Uri.file(join(place, path)).with({ scheme: SCHEMES.base, query: JSON.stringify(address) });
}

async function openFolder(worktree: Worktree): Promise<void> {
	await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(worktree.folder), {
		forceNewWindow: true,
	});
}
