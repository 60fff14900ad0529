import { delimiter } from 'node:path';
import { withSafePath } from '../../base/searchPath.ts';
import type { Driver } from './driver.ts';
import type { WorkerAddress } from '../workspace/workspace.ts';

/** One agent process that is about to be started, as far as its environment depends on it. */
export interface AgentStart {
	/** What the driver's launch wants set. */
	launchEnv: Readonly<Record<string, string>>;
	/** Environment that the agent will inherit. */
	inherited: Readonly<Record<string, string | undefined>>;
	cwd: string;
	/** Path of the CLI. */
	program: string;
	/** Whether its hooks are to report and to hand over; without, also those that a deployment has left keep still. */
	hasHooks: boolean;
	/** Runs without a terminal. */
	isHeadless: boolean;
	/** Whose mailbox it has; `undefined` for a run that nobody steers, which is no step of the worker in whose terminal it is called. */
	worker: { address: WorkerAddress; taskFolder: string; bin: string } | undefined;
}

/** Variables for an agent on top of what it inherits, for each one that Nancy starts; `null` means remove. */
export function agentEnvironment(
	driver: Pick<Driver, 'id' | 'foreignVariables'>,
	{ launchEnv, inherited, cwd, program, hasHooks, isHeadless, worker }: AgentStart,
): Record<string, string | null> {
	return {
		...Object.fromEntries(driver.foreignVariables.map(name => [name, null])),
		...Object.fromEntries(ofRuntime(inherited).map(name => [name, null])),
		...launchEnv,
		NANCY_HOOKS: hasHooks ? null : 'off',
		// Nothing waits in the background of a run that ends with its turn.
		NANCY_ATTENDED: isHeadless ? '0' : null,
		NANCY_TASK_DIR: worker?.taskFolder ?? null,
		NANCY_TASK: worker?.address.task ?? null,
		NANCY_WORKER: worker?.address.worker ?? null,
		// For the hook's own question to the CLI. Not in a file: a repository must not choose what is run.
		NANCY_AGENT: worker ? driver.id : null,
		NANCY_AGENT_PROGRAM: worker ? program : null,
		// As a shell would say it: some CLIs believe it more than the folder they are in.
		PWD: cwd,
		...(worker && { PATH: [worker.bin, inherited['PATH']].filter(Boolean).join(delimiter) }),
	};
}

/** Environment for a question that is put to a CLI: no session of anybody's, so that no hook reports it. */
export function questionEnvironment(
	{ foreignVariables }: Pick<Driver, 'foreignVariables'>,
	inherited: AgentStart['inherited'],
): Record<string, string | undefined> {
	const left = new Set([...foreignVariables, ...ofRuntime(inherited)]);
	const others = Object.entries(inherited).filter(([name]) => !left.has(name));
	return { ...withSafePath(Object.fromEntries(others)), NANCY_HOOKS: 'off' };
}

/**
 * The installed `nancy` runs with these set for itself. An agent that inherits them would fill the runtime with what its own
 * programs compile, and Electron programs that it starts would not be themselves.
 */
function ofRuntime(env: AgentStart['inherited']): readonly string[] {
	const isIts = /\/nancy\/runtime\/[^/]+(?:\/bin\/\.\.)?\/cache$/.test(env['NODE_COMPILE_CACHE'] ?? '');
	return isIts ? ['NODE_COMPILE_CACHE', 'ELECTRON_RUN_AS_NODE'] : [];
}
