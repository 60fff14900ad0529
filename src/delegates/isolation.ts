import { existsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { NancyError } from '../base/errors.ts';
import { configFolder } from '../base/folders.ts';
import { isInside } from '../base/inside.ts';
import { phrase } from '../base/phrase.ts';
import { realOr, realPlace } from '../base/realPath.ts';
import { DeploymentRecords } from '../core/deployment/records.ts';
import { recordedNode } from '../core/deployment/runtimePrograms.ts';
import type { Driver } from '../core/driver/driver.ts';
import { homeFoldersOf } from '../core/driver/headlessOf.ts';
import { DEPLOYMENT, RECORD } from '../core/files/sealedDeployments.ts';
import { SEALS } from '../core/mailbox/sealReader.ts';
import { COMPILED } from '../core/memory/toldMarks.ts';
import { SEALED as SESSIONS } from '../core/workspace/sealedSessions.ts';
import type { WorkerAddress, Workspace } from '../core/workspace/workspace.ts';
import { gitIdentity, gitPlaces } from '../git/sandboxed.ts';
import { requireBubblewrap, sandboxArgs } from '../process/bubblewrap.ts';
import type { HeadlessProgram } from '../process/headlessRun.ts';
import { ISOLATED_MARK, type Isolation } from '../protocol/isolation.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Whose run is isolated. */
export interface IsolatedRun {
	readonly driver: Driver;
	readonly workspace: Workspace;
	/** Its mailbox; `undefined` if no message reaches it. */
	readonly address: WorkerAddress | undefined;
	/** Folder with the `nancy` command of the runtime. */
	readonly bin: string;
	/** It works in a worktree that was made for it, and all of that is its own. */
	readonly isInWorktree: boolean;
	/** Files of Nancy's that the program's arguments name, or its repository. */
	readonly named: readonly string[];
	/** The bare repository of that worktree, if it has no other one. */
	readonly repository?: string;
	/** Environment that the run inherits. */
	readonly env: Environment;
}

/** Where sockets and other programs' files are: hidden like a home. */
const SHARED = ['/tmp', '/var/tmp', '/run', '/dev/shm'];

/** They name sockets that are hidden, and programs that would ask over one. */
const OF_HIDDEN = [
	'SSH_AUTH_SOCK',
	'SSH_AGENT_PID',
	'SSH_ASKPASS',
	'GIT_ASKPASS',
	'GPG_AGENT_INFO',
	'DBUS_SESSION_BUS_ADDRESS',
	'XDG_RUNTIME_DIR',
	'WAYLAND_DISPLAY',
	'DISPLAY',
	'XAUTHORITY',
	'TMUX',
	'TMPDIR',
	'VSCODE_IPC_HOOK_CLI',
	'VSCODE_GIT_IPC_HANDLE',
	'VSCODE_GIT_ASKPASS_NODE',
	'VSCODE_GIT_ASKPASS_MAIN',
];

/** They tell an agent of its `nancy` command. That has no seals to write there: what it sent would be of an unknown author. */
const OF_COMMAND = ['NANCY_TASK_DIR', 'NANCY_TASK', 'NANCY_WORKER'];

/**
 * The same run in a sandbox of bubblewrap. The rest of the machine is read-only. The user's home, other programs' files and all other
 * processes are hidden. In the data folder the run sees what its hooks need: see docs/security.md.
 * @throws NancyError if the run cannot be isolated: it must not run then
 */
export async function isolated(by: Isolation, program: HeadlessProgram, run: IsolatedRun): Promise<HeadlessProgram> {
	const bwrap = await requireBubblewrap(run.env);
	const { workspace, isInWorktree } = run;
	workspace.refuseLinks();
	const cwd = realOr(program.cwd);
	const hidden = hiddenFolders(run);
	const ofAgent = homeFoldersOf(run.driver)({ env: run.env, home: homeOf(run.env), cwd });
	const git = await gitPlaces(cwd, run.repository);
	const { root, delegates } = workspace.paths;
	const own = await ownRecords(run);
	const folder = isInWorktree ? (git?.top ?? cwd) : cwd;
	const writable = [folder, root, ...(git?.writable ?? []), ...ofAgent.writable, ...own.writable].map(realParent);
	const exposed = hidden.find(place => writable.some(each => isInside(each, place)));
	if (exposed !== undefined)
		throw new NancyError(
			'io',
			phrase`${cwd} holds ${exposed}, which an isolated delegate must not see; let it work in another folder`,
		);
	await mkdir(delegates, { recursive: true, mode: 0o700 });
	for (const each of ofAgent.folders) await mkdir(each, { recursive: true, mode: 0o700 });
	const places = [
		...(await programPlaces(program, run)),
		...(git?.readable ?? []),
		...ofAgent.readable,
		...own.readable,
		...run.named,
	];
	const readable = places.map(realParent);
	const args = sandboxArgs(
		{
			hidden,
			readable: readable.filter(path => hidden.some(place => isInside(place, path) && place !== path)),
			writable,
			fixed: [delegates, ...(git?.fixed ?? [])].map(realParent),
			hasNetwork: by === 'bwrap',
		},
		program.startsIn ?? cwd,
	);
	return {
		...program,
		command: bwrap,
		args: [...args, program.command, ...program.args],
		startsIn: '/',
		env: {
			...program.env,
			...(await gitIdentity(cwd, run.env)),
			...Object.fromEntries([...OF_HIDDEN, ...OF_COMMAND].map(name => [name, null])),
			PATH: foldersOf(program.env)
				.filter(folder => folder !== run.bin)
				.join(delimiter),
			[ISOLATED_MARK]: by,
		},
	};
}

/** A mount needs the real path of its folder. What is a link itself is there under its own name. */
function realParent(path: string): string {
	return join(realPlace(dirname(path)), basename(path));
}

function homeOf(env: Environment): string {
	return env['HOME'] || homedir();
}

/** The user's home and base directories, Nancy's own folders, and what is shared with other programs. */
function hiddenFolders({ env, workspace }: IsolatedRun): string[] {
	const named = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME'].map(name => env[name]);
	const all = [homeOf(env), userInfo().homedir, ...named, configFolder(env), workspace.own.dataFolder, ...SHARED];
	const found = all.flatMap(path => (path !== undefined && isAbsolute(path) && isFolder(path) ? [realOr(path)] : []));
	return [...new Set(found)];
}

function isFolder(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * What a hook reads of the user's data folder, and the seals of its mailbox, which it writes. Whatever else it writes there is in a folder
 * that goes with the sandbox.
 */
async function ownRecords({
	workspace,
	address,
	driver,
}: IsolatedRun): Promise<{ readable: string[]; writable: string[] }> {
	const { own } = workspace;
	return {
		readable: [
			join(own.dataFolder, 'runtime'),
			own.path(DEPLOYMENT, RECORD),
			new DeploymentRecords(workspace, own.dataFolder).launchFolder(driver.id),
			own.path(SESSIONS),
			own.path(COMPILED),
		],
		writable: address ? [await own.makeFolder(SEALS, address.task, address.worker)] : [],
	};
}

/** The folders of the programs that the run finds on its PATH, of the CLI itself, and of Nancy's Node. */
async function programPlaces({ command, env }: HeadlessProgram, { bin }: IsolatedRun): Promise<string[]> {
	const node = await recordedNode(dirname(bin));
	return [
		// What is installed below a prefix has its modules beside `bin`.
		...foldersOf(env).flatMap(folder => [folder, join(dirname(folder), 'lib', 'node_modules')]),
		...[command, node?.executable].flatMap(path => (path === undefined ? [] : [path, placeOf(realOr(path))])),
		realOr('/etc/resolv.conf'),
	].filter(existsSync);
}

function foldersOf(env: HeadlessProgram['env']): string[] {
	return (env['PATH'] ?? '').split(delimiter).filter(folder => isAbsolute(folder));
}

/** The folder that a program needs: all of its packages, or the one that it is in. */
function placeOf(program: string): string {
	const [packages] = /^.*?\/node_modules(?=\/)/.exec(program) ?? [];
	return packages ?? dirname(program);
}
