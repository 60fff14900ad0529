import { errorText, hasCode } from '../base/errors.ts';
import { sleepUnless } from '../base/sleepUnless.ts';
import { visible } from '../base/visible.ts';
import type { Delegate, Outcome } from '../core/delegates/delegate.ts';
import { LogWriter } from '../core/delegates/logWriter.ts';
import { StatusWriter } from '../core/delegates/statusWriter.ts';
import type { Workspace } from '../core/workspace/workspace.ts';
import { NotSubmitted, type Executor } from '../executors/executor.ts';
import { RemotePhase, type RemoteEnd, type RemoteJob, type Seen } from '../protocol/remoteJob.ts';
import type { Worktree } from '../protocol/worktree.ts';
import { cancelled } from './outcomeOf.ts';
import {
	begunOrWaits,
	endSeen,
	GivenUp,
	givenUp,
	type KeptEnd,
	mayPass,
	NOT_ENDED,
	notCollected,
	outcomeOfEnd,
	shownStatus,
	waitsFor,
} from './remoteEnds.ts';
import { noteJob, remoteJobOf, worktreeFor } from './remoteJobOf.ts';
import { LOOKS_AFTER_END, RemoteLog } from './remoteLog.ts';
import { RemoteMail } from './remoteMail.ts';
import type { RunnerTools } from './runnerTools.ts';

/** Between two tries at a machine that cannot be reached; doubled each time up to the longest. */
const RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;
/** For so long a person who has stopped a delegate, or its result, waits for a machine that cannot be reached, in milliseconds. */
const UNREACHABLE_MS = 60_000;
/**
 * For so long a delegate may go on after its machine was asked to end it, in milliseconds. Its runner there commits its work, and a large
 * tree takes long.
 */
const ENDING_MS = 10 * 60_000;

/**
 * A delegate on another machine, watched from here. Before each step its phase is on the disk. So after a kill of this process, the next
 * runner goes on from there, and nothing is started twice.
 */
export class RemoteRun {
	private readonly status: StatusWriter;
	private readonly log: LogWriter;
	private phase: RemotePhase = RemotePhase.parse({ version: 1, phase: 'preparing' });
	private readonly kept = new RemoteLog();
	/** Its live status, as the last look has found it there. */
	private shown: string | undefined;
	/** Why messages could not go over at the last look. */
	private trouble: string | undefined;

	constructor(
		private readonly workspace: Workspace,
		private readonly delegate: Delegate,
		private readonly prompt: string,
		private readonly executor: Executor,
		private readonly tools: RunnerTools,
	) {
		this.status = new StatusWriter(delegate.status, status => delegate.files.writeStatus(status));
		this.log = new LogWriter(text => delegate.files.appendLog(text));
	}

	async run(): Promise<Outcome> {
		const { tickets } = this.tools;
		const { id, on } = this.delegate.record;
		const earlier = await tickets.remotePhase(id);
		if (this.tools.signal.aborted && !earlier) return cancelled();
		this.phase = earlier ?? this.phase;
		const worktree = await worktreeFor(this.delegate.record, this.workspace.folder, tickets);
		this.status.change({ worktree });
		await this.status.flush();
		const job = await remoteJobOf(this.delegate.record, this.prompt, worktree, this.phase, this.tools);
		try {
			const note = () => noteJob(tickets.jobs, this.phase, on, job, worktree);
			// One that may be at work there is not failed by a full disk here.
			await (earlier ? this.persist(note, true) : note());
			const end = this.phase.end ?? (await this.toEnd(job, worktree));
			this.status.change({ other_branches: this.phase.others });
			if (this.phase.phase === 'collected') await this.cleanUp(job);
			return outcomeOfEnd(end);
		} catch (error) {
			if (error instanceof GivenUp) return { ok: false, reason: errorText(error), output: '' };
			throw error;
		}
	}

	async settle(): Promise<void> {
		this.executor.close();
		await Promise.all([this.status.close(), this.log.settle()]);
	}

	private async toEnd(asked: RemoteJob, worktree: Worktree): Promise<RemoteEnd> {
		const { signal } = this.tools;
		let job = asked;
		if (this.phase.phase === 'preparing') {
			await this.reach('preparing');
			try {
				const waits = (why: string) => this.reachedAgain().then(() => this.begins(waitsFor(why)));
				const forwards = await this.insist(() => this.executor.prepare(job, worktree, signal, waits));
				job = { ...job, forwards };
			} catch (error) {
				// Nothing was submitted. But a part of it may be there, and goes with the clean-up.
				if (!signal.aborted) return this.keepEnd({ ok: false, reason: errorText(error), output: '' });
			}
			if (signal.aborted) return this.keepEnd(cancelled());
			await this.reach('submitting', {
				isSteered: job.mailbox !== undefined,
				prefix: job.prefix,
				forwards: job.forwards,
			});
		}
		// The machine lets one start of an id through. So a repeat after an unknown outcome starts nothing twice.
		if (this.phase.phase === 'submitting') {
			try {
				await this.persist(async () => {
					if (signal.aborted && (await this.executor.observe(job, 0, [])).is === 'absent')
						throw new NotSubmitted('wrong-state', 'cancelled');
					await this.executor.submit(job);
					await this.reach('submitted');
				});
			} catch (error) {
				if (!(error instanceof NotSubmitted)) throw error;
				return this.keepEnd({ ok: false, reason: errorText(error), output: '' });
			}
		}
		const mail = new RemoteMail(this.workspace, this.executor, job);
		const end = await this.watch(job, mail).finally(() => mail.release());
		let kept: KeptEnd = { end };
		try {
			const isWork = end.tip !== undefined || (await this.insist(() => this.executor.rescue(job)));
			if (isWork) kept.others = [...(await this.insist(() => this.executor.collect(job, worktree)))];
		} catch (error) {
			kept = notCollected(end, this.executor.place(job), error);
			// It is noted still: see {@link cleanUpElsewhere}.
			if (error instanceof GivenUp || mayPass(error)) return kept.end;
		}
		return this.keepEnd(kept.end, kept);
	}

	private async keepEnd(end: RemoteEnd, { phase = 'collected', others }: Partial<KeptEnd> = {}): Promise<RemoteEnd> {
		// An answer is not lost to a full disk. This step is none of its machine's, which need not be reached again.
		await this.persist(() => this.reach(phase, { end, others, unreachableSince: undefined }), true);
		return end;
	}

	/** Its work and its answer are here, so nobody waits for it, and a failure is only told: see {@link cleanUpElsewhere}. */
	private async cleanUp(job: RemoteJob): Promise<void> {
		try {
			await this.insist(() => this.executor.cleanUp(job), { untilMs: Date.now() + UNREACHABLE_MS });
			await this.reach('cleaned');
		} catch (error) {
			this.say(`it is not cleaned up in ${this.executor.place(job)}: ${errorText(error)}\n`);
		}
	}

	private async watch(job: RemoteJob, mail: RemoteMail): Promise<RemoteEnd> {
		const { signal } = this.tools;
		let cancelledAt: number | undefined;
		const untilStopped = () => (cancelledAt === undefined ? signal : undefined);
		let looksAfterEnd = 0;
		let isLastLook = false;
		for (;;) {
			const { seen, hasMore } = await this.persist(async () => {
				if (signal.aborted && cancelledAt === undefined) {
					await this.executor.cancel(job);
					cancelledAt = Date.now();
				}
				const now = await this.executor.observe(job, this.phase.offset, mail.letters, untilStopped());
				return { seen: now, hasMore: await this.mirror(now) };
			});
			await this.steer(mail, seen, isLastLook);
			if (cancelledAt !== undefined && Date.now() - cancelledAt > ENDING_MS)
				return seen.is === 'running' ? NOT_ENDED : endSeen(seen);
			if (seen.is === 'running') {
				if (!hasMore) await sleepUnless(this.executor.pauseMs, untilStopped());
			} else if (!hasMore || ++looksAfterEnd >= LOOKS_AFTER_END) {
				// An earlier runner may have carried messages: one more look asks for the receipts of all.
				if (isLastLook || mail.letters.length === 0) return endSeen(seen);
				isLastLook = true;
			}
		}
	}

	/** A message that cannot go over now goes after the next look. Whatever is wrong with it, and however long, the delegate goes on. */
	private async steer(mail: RemoteMail, { is, receipts, takenBack }: Seen, isLastLook: boolean): Promise<void> {
		try {
			mail.deliver(receipts);
			mail.giveBack(takenBack);
			if (isLastLook) return;
			const claim = async () => {
				const claimed = await mail.collect();
				if (is !== 'running' || claimed.length === 0) return [];
				// First: after a kill nobody changes what the agent may read, or takes it back here alone.
				await this.save({ carried: [...new Set([...this.phase.carried, ...claimed.map(({ id }) => id)])] });
				return claimed;
			};
			if (mail.hasOpen) await mail.carry(await this.tools.tickets.alone(this.delegate.record.id, claim));
			this.trouble = undefined;
		} catch (error) {
			const trouble = errorText(error);
			if (trouble !== this.trouble) this.say(`messages wait: ${trouble}\n`);
			this.trouble = trouble;
		}
	}

	/** Says whether there was more of the log. */
	private async mirror(seen: Seen): Promise<boolean> {
		const { status, log, nextOffset } = seen;
		await this.begins(begunOrWaits(seen));
		const shown = JSON.stringify(status);
		if (status && shown !== this.shown) this.status.change(shownStatus(status));
		this.shown = shown;
		if (log === '' || nextOffset <= this.phase.offset) return false;
		const part = this.kept.part(log);
		if (part !== undefined) this.say(part);
		await this.save({ offset: nextOffset });
		return part !== undefined;
	}

	private async begins({ isBegun, waits }: Pick<RemotePhase, 'isBegun' | 'waits'>): Promise<void> {
		if (waits === this.phase.waits && isBegun === this.phase.isBegun) return;
		await this.save({ waits, isBegun });
		if (isBegun) await this.tools.freed();
	}

	/** {@link insist}, whatever fails: a job that may run there is not left alone. @param isHere a step that does not ask its machine */
	private persist<T>(step: () => Promise<T>, isHere = false): Promise<T> {
		return this.insist(step, { mayRun: true, isHere });
	}

	/**
	 * Tries until the machine answers. Says once that it does not.
	 * @param limits `mayRun`: it may run there, so other errors end nothing either. `untilMs`: when the last try begins
	 * @throws GivenUp if a person has stopped the delegate, and has waited long enough since. It also throws if the ticket is gone, so
	 * nobody asks for the delegate
	 */
	private async insist<T>(
		step: () => Promise<T>,
		{ mayRun = false, isHere = false, untilMs = Infinity } = {},
	): Promise<T> {
		const { signal } = this.tools;
		let stoppedAt: number | undefined;
		let said: string | undefined;
		for (let pauseMs = RETRY_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_RETRY_MS)) {
			try {
				const done = await step();
				if (!isHere) await this.reachedAgain();
				return done;
			} catch (error) {
				const words = errorText(error);
				const isUnseen = hasCode(error, 'timeout');
				if ((!isUnseen && !mayRun) || error instanceof NotSubmitted || Date.now() > untilMs) throw error;
				// An unreadable ticket counts as present.
				if (!(await this.tools.tickets.has(this.delegate.record.id).catch(() => true)))
					throw givenUp('no ticket', words, mayRun);
				if (this.phase.unreachableSince === undefined && words !== said) this.say(`${words}; trying again\n`);
				said = words;
				if (isUnseen && this.phase.unreachableSince === undefined) await this.sight(new Date().toISOString());
				if (signal.aborted) stoppedAt ??= Date.now();
				if (stoppedAt !== undefined && Date.now() - stoppedAt > UNREACHABLE_MS)
					throw givenUp('stopped', words, mayRun);
			}
			await (signal.aborted ? sleepUnless(RETRY_MS) : sleepUnless(pauseMs, signal));
		}
	}

	private async reachedAgain(): Promise<void> {
		// Perhaps an earlier runner has noted it.
		if (this.phase.unreachableSince === undefined) return;
		this.say('reached again\n');
		await this.sight(undefined);
	}

	/** Others wait for this machine. If the disk is full, the next runner finds it out by itself. */
	private async sight(unreachableSince: string | undefined): Promise<void> {
		await this.save({ unreachableSince }).catch(() => undefined);
		await this.tools.freed();
	}

	private reach(phase: RemotePhase['phase'], more: Partial<RemotePhase> = {}): Promise<void> {
		return this.save({ ...more, phase });
	}

	private async save(change: Partial<RemotePhase>): Promise<void> {
		if (await this.tools.tickets.isTakenOver(this.delegate.record.id)) this.tools.superseded();
		this.phase = { ...this.phase, ...change };
		await this.tools.tickets.writeRemotePhase(this.delegate.record.id, this.phase);
	}

	private say(text: string): void {
		this.tools.show(visible(text));
		this.log.say(visible(text));
	}
}
