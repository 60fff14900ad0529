import { DelegateStatus } from '../../protocol/delegate.ts';
import type { Worktree } from '../../protocol/worktree.ts';
import { isFinal, type Delegate } from './delegate.ts';
import type { Delegates } from './delegates.ts';
import { ownRequest } from './ownRequest.ts';
import { answerDigest, type Facts, type Tickets } from './tickets.ts';

/**
 * A delegate's state by the user's sealed records, whatever its files say. If its files were changed since the queueing, it is marked so,
 * and the asker learns that nothing comes. A delegate that was never queued here has no message: a repository's record could name an agent,
 * which would take the text for an answer.
 */
export async function reportable(delegates: Delegates, tickets: Tickets, delegate: Delegate): Promise<Delegate> {
	if (delegate.isForeign) return delegate;
	const { id } = delegate.record;
	const facts = await factsOf(delegates, tickets, delegate);
	if (facts) {
		// The very bytes that the ticket covers: the record may have been another when the delegate was read.
		const record = (await ownRequest(delegates, tickets, id))?.record;
		return record
			? withSight(tickets, asSealed({ ...delegate, record }, facts))
			: { ...asSealed(withoutParent(delegate), facts), isChanged: true };
	}
	if (await tickets.has(id)) return { ...withoutParent(delegate), isChanged: true };
	const { report: _message, ...status } = delegate.status;
	return { ...delegate, status, isUnproved: true };
}

/** By the user's sealed records; `undefined` for one that this user has not queued. A ticket of an earlier version is taken over. */
export async function factsOf(delegates: Delegates, tickets: Tickets, delegate: Delegate): Promise<Facts | undefined> {
	const { record, state, status, error } = delegate;
	const { id } = record;
	const facts = await tickets.facts(id);
	if (facts) return facts;
	const { runner, report } = status;
	const failure = error ?? status.error;
	const end = (isFinal(state) || isFinal(status.status)) && {
		...(failure !== undefined && { error: failure }),
		isReported: isFinal(state) && status.reported,
	};
	const seen = { runner, report, ...(end && { end }) };
	return (await tickets.adopt(id, delegates.filesOfRequest(id), seen)) ? tickets.facts(id) : undefined;
}

/**
 * A delegate as its files say, but for what is sealed. The sealed facts are whether this user has queued it, its worktree with its merges,
 * and who stopped it. Enough to show it and to find its worktree.
 */
export async function proved(tickets: Tickets, delegate: Delegate): Promise<Delegate> {
	const { record, isForeign } = delegate;
	if (isForeign) return delegate;
	if (!(await tickets.has(record.id))) return { ...delegate, isUnproved: true };
	const worktree = await tickets.worktree(record.id);
	const merges = worktree ? await tickets.merges(record.id).list() : [];
	const isStoppedByUser = delegate.error === 'cancelled' && (await tickets.stops.isByHuman(record.id));
	return {
		...withWorktree(await withSight(tickets, delegate), worktree),
		...(merges.length > 0 && { merges }),
		...(isStoppedByUser && { isStoppedByUser }),
	};
}

/**
 * What an ended delegate has printed: `undefined` if its file is not as the runner has written it, or the runner has not ended yet. If this
 * user has not queued the delegate, or an earlier version has run it, nothing is sealed. The file is then taken as it is.
 */
export async function sealedOutput(
	tickets: Tickets,
	{ record, files, isForeign }: Delegate,
): Promise<string | undefined> {
	const facts = isForeign ? undefined : await tickets.facts(record.id);
	if (facts && !facts.end) return undefined;
	const output = await files.readAnswer();
	return facts?.answer === undefined || facts.answer === answerDigest(output) ? output : undefined;
}

/** All of its answer; empty if its file is not as the runner has written it. Anybody may write it once the runner is gone. */
export async function sealedAnswer({ files }: Delegate, facts: Facts | undefined): Promise<string> {
	const output = await files.readAnswer();
	return !facts || facts.answer === answerDigest(output) ? output : '';
}

function withWorktree(delegate: Delegate, worktree: Worktree | undefined): Delegate {
	return worktree ? { ...delegate, status: { ...delegate.status, worktree } } : delegate;
}

/** Whether its runner sees it, and whether it has begun, if it runs on another machine. */
export async function withSight(tickets: Tickets, delegate: Delegate): Promise<Delegate> {
	if (delegate.record.on === undefined || isFinal(delegate.state)) return delegate;
	const phase = await tickets.remotePhase(delegate.record.id);
	const { unreachableSince: unseenSince, isBegun, waits: waitsInQueue } = phase ?? {};
	return {
		...delegate,
		...(unseenSince !== undefined && { unseenSince }),
		...(isBegun && { isBegun }),
		...(waitsInQueue !== undefined && { waitsInQueue }),
	};
}

/** A changed record may name another's mailbox. */
function withoutParent({ record: { parent: _claimed, ...record }, ...delegate }: Delegate): Delegate {
	return { ...delegate, record };
}

function asSealed(claimed: Delegate, { mailbox, parent, report, run, end, worktree }: Facts): Delegate {
	const { state, error: _claimed, ...others } = withWorktree(claimed, worktree);
	const asker = parent === undefined ? {} : { parent: parent ?? undefined };
	const delegate = { ...others, record: { ...others.record, ...mailbox, ...asker } };
	const { status } = delegate;
	if (end) {
		const { error, isReported } = end;
		const { error: _noted, runner: _ended, ...kept } = status;
		const how = error === undefined ? ({ state: 'done' } as const) : ({ state: 'failed', error } as const);
		const told = end.report === undefined ? {} : { report: end.report };
		const { state: is, ...why } = how;
		return { ...delegate, ...how, status: { ...kept, ...why, ...told, status: is, reported: isReported } };
	}
	const told = { report, reported: false };
	if (!run) {
		const { waits_for } = status;
		const blank = DelegateStatus.parse({ task_id: delegate.record.id, status: 'queued', waits_for, ...told });
		return { ...delegate, state: 'queued', status: blank };
	}
	const is = state === 'parked' ? 'parked' : 'running';
	return { ...delegate, state: is, status: { ...status, ...told, status: is, runner: run.runner } };
}
