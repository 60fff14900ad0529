import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { createFileAtomic, writeFileAtomic } from '../../base/atomicFile.ts';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { uniqueHex } from '../../base/unique.ts';
import { theDelegate } from '../workspace/named.ts';
import { fileNames } from '../../base/listing.ts';
import { DelegateId, DelegateRecord, DelegateStatus, Parked } from '../../protocol/delegate.ts';
import type { WorkerName } from '../../protocol/names.ts';
import { type DriverId, type MessageId, type TaskName } from '../../protocol/names.ts';
import { readOrReport, type FileProblem } from '../files/fileProblem.ts';
import { inHeldFolder } from '../files/heldFolder.ts';
import { holdingOwnLock } from '../files/holdingLock.ts';
import { readPlainText } from '../files/plainFile.ts';
import { jsonText, readJsonFile, writeJsonFile } from '../files/jsonFile.ts';
import { newMessageId } from '../mailbox/messageId.ts';
import { nextName } from '../workspace/mailboxName.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { DelegateFiles } from './files.ts';
import { isFinal, swarmFeatures, type Delegate } from './delegate.ts';
import { swarmFiles, swarmWorkers } from './swarm.ts';

/** `.nancy/delegates`: holds nothing in memory, like {@link Workspace}. */
export class Delegates {
	constructor(readonly workspace: Workspace) {}

	/** Absolute. */
	get folder(): string {
		return this.workspace.paths.delegates;
	}

	files(id: DelegateId): DelegateFiles {
		return new DelegateFiles(join(this.folder, id), this.workspace.paths.folders);
	}

	/**
	 * Queues a delegate. Everything about it is on disk when this returns.
	 * @param prepare called before the record exists. Gets the record, the contents of the files of {@link filesOfRequest}, and the id of the
	 * result's message
	 */
	async create(
		request: Omit<DelegateRecord, 'version' | 'id' | 'createdAt'>,
		prompt: string,
		prepare: (record: DelegateRecord, contents: readonly string[], report: MessageId) => Promise<void> = () =>
			Promise.resolve(),
	): Promise<Delegate> {
		if (prompt.trim() === '') throw new NancyError('bad-message', phrase`a delegate needs a prompt`);
		await this.workspace.prepare();
		const id = DelegateId.parse(newMessageId().toLowerCase());
		const record = DelegateRecord.parse({ ...request, version: 1, id, createdAt: new Date().toISOString() });
		const files = this.filesOf(record);
		await files.begin(prompt);
		const report = newMessageId();
		const status = DelegateStatus.parse({ task_id: id, status: 'queued', report });
		await this.writeStatus(id, status);
		const text = jsonText(record);
		await prepare(record, [text, prompt], report);
		// Last: a delegate is there once its record is.
		await inHeldFolder(this.recordFile(id), file => createFileAtomic(file, text));
		return { record, status, files, state: 'queued' };
	}

	/** Its files, with a copy for a swarm if it is to have one. */
	private filesOf({ id, swarm }: DelegateRecord): DelegateFiles {
		const copy = swarm && (() => swarmFiles(this.workspace.folder, swarm.feature));
		return new DelegateFiles(join(this.folder, id), this.workspace.paths.folders, copy);
	}

	/** What says what a delegate will do, for {@link Tickets}: its record, then its prompt. */
	filesOfRequest(id: DelegateId): readonly string[] {
		return [this.recordFile(id), this.files(id).prompt];
	}

	/** Writes its files of {@link filesOfRequest} again, if they say something else. */
	async restore(id: DelegateId, contents: readonly string[]): Promise<void> {
		for (const [index, file] of this.filesOfRequest(id).entries()) {
			const content = contents[index] ?? '';
			const present = await readPlainText(file).catch(() => NO_FILE);
			if (present === content) continue;
			await inHeldFolder(file, async held => {
				// Nothing that somebody has put there is lost, and no file can take the name of a folder.
				if (present === NO_FILE) await rename(held, `${held}.aside-${uniqueHex(8)}`);
				await writeFileAtomic(held, content);
			});
		}
	}

	/** Nancy's own, oldest first, then those of a swarm that works here. */
	async list(): Promise<{ delegates: Delegate[]; problems: FileProblem[] }> {
		this.workspace.refuseLinks();
		const delegates: Delegate[] = [];
		const problems: FileProblem[] = [];
		for (const name of (await fileNames(this.folder, '.json')).toSorted()) {
			const id = DelegateId.safeParse(name.slice(0, -'.json'.length));
			if (!id.success) continue;
			await readOrReport(problems, join(this.folder, name), async () => {
				const delegate = await this.find(id.data);
				if (delegate) delegates.push(delegate);
			});
		}
		return {
			delegates: [...delegates, ...(await swarmWorkers(this.workspace.folder, swarmFeatures(delegates)))],
			problems,
		};
	}

	/**
	 * @param known its record, where that has been read before and must be the very same
	 * @throws NancyError `bad-file` for a link on the way: it could lead to another project's delegates
	 */
	async find(id: DelegateId, known?: DelegateRecord): Promise<Delegate | undefined> {
		this.workspace.refuseLinks();
		const record = known ?? (await readJsonFile(this.recordFile(id), DelegateRecord));
		if (!record || record.id !== id) return undefined;
		const status = (await readJsonFile(this.files(id).status, DelegateStatus)) ?? blank(id);
		const files = this.filesOf(record);
		const done = await files.readDone();
		if (done === undefined)
			return { record, status, files, state: isFinal(status.status) ? 'running' : status.status };
		const claimed = done === 'success' ? undefined : done.replace(/^error: /, '');
		const isOfStatus =
			status.status === (claimed === undefined ? 'done' : 'failed') && (status.error ?? claimed) === claimed;
		// A differing status is left by an end that was killed half way: see `reconcile`.
		const seen = isOfStatus ? status : { ...status, reported: false };
		if (claimed === undefined && (await files.hasOutput())) return { record, status: seen, files, state: 'done' };
		const error = claimed ?? 'it ended well, but its answer is not there';
		return { record, status: seen, files, state: 'failed', error };
	}

	async get(id: DelegateId, known?: DelegateRecord): Promise<Delegate> {
		const found = await this.find(id, known);
		if (found) return found;
		throw new NancyError('no-task', phrase`there is no delegate ${theDelegate(id)}; nancy delegates lists them`);
	}

	async writeStatus(id: DelegateId, status: DelegateStatus): Promise<void> {
		await writeJsonFile(this.files(id).status, status);
	}

	/** Runs a step alone. One process at a time decides what is started. */
	async locked<T>(run: () => Promise<T>, patienceMs?: number): Promise<T> {
		await this.workspace.prepare();
		return holdingOwnLock(this.workspace.own, 'queue.lock', run, patienceMs);
	}

	/**
	 * The agents that get no start now, and until when. Sealed in the user's data folder: with a list below `.nancy`, an agent could hold
	 * every delegate of a CLI back, again and again.
	 */
	async parked(nowMs: number): Promise<Parked[]> {
		const { agents } = (await this.workspace.own.read(ParkedAgents, PARKED)) ?? { agents: [] };
		// The clock may have been set back.
		return agents.filter(({ until }) => {
			const leftMs = Date.parse(until) - nowMs;
			return leftMs > 0 && leftMs <= LONGEST_PARKING_MS;
		});
	}

	/** Ends the wait for an account's limit. Returns the agents that waited. Needs the lock. */
	async unpark(agent?: DriverId): Promise<DriverId[]> {
		const all = await this.parked(Date.now());
		const gone = all.filter(each => agent === undefined || each.agent === agent);
		if (gone.length > 0) await this.writeParked(all.filter(each => !gone.includes(each)));
		return gone.map(each => each.agent);
	}

	async park(parked: Parked): Promise<void> {
		const others = (await this.parked(Date.now())).filter(({ agent }) => agent !== parked.agent);
		await this.writeParked([...others, parked]);
	}

	private async writeParked(agents: readonly Parked[]): Promise<void> {
		await this.workspace.own.write({ version: 1, agents }, PARKED);
	}

	/** A mailbox name that no worker of the task has. */
	async nextWorker(task: TaskName): Promise<WorkerName> {
		const names = await this.workspace.takenWorkerNames(task);
		const numbers = names.map(name => Number(/^delegate-(\d{1,9})$/.exec(name)?.[1] ?? 0));
		return nextName('delegate-', Math.max(0, ...numbers), names);
	}

	private recordFile(id: DelegateId): string {
		return join(this.folder, `${id}.json`);
	}
}

/** A folder, a link or a pipe is in its place. */
const NO_FILE = Symbol('no file');

const PARKED = 'parked.json';

/**
 * The agent is tried again after this time, in milliseconds. A limit may be lifted before it resets, and what a CLI says of it may be
 * wrong.
 */
export const LONGEST_PARKING_MS = 6 * 60 * 60 * 1000;

const ParkedAgents = z.object({ version: z.literal(1), agents: z.array(Parked) });

function blank(id: DelegateId): DelegateStatus {
	return DelegateStatus.parse({ task_id: id, status: 'queued' });
}
