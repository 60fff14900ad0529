import { isDeepStrictEqual } from 'node:util';
import { NancyError } from '../../base/errors.ts';
import { ownIdentity } from '../../base/liveness.ts';
import { phrase } from '../../base/phrase.ts';
import type { MemoryTask } from '../../protocol/memory.ts';
import type { NoNotes, ProjectName } from '../../protocol/memoryNames.ts';
import type { ExtractionTexts } from '../driver/extractor.ts';
import { redact, redactText } from '../traffic/redact.ts';
import { planOf, retiredTexts } from './changes.ts';
import { answerIn, requestOf } from './extraction.ts';
import { isClaimed, isDue, refuseDone, refusePaused } from './extractionState.ts';
import { mergeAnswer, type MergeReport } from './merging.ts';
import { hashOf } from './noteFile.ts';
import { documentsIn, known, sourceText } from './sources.ts';
import type { ProjectFolder } from './projectFolder.ts';
import type { MemoryStore } from './store.ts';

/** An extraction that this process has claimed; without `texts`, its answer is there and only has to be merged. */
export interface ClaimedExtraction {
	readonly task: MemoryTask;
	readonly texts?: ExtractionTexts;
}

export interface ExtractionResult {
	/** The answer's text; absent for a failure. */
	readonly text?: string | undefined;
	/** The cause of a failure. */
	readonly cause?: NoNotes | undefined;
	/** Another program's words about a failure. */
	readonly why?: string | undefined;
	/** The user broke it off: it is as if nobody had asked. */
	readonly isCancelled?: boolean;
	readonly usage?: MemoryTask['extraction']['usage'];
}

/**
 * What becomes of an ended task's digest: it is claimed, answered by a model, and merged into the notes. Each step is saved, so that the
 * next look finishes what a kill has left.
 */
export class Extractions {
	constructor(private readonly store: MemoryStore) {}

	/**
	 * Claims the extraction of a task, or of the oldest that is due. `undefined` if none is.
	 * @throws NancyError `busy` if another process extracts it, `wrong-state` if it was done, or the day's limit is reached
	 */
	async claim(name: ProjectName, number: number | undefined, again: boolean): Promise<ClaimedExtraction | undefined> {
		const project = this.store.folderOf(name);
		refusePaused(await project.record());
		const { extraction } = await this.store.config();
		for (;;) {
			const ready = await readyIn(project, number, again);
			if (!ready?.request) return ready;
			const { task, request } = ready;
			// Nobody else claims between the count of the day's calls and this one. All that takes long was read before.
			const claimed = await this.store.locked(() =>
				project.locked(() => this.claimIn(project, task, request, extraction.per_day)),
			);
			if (claimed) return { task: claimed, texts: request.texts };
		}
	}

	/** Saves an answer, or why there is none. Then {@link merge} carries it out. */
	async answer(
		name: ProjectName,
		number: number,
		{ text, cause = 'malformed', why, isCancelled = false, usage }: ExtractionResult,
	): Promise<MemoryTask> {
		const project = this.store.folderOf(name);
		// Without secrets a text may be longer than an answer may have.
		const said = text === undefined ? undefined : answerIn(text);
		const answer = said && answerIn(JSON.stringify(redact(said)));
		return project.locked(async () => {
			const task = await project.task(number);
			const { by: _gone, ...extraction } = task.extraction;
			const failed = isCancelled
				? { state: 'due' as const, tries: extraction.tries - 1 }
				: {
						state: 'failed' as const,
						cause,
						...(why !== undefined && { why: redactText(why) }),
					};
			const next: MemoryTask = {
				...task,
				...(answer && { summary: answer.summary }),
				extraction: {
					...extraction,
					...(usage && { usage: summed(extraction.usage, usage) }),
					...(answer ? { state: 'answered', answer } : failed),
				},
			};
			await project.writeTask(next);
			return next;
		});
	}

	/** Carries out the saved answer of a task. A second call changes nothing. */
	async merge(name: ProjectName, number: number): Promise<Omit<MergeReport, 'summaryHeld'>> {
		const project = this.store.folderOf(name);
		const { extraction } = await this.store.config();
		return project.locked(async () => {
			const task = await project.task(number);
			const answer = answerIn(JSON.stringify(task.extraction.answer ?? null));
			if (!answer) throw new NancyError('wrong-state', phrase`task ${number} has no answer to merge`);
			const place = { folder: task.folder, branch: task.branch, commit: task.after };
			const { summaryHeld, ...report } = await mergeAnswer(project, task, answer, {
				task: number,
				by: task.agent,
				commit: task.after,
				branch: task.branch,
				digest: (await project.digest(number)) ?? '',
				notes: await known(project, place),
				known: task.extraction.known ?? {},
				told: task.told,
				retired: await retiredTexts(project),
				documents: documentsIn(task.folder),
				fileText: path => sourceText(task.folder, path),
				review: extraction.review,
			});
			await project.writeTask({
				...task,
				extraction: { ...task.extraction, state: 'merged', summaryHeld: [...summaryHeld] },
			});
			return report;
		});
	}

	/** `undefined` if the extraction of the task is not as it was read: somebody else was faster. */
	private async claimIn(
		project: ProjectFolder,
		read: MemoryTask,
		{ listed }: Request,
		most: number,
	): Promise<MemoryTask | undefined> {
		const task = await project.task(read.number);
		if (!isDeepStrictEqual(task.extraction, read.extraction)) return undefined;
		const today = await this.callsToday();
		if (today >= most)
			throw new NancyError(
				'wrong-state',
				phrase`${today} extractions were made today, which is the limit (extraction.per_day in config.toml)`,
			);
		const { extraction } = task;
		const claimed: MemoryTask = {
			...task,
			extraction: {
				state: 'running',
				tries: extraction.tries + 1,
				by: ownIdentity(),
				at: new Date().toISOString(),
				// From earlier tries: a summary that was held stays held, and the usage counts.
				...(extraction.summaryHeld !== undefined && { summaryHeld: extraction.summaryHeld }),
				...(extraction.usage && { usage: extraction.usage }),
				known: Object.fromEntries(listed.map(({ id, text }) => [id, hashOf(text)])),
			},
		};
		await project.writeTask(claimed);
		return claimed;
	}

	private async callsToday(): Promise<number> {
		const today = new Date().toISOString().slice(0, 10);
		let calls = 0;
		for (const name of await this.store.names()) {
			const { tasks } = await this.store.folderOf(name).tasks(new Date(today));
			for (const { extraction } of tasks)
				if (extraction.at?.startsWith(today) === true) calls += extraction.tries;
		}
		return calls;
	}
}

type Request = ReturnType<typeof requestOf>;

/** The task, or the oldest that is due, and what a model is asked about it: nothing if its answer is there. */
async function readyIn(
	project: ProjectFolder,
	number: number | undefined,
	again: boolean,
): Promise<{ task: MemoryTask; request?: Request } | undefined> {
	const task = number === undefined ? (await project.tasks()).tasks.find(isDue) : await project.task(number);
	if (!task) return undefined;
	if (!again) refuseDone(task);
	if (isClaimed(task)) throw new NancyError('busy', phrase`another Nancy extracts task ${task.number} now`);
	if (task.extraction.state === 'answered' && !again) return { task };
	const digest = await project.digest(task.number);
	if (digest === undefined) throw new NancyError('wrong-state', phrase`nothing of task ${task.number} was recorded`);
	const notes = await known(project, { folder: task.folder, branch: task.branch, commit: undefined });
	return { task, request: requestOf(digest, { task, notes, plan: (await planOf(project)).text }) };
}

type Usage = NonNullable<MemoryTask['extraction']['usage']>;

/** Each try of an extraction costs. */
function summed(before: Usage = {}, now: Usage): Usage {
	const keys = ['inputTokens', 'outputTokens', 'costUsd'] as const;
	const known = keys.filter(key => before[key] !== undefined || now[key] !== undefined);
	return Object.fromEntries(known.map(key => [key, (before[key] ?? 0) + (now[key] ?? 0)]));
}
