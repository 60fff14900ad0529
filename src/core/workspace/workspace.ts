import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createFileAtomic } from '../../base/atomicFile.ts';
import { hasErrno, NancyError } from '../../base/errors.ts';
import { phrase, type Phrase } from '../../base/phrase.ts';
import { theTask } from './named.ts';
import { dataFolder as userDataFolder } from '../../base/folders.ts';
import { entryNames, fileNames, folderNames } from '../../base/listing.ts';
import { headerName, type Author } from '../../protocol/author.ts';
import type { MessageContent } from '../../protocol/message.ts';
import { FIRST_WORKER, ORCHESTRATOR, TaskName, type MessageId, type WorkerName } from '../../protocol/names.ts';
import { TaskRecord, WorkerRecord, WorkspaceConfig } from '../../protocol/records.ts';
import { wakes } from '../mailbox/due.ts';
import { readOrReport, type FileProblem } from '../files/fileProblem.ts';
import { holdingLock } from '../files/holdingLock.ts';
import { createJsonFile, readJsonFile, writeJsonFile } from '../files/jsonFile.ts';
import { refuseLinks } from '../files/links.ts';
import { Mailbox } from '../mailbox/mailbox.ts';
import { newMessageId } from '../mailbox/messageId.ts';
import { PreparedAnswers } from '../mailbox/prepared.ts';
import { SEALS } from '../mailbox/sealReader.ts';
import { nextName } from './mailboxName.ts';
import { Seals } from '../mailbox/seals.ts';
import { hasSession } from './sealedSessions.ts';
import { ringBell } from './bell.ts';
import { OwnFolder } from '../files/ownFolder.ts';
import { NancyPaths } from '../files/paths.ts';

/** A worker by name: identifies its mailbox. */
export interface WorkerAddress {
	task: TaskName;
	worker: WorkerName;
}

export function isSameAddress(one: WorkerAddress, other: WorkerAddress): boolean {
	return one.task === other.task && one.worker === other.worker;
}

/** A message to send. The author says whose words they are. */
export type Words = Omit<MessageContent, 'from'>;

/** A hook ends after 3 s. */
const HOOK_PATIENCE_MS = 1000;

/**
 * One workspace folder's tasks, workers and mailboxes. Holds nothing in memory: any number of windows, hooks and commands
 * work on the same folder at once.
 */
export class Workspace {
	readonly paths: NancyPaths;
	private knownOwn: OwnFolder | undefined;

	/** @param dataFolder the user's, where seals are: see base/folders */
	constructor(
		readonly folder: string,
		private readonly dataFolder: string = userDataFolder(),
	) {
		this.paths = new NancyPaths(folder);
	}

	/** The user's own records of this workspace, in the data folder. */
	get own(): OwnFolder {
		return (this.knownOwn ??= new OwnFolder(this.dataFolder, this.folder));
	}

	/** What the guard may hand over without the program. */
	get prepared(): PreparedAnswers {
		return new PreparedAnswers(this.dataFolder);
	}

	/** Throws `bad-file` if `.nancy`, a folder in it or one of this task is a symbolic link. Every reader and writer there asks first. */
	refuseLinks(task?: TaskName): void {
		const { paths } = this;
		refuseLinks(paths.folders);
		if (task !== undefined) refuseLinks([paths.task(task), paths.workers(task), paths.comms(task)]);
	}

	/** Makes `.nancy` and the folders that guards and watchers need. Safe to repeat. */
	async prepare(): Promise<void> {
		this.refuseLinks();
		for (const folder of [
			this.paths.tasks,
			this.paths.spool,
			this.paths.traffic,
			this.paths.sessions,
			this.paths.bells,
			this.paths.phases,
			this.paths.halts,
			this.paths.delegates,
		]) {
			await mkdir(folder, { recursive: true, mode: 0o700 });
		}
		await keepToOwner(this.paths.root);
		await createFileAtomic(this.paths.gitignore, '*\n');
	}

	async config(): Promise<WorkspaceConfig> {
		this.refuseLinks();
		return (await readJsonFile(this.paths.config, WorkspaceConfig)) ?? WorkspaceConfig.parse({ version: 1 });
	}

	async updateConfig(change: (config: WorkspaceConfig) => WorkspaceConfig): Promise<void> {
		await this.prepare();
		// Two changes at once would lose one of them, and the deployment record is the way back.
		await holdingLock(`${this.paths.config}.lock`, async () =>
			writeJsonFile(this.paths.config, WorkspaceConfig.parse(change(await this.config()))),
		);
	}

	async createTask(record: TaskRecord): Promise<void> {
		await this.prepare();
		this.refuseLinks(record.name);
		const file = this.paths.taskRecord(record.name);
		if (!(await createJsonFile(file, record))) throw taskExists(record.name);
		await this.mailbox({ task: record.name, worker: ORCHESTRATOR }).makeFolders();
	}

	async task(name: TaskName): Promise<TaskRecord> {
		this.refuseLinks(name);
		const record = await this.taskRecord(name);
		if (!record)
			throw new NancyError('no-task', phrase`there is no task ${theTask(name)}; nancy status lists the tasks`);
		return record;
	}

	/** A copied folder is not the task of its record. Two folders with one name would be mistaken for each other. */
	private async taskRecord(name: TaskName): Promise<TaskRecord | undefined> {
		const file = this.paths.taskRecord(name);
		const record = await readJsonFile(file, TaskRecord);
		if (!record || record.name === name) return record;
		throw new NancyError('bad-file', phrase`${file} ${ofAnother(record)}`);
	}

	async updateTask(name: TaskName, change: (record: TaskRecord) => TaskRecord): Promise<void> {
		await this.task(name);
		const file = this.paths.taskRecord(name);
		await holdingLock(`${file}.lock`, async () => writeJsonFile(file, change(await this.task(name))));
	}

	/** Every task, oldest first. An unreadable record is reported and its task left out. */
	async tasks(): Promise<{ tasks: TaskRecord[]; problems: FileProblem[] }> {
		this.refuseLinks();
		const tasks: TaskRecord[] = [];
		const problems: FileProblem[] = [];
		for (const name of await folderNames(this.paths.tasks)) {
			const parsed = TaskName.safeParse(name);
			if (!parsed.success) {
				problems.push({ file: join(this.paths.tasks, name), reason: 'not a task name', isStray: true });
				continue;
			}
			const file = this.paths.taskRecord(parsed.data);
			await readOrReport(problems, file, async () => {
				const record = await readJsonFile(file, TaskRecord);
				if (record?.name === name) tasks.push(record);
				else if (record) problems.push({ file, reason: String(ofAnother(record)), isStray: true });
			});
		}
		tasks.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
		return { tasks, problems };
	}

	async saveWorker(record: WorkerRecord): Promise<void> {
		this.refuseLinks(record.task);
		await this.mailbox({ task: record.task, worker: record.name }).makeFolders();
		await writeJsonFile(this.paths.workerRecord(record.task, record.name), WorkerRecord.parse(record));
	}

	/** `false` when there is a worker of that name. */
	async createWorker(record: WorkerRecord): Promise<boolean> {
		this.refuseLinks(record.task);
		await this.mailbox({ task: record.task, worker: record.name }).makeFolders();
		return createJsonFile(this.paths.workerRecord(record.task, record.name), WorkerRecord.parse(record));
	}

	/**
	 * Changes a worker's record, or makes it: the hook, the terminal and the `nancy` command each know a part of it. `undefined` leaves it
	 * unchanged. Throws `busy` if somebody has held it for longer than a hook may wait.
	 */
	async updateWorker(
		address: WorkerAddress,
		change: (record: WorkerRecord | undefined) => WorkerRecord | undefined,
	): Promise<void> {
		this.refuseLinks(address.task);
		await this.mailbox(address).makeFolders();
		const update = async () => {
			const changed = change(await this.worker(address));
			if (changed) await this.saveWorker(changed);
		};
		await holdingLock(`${this.paths.workerRecord(address.task, address.worker)}.lock`, update, HOOK_PATIENCE_MS);
	}

	async worker({ task, worker }: WorkerAddress): Promise<WorkerRecord | undefined> {
		this.refuseLinks(task);
		return readJsonFile(this.paths.workerRecord(task, worker), WorkerRecord);
	}

	async workers(task: TaskName): Promise<{ workers: WorkerRecord[]; problems: FileProblem[] }> {
		this.refuseLinks(task);
		const workers: WorkerRecord[] = [];
		const problems: FileProblem[] = [];
		for (const name of await fileNames(this.paths.workers(task), '.json')) {
			const file = join(this.paths.workers(task), name);
			await readOrReport(problems, file, async () => {
				const record = await readJsonFile(file, WorkerRecord);
				if (record && record.task === task && `${record.name}.json` === name) workers.push(record);
				else problems.push({ file, reason: 'belongs to another worker', isStray: true });
			});
		}
		workers.sort((a, b) => workerNumber(a.name) - workerNumber(b.name));
		return { workers, problems };
	}

	/** The name the next worker of a task gets: `worker`, `worker-2`, … */
	async nextWorker(task: TaskName): Promise<WorkerName> {
		const names = await this.takenWorkerNames(task);
		return names.length === 0 ? FIRST_WORKER : nextName('worker-', Math.max(...names.map(workerNumber)), names);
	}

	/**
	 * Names of records, readable or not, and of sealed mail, whose record an agent can have removed. No new worker of the task may have
	 * one.
	 */
	async takenWorkerNames(task: TaskName): Promise<string[]> {
		this.refuseLinks(task);
		const names = await entryNames(this.paths.workers(task));
		const recorded = names.filter(name => name.endsWith('.json')).map(name => name.slice(0, -'.json'.length));
		// A person can send words ahead to a task's first worker.
		const isAhead = (name: string) =>
			name === FIRST_WORKER && !hasSession(this.own, { task, worker: FIRST_WORKER });
		const sealed = this.own.namesSync(SEALS, task).filter(name => name !== ORCHESTRATOR && !isAhead(name));
		return [...new Set([...recorded, ...sealed])];
	}

	mailbox(address: WorkerAddress): Mailbox {
		const { task, worker } = address;
		return new Mailbox(this.paths.root, this.paths.mailbox(task, worker), this.seals(address));
	}

	seals({ task, worker }: WorkerAddress): Seals {
		return new Seals(this.own, task, worker);
	}

	/**
	 * Queues a message for a worker, or for the human (`orchestrator`), and rings the bell of its session.
	 * @param onUnrung gets the reason if the bell could not be rung. The message is queued all the same: a second try would send it twice,
	 * and the keeper of the mailbox rings again.
	 */
	async send(
		address: WorkerAddress,
		content: Words,
		author: Author,
		onUnrung: (error: unknown) => void = () => undefined,
	): Promise<MessageId> {
		return this.sendOnce(address, newMessageId(), content, author, onUnrung);
	}

	/** {@link send} under an id that is known beforehand. The caller must know whether it has been sent already. */
	async sendOnce(
		address: WorkerAddress,
		id: MessageId,
		words: Words,
		author: Author,
		onUnrung: (error: unknown) => void = () => undefined,
	): Promise<MessageId> {
		await this.task(address.task);
		const content = { ...words, from: headerName(author) };
		await this.mailbox(address).put(content, author, id);
		if (address.worker !== ORCHESTRATOR && wakes(content)) await this.ring(address).catch(onUnrung);
		return id;
	}

	/** See {@link ringBell}. */
	async ring(address: WorkerAddress): Promise<void> {
		await ringBell(this.paths, this.own, address, (await this.worker(address))?.sessions ?? []);
	}
}

export function taskExists(name: TaskName): NancyError {
	return new NancyError(
		'task-exists',
		phrase`there is a task ${theTask(name)} already; resume it or choose another name`,
	);
}

function ofAnother({ name }: TaskRecord): Phrase {
	return phrase`belongs to another task, ${theTask(name)}; move its folder away`;
}

/** An existing folder, as after a checkout or a copy, may let everybody read the messages in it. */
async function keepToOwner(folder: string): Promise<void> {
	if (((await stat(folder)).mode & 0o077) === 0) return;
	// Some disks have no modes, and another user's folder is that user's to close.
	await chmod(folder, 0o700).catch((error: unknown) => {
		if (!hasErrno(error, 'EPERM', 'ENOTSUP', 'EROFS')) throw error;
	});
}

function workerNumber(name: string): number {
	return Number(/-(\d{1,9})$/.exec(name)?.[1] ?? 1);
}
