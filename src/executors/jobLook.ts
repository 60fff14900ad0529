import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { DelegateId } from '../protocol/delegate.ts';
import { failedStep } from './ask.ts';
import { LetterName } from './mailThere.ts';

/** What is asked of one job in a look. */
export const JobLook = z.object({
	id: DelegateId,
	/** Where to begin in the log, in bytes. */
	offset: z.int().check(z.nonnegative()),
	/** The messages of which receipts are wanted. */
	carried: z.array(LetterName),
});
export type JobLook = z.infer<typeof JobLook>;

/** More than any pause between two looks at a job that is alone, and much less than a step may take. */
const LONGEST_WAIT_MS = 10_000;

/** A look at many jobs in one call. */
export const JobLooks = z.object({
	jobs: z.array(JobLook),
	/** For so long the look may wait until a job has ended, in milliseconds. */
	waitMs: z._default(z.int().check(z.nonnegative(), z.maximum(LONGEST_WAIT_MS)), 0),
});

/** What became of it. A job that is not named did not fit, and is asked for again. Each asker checks the answer of its own job. */
export const JobAnswers = z.object({
	answers: z.array(z.object({ at: z.int().check(z.nonnegative()), answer: z.unknown() })),
});
export type JobAnswers = z.infer<typeof JobAnswers>;

/** Limit of all answers together, and of each, in characters. One with its log takes less than 7 MB. */
const ROOM = 8 * 1024 * 1024;
/** For each job, in milliseconds: more than a command of its queue may take, and less than a step with its connection. */
const ONE_MS = 40_000;

/** Looks at jobs side by side, and answers as many as fit. One that fails or hangs says so itself. */
export async function lookAtEach(
	jobs: readonly JobLook[],
	look: (job: JobLook) => Promise<object>,
	oneMs = ONE_MS,
): Promise<JobAnswers> {
	const seen = await Promise.all(jobs.map(async job => short(await inTime(look(job), oneMs))));
	const answers: JobAnswers['answers'] = [];
	let room = ROOM;
	for (const [at, answer] of seen.entries()) {
		room -= JSON.stringify(answer).length;
		if (room < 0) break;
		answers.push({ at, answer });
	}
	return { answers };
}

/** A job of which too much is there keeps no other one from sight. */
function short(answer: object): object {
	return JSON.stringify(answer).length > ROOM ? { error: 'the files of this job are too long' } : answer;
}

/** A job that hangs tells nothing of its machine, which has answered. */
async function inTime(looking: Promise<object>, ms: number): Promise<object> {
	const late = { error: `no answer of this job in ${ms / 1000} s` };
	return Promise.race([looking.catch(failedStep), sleep(ms, late, { ref: false })]);
}
