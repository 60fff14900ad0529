import { userInfo } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { NancyError } from '../../base/errors.ts';
import { DriverId, ORCHESTRATOR, TaskName, WorkerName } from '../../protocol/names.ts';
import type { Driver } from '../driver/driver.ts';
import type { WorkerAddress } from '../workspace/workspace.ts';

/**
 * The asker of an operation. It decides the permitted operations and the author of a message. An agent is known by its environment and by
 * the processes above it, never by its own words, and is never a human.
 */
export type Asker = Human | AskingAgent;

export interface Human {
	readonly is: 'human';
	readonly via: 'window' | 'terminal';
}

/** A window of VS Code acts for the person before it. */
export const IN_WINDOW: Human = { is: 'human', via: 'window' };

export const IN_TERMINAL: Human = { is: 'human', via: 'terminal' };

export interface AskingAgent {
	readonly is: 'agent';
	/** `undefined` if nothing tells which CLI it is, or several are possible. */
	readonly driver: DriverId | undefined;
	/** Its worker, with the workspace that its variables name; `undefined` for a session that Nancy did not start. */
	readonly worker: { readonly address: WorkerAddress; readonly folder: string } | undefined;
	/** The process of its CLI, with that process's folder; `undefined` if that process cannot be seen. */
	readonly process: AgentProcess | undefined;
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
	/** Nearest first. */
	readonly ancestors: readonly Ancestor[];
	/** Its starter is gone, so {@link ancestors} are not the ones who asked. */
	readonly isOrphan: boolean;
}

export type KnownDriver = Pick<Driver, 'id' | 'command' | 'marks' | 'npmPackage'>;

/** Nancy sets one of them for every agent that it starts, and for every process that starts one. */
const OWN_MARKS = ['NANCY_TASK_DIR', 'NANCY_WORKER', 'NANCY_RUN', 'NANCY_RUNNER', 'NANCY_AGENT'];

/**
 * Decides who asks in a terminal. The asker is an agent if its own environment or that of a process above has a mark, or if a process above
 * is an agent's CLI. An agent cannot hide by the environment of its command, because that does not change the processes above. The
 * environment nearest to its CLI says which worker it is, and the agent cannot change that either.
 * @throws NancyError `not-trusted` for a process whose starter is gone: nobody can tell who asked
 */
export function askerOf({ env, ancestors, isOrphan }: Lineage, drivers: readonly KnownDriver[]): Asker {
	if (isOrphan) {
		throw new NancyError(
			'not-trusted',
			'the program that called nancy has ended already, so nobody can tell whether a person or an agent asks; call nancy in the ' +
				'foreground, or from a program that waits for it',
		);
	}
	const { agent, own } = agentAmong(ancestors, drivers);
	const environments = [env, ...own.map(each => each.env)];
	const given = agent && isReadable(agent) ? agent.env : environments.findLast(each => each['NANCY_TASK_DIR']);
	const because = whyAgent(env, own, agent, drivers);
	if (because === undefined) return IN_TERMINAL;
	return {
		is: 'agent',
		driver: driverOf(environments, agent, drivers),
		worker: workerIn(given ?? {}),
		process: agent,
		because,
	};
}

/** The limit of parallel delegates and their host: a person may choose them for a call. */
const OF_PERSONS = ['NANCY_DELEGATES', 'NANCY_DELEGATES_HOST'];

/**
 * The environment that the asker has not chosen for this one call. It says where the settings of the user, of git and of CLIs are, and
 * which programs these are. So an agent's is that of its CLI. If that is unreadable, it is the farthest one with a mark. A person's is the
 * call's own. Only Linux tells the whole environment of another process. Elsewhere an agent's call loses the variables that widen limits, and on macOS HOME is that of the user's account: the
 * settings of the user are there.
 */
export function environmentOf(
	{ env, ancestors }: Lineage,
	drivers: readonly KnownDriver[],
	platform: NodeJS.Platform = process.platform,
): Environment {
	const { agent, own } = agentAmong(ancestors, drivers);
	if (platform !== 'linux') {
		if (whyAgent(env, own, agent, drivers) === undefined) return env;
		const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !OF_PERSONS.includes(name)));
		return platform === 'darwin' ? { ...kept, HOME: userInfo().homedir } : kept;
	}
	if (agent && isReadable(agent)) return agent.env;
	return own.findLast(each => markIn(each.env, drivers) !== undefined)?.env ?? env;
}

/** The nearest process of an agent's CLI, and the processes up to it; all of them if there is none. */
function agentAmong(ancestors: readonly Ancestor[], drivers: readonly KnownDriver[]) {
	const at = ancestors.findIndex(each => isOwnProgram(each) || drivers.some(driver => isProcessOf(driver, each)));
	return { agent: ancestors[at], own: at < 0 ? ancestors : ancestors.slice(0, at + 1) };
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
	{ command, npmPackage }: Pick<KnownDriver, 'command' | 'npmPackage'>,
	ancestor: Ancestor,
): boolean {
	return programsOf(ancestor).some(
		path =>
			basename(path).replace(/\.exe$/i, '') === command ||
			path.includes(`/node_modules/${npmPackage}/`) ||
			path.includes(`/${npmPackage}/`),
	);
}

/** Nancy started it as a worker, by a path that a person has set, and it is that program itself. */
function isOwnProgram(ancestor: Ancestor): boolean {
	const program = ancestor.env['NANCY_AGENT_PROGRAM'];
	return (
		program !== undefined &&
		program !== '' &&
		[...programsOf(ancestor), ...ancestor.args.slice(1, 2)].includes(program)
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
