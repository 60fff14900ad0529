import { dirname, join } from 'node:path';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { Version } from '../../base/version.ts';
import { FIRST_WORKER, type SessionId } from '../../protocol/names.ts';
import { DeploymentRecords } from '../deployment/records.ts';
import { agentEnvironment } from '../driver/agentEnvironment.ts';
import { can } from '../driver/abilities.ts';
import type { Driver, LaunchChoice } from '../driver/driver.ts';
import type { InstalledAgent } from '../driver/foundAgent.ts';
import type { HeadlessLaunch } from '../driver/headless.ts';
import { prepareHeadless } from '../driver/headlessOf.ts';
import { imageFlags } from '../driver/imageFlags.ts';
import type { LaunchHooks } from '../driver/launchPlace.ts';
import { modeFlags } from '../driver/modeFlags.ts';
import { isTalkedWith, refuseUnhooked } from '../driver/talkedWith.ts';
import { wakingPrompt } from './resuming.ts';
import { forgetChosenAgents } from '../workspace/chosenAgent.ts';
import type { WorkerAddress, Workspace } from '../workspace/workspace.ts';
import { bindSession } from '../sessions/bindings.ts';
import type { WorkerRequest } from './workerRequest.ts';
import { recordStart, startOf, type Prompted, type Start } from './workerStart.ts';

/** The plan of one agent process. The owner of the terminal carries it out and then calls {@link recordProcess}. */
export interface WorkerPlan {
	address: WorkerAddress;
	session: SessionId;
	/** The process will really have {@link session}; otherwise its CLI chooses one. */
	sessionIsKnown: boolean;
	command: string;
	args: readonly string[];
	/** For a run without a terminal: the text goes to standard input, which is then closed. */
	stdin: string;
	/** Variables to set on top of the inherited environment; `null` means remove. */
	env: Readonly<Record<string, string | null>>;
	cwd: string;
	/** Where its process starts, if not in {@link cwd}. */
	startsIn: string | undefined;
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
	refuseUnhooked(driver, request.hooks !== undefined);
	if (!request.headless) refuseLongPrompt(request.prompt);
	const start = await startOf(workspace, driver, agent.version, request);
	const { address, session } = start;
	const launch = await launchOf(workspace, driver, agent, request, start);
	const { sessionIsKnown, isPrompted } = launch;
	const recorded = await recordStart(workspace, driver, agent.version, request, {
		...start,
		sessionIsKnown,
		isPrompted,
	});
	if (!recorded) return undefined;
	// Before its session is bound, without which nobody resumes it. What a person chose for an earlier worker of that name is not for it.
	if (!start.earlier) await forgetChosenAgents(workspace, address);
	if (sessionIsKnown) await bindSession(workspace, session, { address, watched: false });
	const cwd = request.cwd ?? workspace.folder;
	const { executable, args } = programOf(driver, workspace, request, { ...agent, ...launch });
	return {
		address,
		session,
		sessionIsKnown,
		command: executable,
		args,
		stdin: launch.stdin,
		cwd,
		startsIn: launch.startsIn,
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

/**
 * The program of Nancy's that stands in for the CLI in this launch. `undefined` without hooks, for a version without answers, or if the user has
 * not chosen it. A run without a terminal gets only what its agent never runs without, or what its permissions need.
 */
function choiceOf(
	driver: Driver,
	version: Version,
	request: WorkerRequest,
	talks?: HeadlessLaunch['talks'],
): LaunchChoice | undefined {
	const { takesAnswers, headless, hooks } = request;
	if (!hooks || !can(driver, 'answers', version)) return undefined;
	const { answersByChoice, ownTerminal } = driver;
	if (answersByChoice !== 'none' && isTalkedWith(driver)) return answersByChoice;
	if (headless) return talks && ownTerminal !== 'none' ? ownTerminal : undefined;
	if (request.isTalkedWith && ownTerminal !== 'none') return ownTerminal;
	return answersByChoice === 'none' || takesAnswers !== true ? undefined : answersByChoice;
}

function programOf(
	driver: Driver,
	workspace: Workspace,
	request: WorkerRequest,
	{ version, talks, ...cli }: InstalledAgent & Pick<HeadlessLaunch, 'args' | 'talks'>,
): { executable: string; args: readonly string[] } {
	const hooks = launchHooks(driver, workspace, request);
	const place = { workspaceFolder: workspace.folder, cwd: request.cwd ?? workspace.folder, env: request.env };
	const talk = hooks && choiceOf(driver, version, request, talks)?.inPlaceOf?.(cli, hooks, place);
	return talk ?? watchedProgram(driver, workspace, request, cli);
}

/** A program of Nancy's in the terminal, in which the CLI runs as it is: see src/conversations/watched. */
function watchedProgram(
	{ id, showsState }: Driver,
	{ folder }: Workspace,
	{ bin, hooks, headless, isWatched }: WorkerRequest,
	{ executable, args }: { executable: string; args: readonly string[] },
): { executable: string; args: readonly string[] } {
	if (!isWatched || !showsState || headless) return { executable, args };
	const runtime = dirname(bin);
	const watch = join(runtime, 'hook', 'watched.js');
	const launcher = hooks?.launcher ?? '';
	return { executable: join(runtime, 'terminal'), args: [watch, id, launcher, folder, executable, ...args] };
}

function launchHooks({ id }: Driver, workspace: Workspace, { hooks }: WorkerRequest): LaunchHooks | undefined {
	return (
		hooks && {
			launcher: hooks.launcher,
			folder: new DeploymentRecords(workspace, hooks.dataFolder).launchFolder(id),
		}
	);
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
		cwd: request.cwd ?? workspace.folder,
		hooks: launchHooks(driver, workspace, request),
		env: request.env,
	};
	if (request.headless) {
		const launch = await prepareHeadless(driver, {
			...conversation,
			...request.headless,
			prompt: request.prompt ?? '',
		});
		if (launch.talks && !can(driver, 'answers', version))
			throw new NancyError(
				'bad-usage',
				phrase`the permissions "${request.headless.permissions}" need a newer ${driver.displayName}, which Nancy can talk with; update it, or choose others`,
			);
		return { ...launch, isPrompted: true };
	}
	// Two live sessions with one name confuse the agent, which then invents another.
	const title = address.worker === FIRST_WORKER ? task.title : `${task.title} (${address.worker})`;
	const mayWait = resume !== undefined && request.hooks !== undefined;
	const prompt = request.prompt ?? (mayWait ? await wakingPrompt(workspace, driver, version, address) : undefined);
	const isPrompted = prompt !== undefined && prompt !== '';
	const extra = [
		...mcpFlags(driver, version, request),
		...((conversation.hooks && choiceOf(driver, version, request)?.args(conversation.hooks)) ?? []),
		...modeFlags(driver, request.mode, conversation.extra),
		...imageFlags(driver, request.images ?? [], prompt),
		...conversation.extra,
	];
	return { ...driver.launch({ ...conversation, extra, fork, prompt, title }), stdin: '', isPrompted };
}

function mcpFlags(driver: Driver, version: Version, { mcp, bin }: WorkerRequest): readonly string[] {
	const { flags } = driver.mcp;
	return mcp && flags !== 'none' && can(driver, 'tools', version) ? flags([join(bin, 'nancy'), 'mcp']) : [];
}
