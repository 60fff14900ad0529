import { l10n } from 'vscode';
import { NancyError } from '../../base/errors.ts';
import {
	batchesOf,
	clearable,
	deleteBatch,
	isDeletable,
	staysUnlessNamed,
	type Batch,
	type OnlyThere,
} from '../../core/delegates/batches.ts';
import type { Delegate } from '../../core/delegates/delegate.ts';
import { isSameAddress, type WorkerAddress } from '../../core/workspace/workspace.ts';
import type { DelegateRecord } from '../../protocol/delegate.ts';
import { ORCHESTRATOR } from '../../protocol/names.ts';
import type { Worktree } from '../../protocol/worktree.ts';
import { DelegateItem } from './delegatesView.ts';
import { shortTitle } from './delegateWords.ts';
import { VIEWS } from '../contributions.ts';
import { sentence } from '../kit/format.ts';
import { ask, inform, warn } from '../kit/messages.ts';
import { inProgress } from '../kit/progress.ts';
import { errorWords } from '../kit/translated.ts';
import type { Folders } from '../folders.ts';
import type { DelegateOperations, Folder, WorktreeOperations } from '../ports.ts';
import { ignoredLines, keptLines, listed, nestedLines } from './worktreeWords.ts';

interface FolderBatch extends Batch {
	folder: Folder;
}

/** Deletes ended delegates. Work that exists only in their worktrees stays on a branch. */
export class DelegateCleanup {
	constructor(
		private readonly folders: Folders,
		private readonly worktrees: WorktreeOperations,
		private readonly delegates: DelegateOperations,
	) {}

	/** Asks first, and names the work that goes and that stays. */
	async delete(items: readonly DelegateItem[]): Promise<void> {
		const batches = await this.batchesOf(items);
		const all = batches.flatMap(({ delegates }) => delegates);
		const [only, ...others] = all;
		if (!only) throw new NancyError('bad-usage', l10n.t('Choose a delegate that has ended.'));
		const chosen = new Set(items.map(({ delegate }) => delegate.record.id));
		const taken = all.filter(({ record }) => !chosen.has(record.id)).map(quoted);
		await this.askAndDelete(
			batches,
			others.length === 0
				? l10n.t('Delete the delegate “{0}”?', shortTitle(only))
				: l10n.t('Delete {0} delegates?', all.length),
			taken.length === 0 ? [] : [l10n.t('With those that went on in the same worktree: {0}', listed(taken))],
		);
	}

	/** All ended delegates, except those whose worktree has unmerged work. */
	async clearEnded(): Promise<void> {
		const folders = this.folders.list();
		if (!folders.some(folder => folder.delegates().some(isDeletable)))
			throw new NancyError('bad-usage', l10n.t('No delegate has ended.'));
		const idle = folders.flatMap(folder =>
			clearable(folder.delegates()).map(delegate => new DelegateItem(folder, delegate)),
		);
		const batches = await this.batchesOf(idle);
		const rest = batches.filter(batch => !staysUnlessNamed(batch));
		const stays = staysLinesOf(batches.filter(batch => !rest.includes(batch)));
		if (rest.length === 0) throw new NancyError('bad-usage', stays.join(' ') || l10n.t('No delegate has ended.'));
		const count = rest.flatMap(({ delegates }) => delegates).length;
		await this.askAndDelete(
			rest,
			count === 1
				? l10n.t('Delete one delegate that has ended?')
				: l10n.t('Delete {0} delegates that have ended?', count),
			stays,
		);
	}

	private async askAndDelete(
		batches: readonly FolderBatch[],
		question: string,
		more: readonly string[],
	): Promise<void> {
		const button = l10n.t('Delete');
		const detail = [...more, ...detailLines(batches)].join('\n\n');
		if ((await ask(question, detail, button)) !== button) return;
		const said: string[] = [];
		const problems: string[] = [];
		await inProgress(VIEWS.delegates, async () => {
			for (const batch of batches) {
				const problem = await this.deleteBatch(batch, said).catch((error: unknown) =>
					sentence(errorWords(error)),
				);
				if (problem !== undefined) problems.push(`${quoted(batch.delegates[0])}: ${problem}`);
			}
			for (const folder of new Set(batches.map(batch => batch.folder))) await folder.refresh();
		});
		if (said.length > 0) void inform(said.join(' '));
		if (problems.length > 0) void warn(l10n.t('Not deleted: {0}', problems.join(' ')));
	}

	/** Returns the reason if it stays. */
	private async deleteBatch(batch: FolderBatch, said: string[]): Promise<string | undefined> {
		const { folder, only, unseen } = batch;
		if (unseen !== undefined) return sentence(unseen);
		const removal = await deleteBatch(
			batch,
			worktree => this.worktrees.remove(folder, worktree, { discard: false, anyway: false }),
			id => this.delegates.delete(folder, id),
		);
		if (removal && !removal.isRemoved) return sentence(removal.says);
		if (removal && only && keptLines(only).length > 0) said.push(sentence(removal.says));
		return undefined;
	}

	private async batchesOf(items: readonly DelegateItem[]): Promise<FolderBatch[]> {
		const batches: FolderBatch[] = [];
		for (const folder of new Set(items.map(item => item.folder))) {
			const chosen = items.filter(item => item.folder === folder).map(({ delegate }) => delegate);
			const only = (worktree: Worktree) => this.worktrees.only(folder, worktree);
			const found = await batchesOf(chosen, folder.delegates(), only, stillAtWork);
			batches.push(...found.map(batch => ({ ...batch, folder })));
		}
		return batches;
	}
}

function stillAtWork(delegate: Delegate): NancyError {
	if (delegate.isForeign)
		return new NancyError('bad-usage', l10n.t('“{0}” belongs to another program.', shortTitle(delegate)));
	return new NancyError('busy', l10n.t('“{0}” is still at work there; stop it first.', shortTitle(delegate)));
}

function detailLines(batches: readonly FolderBatch[]): string[] {
	const unread = batches.flatMap(({ folder, delegates }) => delegates.filter(each => isUnread(folder, each)));
	return [
		l10n.t('Prompts, logs, answers and mailboxes are deleted. Results stay in the mailboxes of those who asked.'),
		...(unread.length > 0 ? [l10n.t('Nobody has read the result yet: {0}', listed(unread.map(quoted)))] : []),
		...batches.flatMap(({ foreign }) => (foreign === undefined ? [] : [sentence(foreign)])),
		...batches.flatMap(({ delegates: [owner], unseen }) =>
			unseen === undefined ? [] : [staysLines(owner, [unseen])],
		),
		...batches.flatMap(({ delegates, worktree, only }) =>
			worktree && only ? [worktreeLines(delegates[0], worktree, only)] : [],
		),
	];
}

/** The delegates that Clear Ended keeps, and the reasons. */
function staysLinesOf(batches: readonly Batch[]): string[] {
	const names = (some: readonly Batch[]) => listed(some.flatMap(({ delegates }) => delegates.map(quoted)));
	const unproved = batches.filter(({ foreign }) => foreign !== undefined);
	const waiting = batches.filter(batch => !unproved.includes(batch));
	return [
		...(waiting.length === 0
			? []
			: [
					l10n.t(
						'These stay, because their worktrees have changes that exist nowhere else. Merge or discard them first: {0}.',
						names(waiting),
					),
				]),
		...(unproved.length === 0
			? []
			: [
					l10n.t(
						'These stay, because Nancy cannot tell whether their worktrees are their own. Delete them one by one: {0}.',
						names(unproved),
					),
				]),
	];
}

function worktreeLines(owner: Delegate | undefined, { branch }: Worktree, only: OnlyThere): string {
	const kept = keptLines(only);
	const nested = nestedLines(only);
	const head = l10n.t('The worktree of {0} is removed.', quoted(owner));
	if (nested.length > 0) return staysLines(owner, nested);
	return [
		kept.length > 0 ? `${head} ${l10n.t('The branch {0} keeps what exists only there:', branch)}` : head,
		...[...kept, ...ignoredLines(only)].map(line => `• ${line}`),
	].join('\n');
}

function staysLines(owner: Delegate | undefined, reasons: readonly string[]): string {
	return [l10n.t('{0} stays, with its worktree.', quoted(owner)), ...reasons.map(line => `• ${line}`)].join('\n');
}

/** Whether nobody has read the result yet. The message holds only a part of a long answer; the file holds all of it. */
function isUnread(folder: Folder, { record, status }: Delegate): boolean {
	const found = askersOf(record, folder.delegates())
		.flatMap(to => folder.messages(to).messages)
		.filter(({ id }) => id === status.report);
	return found.some(({ state }) => state === 'queued' || state === 'claimed');
}

/** The mailboxes that may hold the result. If the asker has ended, its own asker got the result. */
function askersOf(
	{ parent, task }: Pick<DelegateRecord, 'parent' | 'task'>,
	all: readonly Delegate[],
): WorkerAddress[] {
	if (!parent) return [{ task, worker: ORCHESTRATOR }];
	const above = all.find(({ record }) => isSameAddress(record, parent));
	const others = all.filter(each => each !== above);
	return [parent, ...askersOf(above?.record ?? { ...parent, parent: undefined }, others)];
}

function quoted(delegate: Delegate | undefined): string {
	return delegate ? `“${shortTitle(delegate)}”` : '';
}
