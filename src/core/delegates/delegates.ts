import { join } from 'node:path';
import * as z from 'zod/mini';
import { createFileAtomic, readTextIfExists, writeFileAtomic } from '../../base/atomicFile.ts';
import { NancyError } from '../../base/errors.ts';
import { fileNames } from '../../base/listing.ts';
import { liveness } from '../../base/liveness.ts';
import { DelegateId, DelegateRecord, DelegateStatus, Parked, type DelegateState } from '../../protocol/delegate.ts';
import { ORCHESTRATOR, WorkerName, type MessageId, type TaskName } from '../../protocol/names.ts';
import { holdingLock } from '../holdingLock.ts';
import { createJsonFile, readJsonFile, writeJsonFile } from '../jsonFile.ts';
import { newMessageId } from '../messageId.ts';
import type { FileProblem, WorkerAddress, Workspace } from '../workspace.ts';
import { DelegateFiles } from './files.ts';
import { resultText } from './resultText.ts';
import { swarmWorkers } from './swarm.ts';

/** A delegate as it stands on disk. */
export interface Delegate {
	record: DelegateRecord;
	status: DelegateStatus;
	files: DelegateFiles;
	/** Final once `.done` is there, whatever the status file says. */
	state: DelegateState;
	/** Why it failed. */
	error?: string;
	/** Another program's, which Nancy only shows. */
	isForeign?: true;
}

/** How a run ended, for {@link Delegates.finish}. */
export type Outcome = { ok: true; output: string } | { ok: false; reason: string; output: string };

/** A runner says this of itself when it was killed: the next look at the folder writes it. */
export const RUNNER_DIED = 'runner died';

/** `.nancy/delegates`: holds nothing in memory, like {@link Workspace}. */
export class Delegates {
	constructor(readonly workspace: Workspace) {}

	/** Absolute. */
	get folder(): string {
		return this.workspace.paths.delegates;
	}

	files(id: DelegateId): DelegateFiles {
		return new DelegateFiles(join(this.folder, id));
	}

	/** Queues a delegate. Everything about it is on disk when this returns. */
	async create(request: Omit<DelegateRecord, 'version' | 'id' | 'createdAt'>, prompt: string): Promise<Delegate> {
		if (prompt.trim() === '') throw new NancyError('bad-message', 'a delegate needs a prompt');
		await this.workspace.prepare();
		const id = DelegateId.parse(newMessageId().toLowerCase());
		const record = DelegateRecord.parse({ ...request, version: 1, id, createdAt: new Date().toISOString() });
		await createFileAtomic(this.files(id).prompt, prompt);
		const status = DelegateStatus.parse({ task_id: id, status: 'queued', report: newMessageId() });
		await this.writeStatus(id, status);
		// Last: a delegate is there once its record is.
		await createJsonFile(this.recordFile(id), record);
		return { record, status, files: this.files(id), state: 'queued' };
	}

	/** What says what a delegate will do, for {@link Tickets}. */
	filesOfRequest(id: DelegateId): readonly string[] {
		return [this.recordFile(id), this.files(id).prompt];
	}

	/** Nancy's own, oldest first, then those of a swarm that works here. */
	async list(): Promise<{ delegates: Delegate[]; problems: FileProblem[] }> {
		this.workspace.refuseLinks();
		const delegates: Delegate[] = [];
		const problems: FileProblem[] = [];
		for (const name of (await fileNames(this.folder, '.json')).toSorted()) {
			const id = DelegateId.safeParse(name.slice(0, -'.json'.length));
			if (!id.success || name === PARKED) continue;
			try {
				const delegate = await this.find(id.data);
				if (delegate) delegates.push(delegate);
			} catch (error) {
				problems.push({
					file: join(this.folder, name),
					reason: error instanceof Error ? error.message : String(error),
				});
			}
		}
		return { delegates: [...delegates, ...(await swarmWorkers(this.workspace.folder))], problems };
	}

	async find(id: DelegateId): Promise<Delegate | undefined> {
		const record = await readJsonFile(this.recordFile(id), DelegateRecord);
		if (!record || record.id !== id) return undefined;
		const status = (await readJsonFile(this.files(id).status, DelegateStatus)) ?? blank(id);
		const files = this.files(id);
		const done = await files.readDone();
		if (done === undefined)
			return { record, status, files, state: isFinal(status.status) ? 'running' : status.status };
		if (done === 'success' && (await files.hasOutput())) return { record, status, files, state: 'done' };
		const error = done === 'success' ? 'it ended well, but its answer is not there' : done.replace(/^error: /, '');
		return { record, status, files, state: 'failed', error };
	}

	async get(id: DelegateId): Promise<Delegate> {
		const found = await this.find(id);
		if (found) return found;
		throw new NancyError('no-task', `there is no delegate ${id}; nancy delegates lists them`);
	}

	async prompt(id: DelegateId): Promise<string> {
		const text = await readTextIfExists(this.files(id).prompt);
		if (text !== undefined) return text;
		throw new NancyError('bad-file', `${this.files(id).prompt} is gone: the delegate has no prompt`);
	}

	async writeStatus(id: DelegateId, status: DelegateStatus): Promise<void> {
		await writeJsonFile(this.files(id).status, status);
	}

	/**
	 * Ends a delegate: answer, `.done`, status, then the result's message. An empty answer is a failure. A result that comes
	 * after the delegate had been given up is taken, and reported again. Safe to repeat when it failed half way.
	 * @param lateReport the id of that second report; the caller decides it once, before the first try
	 */
	async finish({ record, status, files }: Delegate, outcome: Outcome, lateReport?: MessageId): Promise<Delegate> {
		const isEmpty = outcome.ok && outcome.output.trim() === '';
		const reason = outcome.ok ? (isEmpty ? 'it ended without an answer' : undefined) : outcome.reason;
		await files.finish(outcome.output, reason === undefined ? 'success' : `error: ${oneLine(reason)}`);
		const { runner: _runner, agent_process: _agent, parked_until: _parked, ...kept } = status;
		const ended: Delegate = {
			record,
			files,
			state: reason === undefined ? 'done' : 'failed',
			...(reason !== undefined && { error: oneLine(reason) }),
			status: {
				...kept,
				status: reason === undefined ? 'done' : 'failed',
				ended_at: new Date().toISOString(),
				...(lateReport !== undefined && { report: lateReport, reported: false }),
			},
		};
		await this.writeStatus(record.id, ended.status);
		return this.report(ended);
	}

	/** Puts the result into the mailbox of whoever asked for it; once, also when killed in between and repeated. */
	async report(delegate: Delegate): Promise<Delegate> {
		const { record, status } = delegate;
		const id = status.report;
		if (status.reported || id === undefined) return delegate;
		const to: WorkerAddress = record.parent ?? { task: record.task, worker: ORCHESTRATOR };
		if (!(await this.isInMailbox(to, id))) {
			await this.workspace
				.sendOnce(to, id, {
					kind: 'result',
					priority: 'normal',
					effect: 'none',
					from: `${record.task}/${record.worker}`,
					text: await resultText(delegate),
				})
				.catch(async (error: unknown) => {
					// Whoever asked has been deleted meanwhile: the answer stays in its file. Or somebody else has just sent it.
					const isSettled = error instanceof NancyError && ['no-task', 'bad-message'].includes(error.code);
					if (!isSettled || (error.code === 'bad-message' && !(await this.isInMailbox(to, id)))) throw error;
				});
		}
		const reported = { ...status, reported: true };
		await this.writeStatus(record.id, reported);
		return { ...delegate, status: reported };
	}

	private async isInMailbox(to: WorkerAddress, id: MessageId): Promise<boolean> {
		const { messages } = await this.workspace.mailbox(to).list();
		return messages.some(message => message.id === id);
	}

	/** Ends what a killed runner left open, and reports what was not. Returns what was found dead. */
	async reconcile(delegates: readonly Delegate[]): Promise<Delegate[]> {
		const dead: Delegate[] = [];
		for (const delegate of delegates) {
			const { status, state, isForeign } = delegate;
			if (isForeign) continue;
			if (state === 'done' || state === 'failed') {
				if (!status.reported) await this.report({ ...delegate, status: await this.settled(delegate) });
				continue;
			}
			// In doubt it lives: a result late is better than a false alarm.
			if (!status.runner || liveness(status.runner) !== 'dead') continue;
			dead.push(delegate);
		}
		return dead;
	}

	/** `.done` is there and the status was not written any more. */
	private async settled({ record, status, state }: Delegate): Promise<DelegateStatus> {
		if (isFinal(status.status)) return status;
		const { runner: _runner, agent_process: _agent, parked_until: _parked, ...kept } = status;
		const settled = { ...kept, status: state, ended_at: new Date().toISOString() };
		await this.writeStatus(record.id, settled);
		return settled;
	}

	/** One at a time: who may start what is decided by one process. */
	async locked<T>(run: () => Promise<T>, patienceMs?: number): Promise<T> {
		await this.workspace.prepare();
		return holdingLock(join(this.folder, 'queue.lock'), run, patienceMs);
	}

	/** Which agents get nothing started, and until when. */
	async parked(nowMs: number): Promise<Parked[]> {
		const found = await readJsonFile(join(this.folder, PARKED), ParkedList);
		return (found ?? []).filter(({ until }) => Date.parse(until) > nowMs);
	}

	async park(parked: Parked): Promise<void> {
		const others = (await this.parked(Date.now())).filter(({ agent }) => agent !== parked.agent);
		await writeFileAtomic(join(this.folder, PARKED), `${JSON.stringify([...others, parked], null, '\t')}\n`);
	}

	/** A mailbox name that no worker of the task has. */
	async nextWorker(task: TaskName): Promise<WorkerName> {
		const { workers } = await this.workspace.workers(task);
		const numbers = workers.map(({ name }) => Number(/^delegate-(\d+)$/.exec(name)?.[1] ?? 0));
		return WorkerName.parse(`delegate-${Math.max(0, ...numbers) + 1}`);
	}

	private recordFile(id: DelegateId): string {
		return join(this.folder, `${id}.json`);
	}
}

const PARKED = 'parked.json';
const ParkedList = z.array(Parked);

export function isFinal(state: DelegateState): boolean {
	return state === 'done' || state === 'failed';
}

function blank(id: DelegateId): DelegateStatus {
	return DelegateStatus.parse({ task_id: id, status: 'queued' });
}

function oneLine(text: string): string {
	return text.replace(/\s+/g, ' ').trim().slice(0, 2000);
}
