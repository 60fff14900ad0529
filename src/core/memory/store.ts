import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'smol-toml';
import type * as z from 'zod/mini';
import {
	createFileAtomic,
	makeFolder,
	readTextIfExists,
	replaceFileAtomic,
	writeFileAtomic,
} from '../../base/atomicFile.ts';
import { errorText, NancyError } from '../../base/errors.ts';
import { ownIdentity } from '../../base/liveness.ts';
import { fileNames, folderNames } from '../../base/listing.ts';
import { phrase } from '../../base/phrase.ts';
import { ConfigFile, MemoryTask, PendingUpdate, ProjectRecord, type MemoryConfig } from '../../protocol/memory.ts';
import { ProjectName, type Category, type NoteId } from '../../protocol/memoryNames.ts';
import { fileProblem, type FileProblem } from '../files/fileProblem.ts';
import { holdingLock } from '../files/holdingLock.ts';
import { jsonText, readJsonFile } from '../files/jsonFile.ts';
import { requireOwn } from '../files/ownFolder.ts';
import { readPlainFile, readPlainText } from '../files/plainFile.ts';
import { namedConfig, unusedKeys } from './config.ts';
import { asItIs, countsOf } from './taskRecords.ts';
import { parseNotes, notesText, type NoteFile } from './noteFile.ts';

/** Of a notes file, in bytes. A larger one is left alone. */
const LONGEST_NOTES = 1024 * 1024;
/** Of one change of a notes file that others keep changing. */
const CHANGE_TRIES = 5;

export const CATEGORIES: readonly Category[] = ['architecture', 'decisions', 'failures'];

type NewTask = Pick<
	MemoryTask,
	'prompt' | 'agent' | 'folder' | 'told' | 'output' | 'startedAt' | 'branch' | 'before' | 'extraction'
>;

/** The projects in the user's config folder. Files are the truth: a person may read and edit each of them. */
export class MemoryStore {
	private readonly root: string;

	/** @param configFolder the user's: see base/folders */
	constructor(private readonly configFolder: string) {
		this.root = join(configFolder, 'projects');
	}

	/** @throws NancyError `bad-file` for a file that does not parse */
	async config(): Promise<MemoryConfig> {
		const file = join(this.configFolder, 'config.toml');
		// The user may keep it elsewhere, behind a link.
		const config = tomlOf(file, (await readTextIfExists(file)) ?? '');
		return { ...checked(file, namedConfig(config), ConfigFile), problems: unusedKeys(file, config) };
	}

	async names(): Promise<ProjectName[]> {
		const found = (await folderNames(this.root)).map(name => ProjectName.safeParse(name));
		return found.flatMap(({ success, data }) => (success ? [data] : [])).sort();
	}

	/** Runs a step alone, over all projects, windows and commands. A project is locked within it, never around it. */
	async locked<T>(work: () => Promise<T>): Promise<T> {
		requireOwn([this.root]);
		return holdingLock(join(this.root, '.lock'), work);
	}

	/** A project's folder, whether it is there or not. */
	folderOf(name: ProjectName): ProjectFolder {
		return new ProjectFolder(name, [this.root, join(this.root, name)]);
	}
}

/** The files of one project. */
export class ProjectFolder {
	/** Absolute. */
	readonly folder: string;

	/** @param way the folder of all projects, and this one's. Each must be the user's own */
	constructor(
		readonly name: ProjectName,
		private readonly way: readonly [string, string],
	) {
		this.folder = way[1];
	}

	/** Runs a step alone, over all windows and commands. */
	async locked<T>(work: () => Promise<T>): Promise<T> {
		requireOwn(this.way);
		return holdingLock(join(this.folder, 'lock'), work);
	}

	/** @throws NancyError `no-project` */
	async record(): Promise<ProjectRecord> {
		requireOwn(this.way);
		const file = join(this.folder, 'project.toml');
		const text = await readPlainText(file);
		if (text === undefined)
			throw new NancyError('no-project', phrase`there is no project "${this.name}"; nancy list names all`);
		return parseToml(file, text, ProjectRecord);
	}

	/** Makes the project. False if it is there. */
	async create(record: ProjectRecord): Promise<boolean> {
		await makeFolder(this.folder);
		requireOwn(this.way);
		return createFileAtomic(join(this.folder, 'project.toml'), stringify(record));
	}

	async writeRecord(record: ProjectRecord): Promise<void> {
		await writeFileAtomic(join(this.folder, 'project.toml'), stringify(record));
	}

	/** @throws NancyError `bad-file` for a file that is too large, no UTF-8 or no ordinary file: it is left alone */
	async notes(category: Category): Promise<NoteFile> {
		return parseNotes(await this.text(`${category}.md`), category);
	}

	/** The notes files that can be read, and the problems with others. */
	async readableNotes(): Promise<{ files: NoteFile[]; problems: FileProblem[] }> {
		const files: NoteFile[] = [];
		const problems: FileProblem[] = [];
		for (const category of CATEGORIES) {
			try {
				files.push(await this.notes(category));
			} catch (error) {
				problems.push(fileProblem(this.notesPath(`${category}.md`), error));
			}
		}
		return { files, problems };
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
			const file = join(this.folder, 'tasks', name);
			try {
				if (since && (await stat(file)).mtime < since) continue;
				const task = await readJsonFile(file, MemoryTask, readPlainText);
				if (task) tasks.push(asItIs(task));
			} catch (error) {
				problems.push(fileProblem(file, error));
			}
		}
		return { tasks, problems };
	}

	/** @throws NancyError `no-task` */
	async task(number: number): Promise<MemoryTask> {
		const name = await this.taskFile(number);
		const file = name === undefined ? undefined : join(this.folder, 'tasks', name);
		const task = file && (await readJsonFile(file, MemoryTask, readPlainText));
		if (task) return asItIs(task);
		throw new NancyError('no-task', phrase`project "${this.name}" has no task ${number}`);
	}

	/** Numbers the task and saves it. Under the lock. */
	async addTask(task: NewTask): Promise<MemoryTask> {
		const last = (await this.taskFiles()).at(-1);
		const number = last === undefined ? 1 : Number.parseInt(last, 10) + 1;
		const made: MemoryTask = MemoryTask.parse({ ...task, version: 1, number, by: ownIdentity() });
		await writeFileAtomic(join(this.folder, 'tasks', taskName(number, task.prompt)), jsonText(made));
		await this.countTasks();
		return made;
	}

	/** Under the lock. All tasks are read again only where what is counted of this one has changed. */
	async writeTask(task: MemoryTask): Promise<void> {
		const name = (await this.taskFile(task.number)) ?? taskName(task.number, task.prompt);
		const file = join(this.folder, 'tasks', name);
		const before = await readJsonFile(file, MemoryTask, readPlainText).catch(() => undefined);
		await writeFileAtomic(file, jsonText(task));
		if (!before || !isDeepStrictEqual(countsOf([before]), countsOf([task]))) await this.countTasks();
	}

	/** What the extraction of a task reads; `undefined` if there is none. */
	async digest(number: number): Promise<string | undefined> {
		return readPlainText(join(this.folder, 'tasks', `${padded(number)}.digest.md`));
	}

	/** The tasks of which there is a digest, with its file. */
	async digests(): Promise<Map<number, string>> {
		const names = await fileNames(join(this.folder, 'tasks'), '.digest.md');
		return new Map(names.map(name => [Number.parseInt(name, 10), join(this.folder, 'tasks', name)]));
	}

	async writeDigest(number: number, text: string): Promise<void> {
		await writeFileAtomic(join(this.folder, 'tasks', `${padded(number)}.digest.md`), text);
	}

	/** What waits for a person. Unreadable files are left out. */
	async pending(): Promise<{ pending: PendingUpdate[]; problems: FileProblem[] }> {
		const folder = join(this.folder, 'pending');
		const pending: PendingUpdate[] = [];
		const problems: FileProblem[] = [];
		for (const name of (await fileNames(folder, '.json')).sort()) {
			const file = join(folder, name);
			try {
				const update = await readJsonFile(file, PendingUpdate, readPlainText);
				if (update) pending.push(update);
			} catch (error) {
				problems.push(fileProblem(file, error));
			}
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
		const file = join(this.folder, 'project.toml');
		const before = await readTextIfExists(file);
		const record = await this.record().catch(() => undefined);
		if (!record) return;
		const counted: ProjectRecord = { ...record, ...countsOf((await this.tasks()).tasks) };
		// A person may have saved it meanwhile. The next task counts.
		if (stringify(counted) !== stringify(record))
			await replaceFileAtomic(file, stringify(counted), async () => (await readTextIfExists(file)) === before);
	}

	private notesPath(name: string): string {
		return join(this.folder, 'notes', name);
	}

	private async taskFile(number: number): Promise<string | undefined> {
		return (await this.taskFiles()).find(name => Number.parseInt(name, 10) === number);
	}

	private async taskFiles(): Promise<string[]> {
		const names = (await fileNames(join(this.folder, 'tasks'), '.json')).filter(name => /^\d{3,}-/.test(name));
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

function parseToml<S extends z.ZodMiniType>(file: string, text: string, schema: S): z.infer<S> {
	return checked(file, tomlOf(file, text), schema);
}

function tomlOf(file: string, text: string): Record<string, unknown> {
	try {
		return parse(text);
	} catch (error) {
		throw broken(file, errorText(error).split('\n')[0] ?? '', error);
	}
}

function checked<S extends z.ZodMiniType>(file: string, value: unknown, schema: S): z.infer<S> {
	const parsed = schema.safeParse(value);
	if (parsed.success) return parsed.data;
	const [issue] = parsed.error.issues;
	throw broken(file, `${issue?.path.join('.') || 'the top'}: ${issue?.message}`, parsed.error);
}

function broken(file: string, what: string, cause: unknown): NancyError {
	return new NancyError('bad-file', phrase`${file} cannot be read: ${what}. Repair it and try again.`, { cause });
}
