import { userInfo } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { NancyError } from '../../base/errors.ts';
import { DriverId, ORCHESTRATOR, TaskName, WorkerName } from '../../protocol/names.ts';
import type { Driver } from '../driver/driver.ts';
import { isWorker, type SealedAgent } from '../sessions/sealedAgents.ts';
import type { WorkerAddress } from '../workspace/workspace.ts';

/**
 * The asker of an operation. It decides the permitted operations and the author of a message. An agent is known by its environment and by
 * the processes above it, never by its own words, and is never a human.
 */
export type Asker = Human | AskingAgent;

export type Human =
	| { readonly is: 'human'; readonly via: 'window' | 'terminal' }
	/** At a page of the desk's server. `device` is what the person calls the browser. */
	| { readonly is: 'human'; readonly via: 'page'; readonly device: string };

/** A window of VS Code acts for the person before it. */
export const IN_WINDOW: Human = { is: 'human', via: 'window' };

export const IN_TERMINAL: Human = { is: 'human', via: 'terminal' };

export interface AskingAgent {
	readonly is: 'agent';
	/** `undefined` if nothing tells which CLI it is, or several are possible. */
	readonly driver: DriverId | undefined;
	/** Its worker, by a seal; `undefined` for a session that Nancy did not start. */
	readonly worker: { readonly address: WorkerAddress; readonly folder: string } | undefined;
	/** The process of its CLI, with that process's folder; `undefined` if that process cannot be seen. */
	readonly process: AgentProcess | undefined;
	/** The CLI of an agent that it has started for itself: that one asks, below its process. */
	readonly through?: DriverId | undefined;
	/** Current folder of its call. It counts if nothing else tells where the agent works. */
	readonly calledIn: string;
	/** How Nancy knows that it is an agent, as the end of a sentence. */
	readonly because: string;
}

export interface AgentProcess {
	readonly pid: number;
	/** See `ProcessIdentity`. */
	readonly startedTicks: number;
	readonly folder: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Who calls a tool that only models call, when nothing tells which agent it is. */
export function unknownAgent(calledIn: string, because: string): AskingAgent {
	return { is: 'agent', driver: undefined, worker: undefined, process: undefined, calledIn, because };
}

/** One process above the asking one. Unreadable parts are empty. */
export interface Ancestor {
	readonly pid: number;
	readonly startedTicks: number;
	readonly env: Environment;
	readonly executable: string | undefined;
	readonly args: readonly string[];
	readonly folder: string | undefined;
}

/** The evidence for the asker. */
export interface Lineage {
	/** Environment of the process that asks. */
	readonly env: Environment;
	/** Its current folder. */
	readonly folder: string;
	/** Nearest first. */
	readonly ancestors: readonly Ancestor[];
	/** Its starter is gone, so {@link ancestors} are not the ones who asked. */
	readonly isOrphan: boolean;
}

export type KnownDriver = Pick<Driver, 'id' | 'command' | 'alsoCalled' | 'marks' | 'npmPackage'>;

/** Nancy sets one of them for every agent that it starts, and for every process that starts one. */
const OWN_MARKS = ['NANCY_TASK_DIR', 'NANCY_WORKER', 'NANCY_RUN', 'NANCY_RUNNER', 'NANCY_AGENT'];

/** What is sealed about a process. @param env of which no asker has chosen anything: it names the user's data folder */
export type SealOf = (ancestor: Ancestor, env: Environment) => SealedAgent | undefined;

/**
 * Decides who asks in a terminal. The asker is an agent if its own environment or that of a process above has a mark. It is also an agent
 * if a process above is an agent's CLI. An agent cannot hide by the environment of its command, because that does not change the processes
 * above. Which worker it is, a seal says: see {@link agentAmong}. Only where no process above can be seen (Windows), the environment says
 * it.
 * @throws NancyError `not-trusted` for a process whose starter is gone: nobody can tell who asked
 */
export function askerOf(lineage: Lineage, drivers: readonly KnownDriver[], sealOf: SealOf = noSeal): Asker {
	const { env, ancestors, isOrphan } = lineage;
	if (isOrphan) {
		throw new NancyError(
			'not-trusted',
			'the program that called nancy has ended already, so nobody can tell whether a person or an agent asks; call nancy in the ' +
				'foreground, or from a program that waits for it',
		);
	}
	const { agent, sealed, own } = agentAmong(lineage, drivers, sealOf);
	const because = whyAgent(env, own, agent, drivers);
	if (because === undefined) return IN_TERMINAL;
	const given = agent && isReadable(agent) ? agent.env : own.findLast(each => each.env['NANCY_TASK_DIR'])?.env;
	return {
		is: 'agent',
		driver: driverOf([env, ...own.map(each => each.env)], agent, drivers),
		worker: ancestors.length === 0 ? workerIn(env) : workerOf(sealed, given),
		process: agent,
		through: agent && otherBelow(agent, own, drivers),
		calledIn: lineage.folder,
		because,
	};
}

/** The CLI among the processes below an agent's that the agent has started for itself. */
function otherBelow(agent: Ancestor, own: readonly Ancestor[], drivers: readonly KnownDriver[]): DriverId | undefined {
	const below = own.slice(0, own.indexOf(agent)).toReversed();
	return drivers.find(driver =>
		isProcessOf(driver, agent)
			? isStartedAgain(driver, agent, below)
			: below.some(each => isProcessOf(driver, each)),
	)?.id;
}

/**
 * Whether an agent has started its own CLI. The second process of one CLI stands right below the first, and has no mark that the CLI gives its
 * tools. A shell that runs a single command may have become that command.
 * @param below from the agent's process down
 */
function isStartedAgain(driver: KnownDriver, agent: Ancestor, below: readonly Ancestor[]): boolean {
	const end = below.findLastIndex(each => isProcessOf(driver, each));
	const isMarked = ({ env }: Ancestor) => driver.marks.some(name => env[name] && !agent.env[name]);
	return below.slice(0, end + 1).some(each => !isProcessOf(driver, each) || (isReadable(agent) && isMarked(each)));
}

const noSeal: SealOf = () => undefined;

/** The sealed worker. One that only its hooks have named must also be the one that it was started for, by its environment. */
function workerOf(sealed: SealedAgent | undefined, given: Environment = {}): AskingAgent['worker'] {
	if (!sealed?.worker || sealed.isStarted) return sealed?.worker;
	const claimed = workerIn(given);
	return claimed && isWorker(sealed, claimed) ? sealed.worker : undefined;
}

/** The limit of parallel delegates and their host: a person may choose them for a call. */
const OF_PERSONS = ['NANCY_DELEGATES', 'NANCY_DELEGATES_HOST'];

/**
 * The environment that the asker has not chosen for this one call. It says where the settings of the user, of git and of CLIs are, and
 * which programs these are. So an agent's is that of its process ({@link agentAmong}). If that is unreadable, it is the farthest one below
 * with a mark. A person's is the call's own. Only Linux tells the whole environment of another process. Elsewhere an agent's call loses the
 * variables that widen limits. On macOS HOME is that of the user's account, because the settings of the user are there.
 */
export function environmentOf(
	lineage: Lineage,
	drivers: readonly KnownDriver[],
	sealOf: SealOf = noSeal,
	platform: NodeJS.Platform = process.platform,
): Environment {
	const { env } = lineage;
	const { agent, own } = agentAmong(lineage, drivers, sealOf);
	if (platform !== 'linux') {
		if (whyAgent(env, own, agent, drivers) === undefined) return env;
		const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !OF_PERSONS.includes(name)));
		return platform === 'darwin' ? { ...kept, HOME: userInfo().homedir } : kept;
	}
	if (agent && isReadable(agent)) return agent.env;
	return farthestMarked(own, drivers)?.env ?? env;
}

/**
 * The process of the asking agent, what is sealed about it, and the processes up to it. Everything below an agent's process may be the
 * agent's invention: it can give a program the name of a CLI, and any environment. So the agent is the farthest process that is a CLI or has
 * a mark. But a nearer one that Nancy has started is an agent of its own, and the nearest of these asks. If the farthest process only has a
 * mark, its CLI is none that Nancy knows, and `agent` is undefined.
 */
function agentAmong({ env, ancestors }: Lineage, drivers: readonly KnownDriver[], sealOf: SealOf) {
	const isCli = (each: Ancestor) => drivers.some(driver => isProcessOf(driver, each));
	const end = ancestors.findLastIndex(each => isCli(each) || markIn(each.env, drivers) !== undefined);
	const farthest = ancestors[end];
	const own = ancestors.slice(0, end + 1);
	if (!farthest) return { agent: undefined, sealed: undefined, own: ancestors };
	const ofUser = (isReadable(farthest) ? farthest : farthestMarked(own, drivers))?.env ?? env;
	for (const [at, each] of own.entries()) {
		const sealed = sealOf(each, ofUser);
		if (sealed?.isStarted) return { agent: each, sealed, own: own.slice(0, at + 1) };
	}
	const agent = isCli(farthest) ? farthest : undefined;
	return { agent, sealed: agent && sealOf(agent, ofUser), own };
}

function farthestMarked(ancestors: readonly Ancestor[], drivers: readonly KnownDriver[]): Ancestor | undefined {
	return ancestors.findLast(each => markIn(each.env, drivers) !== undefined);
}

/** A process that hides itself, or is just ending, shows no environment. */
function isReadable({ env }: Ancestor): boolean {
	return Object.keys(env).length > 0;
}

function markIn(env: Environment, drivers: readonly KnownDriver[]): string | undefined {
	return [...OWN_MARKS, ...drivers.flatMap(each => each.marks)].find(name => env[name]);
}

/** The worker that NANCY_TASK_DIR and NANCY_WORKER name, which Nancy sets for the agents that it starts. */
function workerIn(env: Environment): AskingAgent['worker'] {
	const taskFolder = resolve(env['NANCY_TASK_DIR'] ?? '/');
	const root = dirname(dirname(taskFolder));
	const task = TaskName.safeParse(basename(taskFolder));
	const worker = WorkerName.safeParse(env['NANCY_WORKER']);
	const isTaskFolder = basename(root) === '.nancy' && basename(dirname(taskFolder)) === 'tasks';
	if (!isTaskFolder || !task.success || !worker.success || worker.data === ORCHESTRATOR) return undefined;
	return { address: { task: task.data, worker: worker.data }, folder: dirname(root) };
}

function whyAgent(
	env: Environment,
	ancestors: readonly Ancestor[],
	cli: Ancestor | undefined,
	drivers: readonly KnownDriver[],
): string | undefined {
	const mark = markIn(env, drivers);
	if (mark !== undefined) return `${mark} is set`;
	if (cli) return `nancy was called below the process ${cli.pid} (${nameOf(cli)})`;
	const marked = ancestors.find(each => markIn(each.env, drivers) !== undefined);
	return (
		marked &&
		`${markIn(marked.env, drivers)} is set in the process ${marked.pid} (${nameOf(marked)}), which nancy was called below`
	);
}

/** The asking CLI: the one whose process it is, else the only one whose marks are set. */
function driverOf(
	environments: readonly Environment[],
	cli: Ancestor | undefined,
	drivers: readonly KnownDriver[],
): DriverId | undefined {
	const running = cli && drivers.find(driver => isProcessOf(driver, cli));
	if (running) return running.id;
	const named = DriverId.safeParse(environments.findLast(each => each['NANCY_AGENT'])?.['NANCY_AGENT']);
	const marked = drivers.filter(({ marks }) => environments.some(env => marks.some(name => env[name])));
	if (named.success && marked.every(({ id }) => id === named.data)) return named.data;
	return marked.length === 1 ? marked[0]?.id : undefined;
}

/** Programs that run a script, named in their first argument. */
const INTERPRETERS: ReadonlySet<string> = new Set(['node', 'nodejs', 'bun', 'deno']);

/** Whether a process is this CLI, by its program or the script that it runs. */
export function isProcessOf(
	{ command, alsoCalled, npmPackage }: Pick<KnownDriver, 'command' | 'alsoCalled' | 'npmPackage'>,
	ancestor: Ancestor,
): boolean {
	const names = [command, ...alsoCalled];
	return programsOf(ancestor).some(
		path =>
			names.includes(basename(path).replace(/\.exe$/i, '')) ||
			(npmPackage !== undefined && path.includes(`/${npmPackage}/`)),
	);
}

/** The paths that identify a process: the executable, the name it was called by, and the script if it runs one. */
function programsOf({ executable, args: [called, ...others] }: Ancestor): string[] {
	const paths = [executable, called].filter(path => path !== undefined);
	const isInterpreter = paths.some(path => INTERPRETERS.has(basename(path)));
	const script = isInterpreter ? others.find(each => !each.startsWith('-')) : undefined;
	return script === undefined ? paths : [...paths, script];
}

function nameOf(ancestor: Ancestor): string {
	return basename(programsOf(ancestor).at(-1) ?? 'unknown');
}
