import { mkdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode, NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { theWorker } from '../workspace/named.ts';
import { sha256 } from '../../base/sha256.ts';
import { isSameProcess, liveness, type ProcessIdentity } from '../../base/liveness.ts';
import type { ProjectName } from '../../protocol/memoryNames.ts';
import { FIRST_WORKER, ORCHESTRATOR, TaskName, WorkerName, type SessionId } from '../../protocol/names.ts';
import type { WorkerRecord } from '../../protocol/records.ts';
import type { Driver } from '../driver/driver.ts';
import { isStarting } from '../workspace/workerLife.ts';
import { forgetReasons } from '../mailbox/forgetReasons.ts';
import { noteFound } from '../workspace/foundTask.ts';
import { isSameAddress, type WorkerAddress, type Workspace } from '../workspace/workspace.ts';
import { bindSession, knownSession, type KnownSession } from './bindings.ts';
import { isWorker, processesOf, sealCall, sealedAgent, type AgentOf } from './sealedAgents.ts';

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
	/** The project whose task the session works on: NANCY_PROJECT. Only for people: anything may have set it. */
	project?: ProjectName | undefined;
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

/**
 * The worker of a session. A session that Nancy knows keeps its worker. A new conversation of the same process (clear, fork, resume)
 * continues as the same worker. A session in a terminal of Nancy's belongs to that terminal's worker, as long as a process lives that Nancy
 * has started as that worker. If that process has called before, however, a tool of the worker has started this agent. It then gets a task
 * of its own, like any other session. Safe to repeat, and to be killed in between.
 * @throws NancyError `starting` while the terminal's worker is being started: which worker the session has, the next event decides
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
	const { dataFolder } = workspace.own;
	// Every start of a process begins a session, or comes unbound. One that runs since an earlier version has no seal.
	if (caller.agent && (caller.begins || !knownRecord || !sealedAgent(dataFolder, caller.agent)))
		sealCall(dataFolder, caller.agent, agentOf(workspace, address));
	const isSame = known !== undefined && isSameAddress(known.address, address);
	if (!isSame) {
		for (const folder of [workspace.paths.phases, workspace.paths.halts]) {
			await mkdir(folder, { recursive: true, mode: 0o700 });
		}
	}
	const watched = isSame && known.watched;
	if (!isRecorded(session, address)) await bindSession(workspace, caller.session, { address, watched });
	return { address, record, watched, isNewProcess: isResumed };
}

/** Whether the seal and the guard's file say this already. */
function isRecorded({ sealed, filed }: KnownSession, address: WorkerAddress): boolean {
	return [sealed, filed?.address].every(each => each && isSameAddress(each, address));
}

function agentOf({ folder }: Workspace, address: WorkerAddress): AgentOf {
	return { folder, address };
}

async function workerOfProcess(
	workspace: Workspace,
	agent: ProcessIdentity | undefined,
): Promise<WorkerAddress | undefined> {
	const sealed = agent && sealedAgent(workspace.own.dataFolder, agent);
	const address = sealed?.worker?.address;
	if (!address || !isWorker(sealed, agentOf(workspace, address))) return undefined;
	return (await workspace.worker(address)) && address;
}

/** The environment only says which worker to look for: an agent can give it to any program. */
async function workerOfTerminal(workspace: Workspace, caller: SessionCaller): Promise<WorkerAddress | undefined> {
	const { taskFolder, worker } = caller.launchedFor;
	if (taskFolder === undefined || dirname(taskFolder) !== workspace.paths.tasks) return undefined;
	const task = TaskName.safeParse(basename(taskFolder));
	const name = WorkerName.safeParse(worker);
	if (!task.success || !name.success || name.data === ORCHESTRATOR) return undefined;
	const address = { task: task.data, worker: name.data };
	const record = await workspace.worker(address);
	if (!record || !(await isStarted(workspace, record)) || hasLivingAgent(workspace, record, caller.agent))
		return undefined;
	return caller.agent || mayFollow(record, caller) ? address : undefined;
}

/** A window seals its agent's process once the terminal has told it, which may take longer than the agent's first event, in milliseconds. */
const SEALED_WITHIN_MS = 1000;
const LOOK_EVERY_MS = 50;

/** Whether a process lives that Nancy has started as this worker. @throws NancyError `starting` while that is being decided */
async function isStarted(workspace: Workspace, record: WorkerRecord): Promise<boolean> {
	const { task, name: worker } = record;
	const start = agentOf(workspace, { task, worker });
	for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
		if (processesOf(workspace.own.dataFolder, start).some(each => each.isStarted)) return true;
		if (!isStarting(record)) return false;
		if (waitedMs >= SEALED_WITHIN_MS)
			throw new NancyError(
				'starting',
				phrase`${theWorker({ task, worker })} is still being started; the next event finds its session`,
			);
		await sleep(LOOK_EVERY_MS);
	}
}

/** It began in the process that had a session before. */
const CONTINUING: ReadonlySet<string | undefined> = new Set(['clear', 'compact', 'resume', 'fork']);

/** For a CLI that does not name its process: whether the worker itself may have this session after its earlier ones. */
function mayFollow({ sessions, process }: WorkerRecord, { cause }: SessionCaller): boolean {
	return sessions.length === 0 || CONTINUING.has(cause) || (process !== undefined && liveness(process) === 'dead');
}

/**
 * Whether the hooks of a process other than `except` have called as this worker. A process of another machine counts as long as the worker
 * has not been started anew.
 */
function hasLivingAgent(
	workspace: Workspace,
	{ task, name: worker, process: last }: WorkerRecord,
	except: ProcessIdentity | undefined,
): boolean {
	return processesOf(workspace.own.dataFolder, agentOf(workspace, { task, worker })).some(
		({ hasCalled, process }) =>
			hasCalled &&
			!(except && isSameProcess(process, except)) &&
			(liveness(process) === 'alive' || (last && isSameProcess(process, last))),
	);
}

/**
 * A task for a session that nobody has started with Nancy. It has the name of this session alone. An agent may choose the id of another
 * session, and what it writes below the workspace must not lead that session here.
 */
async function adopt(workspace: Workspace, { session, driver, project }: SessionCaller): Promise<WorkerAddress> {
	// For people: some CLIs' ids begin with the time, so those of a day begin alike.
	const end = session
		.slice(-8)
		.toLowerCase()
		.replace(/^[-_]+/, '');
	const name = TaskName.parse(`session-${end}-${sha256(session).slice(0, 16)}`);
	noteFound(workspace, name);
	try {
		await workspace.createTask({
			version: 1,
			name,
			title: `${project ?? 'Session'} ${end}`,
			prompt: '',
			agent: driver.id,
			createdAt: new Date().toISOString(),
			origin: 'found',
		});
	} catch (error) {
		if (!hasCode(error, 'task-exists')) throw error;
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
	if (isResumed) await forgetReasons(workspace.mailbox(address));
	return { record: changed, isResumed };
}

/** The record after this caller; the same object if nothing is new. */
function withSession(record: WorkerRecord, caller: SessionCaller): WorkerRecord {
	const last = record.sessions.at(-1);
	const current = isNewProcess(record, caller) ? withProcess(record, caller) : record;
	const isTranscriptKnown = last?.transcript !== undefined || caller.transcript === undefined;
	if (last?.id === caller.session && isTranscriptKnown && !last.unreported) return current;
	const earlier = record.sessions.find(session => session.id === caller.session);
	const { unreported: _heard, ...kept } = earlier ?? { startedAt: new Date().toISOString() };
	const transcript = caller.transcript ?? earlier?.transcript;
	return {
		...current,
		sessions: [
			...record.sessions.filter(session => session.id !== caller.session),
			{
				...kept,
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
	{ process: _gone, stoppedAt: _earlier, hooks: _off, exit: _last, ...record }: WorkerRecord,
	{ agent }: SessionCaller,
): WorkerRecord {
	return { ...record, ...(agent && { process: agent }) };
}
