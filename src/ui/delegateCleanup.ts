import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { NancyError } from '../base/errors.ts';
import { isFinal, type Delegate } from '../core/delegates/delegates.ts';
import { busyIn, standingWorktree } from '../core/delegates/inWorktree.ts';
import { ORCHESTRATOR } from '../protocol/names.ts';
import type { Worktree } from '../protocol/worktree.ts';
import { DelegateItem } from './delegatesView.ts';
import { shortTitle } from './delegateWords.ts';
import { sentence } from './failures.ts';
import type { Folders } from './folders.ts';
import type { DelegateOperations, Folder, OnlyThere, WorktreeOperations } from './ports.ts';
import { removeQuietly } from './worktreeRemoval.ts';
import { ignoredLines, isAnythingOnly, keptLines, listed, nestedLines } from './worktreeWords.ts';

/** Delegates that go together, for they worked in one worktree; one alone where it had none. */
interface Batch {
	folder: Folder;
	/** Oldest first: the first has the worktree. */
	delegates: readonly Delegate[];
	worktree: Worktree | undefined;
	only: OnlyThere | undefined;
	/** Why what it calls its worktree is not touched. */
	foreign: string | undefined;
}

/** Takes delegates that have ended off the list. What of their worktrees is nowhere else stays on a branch. */
export class DelegateCleanup {
	constructor(
		private readonly folders: Folders,
		private readonly worktrees: WorktreeOperations,
		private readonly delegates: DelegateOperations,
	) {}

	/** Asks first, and says what goes and what stays. */
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

	/** Everything that has ended, but for what still waits in a worktree to be merged. */
	async clearEnded(): Promise<void> {
		const ended = this.folders
			.list()
			.flatMap(folder => folder.delegates().map(delegate => new DelegateItem(folder, delegate)))
			.filter(isDeletable);
		if (ended.length === 0) throw new NancyError('bad-usage', l10n.t('No delegate has ended.'));
		const idle = ended.filter(({ folder, delegate }) => {
			const worktree = standingWorktree(delegate, folder.delegates());
			return worktree === undefined || !busyIn(worktree, folder.delegates());
		});
		const batches = await this.batchesOf(idle);
		const waiting = batches.filter(({ only }) => only !== undefined && isAnythingOnly(only));
		const rest = batches.filter(batch => !waiting.includes(batch));
		const waitingNames = waiting.flatMap(({ delegates }) => delegates.map(quoted));
		if (rest.length === 0) {
			const text = l10n.t(
				'What has ended has changes that are nowhere else. Merge or discard them first: {0}',
				listed(waitingNames),
			);
			throw new NancyError('bad-usage', text);
		}
		const count = rest.flatMap(({ delegates }) => delegates).length;
		await this.askAndDelete(
			rest,
			count === 1
				? l10n.t('Delete one delegate that has ended?')
				: l10n.t('Delete {0} delegates that have ended?', count),
			waiting.length === 0
				? []
				: [
						l10n.t(
							'These stay, for their worktrees have changes that are nowhere else: {0}',
							listed(waitingNames),
						),
					],
		);
	}

	private async askAndDelete(batches: readonly Batch[], question: string, more: readonly string[]): Promise<void> {
		const button = l10n.t('Delete');
		const detail = [...more, ...detailLines(batches)].join('\n\n');
		if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, button)) !== button) return;
		const said: string[] = [];
		const problems: string[] = [];
		await vscode.window.withProgress({ location: { viewId: 'nancy.delegates' } }, async () => {
			for (const batch of batches) {
				const problem = await this.deleteBatch(batch, said);
				if (problem !== undefined) problems.push(`${quoted(batch.delegates[0])}: ${problem}`);
			}
			for (const folder of new Set(batches.map(batch => batch.folder))) await folder.refresh();
		});
		if (said.length > 0) void vscode.window.showInformationMessage(said.join(' '));
		if (problems.length > 0) void vscode.window.showWarningMessage(l10n.t('Not deleted: {0}', problems.join(' ')));
	}

	/** Returns why it stays. */
	private async deleteBatch(batch: Batch, said: string[]): Promise<string | undefined> {
		const { folder, delegates, worktree, only } = batch;
		const [owner] = delegates;
		if (worktree && owner) {
			const { isRemoved, says } = await removeQuietly(
				{ worktrees: this.worktrees, delegates: this.delegates },
				{ folder, record: owner.record, worktree, discard: false },
			);
			if (!isRemoved) return says;
			if (only && keptLines(only).length > 0) said.push(says);
		}
		// Whoever has the worktree goes last: killed in between, what is left can still be found.
		for (const { record } of delegates.toReversed()) await this.delegates.delete(folder, record.id);
		return undefined;
	}

	private async batchesOf(items: readonly DelegateItem[]): Promise<Batch[]> {
		const batches = new Map<string, Batch>();
		for (const { folder, delegate } of items) {
			if (!isDeletable({ delegate })) throw stillAtWork(delegate);
			const all = folder.delegates();
			const named = delegate.status.worktree && standingWorktree(delegate, all);
			const { worktree, only, foreign } = await this.lookAt(folder, named);
			const busy = worktree && busyIn(worktree, all);
			if (busy) throw stillAtWork(busy);
			const delegates = worktree
				? all.filter(each => standingWorktree(each, all)?.folder === worktree.folder)
				: [delegate];
			batches.set(`${folder.path}//${delegate.record.id}`, { folder, delegates, worktree, only, foreign });
		}
		// One that worked in the worktree of another goes with that one.
		const taken = new Set(
			[...batches.values()].filter(({ worktree }) => worktree).flatMap(({ delegates }) => delegates.slice(1)),
		);
		return [...batches.values()].filter(({ delegates: [first] }) => first && !taken.has(first));
	}

	/** One that is not the delegate's own stays where it is; its list need not. */
	private async lookAt(
		folder: Folder,
		worktree: Worktree | undefined,
	): Promise<Pick<Batch, 'worktree' | 'only' | 'foreign'>> {
		const nothing = { worktree: undefined, only: undefined, foreign: undefined };
		if (!worktree) return nothing;
		try {
			return { ...nothing, worktree, only: await this.worktrees.only(folder, worktree) };
		} catch (error) {
			if (!(error instanceof NancyError && error.code === 'not-trusted')) throw error;
			return { ...nothing, foreign: error.message };
		}
	}
}

function isDeletable({ delegate }: Pick<DelegateItem, 'delegate'>): boolean {
	return isFinal(delegate.state) && !delegate.isForeign;
}

function stillAtWork(delegate: Delegate): NancyError {
	if (delegate.isForeign)
		return new NancyError('bad-usage', l10n.t('“{0}” belongs to another program.', shortTitle(delegate)));
	return new NancyError('busy', l10n.t('“{0}” is still at work there; stop it first.', shortTitle(delegate)));
}

function detailLines(batches: readonly Batch[]): string[] {
	const unread = batches.flatMap(({ folder, delegates }) => delegates.filter(each => isUnread(folder, each)));
	return [
		l10n.t('Prompts, logs, answers and mailboxes are deleted. Results stay in the mailboxes of those who asked.'),
		...(unread.length > 0 ? [l10n.t('Nobody has read the result yet: {0}', listed(unread.map(quoted)))] : []),
		...batches.flatMap(({ foreign }) => (foreign === undefined ? [] : [sentence(foreign)])),
		...batches.flatMap(({ delegates, worktree, only }) =>
			worktree && only ? [worktreeLines(delegates[0], worktree, only)] : [],
		),
	];
}

function worktreeLines(owner: Delegate | undefined, { branch }: Worktree, only: OnlyThere): string {
	const kept = keptLines(only);
	const nested = nestedLines(only);
	const head = l10n.t('The worktree of {0} is removed.', quoted(owner));
	if (nested.length > 0)
		return [l10n.t('{0} stays, with its worktree.', quoted(owner)), ...nested.map(line => `• ${line}`)].join('\n');
	return [
		kept.length > 0 ? `${head} ${l10n.t('The branch {0} keeps what is nowhere else:', branch)}` : head,
		...[...kept, ...ignoredLines(only)].map(line => `• ${line}`),
	].join('\n');
}

/** A long answer is whole only in its file. */
function isUnread(folder: Folder, { record, status }: Delegate): boolean {
	const to = record.parent ?? { task: record.task, worker: ORCHESTRATOR };
	const result = folder.messages(to).messages.find(({ id }) => id === status.report);
	return result?.state === 'queued' || result?.state === 'claimed';
}

function quoted(delegate: Delegate | undefined): string {
	return delegate ? `“${shortTitle(delegate)}”` : '';
}
