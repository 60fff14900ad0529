import { errorText, NancyError } from '../base/errors.ts';
import {
	batchesOf,
	clearable,
	deleteBatch,
	staysUnlessNamed,
	type Batch,
	type OnlyThere,
} from '../core/delegates/batches.ts';
import { deleteDelegate } from '../core/delegates/deleteDelegate.ts';
import type { Delegate } from '../core/delegates/delegate.ts';
import type { Delegates } from '../core/delegates/delegates.ts';
import { ownRequest } from '../core/delegates/ownRequest.ts';
import type { Tickets } from '../core/delegates/tickets.ts';
import { endedWorktree, ownWorktree } from '../git/ownWorktree.ts';
import { refuseTracked } from '../git/refuseTracked.ts';
import { tearDown } from '../git/tearDown.ts';
import { inWords, removeWorktree, whatWouldBeLost } from '../git/worktreeRemove.ts';
import { DelegatesDeletedOutput } from '../protocol/output/delegates.ts';
import type { DelegateId, DelegateRecord } from '../protocol/delegate.ts';
import type { Worktree } from '../protocol/worktree.ts';
import { answer, type Answer } from './command.ts';
import { ExitCode } from './failure.ts';
import { printable } from './words.ts';

/** The delegates to delete: these, or all ended ones except those with unmerged work in a worktree. */
export type Doomed = { ids: readonly DelegateId[] } | 'ended';

type Refuse = (id: DelegateId, request: DelegateRecord | undefined) => Promise<void>;

/**
 * Follows the rules of the window: the worktree goes too, and a branch keeps the work that is nowhere else.
 * @param refuse throws `not-trusted` if the asker may not delete this delegate, whose ticket is for `request`
 */
export async function deleteDelegates(
	store: Delegates,
	tickets: Tickets,
	doomed: Doomed,
	refuse: Refuse,
): Promise<Answer> {
	const { delegates: all } = await store.list();
	const chosen = doomed === 'ended' ? clearable(all) : doomed.ids.map(id => named(id, all));
	const look = async (worktree: Worktree) => whatWouldBeLost(await ownWorktree(store, tickets, worktree));
	const batches = await batchesOf(chosen, all, look, refusal);
	const deleted: DelegateId[] = [];
	const kept: { id: DelegateId; reason: string }[] = [];
	const notes: string[] = [];
	const refused = new Map<Batch, string>();
	for (const batch of batches) {
		const reason = await refusalOf(store, tickets, batch, refuse);
		if (reason && doomed !== 'ended') throw reason;
		if (reason) refused.set(batch, reason.message);
	}
	const keep = ({ delegates }: Batch, reason: string) =>
		kept.push(...delegates.map(({ record }) => ({ id: record.id, reason })));
	for (const batch of batches) {
		const { only, foreign, delegates } = batch;
		const reason = refused.get(batch) ?? batch.unseen;
		if (reason !== undefined) {
			keep(batch, reason);
			continue;
		}
		if (doomed === 'ended' && staysUnlessNamed(batch)) {
			keep(batch, whyItStays(batch));
			continue;
		}
		const removal = await deleteBatch(
			batch,
			(worktree, owner) => remove(store, tickets, worktree, owner),
			id => deleteDelegate(store, tickets, id, () => refuseTracked(store.workspace)),
		).catch(stays);
		if (removal && !removal.isRemoved) {
			keep(batch, removal.says);
			continue;
		}
		deleted.push(...delegates.map(({ record }) => record.id));
		if (removal && only && hasWork(only)) notes.push(removal.says);
		if (foreign !== undefined) notes.push(foreign);
	}
	const lines = [
		...deleted.map(id => `deleted ${id}`),
		...kept.map(({ id, reason }) => `kept ${id}: ${reason}`),
		...notes,
	];
	return answer(
		DelegatesDeletedOutput,
		{ deleted, kept, notes },
		lines.length === 0 ? 'no delegate has ended' : lines.map(printable),
		doomed !== 'ended' && kept.length > 0 ? ExitCode.failed : ExitCode.ok,
	);
}

function named(id: DelegateId, all: readonly Delegate[]): Delegate {
	const found = all.find(({ record }) => record.id === id);
	if (found) return found;
	throw new NancyError('no-task', `there is no delegate ${id}; nancy delegates lists them`);
}

function refusal({ record, isForeign }: Delegate): NancyError {
	return isForeign
		? new NancyError('bad-usage', `${record.id} is another program’s; Nancy only shows it`)
		: new NancyError('busy', `${record.id} has not ended; stop it first: nancy delegates ${record.id} --stop`);
}

async function remove(
	store: Delegates,
	tickets: Tickets,
	claimed: Worktree,
	{ id }: DelegateRecord,
): Promise<{ isRemoved: boolean; says: string }> {
	const worktree = await endedWorktree(store, tickets, claimed);
	const command = (await ownRequest(store, tickets, id))?.record.tearDown;
	const failed = await tearDown(worktree, command);
	if (failed === undefined) return removeWorktree(worktree, { discard: false });
	return { isRemoved: false, says: `the tear-down command failed, so the worktree stays: ${failed}` };
}

/** A delegate that cannot be deleted does not stop the others. */
function stays(error: unknown): { isRemoved: boolean; says: string } {
	return { isRemoved: false, says: errorText(error) };
}

async function refusalOf(
	store: Delegates,
	tickets: Tickets,
	{ delegates }: Batch,
	refuse: Refuse,
): Promise<NancyError | undefined> {
	try {
		for (const { record } of delegates)
			await refuse(record.id, (await ownRequest(store, tickets, record.id))?.record);
		return undefined;
	} catch (error) {
		if (error instanceof NancyError && error.code === 'not-trusted') return error;
		throw error;
	}
}

function whyItStays({ only, foreign }: Batch): string {
	if (!only) return `${foreign}; name its id to take it off the list all the same`;
	return `its worktree has what is nowhere else: ${inWords(only)}; merge it, or name its id to keep it on its branch`;
}

/** A branch keeps it. */
function hasWork({ commits, files }: OnlyThere): boolean {
	return commits > 0 || files.length > 0;
}
