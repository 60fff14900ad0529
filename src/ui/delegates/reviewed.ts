import { l10n } from 'vscode';
import { NancyError } from '../../base/errors.ts';
import type { Delegate } from '../../core/delegates/delegate.ts';
import { busyIn, isStanding, worktreeOf } from '../../core/delegates/inWorktree.ts';
import { isSameAddress } from '../../core/workspace/workspace.ts';
import { isRunning } from '../../core/workspace/workerLife.ts';
import type { Worktree } from '../../protocol/worktree.ts';
import type { ChangesOf, Folder } from '../ports.ts';
import { workersIn, type WorkerItem } from '../tasks/tasksView.ts';
import { whoIs } from '../who.ts';
import { changesOfWorker } from './changesOf.ts';
import type { DelegateItem } from './delegatesView.ts';
import { delegateLabels, shortTitle } from './delegateWords.ts';

/** A row with changes: a delegate's, or that of a task's worker. */
export type ReviewedItem = DelegateItem | WorkerItem;

/** Whose changes a person looks at. */
export interface Reviewed {
	readonly folder: Folder;
	readonly of: ChangesOf;
	/** No other row's. */
	readonly label: string;
}

/** Whose changes a person merges or discards. */
export interface ReviewedWorktree extends Reviewed {
	readonly worktree: Worktree;
	/** From which the subject of the merge commit is offered. */
	readonly title: string;
	/** Says in the commit where the work comes from. For git, so it is not translated. */
	readonly source: string;
	/** @throws NancyError `busy` or `wrong-state` while its changes are not to be merged */
	requireMergeable(): void;
	/** @throws NancyError `busy` while somebody needs the folder */
	requireRemovable(): void;
}

/**
 * @param item a row, as it was when it was drawn. It counts as it is now: a tab with its changes may have been open for hours
 * @throws NancyError `git` once the worktree was removed, `bad-usage` if there is nothing to review
 */
export function reviewedOf(item: ReviewedItem, agentName: (driver: string) => string): Reviewed {
	if ('delegate' in item) return worktreeOfRow(item, agentName);
	const now = asNow(item);
	const of = changesOfWorker(now.task, now.worker);
	return of && 'task' in of ? { folder: now.folder, of, label: whoIs(now.folder, now.address) } : ofWorker(now);
}

/**
 * The same of a row with a worktree.
 * @throws NancyError as {@link reviewedOf} does
 */
export function worktreeOfRow(item: ReviewedItem, agentName: (driver: string) => string): ReviewedWorktree {
	if ('delegate' in item) {
		const { folder, delegate } = item;
		const now = folder.delegates().find(({ record }) => record.id === delegate.record.id);
		return ofDelegate(folder, now ?? delegate, agentName);
	}
	return ofWorker(asNow(item));
}

function asNow(item: WorkerItem): WorkerItem {
	return workersIn(item.folder).find(each => isSameAddress(each.address, item.address)) ?? item;
}

function ofDelegate(folder: Folder, delegate: Delegate, agentName: (driver: string) => string): ReviewedWorktree {
	const worktree = worktreeIn(folder.delegates(), delegate);
	const refuseBusy = () => {
		if (busyIn(worktree, folder.delegates()))
			throw new NancyError('busy', l10n.t('“{0}” is still at work there; stop it first.', shortTitle(delegate)));
	};
	return {
		folder,
		worktree,
		of: { worktree },
		label: delegateLabels(folder.delegates(), agentName).full(delegate),
		title: delegate.record.title,
		source: `Delegate ${delegate.record.id} of Nancy`,
		requireMergeable() {
			if (delegate.state === 'failed') throw notDone(delegate);
			refuseBusy();
		},
		requireRemovable: refuseBusy,
	};
}

function ofWorker({ folder, address, task, worker: { record, state, worktree } }: WorkerItem): ReviewedWorktree {
	const label = whoIs(folder, address);
	if (!worktree) throw withoutWorktree(label);
	if (!isStanding(worktree)) throw gone(worktree);
	return {
		folder,
		worktree,
		of: { worktree },
		label,
		title: task.record.title,
		source: `Task ${address.task}/${address.worker} of Nancy`,
		requireMergeable() {
			if (state.phase !== 'idle' && state.phase !== 'ended')
				throw new NancyError('busy', l10n.t('“{0}” is at work; wait until it is done, or stop it.', label));
		},
		requireRemovable() {
			if (isRunning(record))
				throw new NancyError('busy', l10n.t('“{0}” still runs in that folder; stop it first.', label));
		},
	};
}

/**
 * The worktree that a delegate worked in. Commands that need a worktree are offered only if there is one.
 * @throws NancyError `git` once it was removed
 */
export function worktreeIn(all: readonly Delegate[], delegate: Delegate): Worktree {
	const worktree = worktreeOf(delegate, all);
	if (!worktree) throw withoutWorktree(shortTitle(delegate));
	if (!isStanding(worktree)) throw gone(worktree);
	return worktree;
}

function withoutWorktree(label: string): NancyError {
	return new NancyError('bad-usage', l10n.t('“{0}” has no worktree of its own.', label));
}

function notDone(delegate: Delegate): NancyError {
	const title = shortTitle(delegate);
	return new NancyError('wrong-state', l10n.t('“{0}” has not ended well, so it is not merged. Send it back.', title));
}

function gone({ folder, branch }: Worktree): NancyError {
	return new NancyError('git', l10n.t('{0} is gone; what was kept of it is on the branch {1}.', folder, branch));
}
