import { Leases } from '../files/leases.ts';
import type { MessageId } from '../../protocol/names.ts';
import { failureOf, isFinal, type Delegate, type Delegates, type Outcome } from './delegates.ts';
import { factsOf, reportable } from './reportable.ts';
import type { Tickets } from './tickets.ts';

/**
 * Ends a delegate: how it ended is noted in the user's own records first, and only then in its files and to whoever asked. Safe to
 * repeat when it failed half way. Needs the lock.
 * @param late the message of a result that comes after the delegate had been given up; decided once, before the first try
 */
export async function endDelegate(
	delegates: Delegates,
	tickets: Tickets,
	delegate: Delegate,
	outcome: Outcome,
	late?: MessageId,
): Promise<Delegate> {
	const { record, status, files } = delegate;
	const error = failureOf(outcome);
	const report = late ?? status.report;
	// An answer before the word that it is there; a failure before what it printed, which is no answer.
	if (error === undefined) await files.writeOutput(outcome.output);
	await tickets.end(record.id, { error, report, isReported: false });
	const ended = await delegates.finish(delegate, outcome, late);
	await tickets.end(record.id, { error, report, isReported: true });
	return ended;
}

/**
 * Ends what a killed process had begun to end, and repairs files that say something else than the user's own records. Needs the lock.
 * @param seen the delegate as its files say
 * @returns the delegate where its runner has died and nobody has ended it
 */
export async function settle(delegates: Delegates, tickets: Tickets, seen: Delegate): Promise<Delegate | undefined> {
	const facts = await factsOf(delegates, tickets, seen);
	const isShown = isFinal(seen.state) && seen.status.reported;
	const { run, end } = facts ?? {};
	if (
		isShown &&
		(!facts || (end?.isReported && seen.status.status === (end.error === undefined ? 'done' : 'failed')))
	)
		return undefined;
	const delegate = await reportable(delegates, tickets, seen);
	if (!facts) return (await delegates.reconcile([delegate]))[0];
	if (end && !end.isReported) {
		const output = await delegate.files.readAnswer();
		const { error } = end;
		const outcome =
			error === undefined ? { ok: true as const, output } : { ok: false as const, reason: error, output };
		await endDelegate(delegates, tickets, delegate, outcome, end.report);
	} else if (end) await delegates.show(delegate);
	else if (run && !(await new Leases(delegates.workspace.paths.machines).isHeld(run.runner))) return delegate;
	// In doubt it lives: a result late is better than a false alarm.
	return undefined;
}
