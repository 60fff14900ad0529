import type { MessageId } from '../../protocol/names.ts';
import type { DelegateStatus } from '../../protocol/delegate.ts';
import { isSameWorktree } from '../../protocol/worktree.ts';
import { Leases } from '../files/leases.ts';
import { redactText } from '../traffic/redact.ts';
import { isFinal, type Delegate, type Outcome } from './delegate.ts';
import type { Delegates } from './delegates.ts';
import { report } from './report.ts';
import { factsOf, reportable, sealedAnswer } from './reportable.ts';
import type { Facts, Tickets } from './tickets.ts';

/** Why one has failed whose answer was changed between its runner's death and the next look. */
const ANSWER_CHANGED = 'its answer was changed or removed before anybody was told of it';

/**
 * Ends a delegate. The end is noted in the user's sealed records first, and only then in its files and for the asker. Safe to repeat after
 * a failure half way. Needs the lock.
 * @param late the message of a result that comes after the delegate had been given up; decided once, before the first try
 */
export async function endDelegate(
	delegates: Delegates,
	tickets: Tickets,
	delegate: Delegate,
	outcome: Outcome,
	late?: MessageId,
): Promise<Delegate> {
	const { record, status } = delegate;
	const error = failureOf(outcome);
	const report = late ?? status.report;
	// An answer before the status; a failure before its output, which is no answer.
	if (error === undefined) await writeAnswer(tickets, delegate, outcome.output);
	await tickets.end(record.id, { error, report, isReported: false });
	// What a failure printed, only once it is no answer any more.
	if (error !== undefined) await tickets.answered(record.id, outcome.output);
	const ended = await finish(delegates, delegate, outcome, late);
	await tickets.end(record.id, { error, report, isReported: true });
	return ended;
}

/**
 * {@link endDelegate} for a delegate whose runner is gone, or has not begun. Anybody may have written its status, so of that only what is
 * sealed is told.
 */
export async function endUnwatched(...[delegates, tickets, delegate, outcome, late]: Parameters<typeof endDelegate>) {
	const { worktree: _claimed, other_branches: _named, ...claimed } = delegate.status;
	const worktree = await tickets.worktree(delegate.record.id);
	const others = (await tickets.remotePhase(delegate.record.id))?.others;
	const status = { ...claimed, denied: [], ...(worktree && { worktree }), ...(others && { other_branches: others }) };
	return endDelegate(delegates, tickets, { ...delegate, status }, outcome, late);
}

/** Writes an answer. Its hash is sealed first, so whoever completes the end of a killed runner takes no other. */
export async function writeAnswer(tickets: Tickets, { record, files }: Delegate, output: string): Promise<void> {
	await tickets.answered(record.id, output);
	await files.writeOutput(output);
}

/**
 * Completes the end that a killed process had begun, and repairs files that contradict the user's sealed records. Needs the lock.
 * @param seen the delegate as its files say
 * @returns the delegate if its runner has died and nobody has ended it
 */
export async function settle(delegates: Delegates, tickets: Tickets, seen: Delegate): Promise<Delegate | undefined> {
	const facts = await factsOf(delegates, tickets, seen);
	const isShown = isFinal(seen.state) && seen.status.reported;
	const { run, end } = facts ?? {};
	if (isShown && (!facts || (end?.isReported && isAsSealed(seen, facts)))) return undefined;
	const delegate = await reportable(delegates, tickets, seen);
	if (!facts) return (await reconcile(delegates, [delegate]))[0];
	// Nobody who ended it has written this word.
	if (!end && isFinal(seen.state)) await seen.files.removeDone();
	if (end && !end.isReported) {
		const output = await sealedAnswer(delegate, facts);
		const reason = end.error ?? (output === '' ? ANSWER_CHANGED : undefined);
		const outcome = reason === undefined ? { ok: true as const, output } : { ok: false as const, reason, output };
		await endUnwatched(delegates, tickets, delegate, outcome, end.report);
	} else if (end) await show(delegate);
	else if (run && !(await new Leases(delegates.workspace.paths.machines).isHeld(run.runner))) return delegate;
	// In doubt it lives: a late result is better than a false alarm.
	return undefined;
}

/** Whether its files show the end and the worktree that the sealed records know. */
function isAsSealed({ status }: Delegate, { end, worktree }: Facts): boolean {
	return (
		status.status === (end?.error === undefined ? 'done' : 'failed') &&
		(worktree === undefined || isSameWorktree(status.worktree, worktree))
	);
}

/**
 * Ends a delegate: answer, status, the result's message, then `.done`. An empty answer is a failure. A result that comes after the delegate
 * had been given up is taken, and reported again. Safe to repeat when it failed half way. For a sealed run {@link settle} goes on by the
 * seal. For an unsealed one {@link reconcile} goes on by a final status without its `.done`. Needs the lock.
 * @param lateReport the id of that second report; the caller decides it once, before the first try
 */
export async function finish(
	delegates: Delegates,
	{ record, status, files, isChanged }: Delegate,
	outcome: Outcome,
	lateReport?: MessageId,
): Promise<Delegate> {
	const error = failureOf(outcome);
	// Killed in between, what a failure printed must not be taken for an answer.
	if (error !== undefined) await files.writeStatus({ ...status, error });
	await files.writeOutput(outcome.output);
	const { runner: _runner, agent_process: _agent, parked_until: _parked, error: _earlier, ...kept } = status;
	const state = error === undefined ? 'done' : 'failed';
	const ended: DelegateStatus = {
		...kept,
		status: state,
		...(error !== undefined && { error }),
		ended_at: new Date().toISOString(),
		...(lateReport !== undefined && { report: lateReport }),
		reported: true,
	};
	await files.writeStatus(ended);
	return conclude(
		delegates,
		{
			record,
			files,
			state,
			...(error !== undefined && { error }),
			...(isChanged && { isChanged }),
			status: ended,
		},
		outcome.output,
	);
}

/** What comes after the final status; also when killed in between and repeated. Needs the lock. */
async function conclude(delegates: Delegates, ended: Delegate, output: string): Promise<Delegate> {
	await report(delegates, ended, output);
	await ended.files.writeDone(ended.error);
	return ended;
}

/** Writes down for people how a delegate has ended that has been reported. Needs the lock. */
async function show({ files, status, error }: Delegate): Promise<void> {
	await files.writeStatus(status);
	await files.writeDone(error);
}

/** Ends what a killed process had begun to end. Returns those whose runner has died before. Needs the lock. */
export async function reconcile(delegates: Delegates, all: readonly Delegate[]): Promise<Delegate[]> {
	const dead: Delegate[] = [];
	const leases = new Leases(delegates.workspace.paths.machines);
	for (const delegate of all) {
		const { status, state, isForeign } = delegate;
		if (isForeign || (isFinal(state) && status.reported)) continue;
		if (isFinal(status.status)) await conclude(delegates, asItsStatus(delegate), await delegate.files.readAnswer());
		else if (isFinal(state)) await finish(delegates, delegate, await outcomeOnDisk(delegate));
		// In doubt it lives: a result late is better than a false alarm.
		else if (status.runner && !(await leases.isHeld(status.runner))) dead.push(delegate);
	}
	return dead;
}

/** Killed between its status and its `.done`. */
function asItsStatus({ error: _other, ...delegate }: Delegate): Delegate {
	const { status } = delegate;
	if (status.status === 'done') return { ...delegate, state: 'done' };
	return { ...delegate, state: 'failed', error: status.error ?? 'it failed' };
}

/** `.done` is there, and a status that knows nothing of it. */
async function outcomeOnDisk({ files, error }: Delegate): Promise<Outcome> {
	const output = await files.readAnswer();
	return error === undefined ? { ok: true, output } : { ok: false, reason: error, output };
}

/** Why it failed, in one line and without secrets; `undefined` where it is done. An empty answer is a failure. */
function failureOf(outcome: Outcome): string | undefined {
	if (!outcome.ok) return oneLine(redactText(outcome.reason));
	return outcome.output.trim() === '' ? 'it ended without an answer' : undefined;
}

function oneLine(text: string): string {
	return text.replace(/\s+/g, ' ').trim().slice(0, 2000);
}
