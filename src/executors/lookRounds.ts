import { Pause } from '../base/pause.ts';
import type { DelegateId } from '../protocol/delegate.ts';
import type { JobAnswers, JobLook } from './jobLook.ts';

/** Who has not asked for so long does not take part any more, in milliseconds. It is longer than any pause. */
const GONE_MS = 60_000;
/** The pause of all grows by so much with each delegate, in milliseconds. So what the looks cost does not grow with their number. */
const EACH_MS = 100;
/** The longest pause between two looks at a job, in milliseconds. */
export const LONGEST_PAUSE_MS = 10_000;
/** Those that wake at one moment ask within so long, in milliseconds, and so much more for each. */
const [MEET_MS, MEET_EACH_MS] = [50, 5];
/** Limit of jobs in one round. Further jobs wait for the next round. */
const MOST_JOBS = 250;

interface Waiting {
	job: JobLook;
	resolve(looked: Looked): void;
	reject(error: unknown): void;
}

/**
 * @param waitMs it may take so much longer, until one of them has ended
 * @throws what fails for all of them
 */
export type LookAtAll = (jobs: readonly JobLook[], waitMs: number) => Promise<JobAnswers>;

/** An answer about one job, and when its runner is to ask again, in milliseconds, so that it meets the others. */
export interface Looked {
	answer: unknown;
	pauseMs: number;
}

/**
 * Looks at the jobs of one machine, for all who watch one: whoever asks while a call is under way is in the next one. Who is alone does not
 * wait for anybody.
 */
export class LookRounds {
	private waiting: Waiting[] = [];
	private readonly asked = new Map<DelegateId, number>();
	private readonly pause = new Pause();
	private isGoing = false;

	/**
	 * @param everyMs between two looks at a job that is alone
	 * @param lookAtAll one call of the machine
	 * @param waitMs of that pause, so much is spent there, where the end of a job that is alone is seen at once
	 */
	constructor(
		private readonly everyMs: number,
		private readonly lookAtAll: LookAtAll,
		private readonly waitMs = 0,
	) {}

	/** @throws what a call has thrown: it fails for all who wait */
	look(job: JobLook): Promise<Looked> {
		this.asked.set(job.id, performance.now());
		return new Promise((resolve, reject) => {
			this.waiting.push({ job, resolve, reject });
			if (this.waiting.length >= this.askers()) this.pause.end();
			void this.go();
		});
	}

	private async go(): Promise<void> {
		if (this.isGoing) return;
		this.isGoing = true;
		let hasRest = false;
		while (this.waiting.length > 0) {
			if (!hasRest) await this.meet();
			const some = this.waiting.splice(0, MOST_JOBS);
			const rest = await this.round(some);
			hasRest = rest.length > 0;
			this.waiting.unshift(...rest);
		}
		this.isGoing = false;
	}

	private async meet(): Promise<void> {
		const deadlineMs = Date.now() + MEET_MS + MEET_EACH_MS * this.askers();
		while (this.waiting.length < this.askers() && Date.now() < deadlineMs) await this.pause.take(deadlineMs);
	}

	/** Returns those that did not fit into the answer. */
	private async round(some: readonly Waiting[]): Promise<Waiting[]> {
		try {
			const waitMs = this.askers() < 2 ? this.waitMs : 0;
			const jobs = some.map(({ job }) => job);
			const { answers } = await this.lookAtAll(jobs, waitMs);
			const rest = new Set(some);
			const pauseMs = this.pauseMs(waitMs);
			for (const { at, answer } of answers) {
				const one = some[at];
				if (one && rest.delete(one)) one.resolve({ answer, pauseMs });
			}
			if (rest.size === some.length) throw new Error('its answer names no job');
			return [...rest];
		} catch (error) {
			for (const one of [...some, ...this.waiting.splice(0)]) one.reject(error);
			return [];
		}
	}

	private askers(): number {
		const goneMs = performance.now() - GONE_MS;
		for (const [id, askedMs] of this.asked) if (askedMs < goneMs) this.asked.delete(id);
		return this.asked.size;
	}

	/** Until a moment that is the same for all who are told one, whenever they began: the next but at least half a pause away. */
	private pauseMs(waitedMs: number): number {
		const askers = this.askers();
		if (askers < 2) return this.everyMs - waitedMs;
		const pauseMs = Math.max(this.everyMs, Math.min(LONGEST_PAUSE_MS, this.everyMs + EACH_MS * askers));
		const nextMs = pauseMs - (performance.now() % pauseMs);
		return nextMs < pauseMs / 2 ? nextMs + pauseMs : nextMs;
	}
}
