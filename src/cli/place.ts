import { lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { dataFolder } from '../base/folders.ts';
import { NancyError } from '../base/errors.ts';
import { Workspace, type WorkerAddress } from '../core/workspace/workspace.ts';
import type { SealedAuthor } from '../protocol/author.ts';
import { ORCHESTRATOR, TaskName, WorkerName } from '../protocol/names.ts';
import type { Context } from './command.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Who runs the command: an agent in a terminal that Nancy started, or else the human. */
export type Caller = { is: 'human' } | { is: 'worker'; address: WorkerAddress; folder: string };

/** Reads NANCY_TASK_DIR and NANCY_WORKER, which Nancy sets in its terminals. */
export function callerOf(env: Environment): Caller {
	const taskFolder = env['NANCY_TASK_DIR'];
	if (!taskFolder) return { is: 'human' };
	const root = dirname(dirname(resolve(taskFolder)));
	const task = TaskName.safeParse(basename(taskFolder));
	const worker = WorkerName.safeParse(env['NANCY_WORKER']);
	const isTaskFolder = basename(root) === '.nancy' && basename(dirname(resolve(taskFolder))) === 'tasks';
	if (!isTaskFolder || !task.success || !worker.success || worker.data === ORCHESTRATOR) return { is: 'human' };
	return { is: 'worker', address: { task: task.data, worker: worker.data }, folder: dirname(root) };
}

/** Whose words the caller's messages are. */
export function authorOf(caller: Caller): SealedAuthor {
	return caller.is === 'human'
		? { is: 'human', via: 'terminal' }
		: { is: 'agent', worker: mailboxName(caller.address) };
}

export function mailboxName({ task, worker }: WorkerAddress): string {
	return `${task}/${worker}`;
}

/** The workspace that the command is about; an error when there is none. */
export function findWorkspace(context: Context): Workspace {
	const found = workspaceFolder(context);
	if (found !== undefined) return workspaceAt(found, context);
	throw new NancyError(
		'not-a-workspace',
		`there is no .nancy folder in ${context.cwd} or above it; go to your project or name it with -C, or start with nancy setup`,
	);
}

/** The workspace, or the nearest folder that has something to show without one. */
export function findWorkspaceOr(context: Context, hasSomething: (folder: string) => boolean): Workspace {
	const found = workspaceFolder(context) ?? foldersUpFrom(context.cwd).find(hasSomething);
	return found === undefined ? findWorkspace(context) : workspaceAt(found, context);
}

/**
 * The workspace, or where one should be made: the root of the git repository, else the current folder. A repository that
 * holds the whole home folder does not count.
 */
export function findOrChooseWorkspace(context: Context): Workspace {
	const home = resolve(context.env['HOME'] ?? homedir());
	const chosen =
		workspaceFolder(context) ??
		foldersUpFrom(context.cwd).find(folder => exists(join(folder, '.git')) && !isSameOrAbove(folder, home));
	return workspaceAt(chosen ?? context.cwd, context);
}

/**
 * The workspace, or a folder nearer to the current one that is deployed into although its `.nancy` is gone: the one of a folder
 * above is another workspace.
 */
export async function findDeployed(
	context: Context,
	isDeployed: (workspace: Workspace) => Promise<boolean>,
): Promise<Workspace> {
	const known = workspaceFolder(context);
	for (const folder of foldersUpFrom(context.cwd)) {
		if (folder === known) break;
		const workspace = workspaceAt(folder, context);
		if (await isDeployed(workspace)) return workspace;
	}
	return findWorkspace(context);
}

function workspaceAt(folder: string, { env }: Context): Workspace {
	return new Workspace(folder, dataFolder(env));
}

function workspaceFolder({ cwd, isFolderGiven, caller }: Context): string | undefined {
	if (!isFolderGiven && caller.is === 'worker' && isFolderOrLink(join(caller.folder, '.nancy'))) return caller.folder;
	// A link counts, for the workspace then says what is wrong with it; the one of a folder above would be the wrong one.
	return foldersUpFrom(cwd).find(folder => isFolderOrLink(join(folder, '.nancy')));
}

function foldersUpFrom(start: string): string[] {
	const folders = [resolve(start)];
	for (;;) {
		const last = folders.at(-1) ?? '';
		const parent = dirname(last);
		if (parent === last) return folders;
		folders.push(parent);
	}
}

function isSameOrAbove(folder: string, other: string): boolean {
	return foldersUpFrom(other).includes(folder);
}

function isFolderOrLink(file: string): boolean {
	const found = lstatSync(file, { throwIfNoEntry: false });
	return found !== undefined && (found.isDirectory() || found.isSymbolicLink());
}

function exists(file: string): boolean {
	return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}
