import { delimiter } from 'node:path';
import { withSafePath } from '../../base/searchPath.ts';
import type { Driver } from './driver.ts';
import { TALKED_WITH } from './stdio.ts';
import type { TaskName, WorkerName } from '../../protocol/names.ts';

/** One agent process that is about to start, with the facts that its environment depends on. */
export interface AgentStart {
	/** What the driver's launch wants set. */
	launchEnv: Readonly<Record<string, string>>;
	/** Environment that the agent will inherit. */
	inherited: Readonly<Record<string, string | undefined>>;
	cwd: string;
	/** Path of the CLI. */
	program: string;
	/** Whether its hooks report and deliver. Without, also hooks of a present deployment stay silent. */
	hasHooks: boolean;
	/** Runs without a terminal. */
	isHeadless: boolean;
	/** Its mailbox; `undefined` for a run that nobody steers. Such a run is no step of the worker in whose terminal it was called. */
	worker: { address: { task: TaskName; worker: WorkerName }; taskFolder: string; bin: string } | undefined;
}

/** Variables of each agent that Nancy starts, on top of the inherited ones; `null` means remove. */
export function agentEnvironment(
	driver: Pick<Driver, 'id' | 'foreignVariables'>,
	{ launchEnv, inherited, cwd, program, hasHooks, isHeadless, worker }: AgentStart,
): Record<string, string | null> {
	const path = [worker?.bin, inherited['PATH']].filter(Boolean);
	return {
		...Object.fromEntries(driver.foreignVariables.map(name => [name, null])),
		...Object.fromEntries(ofRuntime(inherited).map(name => [name, null])),
		...launchEnv,
		// Set in any case: some CLIs take what is not set from an `.env` of the workspace.
		NANCY_HOOKS: hasHooks ? 'on' : 'off',
		// In a run that ends with its turn, nothing waits in the background.
		NANCY_ATTENDED: isHeadless ? '0' : '1',
		// The value would be that of the agent that has started this one.
		[TALKED_WITH]: null,
		NANCY_TASK_DIR: worker?.taskFolder ?? null,
		NANCY_TASK: worker?.address.task ?? null,
		NANCY_WORKER: worker?.address.worker ?? null,
		// For the hook's own question to the CLI. Not in a file, because a repository must not choose the program.
		NANCY_AGENT: worker ? driver.id : null,
		NANCY_AGENT_PROGRAM: worker ? program : null,
		// As a shell would set it: some CLIs trust it more than their current folder.
		PWD: cwd,
		// Also without a worker: an agent that asks inherits less than this process has.
		...(path.length > 0 && { PATH: path.join(delimiter) }),
	};
}

/**
 * Environment for a question to a CLI: no worker's session, so that no hook reports it.
 * @param pathOf which folders of the PATH it gets
 */
export function questionEnvironment(
	{ foreignVariables }: Pick<Driver, 'foreignVariables'>,
	inherited: AgentStart['inherited'],
	pathOf = withSafePath,
): Record<string, string | undefined> {
	const left = new Set([...foreignVariables, ...ofRuntime(inherited)]);
	const others = Object.entries(inherited).filter(([name]) => !left.has(name));
	return { ...pathOf(Object.fromEntries(others)), NANCY_HOOKS: 'off' };
}

/** What the runtime sets for its own Node. */
const OF_NODE: readonly string[] = ['NODE_COMPILE_CACHE', 'ELECTRON_RUN_AS_NODE'];

/**
 * The installed `nancy` runs with these variables set for itself. An agent that inherits them would fill the runtime with its own programs'
 * caches, and Electron programs that it starts would run as Node.
 */
function ofRuntime(env: AgentStart['inherited']): readonly string[] {
	const isIts = /\/nancy\/runtime\/[^/]+(?:\/bin\/\.\.)?\/cache$/.test(env['NODE_COMPILE_CACHE'] ?? '');
	return isIts ? OF_NODE : [];
}

/** What a Node reads that the user may have set in a terminal, and what the runtime sets for its own. */
export const NODE_VARIABLES: readonly string[] = [
	...OF_NODE,
	'NODE_OPTIONS',
	'NODE_V8_COVERAGE',
	'NODE_REDIRECT_WARNINGS',
];

/** In front of the names of what a terminal had for Node: see `TERMINAL_SCRIPT`. */
export const KEPT = 'NANCY_KEPT_';

/** The environment of the terminal in which a program of the runtime runs, without what its own Node has of it. */
export function environmentOfTerminal(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	const others = Object.entries(env).filter(([name]) => !OF_NODE.includes(name) && !name.startsWith(KEPT));
	// These names alone: an agent could have set another, and with it a variable that it may not choose.
	const kept = NODE_VARIABLES.map(name => [name, env[KEPT + name]] as const).filter(
		([, value]) => value !== undefined,
	);
	return Object.fromEntries([...others, ...kept]);
}
