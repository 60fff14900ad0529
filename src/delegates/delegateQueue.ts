import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorText, hasErrno, NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { theDelegate } from '../core/workspace/named.ts';
import { liveness, type ProcessIdentity } from '../base/liveness.ts';
import { admitted, fullMachine, type Capacity } from '../core/delegates/admission.ts';
import { isFinal, type Delegate } from '../core/delegates/delegate.ts';
import type { Delegates } from '../core/delegates/delegates.ts';
import { endUnwatched, settle } from '../core/delegates/ending.ts';
import { ownRequest } from '../core/delegates/ownRequest.ts';
import { reportable, sealedAnswer, withSight } from '../core/delegates/reportable.ts';
import { Leases } from '../core/files/leases.ts';
import { sweepFolder } from '../core/files/leftBehind.ts';
import { recordStop } from '../core/start/workerProcess.ts';
import { endKilledRun } from '../core/delegates/swarm.ts';
import { NO_TICKET, type Tickets } from '../core/delegates/tickets.ts';
import { RUNNER_DIED, type DelegateId } from '../protocol/delegate.ts';
import { WorktreeName } from '../protocol/worktree.ts';
import { processAt } from '../process/lineage.ts';
import { RUN_MARK, RUNNER_MARK, stopMarked } from '../process/marked.ts';
import { refuseTracked } from '../git/refuseTracked.ts';
import { inspectRepository } from '../git/repository.ts';
import { startRunner } from '../process/runnerHost.ts';
import { createWorktree } from '../git/worktree.ts';

export interface QueueOptions extends Capacity {
	tickets: Tickets;
	/** The installed `nancy`, which outlives the window. */
	nancy: string;
	/** Set for the runners, on top of what they inherit. */
	env?: Readonly<Record<string, string | null>>;
}

/**
 * Looks at the folder: ends delegates whose runner was killed, sends unreported results, and starts waiting delegates. A window and an
 * ending runner both do it, so that no process is needed for it. A delegate that cannot be ended or started does not stop the others; the
 * first such error is thrown at the end.
 * @throws NancyError `not-trusted` if the repository brought all of it, before anything is written
 */
export async function lookAtQueue(delegates: Delegates, options: QueueOptions): Promise<void> {
	const { tickets } = options;
	await refuseTracked(delegates.workspace);
	await delegates.locked(async () => {
		await sweepFolder(delegates.folder);
		const failures = new Map<DelegateId, Error>();
		const attempt = (id: DelegateId, work: Promise<unknown>) =>
			work.catch((error: unknown) =>
				failures.set(id, error instanceof Error ? error : new Error(errorText(error))),
			);
		const each = async (all: readonly Delegate[], work: (delegate: Delegate) => Promise<unknown>) => {
			for (const delegate of all) await attempt(delegate.record.id, work(delegate));
		};
		// On another machine it goes on, and without its files nobody would find it.
		for (const id of await tickets.kept()) await attempt(id, restore(delegates, tickets, id));
		await each((await delegates.list()).delegates, delegate =>
			delegate.isForeign ? endKilledRun(delegate) : endOrWatch(delegates, delegate, options),
		);
		const parked = await delegates.parked(Date.now());
		// A delegate that can be neither ended nor started takes no place.
		for (let failed = -1; failed < failures.size;) {
			failed = failures.size;
			const open = (await delegates.list()).delegates.filter(
				({ record, state, status, isForeign }) =>
					!isForeign && !failures.has(record.id) && !(isFinal(state) && status.reported),
			);
			const now = await Promise.all(open.map(delegate => reportable(delegates, tickets, delegate)));
			await each(admitted(now, options, parked), one => start(delegates, one, options));
		}
		const all = (await delegates.list()).delegates;
		const sound = all.filter(({ record }) => !failures.has(record.id));
		const now = await Promise.all(all.map(delegate => withSight(tickets, delegate).catch(() => delegate)));
		await each(sound, delegate => noteWaiting(delegates, delegate, now, options));
		const [first] = failures.values();
		if (first !== undefined) throw first;
	});
}

async function restore(delegates: Delegates, tickets: Tickets, id: DelegateId): Promise<void> {
	const contents = await tickets.keptContents(id);
	if (contents) await delegates.restore(id, contents);
}

/** Ends a delegate whose runner was killed, or had begun to end it. Needs the lock. */
export async function endDead(delegates: Delegates, tickets: Tickets, delegate: Delegate): Promise<void> {
	const dead = await settle(delegates, tickets, delegate);
	if (dead) await giveUp(delegates, tickets, dead);
}

/** {@link endDead}. But a delegate on another machine goes on there: it gets another runner here, which watches it. Needs the lock. */
async function endOrWatch(delegates: Delegates, delegate: Delegate, options: QueueOptions): Promise<void> {
	const { tickets, nancy, env = {} } = options;
	const dead = await settle(delegates, tickets, delegate);
	if (!dead) return;
	const { id } = dead.record;
	if (!(await isElsewhere(delegates, tickets, id))) return giveUp(delegates, tickets, dead);
	const runner = await startRunner(nancy, delegates.workspace.folder, id, env);
	await tickets.takeOver(id, runner);
	await delegates.writeStatus(id, { ...dead.status, status: 'running', runner });
}

/** By the user's sealed records. */
async function isElsewhere(delegates: Delegates, tickets: Tickets, id: DelegateId): Promise<boolean> {
	return (await ownRequest(delegates, tickets, id))?.record.on !== undefined;
}

/**
 * Its runner was killed, so nobody watches the agent any more, and the agent is ended too.
 * @param reason why it failed, if its runner left neither an answer nor a failure on the disk
 */
async function giveUp(delegates: Delegates, tickets: Tickets, delegate: Delegate, reason = RUNNER_DIED): Promise<void> {
	const { id } = delegate.record;
	// The id of a foreign delegate may be that of another folder's run.
	const facts = await tickets.facts(id);
	if (facts) await stopRun(id);
	// An isolated agent's process is one of a machine of its own, of which nobody can see that it has ended.
	if (facts?.mailbox) await recordStop(delegates.workspace, facts.mailbox).catch(() => undefined);
	await adoptWorktree(delegates, tickets, delegate).catch(() => undefined); // a repository that is gone has no worktrees
	const found = await delegates.find(id);
	if (!found) return;
	const now = await reportable(delegates, tickets, found);
	// Was it killed between its answer and its end? The answer is whole, because only a whole file gets its name.
	const output = await sealedAnswer(now, await tickets.facts(id));
	const outcome = output.trim() === '' ? { ok: false as const, reason, output: '' } : { ok: true as const, output };
	await endUnwatched(delegates, tickets, now, outcome);
}

/** The leftovers of a run without a runner. */
async function stopRun(id: DelegateId): Promise<void> {
	await stopMarked(RUNNER_MARK, id);
	await stopMarked(RUN_MARK, id);
}

/**
 * A worktree that its runner had made, at least in part, but not noted: its work must not be forgotten. Only for the user's own requests,
 * so no other repository is touched.
 */
async function adoptWorktree(delegates: Delegates, tickets: Tickets, { record, status }: Delegate): Promise<void> {
	const { id } = record;
	const request = (await ownRequest(delegates, tickets, id))?.record;
	const place = request?.place;
	if (place?.is !== 'worktree' || (await tickets.worktree(id))) return;
	const repository = await inspectRepository(place.folder);
	if (!repository.ok || !existsSync(join(`${repository.root}.worktrees`, id))) return;
	const { folder, withChanges } = place;
	const copyIncludes = request?.askedBy?.is !== 'agent';
	const worktree = await createWorktree({ folder, name: WorktreeName.parse(id), withChanges, copyIncludes });
	await tickets.made(id, worktree);
	await delegates.writeStatus(id, { ...status, worktree });
}

/** People see whether a delegate waits for a place on another machine. */
async function noteWaiting(
	delegates: Delegates,
	delegate: Delegate,
	all: readonly Delegate[],
	options: QueueOptions,
): Promise<void> {
	const { record, status, state, isForeign } = delegate;
	if (state !== 'queued' || isForeign) return;
	const machine = fullMachine(delegate, all, options);
	if (machine !== status.waits_for) await delegates.writeStatus(record.id, { ...status, waits_for: machine });
}

async function start(delegates: Delegates, delegate: Delegate, { tickets, nancy, env }: QueueOptions): Promise<void> {
	const { id } = delegate.record;
	// The runner checks its own bytes again. This check spares starting it for nothing.
	if (!(await tickets.isValid(id, delegates.filesOfRequest(id)))) {
		await endUnwatched(delegates, tickets, delegate, { ok: false, reason: NO_TICKET, output: '' });
		return;
	}
	try {
		const runner = await startRunner(nancy, delegates.workspace.folder, id, env ?? {});
		// The runner writes the status from now on. Until it has begun, this names its owner.
		if (await tickets.begin(id, runner))
			await delegates.writeStatus(id, { ...delegate.status, status: 'running', runner });
	} catch (error) {
		await endUnwatched(delegates, tickets, delegate, { ok: false, reason: errorText(error), output: '' });
	}
}

function isRunner(pid: number, id: DelegateId): boolean {
	return processAt(pid)?.env[RUNNER_MARK] === id;
}

function signal(pid: number, name: NodeJS.Signals): void {
	try {
		process.kill(pid, name);
	} catch (error) {
		if (!hasErrno(error, 'ESRCH')) throw error; // it has just ended
	}
}

/**
 * Ends a delegate on purpose. A waiting one is ended at once, a running one by its runner, which writes its files.
 * @throws NancyError `timeout` if the runner has not ended it in time; `not-trusted` if a repository brought it and nothing runs
 */
export async function stopDelegate(
	delegates: Delegates,
	tickets: Tickets,
	id: DelegateId,
	patienceMs = 15_000,
): Promise<void> {
	const runnerOf = async () => (await tickets.facts(id))?.run?.runner;
	const known = await runnerOf();
	if (!known || liveness(known) === 'dead') await refuseTracked(delegates.workspace);
	const isOver = await delegates.locked(async () => {
		const seen = await delegates.get(id);
		const delegate = await reportable(delegates, tickets, seen);
		if (isFinal(delegate.state) || isFinal(delegate.status.status)) {
			await settle(delegates, tickets, seen);
			return true;
		}
		const { runner } = delegate.status;
		const holds = runner !== undefined && (await new Leases(delegates.workspace.paths.machines).isHeld(runner));
		if (holds && liveness(runner) !== 'alive') {
			// Its runner hears a person's word at its next look.
			if (await tickets.stops.isByHuman(id)) return false;
			throw new NancyError('wrong-state', phrase`${theDelegate(id)} runs on another machine; stop it there`);
		}
		if (holds && !(await runnerOf())) {
			throw new NancyError(
				'not-trusted',
				phrase`${theDelegate(id)} was not started by you on this machine: process ${runner.pid}, which its status names, is not ended`,
			);
		}
		// Without its start time, only the mark identifies the process that now has the pid.
		const isIt = holds && (runner.startedTicks > 0 || isRunner(runner.pid, id));
		if (isIt) {
			// On a full disk the signal alone stops one whose agent is here.
			await tickets.stops.tell(id).catch((error: unknown) => {
				if (delegate.record.on !== undefined) throw error;
			});
			signal(runner.pid, 'SIGTERM');
			return false;
		}
		if (known && (await isElsewhere(delegates, tickets, id))) {
			throw new NancyError(
				'busy',
				phrase`${theDelegate(id)} runs on ${delegate.record.on}, and its runner here has ended; look at nancy delegates, which starts it again, and stop it then`,
			);
		}
		await giveUp(delegates, tickets, delegate, 'cancelled');
		return true;
	});
	const deadline = Date.now() + patienceMs;
	while (!isOver) {
		const facts = await tickets.facts(id);
		if (!facts || facts.end?.isReported) return;
		// It was stopped before it could say so itself.
		const runner = facts.run?.runner;
		if (runner && liveness(runner) === 'dead') return stopDelegate(delegates, tickets, id, patienceMs);
		if (Date.now() >= deadline) throw notStopped(await delegates.get(id), patienceMs, runner);
		await sleep(50);
	}
}

function notStopped(
	{ record: { id, on } }: Delegate,
	patienceMs: number,
	runner: ProcessIdentity | undefined,
): NancyError {
	if (runner && liveness(runner) === 'unknown') {
		return new NancyError(
			'timeout',
			phrase`${theDelegate(id)} was told to stop and has not after ${patienceMs / 1000} s. Its runner on another machine may hear it late; look again later`,
		);
	}
	if (on !== undefined) {
		return new NancyError(
			'timeout',
			phrase`${theDelegate(id)} was told to stop. It is being ended on ${on}, and its work comes back first; look again later`,
		);
	}
	const named = runner === undefined ? phrase`its runner` : phrase`its runner, process ${runner.pid},`;
	return new NancyError(
		'timeout',
		phrase`${theDelegate(id)} was told to stop and has not after ${patienceMs / 1000} s: ${named} does not answer. Look again later, or end that process`,
	);
}
