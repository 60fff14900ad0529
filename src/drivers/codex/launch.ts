import { dirname, join } from 'node:path';
import type { AnswersByChoice, LaunchPlan, LaunchRequest } from '../../core/driver/driver.ts';
import type { LaunchHooks } from '../../core/driver/launchPlace.ts';
import { hookFlags } from './flags.ts';
import { ID } from './events.ts';
import { hookEntries } from './hooks.ts';
import { NO_DAEMON } from './ownServer.ts';

export function launchPlan(request: LaunchRequest): LaunchPlan {
	const { prompt, resume, fork, model, extra, hooks, workspaceFolder } = request;
	const earlier = resume ?? fork;
	return {
		args: [
			...(resume === undefined ? [] : ['resume']),
			...(fork === undefined ? [] : ['fork']),
			// With the daemon, hooks and tools would have the environment of its first starter, and outlive the terminal.
			...(extra.includes(NO_DAEMON) ? [] : [NO_DAEMON]),
			...(model === undefined ? [] : ['--model', model]),
			...launchFlags(hooks, workspaceFolder),
			...extra,
			// After `--`, a prompt that begins with a dash is no option.
			...(earlier === undefined && !prompt ? [] : ['--']),
			...(earlier === undefined ? [] : [earlier]),
			...(prompt ? [prompt] : []),
		],
		env: {},
		// The CLI picks its own id, and names it with the first event.
		sessionIsKnown: resume !== undefined,
	};
}

export function launchFlags(hooks: LaunchHooks | undefined, workspaceFolder: string): string[] {
	return hooks === undefined ? [] : hookFlags(hookEntries('launch', hooks.launcher, workspaceFolder));
}

/** A program of Nancy's in the terminal, which gives the CLI a server of its own: see terminal.ts. Windows has no such sockets. */
export const answersByChoice: AnswersByChoice = {
	args: () => [],
	inPlaceOf: ({ executable, args }, { launcher }, { workspaceFolder }) => {
		if (process.platform === 'win32') return { executable, args };
		const runtime = dirname(launcher);
		const program = join(runtime, 'hook', `${ID}-terminal.js`);
		return {
			executable: join(runtime, 'terminal'),
			args: [program, launcher, workspaceFolder, executable, ...args],
		};
	},
	explanation:
		'An experiment: the agent then has an app server of its own, by a socket that only your own programs can reach. Commands are answered here, everything else in its terminal alone. Not on Windows.',
};

/** Variables that the CLI sets for its own tools and hooks. */
export const foreignVariables = [
	'CODEX_APPLY_PATCH_PRESERVE_LINE_ENDINGS',
	'CODEX_CI',
	'CODEX_MANAGED_BY_NPM',
	'CODEX_MANAGED_PACKAGE_ROOT',
	'CODEX_SANDBOX',
	'CODEX_SANDBOX_NETWORK_DISABLED',
	'CODEX_SESSION_ID',
	'CODEX_THREAD_ID',
	'CODEX_TOOL_CALL_ID',
	'CODEX_VERSION',
] as const;
