import { errorText } from '../base/errors.ts';
import { insist } from '../base/insist.ts';
import type { Disposable } from '../base/lifetime.ts';
import { isSameProcess, ownIdentity } from '../base/liveness.ts';
import type { Delegate, Outcome } from '../core/delegates/delegate.ts';
import type { Delegates } from '../core/delegates/delegates.ts';
import { endDelegate, endUnwatched, writeAnswer } from '../core/delegates/ending.ts';
import { ownRequest } from '../core/delegates/ownRequest.ts';
import { reportable } from '../core/delegates/reportable.ts';
import { NO_TICKET, type Tickets } from '../core/delegates/tickets.ts';
import { Leases } from '../core/files/leases.ts';
import { newMessageId } from '../core/mailbox/messageId.ts';
import { DelegateStatus, type DelegateId } from '../protocol/delegate.ts';
import { PATIENCE_MS } from './parking.ts';
import { DelegateRun } from './delegateRun.ts';
import { RemoteRun } from './remoteRun.ts';
import type { RunnerTools } from './runnerTools.ts';

/** How often a runner reads what was said elsewhere, in milliseconds. A stop waits for {@link stopDelegate} three times as long. */
const HEARING_MS = 5000;

/** Runs one delegate from its turn in the queue to its `.done`. Whatever happens, the delegate ends as done or failed. */
export async function runDelegate(delegates: Delegates, id: DelegateId, tools: RunnerTools): Promise<void> {
	const claimed = await delegates.locked(() => claim(delegates, id, tools.tickets), PATIENCE_MS);
	if (!claimed) return;
	const { delegate, prompt } = claimed;
	const lease = new Leases(delegates.workspace.paths.machines).keep();
	const { on } = delegate.record;
	const { signal, hearing } = await hearingStop(id, tools, on !== undefined);
	const own = { ...tools, signal };
	const run =
		on === undefined
			? new DelegateRun(delegates, delegate, prompt, own)
			: new RemoteRun(delegates.workspace, delegate, prompt, await tools.executor(on), own);
	let outcome: Outcome;
	try {
		outcome = await run.run();
	} catch (error) {
		outcome = { ok: false, reason: errorText(error), output: '' };
	}
	if (outcome.ok && !(await isDeleted(delegates, tools.tickets, id))) {
		// Before the log, which may take time: a look that finds an answer without its runner takes the answer. On a full disk, again
		// below.
		await writeAnswer(tools.tickets, delegate, outcome.output).catch(() => undefined);
	}
	await run.settle();
	// Somebody took this process for dead and ended the delegate. The answer is reported all the same.
	const late = (await tools.tickets.facts(id))?.end ? newMessageId() : undefined;
	const finish = async () => {
		// A machine that wakes from sleep comes here first.
		if (await tools.tickets.isTakenOver(id)) return true;
		// The delegate was deleted too: nobody would find the files.
		if (await isDeleted(delegates, tools.tickets, id)) await delegate.files.remove();
		else await endDelegate(delegates, tools.tickets, delegate, outcome, late);
		return false;
	};
	// Not below the lock, which other machines would take for held for a minute.
	if (await insist(() => delegates.locked(finish, PATIENCE_MS))) tools.superseded();
	hearing.dispose();
	lease.dispose();
}

/**
 * Hears what no signal says. A person has told an earlier runner to stop, which was killed since, or says it on another machine of this
 * home folder. Or another machine has taken this one for dead, and goes on with the delegate.
 * @param isElsewhere its agent runs on another machine, and goes on when this machine shuts down: a signal without such a word ends this
 * process alone. The next one goes on from there
 */
async function hearingStop(id: DelegateId, tools: RunnerTools, isElsewhere: boolean) {
	const { tickets } = tools;
	const stopped = new AbortController();
	const isTold = () => tickets.stops.isTold(id);
	let heard: string | undefined;
	const hear = async () => {
		const stamp = await tickets.lookAtOrders(id);
		if (stamp === heard) return;
		// Unreadable records say nothing, and are read again.
		let isRead = true;
		const unlessUnreadable = (answer: Promise<boolean>) => answer.catch(() => (isRead = false));
		if (await unlessUnreadable(tickets.isTakenOver(id))) tools.superseded();
		if (await unlessUnreadable(isTold())) stopped.abort();
		if (isRead) heard = stamp;
	};
	await hear();
	const signalled = async () => {
		// A person in its terminal.
		if (tools.signal.reason === 'SIGINT' || (await isTold().catch(() => false))) stopped.abort();
		else tools.superseded();
	};
	if (isElsewhere) {
		tools.signal.addEventListener('abort', () => void signalled());
		if (tools.signal.aborted) await signalled();
	}
	let next: NodeJS.Timeout | undefined;
	const hearAgain = () => void (next = setTimeout(() => void hear().then(hearAgain), HEARING_MS).unref());
	hearAgain();
	return {
		signal: isElsewhere ? stopped.signal : AbortSignal.any([tools.signal, stopped.signal]),
		hearing: { dispose: () => clearTimeout(next) } satisfies Disposable,
	};
}

/** Deleted by its user, which removes the ticket too. A cleaned or moved folder loses only the record, and the answer is still awaited. */
async function isDeleted(delegates: Delegates, tickets: Tickets, id: DelegateId): Promise<boolean> {
	// An unreadable record counts as present.
	const found = await delegates.find(id).catch(() => 'unreadable');
	return found === undefined && !(await tickets.has(id).catch(() => true));
}

/**
 * The request that the ticket covers. `undefined` if the queue has not started this process for it: anybody may call the command by hand,
 * and starts nothing past the limit. A queue that was killed before it had noted its runner starts another one at its next look.
 */
async function claim(
	delegates: Delegates,
	id: DelegateId,
	tickets: Tickets,
): Promise<{ delegate: Delegate; prompt: string } | undefined> {
	const request = await ownRequest(delegates, tickets, id);
	const delegate = await reportable(delegates, tickets, await delegates.get(id, request?.record));
	const run = (await tickets.facts(id))?.run;
	const me = ownIdentity();
	if (!run || !isSameProcess(run.runner, me)) return undefined;
	if (!request) {
		await endUnwatched(delegates, tickets, delegate, { ok: false, reason: NO_TICKET, output: '' });
		return undefined;
	}
	if (request.record.on !== undefined) await tickets.keep(id, request.contents);
	// The present end was not written by a run.
	await delegate.files.begin(request.prompt);
	const now = new Date().toISOString();
	// Nothing of the status on disk, which anybody may have written.
	const status = DelegateStatus.parse({
		task_id: id,
		status: 'running',
		runner: me,
		started_at: now,
		last_activity: now,
		report: delegate.status.report,
	});
	await delegates.writeStatus(id, status);
	return { delegate: { ...delegate, status, state: 'running' }, prompt: request.prompt };
}
