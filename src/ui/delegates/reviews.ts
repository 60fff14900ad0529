import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { l10n } from 'vscode';
import * as z from 'zod/mini';
import { isAnythingOnly } from '../../core/delegates/batches.ts';
import { TaskName } from '../../protocol/names.ts';
import { Worktree } from '../../protocol/worktree.ts';
import { SCHEMES, VIEWS } from '../contributions.ts';
import type { Folders } from '../folders.ts';
import { ask, inform, warn } from '../kit/messages.ts';
import { plainLine } from '../kit/plain.ts';
import { inProgress } from '../kit/progress.ts';
import { sentence } from '../kit/format.ts';
import type { ChangedFile, ChangesOf, Folder, WorktreeOperations } from '../ports.ts';
import { keyOf, rootOf } from './changesOf.ts';
import { askForMerge, mergedWords } from './mergeQuestion.ts';
import type { OpenReviews } from './openReviews.ts';
import { reviewedOf, worktreeOfRow, type ReviewedItem, type ReviewedWorktree } from './reviewed.ts';
import { lossWords } from './worktreeWords.ts';

/** A file as it was before the work began. It is in the query of the file's address. */
const BaseAddress = z.object({
	folder: z.string(),
	of: z.union([z.object({ worktree: Worktree }), z.object({ task: TaskName })]),
	path: z.string(),
});

/** The address of what a link is now. */
const PresentLink = z.object({ link: z.string() });

/** The changes of delegates and of tasks. The user reviews them, and merges or discards those in worktrees. */
export class Reviews {
	constructor(
		private readonly folders: Folders,
		private readonly worktrees: WorktreeOperations,
		private readonly opened: OpenReviews,
		private readonly agentName: (driver: string) => string,
	) {}

	/** Opens all changes side by side. */
	async open(item: ReviewedItem): Promise<void> {
		const { folder, of, label: title } = reviewedOf(item, this.agentName);
		const isTask = 'task' in of;
		const { files } = await this.worktrees.changes(folder, of);
		if (files.length === 0) {
			const text = isTask
				? l10n.t('Nothing in the folder has changed since “{0}” began.', title)
				: l10n.t('“{0}” has changed nothing.', title);
			void inform(text);
			return;
		}
		const root = rootOf(folder, of);
		const resources = files.map((file): [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined] => {
			const now = vscode.Uri.file(join(root, file.path));
			return [now, baseOf(folder, of, file), file.status === 'deleted' ? undefined : presentOf(now, file)];
		});
		const label = labelOf(of, title);
		const shown = resources.map(([{ fsPath }]) => fsPath);
		this.opened.add(label, item, keyOf(folder, of), shown);
		await vscode.commands.executeCommand('vscode.changes', label, resources);
	}

	/** Opens the changes of one file. A binary file is shown as it is now: a comparison would show its bytes. */
	async openFile(item: ReviewedItem, file: ChangedFile): Promise<void> {
		const { folder, of, label: title } = reviewedOf(item, this.agentName);
		const now = vscode.Uri.file(join(rootOf(folder, of), file.path));
		if (!file.lines && file.status !== 'deleted') {
			await vscode.commands.executeCommand('vscode.open', now);
			return;
		}
		const nothing = now.with({ scheme: SCHEMES.base });
		const right = file.status === 'deleted' ? nothing : presentOf(now, file);
		const label = plainLine(`${basename(file.path)} · ${labelOf(of, title)}`);
		this.opened.add(label, item, keyOf(folder, of), [now.fsPath]);
		await vscode.commands.executeCommand('vscode.diff', baseOf(folder, of, file) ?? nothing, right, label);
	}

	/** Text of a file as it was before the work began. An address that names no work stands for an empty file. */
	async base(uri: vscode.Uri): Promise<string> {
		if (uri.query === '') return '';
		const query: unknown = JSON.parse(uri.query);
		const { success: isLink, data: link } = PresentLink.safeParse(query);
		if (isLink) return link.link;
		const address = BaseAddress.parse(query);
		const folder = this.folders.list().find(({ path }) => path === address.folder);
		// A removed worktree counts too: its editor may still be open. The operation asks for proof that it was Nancy's.
		const content = folder && (await this.worktrees.base(folder, address.of, address.path));
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
		const chosen = await inform(mergedWords(label, preview, outcome), ...buttons);
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

	private of(item: ReviewedItem): ReviewedWorktree {
		return worktreeOfRow(item, this.agentName);
	}

	private async remove(reviewed: ReviewedWorktree, discard: boolean): Promise<void> {
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

function labelOf(of: ChangesOf, title: string): string {
	return plainLine('task' in of ? l10n.t('Changes since “{0}” began', title) : l10n.t('Changes of “{0}”', title));
}

function viewOf(item: ReviewedItem): string {
	return 'delegate' in item ? VIEWS.delegates : VIEWS.tasks;
}

/** At the same path as the file that it is compared with. VS Code shows a file at another path as renamed. */
function baseOf(folder: Folder, of: ChangesOf, { path: now, before, status }: ChangedFile): vscode.Uri | undefined {
	if (status === 'added') return undefined;
	const path = before ?? now;
	const address: z.infer<typeof BaseAddress> = { folder: folder.path, of: plainOf(of), path };
	return vscode.Uri.file(join(rootOf(folder, of), path)).with({
		scheme: SCHEMES.base,
		query: JSON.stringify(address),
	});
}

/** VS Code would show the file that a link leads to, and a merge brings the link. */
function presentOf(now: vscode.Uri, { link }: ChangedFile): vscode.Uri {
	return link === undefined ? now : now.with({ scheme: SCHEMES.base, query: JSON.stringify({ link }) });
}

/** A record may say more of a worktree than which one it is. */
function plainOf(of: ChangesOf): ChangesOf {
	if ('task' in of) return of;
	const { repository, folder, branch, base } = of.worktree;
	return { worktree: { repository, folder, branch, base } };
}

async function openFolder(worktree: Worktree): Promise<void> {
	await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(worktree.folder), {
		forceNewWindow: true,
	});
}
