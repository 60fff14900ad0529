import { existsSync } from 'node:fs';
import { errorText } from '../base/errors.ts';
import { insist } from '../base/insist.ts';
import type { RemoteEnd, RemoteJob } from '../protocol/remoteJob.ts';
import type { JobFiles } from './jobFiles.ts';
import { isQueued } from './queuedJob.ts';
import { variablesFromPipe } from './variablesPipe.ts';

/** Between two signs of life of a runner, in milliseconds. */
const BEAT_MS = 15_000;
/** Between two looks of a runner whether it is to end, in milliseconds. Not every engine can tell it. */
const TOLD_MS = 2000;

/**
 * In the process that runs a job: does its work once, however often the queue begins it, and writes its end last. Gives signs of life meanwhile.
 * @param signal aborted when this process is told to end
 */
export async function runOnce(
	files: JobFiles,
	signal: AbortSignal,
	work: (job: RemoteJob, signal: AbortSignal) => Promise<RemoteEnd>,
): Promise<void> {
	const job = await files.job();
	if (!job || (isQueued(job) && !(await files.claim()))) return;
	await files.writeRunner();
	const asked = new AbortController();
	const listen = setInterval(() => {
		if (existsSync(files.cancelled)) asked.abort();
	}, TOLD_MS);
	const beat = setInterval(() => void files.beat().catch(() => undefined), BEAT_MS);
	try {
		const end = await withVariables(job, files, work, AbortSignal.any([signal, asked.signal]));
		// Meanwhile the job gives signs of life.
		await insist(() => files.writeEnd(end));
	} finally {
		clearInterval(listen);
		clearInterval(beat);
	}
}

async function withVariables(
	job: RemoteJob,
	files: JobFiles,
	work: (job: RemoteJob, signal: AbortSignal) => Promise<RemoteEnd>,
	signal: AbortSignal,
): Promise<RemoteEnd> {
	try {
		if (job.forwards) Object.assign(process.env, await variablesFromPipe(files, signal));
	} catch (error) {
		if (!signal.aborted) return { ok: false, reason: errorText(error), output: '' };
	}
	return work(job, signal);
}
