import * as z from 'zod/mini';
import { errorText, hasCode, NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { theDelegate } from '../core/workspace/named.ts';
import type { Asker } from '../core/asker/asker.ts';
import {
	batchesOf,
	clearable,
	deleteBatch,
	staysUnlessNamed,
	type Batch,
	type OnlyThere,
} from '../core/delegates/batches.ts';
import type { Delegate } from '../core/delegates/delegate.ts';
import { Delegates } from '../core/delegates/delegates.ts';
import { deleteDelegate } from '../core/delegates/deleteDelegate.ts';
import { proved } from '../core/delegates/reportable.ts';
import { ownRequest } from '../core/delegates/ownRequest.ts';
import { refuseTracked } from '../git/refuseTracked.ts';
import { inWords, whatWouldBeLost } from '../git/worktreeRemove.ts';
import { DelegateId } from '../protocol/delegate.ts';
import { DelegatesDeletedOutput } from '../protocol/output/delegates.ts';
import type { Worktree } from '../protocol/worktree.ts';
import { knownDriver } from './shared/agents.ts';
import { anybody, type Operation, type OperationContext } from './operation.ts';
import { ownWorktreeOf } from './shared/ownWorktreeOf.ts';
import { permitOwn } from './shared/permitDelegate.ts';
import { removeOwnWorktree } from './removeWorktree.ts';
import { refuseTearDownFromAgent } from './shared/starting.ts';
import { ticketsOf } from './shared/ticketsOf.ts';

const Input = z.object({
	/** By default all ended delegates, except those with unmerged work in a worktree. */
	ids: z.optional(z.array(DelegateId)),
});
type Output = z.infer<typeof DelegatesDeletedOutput>;

/** Deletes ended delegates. The worktree goes too, and a branch keeps the work that is nowhere else. */
export const deleteDelegates: Operation<z.infer<typeof Input>, Output> = {
	name: 'deleteDelegates',
	input: Input,
	output: DelegatesDeletedOutput,
	// The ticket names the asker: see `refuse`.
	permit: anybody,
	run: async (asker, { ids }, context) => deleteEach(asker, ids && [...new Set(ids)], context),
};

async function deleteEach(
	asker: Asker,
	ids: readonly DelegateId[] | undefined,
	context: OperationContext,
): Promise<Output> {
	const store = new Delegates(context.workspace);
	const tickets = ticketsOf(context);
	const isNamed = ids !== undefined;
	const { delegates: seen } = await store.list();
	// Its files are not asked: without the name of its worktree they would leave that behind.
	const all = await Promise.all(seen.map(delegate => proved(tickets, delegate)));
	const chosen = ids === undefined ? clearable(all) : ids.map(id => named(id, all));
	const look = async (worktree: Worktree) => whatWouldBeLost(await ownWorktreeOf(context, worktree));
	const batches = await batchesOf(chosen, all, look, refusal);
	const deleted: DelegateId[] = [];
	const kept: { id: DelegateId; reason: string }[] = [];
	const notes: string[] = [];
	const refused = new Map<Batch, string>();
	for (const batch of batches) {
		const reason = await refusalOf(batch, asker, context);
		if (reason && isNamed) throw reason;
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
		if (!isNamed && staysUnlessNamed(batch)) {
			keep(batch, whyItStays(batch));
			continue;
		}
		const removal = await deleteBatch(
			batch,
			worktree => removeOwnWorktree({ worktree, discard: false, anyway: false }, context),
			id => deleteDelegate(store, tickets, id, () => refuseTracked(store.workspace)),
		).catch(stays);
		if (removal && !removal.isRemoved) {
			keep(batch, String(removal.says));
			continue;
		}
		deleted.push(...delegates.map(({ record }) => record.id));
		if (removal && only && hasWork(only)) notes.push(String(removal.says));
		if (foreign !== undefined) notes.push(foreign);
	}
	return { deleted, kept, notes };
}

function named(id: DelegateId, all: readonly Delegate[]): Delegate {
	const found = all.find(({ record }) => record.id === id);
	if (found) return found;
	throw new NancyError('no-task', phrase`there is no delegate ${theDelegate(id)}; nancy delegates lists them`);
}

function refusal({ record, isForeign }: Delegate): NancyError {
	return isForeign
		? new NancyError('bad-usage', phrase`${theDelegate(record.id)} is another program's; Nancy only shows it`)
		: new NancyError(
				'busy',
				phrase`${theDelegate(record.id)} has not ended; stop it first: ${`nancy delegates ${record.id} --stop`}`,
			);
}

/** A delegate that cannot be deleted does not stop the others. */
function stays(error: unknown): { isRemoved: boolean; says: string } {
	return { isRemoved: false, says: errorText(error) };
}

/** Why the asker may not delete one of them. */
async function refusalOf(
	{ delegates }: Batch,
	asker: Asker,
	context: OperationContext,
): Promise<NancyError | undefined> {
	try {
		for (const { record } of delegates) await refuse(record.id, asker, context);
		return undefined;
	} catch (error) {
		if (hasCode(error, 'not-trusted')) return error;
		throw error;
	}
}

/** @throws NancyError `not-trusted` for an agent that has not asked for the delegate, or would run a command of the user's */
async function refuse(id: DelegateId, asker: Asker, context: OperationContext): Promise<void> {
	if (asker.is === 'human') return;
	const { workspace } = context;
	const request = (await ownRequest(new Delegates(workspace), ticketsOf(context), id))?.record;
	permitOwn('delete-delegate', id, request, asker);
	if (!request?.tearDown) return;
	const settings = await context.readSettings(workspace.folder);
	refuseTearDownFromAgent(knownDriver(request.agent), id, { asker, context, settings });
}

function whyItStays({ only, foreign }: Batch): string {
	if (!only) return `${foreign}; name its id to take it off the list all the same`;
	return `its worktree has what is nowhere else: ${String(inWords(only))}; merge it, or name its id to keep it on its branch`;
}

/** A branch keeps it. */
function hasWork({ commits, files }: OnlyThere): boolean {
	return commits > 0 || files.length > 0;
}
