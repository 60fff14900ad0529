import type { MemoryTask } from '../../protocol/memory.ts';
import type { NoNotes, ProjectName } from '../../protocol/memoryNames.ts';
import { redactText } from '../traffic/redact.ts';
import { digestOf, typedIn, type TaskSources } from './digest.ts';
import { whyNot } from './extractionState.ts';
import type { MemoryPlace } from './state.ts';
import type { MemoryStore } from './store.ts';

/** The most changed files of a task whose paths are kept. */
const MOST_TOUCHED = 100;

/** The tasks of projects, as they begin and end. */
export class ProjectTasks {
	constructor(private readonly store: MemoryStore) {}

	/** Saves that a task begins. */
	async begin(
		name: ProjectName,
		task: Pick<MemoryTask, 'prompt' | 'agent' | 'folder' | 'told'>,
		place: MemoryPlace,
	): Promise<MemoryTask> {
		const project = this.store.folderOf(name);
		await project.record();
		return project.locked(() =>
			project.addTask({
				...task,
				prompt: redactText(task.prompt),
				output: '',
				startedAt: new Date().toISOString(),
				...(place.branch !== undefined && { branch: place.branch }),
				...(place.commit !== undefined && { before: place.commit }),
				extraction: { state: 'none', tries: 0 },
			}),
		);
	}

	/**
	 * Saves how it ended, and what an extraction will read.
	 * @param whyNoNotes why nobody can be asked for notes of it
	 */
	async end(
		name: ProjectName,
		number: number,
		ended: Pick<MemoryTask, 'session' | 'after' | 'ending' | 'ok' | 'reason' | 'output'>,
		sources: TaskSources,
		whyNoNotes?: NoNotes,
	): Promise<MemoryTask> {
		const project = this.store.folderOf(name);
		const { extraction } = await this.store.configOrDefault();
		const status = await project.record().then(
			({ status }) => status,
			() => undefined,
		);
		const { records } = sources;
		const digest = digestOf(sources, extraction.transcript_tokens);
		return project.locked(async () => {
			if (records.length > 0) await project.writeDigest(number, digest.text);
			const cause =
				whyNot({
					isUnrecorded: records.length === 0,
					isPoor: digest.isPoor,
					isEnabled: extraction.enabled,
					isPaused: status === 'paused',
				}) ?? whyNoNotes;
			const begun = await project.task(number);
			const task: MemoryTask = {
				...begun,
				...ended,
				// In a terminal, the first prompt may have been typed there.
				prompt: begun.prompt || redactText(typedIn(digest.text).split('\n')[0] ?? ''),
				output: redactText(ended.output),
				touched: sources.changes.slice(0, MOST_TOUCHED).map(({ path }) => redactText(path)),
				...(ended.reason !== undefined && { reason: redactText(ended.reason) }),
				endedAt: new Date().toISOString(),
				extraction: cause === undefined ? { state: 'due', tries: 0 } : { state: 'skipped', tries: 0, cause },
			};
			await project.writeTask(task);
			return task;
		});
	}
}
