import { NancyError } from '../../base/errors.ts';
import { identify } from '../../base/liveness.ts';
import { phrase } from '../../base/phrase.ts';
import { theWorker } from '../workspace/named.ts';
import { formatVersion, type Version } from '../../base/version.ts';
import { SessionId, type WorkerName } from '../../protocol/names.ts';
import type { TaskRecord, WorkerRecord } from '../../protocol/records.ts';
import { switchedOff } from '../deployment/silencers.ts';
import { forgetReasons } from '../mailbox/forgetReasons.ts';
import { sessionBinding } from '../sessions/bindings.ts';
import { settleEarlier } from '../sessions/lostDeliveries.ts';
import { isSameAddress, type WorkerAddress, type Workspace } from '../workspace/workspace.ts';
import type { Driver } from '../driver/driver.ts';
import type { HeadlessLaunch } from '../driver/headless.ts';
import { refuseFork, refuseResume, workerToResume } from './resuming.ts';
import { isStarting, isRunning } from '../workspace/workerLife.ts';
import type { WorkerRequest } from './workerRequest.ts';

/** Which worker starts, with which conversation, and its record of that. */

export interface Start {
	readonly task: TaskRecord;
	readonly address: WorkerAddress;
	/** The worker's record of its last run. */
	readonly earlier: WorkerRecord | undefined;
	/** The session to continue. */
	readonly resume: SessionId | undefined;
	/** The session to copy. */
	readonly fork: SessionId | undefined;
	/** The session to continue, or a new one. */
	readonly session: SessionId;
}

/** @throws NancyError if the worker runs already, or may not continue that session */
export async function startOf(
	workspace: Workspace,
	driver: Driver,
	version: Version,
	request: WorkerRequest,
): Promise<Start> {
	const task = await workspace.task(request.task);
	const worker = request.worker ?? (request.resume ? undefined : await workspace.nextWorker(request.task));
	// If a name was free a moment ago and is taken now, another window's new worker has it, not an earlier run of this one.
	const isNew = request.worker === undefined && !request.resume;
	const fork = request.fork && (await sessionToFork(workspace, driver, version, { ...request, fork: request.fork }));
	const earlier = isNew ? undefined : await earlierRecord(workspace, request, worker);
	if (earlier) refuseSecond(earlier);
	if (earlier && request.resume) refuseResume(driver, version, earlier);
	if (earlier) await settleEarlier(workspace, [driver], earlier, earlier.process !== undefined);
	const resume = request.resume ? (request.lastSession ?? (earlier && lastBegun(earlier))) : undefined;
	const session = resume ?? SessionId.parse(crypto.randomUUID());
	if (earlier && resume !== undefined)
		await refuseForeign(workspace, resume, { task: request.task, worker: earlier.name });
	const name = earlier?.name ?? worker ?? (await workspace.nextWorker(request.task));
	return { task, address: { task: request.task, worker: name }, earlier, resume, fork, session };
}

/** The worker's newest conversation. For a delegate whose hooks have reported none, it is the newest session. */
function lastBegun({ sessions }: WorkerRecord): SessionId | undefined {
	return (sessions.findLast(({ unreported }) => !unreported) ?? sessions.at(-1))?.id;
}

/** The session that the new one begins as a copy of. */
async function sessionToFork(
	workspace: Workspace,
	driver: Driver,
	version: Version,
	{ task, fork: worker }: WorkerRequest & { fork: WorkerName },
): Promise<SessionId | undefined> {
	const source = await workerToResume(workspace, task, worker);
	refuseFork(driver, version, source);
	const session = lastBegun(source);
	if (session !== undefined) await refuseForeign(workspace, session, { task, worker });
	return session;
}

export interface Prompted {
	/** The agent gets a first prompt, and does not wait for one in its terminal. */
	readonly isPrompted: boolean;
}

/** Notes that the worker starts. False if another window has just made a worker of that name. */
export async function recordStart(
	workspace: Workspace,
	driver: Driver,
	version: Version,
	{ hooks, model, worktree, env, cwd = workspace.folder }: WorkerRequest,
	start: Start & Prompted & Pick<HeadlessLaunch, 'sessionIsKnown'>,
): Promise<boolean> {
	const { address, earlier, resume, session, sessionIsKnown, isPrompted } = start;
	const now = new Date().toISOString();
	const reports = hooks !== undefined && (await switchedOff(cwd, driver, env)).length === 0;
	const fresh = { id: session, startedAt: now, ...(reports && { unreported: true as const }) };
	const started = ({
		process: _gone,
		stoppedAt: _stopped,
		hooks: _earlier,
		unprompted: _before,
		agentVersion: _other,
		exit: _last,
		...kept
	}: WorkerRecord): WorkerRecord => ({
		...kept,
		...(hooks === undefined && { hooks: 'off' }),
		...(!isPrompted && { unprompted: driver.hooks.reportsStart }),
		agent: driver.id,
		...(driver.namedBy === 'nancy' && { agentVersion: formatVersion(version) }),
		starting: { by: identify(process.pid), at: now },
		startedAt: now,
		...(model !== undefined && { model }),
		...(worktree && { worktree }),
		sessions: resume || !sessionIsKnown ? kept.sessions : [...kept.sessions, fresh],
	});
	if (!earlier) return workspace.createWorker(started(newRecord(address, driver, now)));
	await workspace.updateWorker(address, record => {
		// Somebody else may have come first since it was read.
		if (record) refuseSecond(record);
		return started(record ?? earlier);
	});
	await forgetReasons(workspace.mailbox(address));
	return true;
}

/** A worker's record, which agents can write, continues only a conversation that is known as this worker's. */
async function refuseForeign(workspace: Workspace, session: SessionId, address: WorkerAddress): Promise<void> {
	const bound = (await sessionBinding(workspace, session))?.address;
	if (bound && isSameAddress(bound, address)) return;
	throw new NancyError(
		'not-trusted',
		phrase`the record of ${theWorker(address)} names the conversation ${session}, which Nancy knows
			${bound ? phrase`as one of ${theWorker(bound)}` : phrase`of no worker`}; start another worker`,
	);
}

/** The worker to continue, which must not run meanwhile. */
async function earlierRecord(
	workspace: Workspace,
	{ task, resume }: WorkerRequest,
	worker: WorkerName | undefined,
): Promise<WorkerRecord | undefined> {
	if (resume) return workerToResume(workspace, task, worker);
	return worker && workspace.worker({ task, worker });
}

function refuseSecond(record: WorkerRecord): void {
	const worker = theWorker({ task: record.task, worker: record.name });
	if (isRunning(record))
		throw new NancyError('busy', phrase`${worker} is running already (pid ${record.process?.pid}); stop it first`);
	if (isStarting(record)) throw new NancyError('busy', phrase`${worker} is being started already; wait a moment`);
}

function newRecord(address: WorkerAddress, driver: Driver, now: string): WorkerRecord {
	return { version: 1, task: address.task, name: address.worker, agent: driver.id, sessions: [], startedAt: now };
}
