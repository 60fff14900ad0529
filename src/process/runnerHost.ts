import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { identify, type ProcessIdentity } from '../base/liveness.ts';
import { onPath } from '../base/searchPath.ts';
import { mergedEnvironment } from './environment.ts';
import { RUN_MARK, RUNNER_MARK } from './marked.ts';

/** Holds the earlier NODE_OPTIONS for the command: see core/deployment/runtime. */
const OPTIONS_BEFORE = 'NANCY_NODE_OPTIONS';
/** `tmux` gives each runner a session that a person can attach to, if tmux is installed. */
const HOST = 'NANCY_DELEGATES_HOST';

/** Called by the command before anything else: its children get the user's own options. */
export function restoreNodeOptions(env: NodeJS.ProcessEnv): void {
	const before = env[OPTIONS_BEFORE];
	if (before === undefined) return;
	delete env[OPTIONS_BEFORE];
	if (before === '') delete env['NODE_OPTIONS'];
	else env['NODE_OPTIONS'] = before;
}

/** Starts a runner that belongs to no window and no terminal: in the background, or in a tmux session of its own. */
export async function startRunner(
	nancy: string,
	folder: string,
	id: string,
	changes: Readonly<Record<string, string | null>>,
): Promise<ProcessIdentity> {
	// It is not part of the run that asked for it.
	const own = {
		NANCY_LEAN: '1',
		[RUN_MARK]: null,
		[RUNNER_MARK]: null,
		TMUX: null,
	};
	const env = mergedEnvironment({ ...changes, ...own });
	const command = [nancy, '-C', folder, 'run', '--delegate', id] as const;
	const tmux = env[HOST] === 'tmux' ? onPath('tmux', env) : undefined;
	const marked = { ...env, [RUNNER_MARK]: id };
	if (tmux === undefined) return inBackground(command, folder, marked);
	// Not the mark of its server, which must outlive the processes of the run.
	return inTmux(tmux, id, ['/usr/bin/env', `${RUNNER_MARK}=${id}`, ...command], folder, env);
}

/** The socket's name: `tmux -L nancy-<id> attach` shows the runner. */
export function tmuxSocket(id: string): string {
	return `nancy-${id}`;
}

function inBackground(
	[program, ...args]: readonly [string, ...string[]],
	cwd: string,
	env: NodeJS.ProcessEnv,
): Promise<ProcessIdentity> {
	return new Promise((resolve, reject) => {
		const child = spawn(program, args, { cwd, env, detached: true, stdio: 'ignore' });
		child.once('error', reject);
		child.once('spawn', () => {
			child.unref();
			resolve(identify(child.pid ?? 0));
		});
	});
}

/**
 * A server of its own for each runner. A shared server would have the environment of its first starter. Nothing of the environment may be
 * in a command line, which others can read. It ends with the runner: without the user's tmux.conf, which can keep it (`remain-on-exit`) or
 * end it early (`destroy-unattached`).
 */
async function inTmux(
	tmux: string,
	id: string,
	command: readonly string[],
	cwd: string,
	env: NodeJS.ProcessEnv,
): Promise<ProcessIdentity> {
	const run = promisify(execFile);
	const server = ['-L', tmuxSocket(id), '-f', '/dev/null'];
	const detached = ['-d', '-x', '160', '-y', '50', '-P', '-F', '#{pane_pid}'];
	// The session begins in tmux's own folder. Its `-c` would take `#(…)` in the name of the folder for a command. It has no name, because a
	// runner of which nobody knows may still be there.
	const { stdout } = await run(tmux, [...server, 'new-session', ...detached, ...command], { cwd, env });
	return identify(Number(stdout.trim()));
}
