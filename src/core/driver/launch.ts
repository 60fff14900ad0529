import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { theWorker } from '../workspace/named.ts';
import { identify } from '../../base/liveness.ts';
import { formatVersion, isAtLeast, type Version } from '../../base/version.ts';
import { FIRST_WORKER, SessionId, type TaskName, type WorkerName } from '../../protocol/names.ts';
import type { TaskRecord, WorkerRecord } from '../../protocol/records.ts';
import type { Worktree } from '../../protocol/worktree.ts';
import { DeploymentRecords } from '../deployment/records.ts';
import { agentEnvironment } from './agentEnvironment.ts';
import type { Driver } from './driver.ts';
import type { HeadlessLaunch, HeadlessRequest } from './headless.ts';
import { prepareHeadless } from './headlessOf.ts';
import { imageFlags } from './imageFlags.ts';
import { modeFlags } from './modeFlags.ts';
import { isStarting } from './starting.ts';
import { forgetReasons } from '../mailbox/forgetReasons.ts';
import { settleEarlier } from '../sessions/lostDeliveries.ts';
import { refuseFork, refuseResume, wakingPrompt, workerToResume } from './resuming.ts';
import { forgetChosenAgents } from '../workspace/chosenAgent.ts';
import { isSameAddress, type WorkerAddress, type Workspace } from '../workspace/workspace.ts';
import { bindSession, sessionBinding } from '../sessions/bindings.ts';
import { isRunning } from './workerProcess.ts';

/** An agent CLI as found on this machine. */
export interface InstalledAgent {
	executable: string;
	version: Version;
}

/** An agent CLI that Nancy knows and that is on this machine. */
export interface FoundAgent {
	driver: Driver;
	agent: InstalledAgent;
}

export interface WorkerRequest {
	task: TaskName;
	/** A new worker gets the next free name when none is given. */
	worker?: WorkerName | undefined;
	/** First prompt; without one the agent waits for the user. */
	prompt?: string | undefined;
	model?: string | undefined;
	/** Continue the worker's last session instead of a new one. */
	resume?: boolean;
	/** Begin the new worker's session as a copy of the last one of this worker of the task. */
	fork?: WorkerName | undefined;
	/** The session to continue; by default the last that the worker's record names. */
	lastSession?: SessionId | undefined;
	/** One of the modes of an agent in a terminal; none where absent. */
	mode?: string | undefined;
	/** Of the first prompt in a terminal, absolute. */
	images?: readonly string[] | undefined;
	/** The user's own arguments for the agent CLI. */
	extra?: readonly string[];
	/** Folder with the `nancy` command, put first on the agent's PATH. */
	bin: string;
	/** Where hooks come from; `undefined` if the user wants none. */
	hooks: { launcher: string; dataFolder: string } | undefined;
	/** Runs without a terminal, with this permission mode of the driver's. */
	headless?: Pick<HeadlessRequest, 'permissions' | 'maxCostUsd'> | undefined;
	/** Folder to run in; the workspace's where absent. */
	cwd?: string | undefined;
	/** A new worker's own, which holds {@link cwd}. */
	worktree?: Worktree | undefined;
	/** Environment that the agent will inherit. */
	env: Readonly<Record<string, string | undefined>>;
}

/** The plan of one agent process. The owner of the terminal carries it out and then calls {@link recordProcess}. */
export interface WorkerPlan {
	address: WorkerAddress;
	session: SessionId;
	/** The process will really have {@link session}; otherwise its CLI chooses one. */
	sessionIsKnown: boolean;
	command: string;
	args: readonly string[];
	/** Of a run without a terminal: goes to standard input, which is then closed. */
	stdin: string;
	/** Variables to set on top of the inherited environment; `null` means remove. */
	env: Readonly<Record<string, string | null>>;
	cwd: string;
}

/** One argument of a program may be 128 KB on Linux; the agent gets its first prompt as one. */
const PROMPT_LIMIT_BYTES = 120_000;

/** Throws `bad-message` for a first prompt that no agent in a terminal can take. A caller that makes a task for the prompt asks before. */
export function refuseLongPrompt(prompt: string | undefined): void {
	if (prompt === undefined || Buffer.byteLength(prompt) <= PROMPT_LIMIT_BYTES) return;
	throw new NancyError(
		'bad-message',
		phrase`the prompt is longer than 120 KB; write one that names the file to read`,
	);
}

/** How often others may take a name at the same moment before something else must be wrong. */
const ATTEMPTS = 100;

/**
 * Prepares a worker: its record, its mailbox and the binding of its session. All are on disk before the process exists, so the agent's very
 * first event finds its mailbox.
 */
export async function planWorker(
	workspace: Workspace,
	driver: Driver,
	agent: InstalledAgent,
	request: WorkerRequest,
): Promise<WorkerPlan> {
	for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
		const plan = await tryPlan(workspace, driver, agent, request);
		if (plan) return plan;
	}
	const { paths } = workspace;
	const place = request.worker ? paths.workerRecord(request.task, request.worker) : paths.workers(request.task);
	throw new NancyError(
		'bad-file',
		phrase`no worker can be recorded at ${place}: something else is there; move it away`,
	);
}

/** `undefined` if another window has just taken the name: there is an earlier record now, or the next name is free. */
async function tryPlan(
	workspace: Workspace,
	driver: Driver,
	agent: InstalledAgent,
	request: WorkerRequest,
): Promise<WorkerPlan | undefined> {
	refuseOld(driver, agent);
	if (!request.headless) refuseLongPrompt(request.prompt);
	const start = await startOf(workspace, driver, agent, request);
	const { address, session } = start;
	const launch = await launchOf(workspace, driver, agent, request, start);
	const { sessionIsKnown, isPrompted } = launch;
	const recorded = await recordStart(workspace, driver, agent, request, { ...start, sessionIsKnown, isPrompted });
	if (!recorded) return undefined;
	// Before its session is bound, without which nobody resumes it. What a person chose for an earlier worker of that name is not for it.
	if (!start.earlier) await forgetChosenAgents(workspace, address);
	if (sessionIsKnown) await bindSession(workspace, session, { address, watched: false });
	const cwd = request.cwd ?? workspace.folder;
	return {
		address,
		session,
		sessionIsKnown,
		command: agent.executable,
		args: launch.args,
		stdin: launch.stdin,
		cwd,
		env: agentEnvironment(driver, {
			launchEnv: launch.env,
			inherited: request.env,
			cwd,
			program: agent.executable,
			hasHooks: request.hooks !== undefined,
			isHeadless: request.headless !== undefined,
			worker: { address, taskFolder: workspace.paths.task(address.task), bin: request.bin },
		}),
	};
}

function refuseOld({ displayName, oldestVersion, installHint }: Driver, { version }: InstalledAgent): void {
	if (isAtLeast(version, oldestVersion)) return;
	throw new NancyError(
		'agent-too-old',
		phrase`${displayName} ${formatVersion(version)} is too old; Nancy needs ${formatVersion(oldestVersion)}. ${installHint}`,
	);
}

/** Which worker starts, and with which conversation. */
interface Start {
	readonly task: TaskRecord;
	readonly address: WorkerAddress;
	/** The worker's record of its last run. */
	readonly earlier: WorkerRecord | undefined;
	/** The session to continue. */
	readonly resume: SessionId | undefined;
	/** The session to copy. */
	readonly fork: SessionId | undefined;
	/** That session, or a new one. */
	readonly session: SessionId;
}

/** @throws NancyError if the worker runs already, or may not continue that session */
async function startOf(
	workspace: Workspace,
	driver: Driver,
	agent: InstalledAgent,
	request: WorkerRequest,
): Promise<Start> {
	const task = await workspace.task(request.task);
	const worker = request.worker ?? (request.resume ? undefined : await workspace.nextWorker(request.task));
	// If a name was free a moment ago and is taken now, another window's new worker has it, not an earlier run of this one.
	const isNew = request.worker === undefined && !request.resume;
	const fork = request.fork && (await sessionToFork(workspace, driver, agent, { ...request, fork: request.fork }));
	const earlier = isNew ? undefined : await earlierRecord(workspace, request, worker);
	if (earlier) refuseSecond(earlier);
	if (earlier && request.resume) refuseResume(driver, agent.version, earlier);
	if (earlier) await settleEarlier(workspace, [driver], earlier, earlier.process !== undefined);
	const resume = request.resume ? (request.lastSession ?? earlier?.sessions.at(-1)?.id) : undefined;
	const session = resume ?? SessionId.parse(crypto.randomUUID());
	if (earlier && resume !== undefined)
		await refuseForeign(workspace, resume, { task: request.task, worker: earlier.name });
	const name = earlier?.name ?? worker ?? (await workspace.nextWorker(request.task));
	return { task, address: { task: request.task, worker: name }, earlier, resume, fork, session };
}

/** The session that the new one begins as a copy of. */
async function sessionToFork(
	workspace: Workspace,
	driver: Driver,
	{ version }: InstalledAgent,
	{ task, fork: worker }: WorkerRequest & { fork: WorkerName },
): Promise<SessionId | undefined> {
	const source = await workerToResume(workspace, task, worker);
	refuseFork(driver, version, source);
	const session = source.sessions.at(-1)?.id;
	if (session !== undefined) await refuseForeign(workspace, session, { task, worker });
	return session;
}

/** What the agent's CLI is called with. */
async function launchOf(
	workspace: Workspace,
	driver: Driver,
	{ version }: InstalledAgent,
	request: WorkerRequest,
	{ task, address, resume, fork, session }: Start,
): Promise<HeadlessLaunch & Prompted> {
	const conversation = {
		session,
		resume,
		model: request.model,
		extra: request.extra ?? [],
		version,
		workspaceFolder: workspace.folder,
		hooks: request.hooks && {
			launcher: request.hooks.launcher,
			folder: new DeploymentRecords(workspace, request.hooks.dataFolder).launchFolder(driver.id),
		},
		env: request.env,
	};
	if (request.headless) {
		const launch = await prepareHeadless(driver, {
			...conversation,
			...request.headless,
			prompt: request.prompt ?? '',
		});
		return { ...launch, isPrompted: true };
	}
	// Two live sessions with one name confuse the agent, which then invents another.
	const title = address.worker === FIRST_WORKER ? task.title : `${task.title} (${address.worker})`;
	const mayWait = resume !== undefined && request.hooks !== undefined;
	const prompt = request.prompt ?? (mayWait ? await wakingPrompt(workspace, driver, version, address) : undefined);
	const isPrompted = prompt !== undefined && prompt !== '';
	const extra = [
		...modeFlags(driver, request.mode, conversation.extra),
		...imageFlags(driver, request.images ?? [], prompt),
		...conversation.extra,
	];
	return { ...driver.launch({ ...conversation, extra, fork, prompt, title }), stdin: '', isPrompted };
}

interface Prompted {
	/** The agent gets a first prompt, and does not wait for one in its terminal. */
	readonly isPrompted: boolean;
}

/** Notes that the worker starts. False if another window has just made a worker of that name. */
async function recordStart(
	workspace: Workspace,
	driver: Driver,
	agent: InstalledAgent,
	{ hooks, model, worktree }: WorkerRequest,
	start: Start & Prompted & Pick<HeadlessLaunch, 'sessionIsKnown'>,
): Promise<boolean> {
	const { address, earlier, resume, session, sessionIsKnown, isPrompted } = start;
	const now = new Date().toISOString();
	const started = ({
		process: _gone,
		stoppedAt: _stopped,
		hooks: _earlier,
		unprompted: _before,
		exit: _last,
		...kept
	}: WorkerRecord): WorkerRecord => ({
		...kept,
		...(hooks === undefined && { hooks: 'off' }),
		...(!isPrompted && { unprompted: driver.hooks.reportsStart }),
		agent: driver.id,
		agentVersion: formatVersion(agent.version),
		starting: { by: identify(process.pid), at: now },
		startedAt: now,
		...(model !== undefined && { model }),
		...(worktree && { worktree }),
		sessions: resume || !sessionIsKnown ? kept.sessions : [...kept.sessions, { id: session, startedAt: now }],
	});
	if (!earlier) return workspace.createWorker(started(newRecord(address, driver, now)));
	await workspace.updateWorker(address, record => {
		// Somebody else may have come first since it was read.
		if (record) refuseSecond(record);
		return started(record ?? earlier);
	});
	await forgetReasons(workspace, address);
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
