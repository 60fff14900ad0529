import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { hasErrno, NancyError } from '../../base/errors.ts';
import { sha256 } from '../../base/sha256.ts';
import { isSameProcess, liveness, type ProcessIdentity } from '../../base/liveness.ts';
import { FIRST_WORKER, ORCHESTRATOR, SessionId, TaskName, WorkerName } from '../../protocol/names.ts';
import { ProcessRecord, type WorkerRecord } from '../../protocol/records.ts';
import type { Driver } from '../driver/driver.ts';
import { forgetReasons } from '../mailbox/forgetReasons.ts';
import { readJsonFile, writeJsonFile } from '../files/jsonFile.ts';
import { APPEND } from '../files/links.ts';
import { isSameAddress, type WorkerAddress, type Workspace } from '../workspace/workspace.ts';
import { bindSession, knownSession, sealedSession, type KnownSession } from './bindings.ts';
import { sealAgent, sealedWorkerOf } from './sealedAgents.ts';

/** The caller of a hook. */
export interface SessionCaller {
	session: SessionId;
	driver: Pick<Driver, 'id' | 'limits'>;
	/** The agent's process, if the CLI names it and it has not ended yet. */
	agent: ProcessIdentity | undefined;
	/** Whether the CLI names its process, although that may have ended by now. */
	isNamed: boolean;
	/** NANCY_TASK_DIR and NANCY_WORKER of the terminal that Nancy started; anything started from it inherits them. */
	launchedFor: { taskFolder: string | undefined; worker: string | undefined };
	transcript: string | undefined;
	/** The session begins with this event. */
	begins: boolean;
	/** Why it begins, if the CLI reports that: `startup`, `resume`, `clear`, `compact`, `fork`. */
	cause: string | undefined;
}

export interface BoundSession {
	address: WorkerAddress;
	record: WorkerRecord;
	watched: boolean;
	/** The first event of a process that replaces one that is gone. */
	isNewProcess: boolean;
}

/** `agents/<pid>@<machine>.json`, earlier `agents/<pid>.json` */
const AgentProcess = z.looseObject({
	version: z.literal(1),
	process: ProcessRecord,
	task: TaskName,
	worker: WorkerName,
	session: SessionId,
});

/**
 * The worker of a session. A session that Nancy knows keeps its worker. A new conversation of the same process (clear, fork, resume)
 * continues as the same worker. A session in a terminal of Nancy's belongs to that terminal's worker. If that worker's own process lives,
 * however, a tool of the worker has started this agent, and it gets a task of its own, like any other session. Safe to repeat, and to be
 * killed in between.
 */
export async function bindCaller(workspace: Workspace, caller: SessionCaller): Promise<BoundSession> {
	const session = await knownSession(workspace, caller.session);
	const known = session.binding;
	const knownRecord = known && (await workspace.worker(known.address));
	const address =
		(knownRecord && known.address) ??
		(await workerOfProcess(workspace, caller.agent)) ??
		(await workerOfTerminal(workspace, caller)) ??
		(await adopt(workspace, caller));
	const { record, isResumed } = await recordSession(workspace, address, caller, knownRecord);
	// Every start of a process begins a session, or comes unbound. In between nothing about it changes.
	if (caller.begins || !knownRecord) await recordAgent(workspace, address, caller);
	const isSame = known !== undefined && isSameAddress(known.address, address);
	if (!isSame) {
		for (const folder of [workspace.paths.phases, workspace.paths.halts]) {
			await mkdir(folder, { recursive: true, mode: 0o700 });
		}
	}
	const watched = isSame && known.watched;
	if (!isRecorded(session, address, caller))
		await bindSession(workspace, caller.session, { address, watched }, caller.agent);
	return { address, record, watched, isNewProcess: isResumed };
}

/** Whether the seal and the guard's file say all this already. */
function isRecorded({ sealed, filed }: KnownSession, address: WorkerAddress, { agent }: SessionCaller): boolean {
	if (!sealed || !filed || ![sealed, filed].every(each => isSameAddress(each.address, address))) return false;
	return !agent || (sealed.process !== undefined && isSameProcess(sealed.process, agent));
}

/** Makes the file that the session will watch. A watcher does not see a file in a missing folder. */
export async function makeBell(workspace: Workspace, session: SessionId): Promise<string> {
	const bell = workspace.paths.bell(session);
	await mkdir(dirname(bell), { recursive: true, mode: 0o700 });
	// Opened for appending: a bell that has just been rung keeps its content.
	await (await open(bell, APPEND, 0o600)).close();
	return bell;
}

async function isWorker(workspace: Workspace, address: WorkerAddress): Promise<boolean> {
	return (await workspace.worker(address)) !== undefined;
}

async function workerOfProcess(
	workspace: Workspace,
	agent: ProcessIdentity | undefined,
): Promise<WorkerAddress | undefined> {
	if (!agent) return undefined;
	const sealed = await sealedWorkerOf(workspace, agent);
	if (sealed && (await isWorker(workspace, sealed))) return sealed;
	const found =
		(await agentProcess(workspace, agentFile(agent))) ?? (await agentProcess(workspace, `${agent.pid}.json`));
	// The file says only which session that was: an agent can write it.
	const before = found && sealedSession(workspace, found.session);
	if (!before?.process || !isSameProcess(before.process, agent)) return undefined;
	return (await isWorker(workspace, before.address)) ? before.address : undefined;
}

async function workerOfTerminal(workspace: Workspace, caller: SessionCaller): Promise<WorkerAddress | undefined> {
	const { taskFolder, worker } = caller.launchedFor;
	if (taskFolder === undefined || dirname(taskFolder) !== workspace.paths.tasks) return undefined;
	const task = TaskName.safeParse(basename(taskFolder));
	const name = WorkerName.safeParse(worker);
	if (!task.success || !name.success || name.data === ORCHESTRATOR) return undefined;
	const address = { task: task.data, worker: name.data };
	const record = await workspace.worker(address);
	if (!record || (await hasLivingAgent(workspace, record, caller.agent))) return undefined;
	return caller.agent || mayFollow(record, caller) ? address : undefined;
}

/** It began in the process that had a session before. */
const CONTINUING: ReadonlySet<string | undefined> = new Set(['clear', 'compact', 'resume', 'fork']);

/** For a CLI that does not name its process: whether the worker itself may have this session after its earlier ones. */
function mayFollow({ sessions, process }: WorkerRecord, { cause }: SessionCaller): boolean {
	return sessions.length === 0 || CONTINUING.has(cause) || (process !== undefined && liveness(process) === 'dead');
}

/**
 * Whether a process other than `except` is this worker. A process of another machine counts as long as the worker has not been started
 * anew.
 */
async function hasLivingAgent(
	workspace: Workspace,
	record: WorkerRecord,
	except: ProcessIdentity | undefined,
): Promise<boolean> {
	return (await forgetEndedAgents(workspace)).some(agent => {
		const { process } = agent;
		const isIt =
			isSameAddress(agent, { task: record.task, worker: record.name }) &&
			!(except && isSameProcess(process, except));
		return isIt && (liveness(process) === 'alive' || (record.process && isSameProcess(process, record.process)));
	});
}

/** Removes the records of ended processes that name their worker. Returns the others. */
export async function forgetEndedAgents(workspace: Workspace): Promise<z.infer<typeof AgentProcess>[]> {
	const left = [];
	for (const name of await agentFiles(workspace)) {
		const found = await agentProcess(workspace, name);
		if (!found) continue;
		if (liveness(found.process) === 'dead') await rm(join(workspace.paths.agents, name), { force: true });
		else left.push(found);
	}
	return left;
}

function agentFile({ machine, pid }: ProcessIdentity): string {
	return machine === undefined ? `${pid}.json` : `${pid}@${machine}.json`;
}

async function agentFiles(workspace: Workspace): Promise<string[]> {
	try {
		return (await readdir(workspace.paths.agents)).filter(name => /^\d+(?:@[0-9a-z.]+)?\.json$/.test(name));
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return [];
		throw error;
	}
}

/** A file that does not parse counts as missing: the process is then known by its session only. */
async function agentProcess(workspace: Workspace, name: string): Promise<z.infer<typeof AgentProcess> | undefined> {
	try {
		return await readJsonFile(join(workspace.paths.agents, name), AgentProcess);
	} catch (error) {
		if (error instanceof NancyError) return undefined;
		throw error;
	}
}

/**
 * A task for a session that nobody has started with Nancy. It has the name of this session alone: an agent may choose the id of another
 * session, and what it writes below the workspace must not lead that session here.
 */
async function adopt(workspace: Workspace, { session, driver }: SessionCaller): Promise<WorkerAddress> {
	// For people: some CLIs' ids begin with the time, so those of a day begin alike.
	const end = session
		.slice(-8)
		.toLowerCase()
		.replace(/^[-_]+/, '');
	const name = TaskName.parse(`session-${end}-${sha256(session).slice(0, 16)}`);
	try {
		await workspace.createTask({
			version: 1,
			name,
			title: `Session ${end}`,
			prompt: '',
			agent: driver.id,
			createdAt: new Date().toISOString(),
			origin: 'found',
		});
	} catch (error) {
		if (!(error instanceof NancyError && error.code === 'task-exists')) throw error;
	}
	return { task: name, worker: FIRST_WORKER };
}

/** Makes the session the worker's current one, whose doorbell is rung and which a resume continues. */
async function recordSession(
	workspace: Workspace,
	address: WorkerAddress,
	caller: SessionCaller,
	known: WorkerRecord | undefined,
): Promise<{ record: WorkerRecord; isResumed: boolean }> {
	// Most events find everything recorded, and their agent waits: no lock for them.
	if (known && withSession(known, caller) === known) return { record: known, isResumed: false };
	const fresh: WorkerRecord = {
		version: 1,
		task: address.task,
		name: address.worker,
		agent: caller.driver.id,
		sessions: [],
		startedAt: new Date().toISOString(),
	};
	let changed = fresh;
	let isResumed = false;
	await workspace.updateWorker(address, record => {
		isResumed = record !== undefined && isNewProcess(record, caller);
		return (changed = withSession(record ?? fresh, caller));
	});
	if (isResumed) await forgetReasons(workspace, address);
	return { record: changed, isResumed };
}

/** The record after this caller; the same object if nothing is new. */
function withSession(record: WorkerRecord, caller: SessionCaller): WorkerRecord {
	const last = record.sessions.at(-1);
	const current = isNewProcess(record, caller) ? withProcess(record, caller) : record;
	const isTranscriptKnown = last?.transcript !== undefined || caller.transcript === undefined;
	if (last?.id === caller.session && isTranscriptKnown) return current;
	const earlier = record.sessions.find(session => session.id === caller.session);
	const transcript = caller.transcript ?? earlier?.transcript;
	return {
		...current,
		sessions: [
			...record.sessions.filter(session => session.id !== caller.session),
			{
				startedAt: new Date().toISOString(),
				...earlier,
				id: caller.session,
				...(transcript !== undefined && { transcript }),
			},
		],
	};
}

/**
 * Whether the caller's agent is the worker from now on. A session that Nancy did not start has no terminal of Nancy's, and a person may
 * resume the session of an ended process by hand.
 */
function isNewProcess({ process }: WorkerRecord, caller: SessionCaller): boolean {
	const { agent } = caller;
	if (!agent) return process !== undefined && isUnnamedStart(caller) && liveness(process) === 'dead';
	if (!process) return true;
	if (isSameProcess(process, agent)) return false;
	// The last hook of an agent that was just ended says nothing. An agent on another machine is known only to live when it calls.
	return liveness(process) !== 'alive' && liveness(agent) !== 'dead';
}

/** A session that somebody begins outside Nancy's terminals, in an unnamed process. From now on its events decide. */
function isUnnamedStart({ isNamed, begins, launchedFor }: SessionCaller): boolean {
	return !isNamed && begins && launchedFor.taskFolder === undefined;
}

/** Nobody has stopped this process, and its call proves that it has hooks. */
function withProcess(
	{ process: _gone, stoppedAt: _earlier, hooks: _off, ...record }: WorkerRecord,
	{ agent }: SessionCaller,
): WorkerRecord {
	return { ...record, ...(agent && { process: agent }) };
}

async function recordAgent(workspace: Workspace, address: WorkerAddress, caller: SessionCaller): Promise<void> {
	if (!caller.agent) return;
	await sealAgent(workspace, caller.agent, address);
	const name = agentFile(caller.agent);
	const known = await agentProcess(workspace, name);
	const isSame =
		known !== undefined &&
		isSameProcess(known.process, caller.agent) &&
		known.session === caller.session &&
		isSameAddress(known, address);
	if (isSame) return;
	await writeJsonFile(join(workspace.paths.agents, name), {
		version: 1,
		process: caller.agent,
		task: address.task,
		worker: address.worker,
		session: caller.session,
	});
}
