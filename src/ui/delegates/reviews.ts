import { join } from 'node:path';
import * as vscode from 'vscode';
import { l10n } from 'vscode';
import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import { isAnythingOnly } from '../../core/delegates/batches.ts';
import type { Delegate } from '../../core/delegates/delegate.ts';
import { Delegates } from '../../core/delegates/delegates.ts';
import { busyIn, isStanding, worktreeOf } from '../../core/delegates/inWorktree.ts';
import { DelegateId } from '../../protocol/delegate.ts';
import type { Worktree } from '../../protocol/worktree.ts';
import { SCHEMES, VIEWS } from '../contributions.ts';
import type { DelegateItem } from './delegatesView.ts';
import { delegateLabels, shortTitle } from './delegateWords.ts';
import type { Folders } from '../folders.ts';
import { ask, inform, warn } from '../kit/messages.ts';
import { plainLine } from '../kit/plain.ts';
import { inProgress } from '../kit/progress.ts';
import { sentence } from '../kit/failures.ts';
import type { ChangedFile, WorktreeOperations } from '../ports.ts';
import { askForMerge, mergedWords } from './mergeQuestion.ts';
import type { OpenReviews } from './openReviews.ts';
import { lossWords } from './worktreeWords.ts';

/** The worktree that a file of the base belongs to. It is in the query of the file's address. */
const BaseAddress = z.object({ folder: z.string(), id: DelegateId, path: z.string() });

/** The changes of delegates in their own worktrees. The user reviews, merges or discards them. */
export class Reviews {
	constructor(
		private readonly folders: Folders,
		private readonly worktrees: WorktreeOperations,
		private readonly opened: OpenReviews,
		private readonly agentName: (driver: string) => string,
	) {}

	/** Opens all changes side by side. */
	async open(item: DelegateItem): Promise<void> {
		const { folder, delegate } = item;
		const title = this.titleOf(item);
		const worktree = worktreeIn(folder.delegates(), delegate);
		const files = await this.worktrees.changes(folder, worktree);
		const { id } = delegate.record;
		if (files.length === 0) {
			void inform(l10n.t('“{0}” has changed nothing.', title));
			return;
		}
		const resources = files.map(file => {
			const now = vscode.Uri.file(join(worktree.folder, file.path));
			return [
				now,
				baseOf(worktree, file, { folder: folder.path, id }),
				file.status === 'deleted' ? undefined : now,
			];
		});
		const label = plainLine(l10n.t('Changes of “{0}”', title));
		const shown = files.map(({ path }) => join(worktree.folder, path));
		this.opened.add(label, item, shown);
		await vscode.commands.executeCommand('vscode.changes', label, resources);
	}

	/** Text of a file as it was before the delegate began. */
	async base(uri: vscode.Uri): Promise<string> {
		const address = BaseAddress.parse(JSON.parse(uri.query));
		const folder = this.folders.list().find(({ path }) => path === address.folder);
		if (!folder) return '';
		// Read from the disk: after a reload, VS Code asks before the folder has been read.
		const { delegates } = await new Delegates(folder.workspace).list();
		const delegate = delegates.find(({ record }) => record.id === address.id);
		if (!delegate) return '';
		// A removed worktree counts too: its editor may still be open.
		const worktree = worktreeOf(delegate, delegates);
		const content = worktree && (await this.worktrees.base(folder, worktree, address.path));
		return content?.toString('utf8') ?? '';
	}

	/** Says what would come and where, and asks for the subject of the commit. */
	async merge(item: DelegateItem): Promise<void> {
		const { folder, delegate } = item;
		const { id } = delegate.record;
		const title = this.titleOf(item);
		if (delegate.state === 'failed') throw notDone(delegate);
		const worktree = worktreeIn(folder.delegates(), delegate);
		refuseBusy(item, worktree);
		const preview = await inProgress(VIEWS.delegates, () => this.worktrees.previewMerge(folder, worktree));
		if (preview.files === 0) {
			void inform(l10n.t('There is nothing left to merge of “{0}”.', title));
			return;
		}
		const subject = await askForMerge(title, delegate.record.title, preview);
		if (subject === undefined) return;
		// This text is for git, so it is not translated.
		const outcome = await inProgress(VIEWS.delegates, () =>
			this.worktrees.merge(folder, worktree, `${subject}\n\nDelegate ${id} of Nancy\n`),
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
		const chosen = await inform(mergedWords(title, preview, outcome.how), ...buttons);
		if (chosen === undo) await this.undoMerge(item);
		if (chosen === remove) await this.remove(item, worktree, false);
	}

	/** Needs no question: the work stays in the worktree, and can be merged again. */
	async undoMerge(item: DelegateItem): Promise<void> {
		const { folder, delegate } = item;
		const worktree = worktreeIn(folder.delegates(), delegate);
		const outcome = await inProgress(VIEWS.delegates, () => this.worktrees.undoMerge(folder, worktree));
		await folder.refresh();
		const title = this.titleOf(item);
		if (outcome.ok) {
			const text = outcome.isGone
				? l10n.t(
						'The branch does not have the merge of “{0}” any more. Its worktree still has the changes.',
						title,
					)
				: l10n.t('The merge of “{0}” is undone. Its worktree still has the changes.', title);
			void inform(text);
			return;
		}
		const again = l10n.t('Merge Again');
		const text = l10n.t('The merge of “{0}” was not undone: {1}.', title, outcome.reason);
		if ((await warn(text, again)) === again) await this.merge(item);
	}

	async openWorktree({ folder, delegate }: DelegateItem): Promise<void> {
		const worktree = worktreeIn(folder.delegates(), delegate);
		await this.worktrees.verify(folder, worktree);
		await openFolder(worktree);
	}

	/** Asks first, and names the work that exists only there. */
	async discard(item: DelegateItem): Promise<void> {
		const { folder, delegate } = item;
		const worktree = worktreeIn(folder.delegates(), delegate);
		refuseBusy(item, worktree);
		const only = await this.worktrees.only(folder, worktree);
		const question = l10n.t('Remove the worktree of “{0}”?', this.titleOf(item));
		const keep = l10n.t('Remove, Keep Branch');
		const discard = l10n.t('Discard Everything');
		const remove = l10n.t('Remove');
		const detail = lossWords(worktree, only);
		const buttons = isAnythingOnly(only) ? [keep, discard] : [remove];
		const answer = await ask(question, detail, ...buttons);
		if (answer === undefined) return;
		await this.remove(item, worktree, answer === discard);
	}

	/** Of no other delegate of the folder. */
	private titleOf({ folder, delegate }: DelegateItem): string {
		return delegateLabels(folder.delegates(), this.agentName).full(delegate);
	}

	private async remove({ folder }: DelegateItem, worktree: Worktree, discard: boolean): Promise<void> {
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

/**
 * The worktree that a delegate worked in. Commands that need a worktree are offered only if there is one.
 * @throws NancyError `git` once it was removed
 */
export function worktreeIn(
	all: Parameters<typeof worktreeOf>[1],
	delegate: Parameters<typeof worktreeOf>[0],
): Worktree {
	const worktree = worktreeOf(delegate, all);
	if (worktree && !isStanding(worktree)) throw gone(worktree);
	if (worktree) return worktree;
	throw new NancyError('bad-usage', l10n.t('“{0}” has no worktree of its own.', shortTitle(delegate)));
}

function notDone(delegate: Delegate): NancyError {
	const title = shortTitle(delegate);
	return new NancyError('wrong-state', l10n.t('“{0}” has not ended well, so it is not merged. Send it back.', title));
}

function gone({ folder, branch }: Worktree): NancyError {
	return new NancyError('git', l10n.t('{0} is gone; what was kept of it is on the branch {1}.', folder, branch));
}

function refuseBusy({ folder, delegate }: DelegateItem, worktree: Worktree): void {
	if (busyIn(worktree, folder.delegates()))
		throw new NancyError('busy', l10n.t('“{0}” is still at work there; stop it first.', shortTitle(delegate)));
}

/** At the same path as the file that it is compared with. VS Code shows a file at another path as renamed. */
function baseOf(
	worktree: Worktree,
	{ path: now, before, status }: ChangedFile,
	of: Omit<z.infer<typeof BaseAddress>, 'path'>,
): vscode.Uri | undefined {
	if (status === 'added') return undefined;
	const path = before ?? now;
	const address: z.infer<typeof BaseAddress> = { ...of, path };
	const query = JSON.stringify(address);
	return vscode.Uri.file(join(worktree.folder, path)).with({ scheme: SCHEMES.base, query });
}

async function openFolder(worktree: Worktree): Promise<void> {
	await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(worktree.folder), {
		forceNewWindow: true,
	});
}
