import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'smol-toml';
import {
	createFileAtomic,
	makeFolder,
	readTextIfExists,
	replaceFileAtomic,
	writeFileAtomic,
} from '../../base/atomicFile.ts';
import { NancyError } from '../../base/errors.ts';
import { ownIdentity } from '../../base/liveness.ts';
import { fileNames } from '../../base/listing.ts';
import { phrase } from '../../base/phrase.ts';
import { MemoryTask, PendingUpdate, ProjectRecord } from '../../protocol/memory.ts';
import type { Category, NoteId, ProjectName } from '../../protocol/memoryNames.ts';
import { readOrReport, type FileProblem } from '../files/fileProblem.ts';
import { holdingLock } from '../files/holdingLock.ts';
import { jsonText, readJsonFile } from '../files/jsonFile.ts';
import { requireOwn } from '../files/ownFolder.ts';
import { readPlainFile, readPlainText } from '../files/plainFile.ts';
import { notesIn, parseNotes, notesText, type NoteFile, type StoredNote } from './noteFile.ts';
import { asItIs, countsOf } from './taskRecords.ts';
import { checked, tomlOf } from './toml.ts';

/** The largest notes file, in bytes. A larger one is left alone. */
const LONGEST_NOTES = 1024 * 1024;
/** How often a change is tried of a notes file that others keep changing. */
const CHANGE_TRIES = 5;

export const CATEGORIES: readonly Category[] = ['architecture', 'decisions', 'failures'];

type NewTask = Pick<
	MemoryTask,
	'prompt' | 'agent' | 'folder' | 'told' | 'output' | 'startedAt' | 'branch' | 'before' | 'extraction'
>;

/** The files of one project. */
export class ProjectFolder {
	/** Absolute. */
	readonly folder: string;
	private readonly recordFile: string;

	/** @param way the folder of all projects, and this one's. Each must be the user's own */
	constructor(
		readonly name: ProjectName,
		private readonly way: readonly [string, string],
	) {
		this.folder = way[1];
		this.recordFile = join(this.folder, 'project.toml');
	}

	/** Runs a step alone, over all windows and commands. */
	async locked<T>(work: () => Promise<T>): Promise<T> {
		requireOwn(this.way);
		return holdingLock(join(this.folder, 'lock'), work);
	}

	/** @throws NancyError `no-project` */
	async record(): Promise<ProjectRecord> {
		requireOwn(this.way);
		const file = this.recordFile;
		const text = await readPlainText(file);
		if (text === undefined)
			throw new NancyError('no-project', phrase`there is no project "${this.name}"; nancy list names all`);
		return checked(file, tomlOf(file, text), ProjectRecord);
	}

	/** Makes the project. False if it is there. */
	async create(record: ProjectRecord): Promise<boolean> {
		await makeFolder(this.folder);
		requireOwn(this.way);
		return createFileAtomic(this.recordFile, stringify(record));
	}

	async writeRecord(record: ProjectRecord): Promise<void> {
		await writeFileAtomic(this.recordFile, stringify(record));
	}

	/** @throws NancyError `bad-file` for a file that is too large, no UTF-8 or no ordinary file: it is left alone */
	async notes(category: Category): Promise<NoteFile> {
		return parseNotes(await this.text(`${category}.md`), category);
	}

	/** The notes of the files that can be read, and the problems with others. */
	async readableNotes(): Promise<{ notes: StoredNote[]; problems: FileProblem[] }> {
		const notes: StoredNote[] = [];
		const problems: FileProblem[] = [];
		for (const category of CATEGORIES) {
			await readOrReport(problems, this.notesPath(`${category}.md`), async () => {
				notes.push(...notesIn(await this.notes(category)));
			});
		}
		return { notes, problems };
	}

	/** {@link changeText} of a notes file. */
	async changeNotes(category: Category, to: (file: NoteFile) => NoteFile): Promise<void> {
		await this.changeText(`${category}.md`, text => notesText(to(parseNotes(text, category))));
	}

	/** The text of the plan or of the retired notes; '' if there is none. */
	async text(name: string): Promise<string> {
		const file = this.notesPath(name);
		const bytes = await readPlainFile(file, LONGEST_NOTES);
		if (!bytes) return '';
		try {
			return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
		} catch (cause) {
			throw new NancyError('bad-file', phrase`${file} is no UTF-8; convert it and try again`, { cause });
		}
	}

	/**
	 * Changes a file of notes. A person may save it at any moment: then the change is made in what was saved.
	 * @throws NancyError `busy` for one that changes each time
	 */
	async changeText(name: string, to: (text: string) => string): Promise<void> {
		const file = this.notesPath(name);
		for (let attempt = 0; attempt < CHANGE_TRIES; attempt++) {
			const before = await this.text(name);
			const after = to(before);
			if (after === before) return;
			if (await replaceFileAtomic(file, after, async () => (await this.text(name)) === before)) return;
		}
		throw new NancyError('busy', phrase`${file} keeps changing; try again`);
	}

	/** All tasks, or those whose files were written since then, oldest first. Unreadable ones are left out. */
	async tasks(since?: Date): Promise<{ tasks: MemoryTask[]; problems: FileProblem[] }> {
		const tasks: MemoryTask[] = [];
		const problems: FileProblem[] = [];
		for (const name of await this.taskFiles()) {
			const file = this.inTasks(name);
			await readOrReport(problems, file, async () => {
				if (since && (await stat(file)).mtime < since) return;
				const task = await readJsonFile(file, MemoryTask, readPlainText);
				if (task) tasks.push(asItIs(task));
			});
		}
		return { tasks, problems };
	}

	/** @throws NancyError `no-task` */
	async task(number: number): Promise<MemoryTask> {
		const name = await this.taskFile(number);
		const file = name === undefined ? undefined : this.inTasks(name);
		const task = file && (await readJsonFile(file, MemoryTask, readPlainText));
		if (task) return asItIs(task);
		throw new NancyError('no-task', phrase`project "${this.name}" has no task ${number}`);
	}

	/** Numbers the task and saves it. Under the lock. */
	async addTask(task: NewTask): Promise<MemoryTask> {
		const last = (await this.taskFiles()).at(-1);
		const number = last === undefined ? 1 : Number.parseInt(last, 10) + 1;
		const made: MemoryTask = MemoryTask.parse({ ...task, version: 1, number, by: ownIdentity() });
		await writeFileAtomic(this.inTasks(taskName(number, task.prompt)), jsonText(made));
		await this.countTasks();
		return made;
	}

	/** Under the lock. All tasks are read again only where what is counted of this one has changed. */
	async writeTask(task: MemoryTask): Promise<void> {
		const name = (await this.taskFile(task.number)) ?? taskName(task.number, task.prompt);
		const file = this.inTasks(name);
		const before = await readJsonFile(file, MemoryTask, readPlainText).catch(() => undefined);
		await writeFileAtomic(file, jsonText(task));
		if (!before || !isDeepStrictEqual(countsOf([before]), countsOf([task]))) await this.countTasks();
	}

	/** What the extraction of a task reads; `undefined` if there is none. */
	async digest(number: number): Promise<string | undefined> {
		return readPlainText(this.digestFile(number));
	}

	/** The tasks of which there is a digest, with its file. */
	async digests(): Promise<Map<number, string>> {
		const names = await fileNames(this.inTasks(), '.digest.md');
		return new Map(names.map(name => [Number.parseInt(name, 10), this.inTasks(name)]));
	}

	async writeDigest(number: number, text: string): Promise<void> {
		await writeFileAtomic(this.digestFile(number), text);
	}

	/** What waits for a person. Unreadable files are left out. */
	async pending(): Promise<{ pending: PendingUpdate[]; problems: FileProblem[] }> {
		const folder = join(this.folder, 'pending');
		const pending: PendingUpdate[] = [];
		const problems: FileProblem[] = [];
		for (const name of (await fileNames(folder, '.json')).sort()) {
			const file = join(folder, name);
			await readOrReport(problems, file, async () => {
				const update = await readJsonFile(file, PendingUpdate, readPlainText);
				if (update) pending.push(update);
			});
		}
		return { pending, problems };
	}

	async writePending(update: PendingUpdate): Promise<void> {
		await writeFileAtomic(this.pendingFile(update.id), jsonText(update));
	}

	pendingFile(id: NoteId): string {
		return join(this.folder, 'pending', `${id}.json`);
	}

	/** Writes into the record what a person may want to read there. After a kill, the next task does. Under the lock. */
	private async countTasks(): Promise<void> {
		const file = this.recordFile;
		const before = await readTextIfExists(file);
		const record = await this.record().catch(() => undefined);
		if (!record) return;
		const counted: ProjectRecord = { ...record, ...countsOf((await this.tasks()).tasks) };
		// A person may have saved it meanwhile. The next task counts.
		if (stringify(counted) !== stringify(record))
			await replaceFileAtomic(file, stringify(counted), async () => (await readTextIfExists(file)) === before);
	}

	private inTasks(name = ''): string {
		return join(this.folder, 'tasks', name);
	}

	private digestFile(number: number): string {
		return this.inTasks(`${padded(number)}.digest.md`);
	}

	private notesPath(name: string): string {
		return join(this.folder, 'notes', name);
	}

	private async taskFile(number: number): Promise<string | undefined> {
		return (await this.taskFiles()).find(name => Number.parseInt(name, 10) === number);
	}

	private async taskFiles(): Promise<string[]> {
		const names = (await fileNames(this.inTasks(), '.json')).filter(name => /^\d{3,}-/.test(name));
		return names.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
	}
}

/** `004-add-tests.json` */
function taskName(number: number, prompt: string): string {
	const words = prompt.toLowerCase().match(/[a-z0-9]+/g) ?? [];
	const slug = words.join('-').slice(0, 40).replace(/-+$/, '') || 'task';
	return `${padded(number)}-${slug}.json`;
}

function padded(number: number): string {
	return String(number).padStart(3, '0');
}
