import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { dataFolder } from '../base/folders.ts';
import { NancyError } from '../base/errors.ts';
import { isInside } from '../base/inside.ts';
import type { Asker, AskingAgent } from '../core/asker/asker.ts';
import { permit } from '../core/asker/permit.ts';
import { Workspace, type WorkerAddress } from '../core/workspace/workspace.ts';
import type { SealedAuthor } from '../protocol/author.ts';
import type { Context } from './command.ts';

/** The asker's own mailbox: an agent has one if Nancy knows which worker it is. */
export function ownAddress(asker: Asker): WorkerAddress | undefined {
	return asker.is === 'agent' ? asker.worker?.address : undefined;
}

/** The author of a message that the asker sends. */
export function authorOf(asker: Asker): SealedAuthor {
	if (asker.is === 'human') return { is: 'human', via: asker.via };
	const { worker, driver } = asker;
	return { is: 'agent', ...(worker && { worker: mailboxName(worker.address) }), ...(driver && { driver }) };
}

export function mailboxName({ task, worker }: WorkerAddress): string {
	return `${task}/${worker}`;
}

/**
 * The workspace of the command.
 * @throws NancyError if there is none
 */
export function findWorkspace(context: Context): Workspace {
	const place = placeOf(context);
	if (place.isWorkspace) return workspaceAt(place.folder, context);
	const farther = foldersUpFrom(place.folder).find(folder => isFolderOrLink(join(folder, '.nancy')));
	throw new NancyError(
		'not-a-workspace',
		place.isRepository && farther !== undefined
			? `there is no .nancy folder in the repository ${place.folder}; ${farther} has one: name it with -C if you mean that`
			: `there is no .nancy folder in ${place.folder} or above it; go to your project or name it with -C, or start with nancy setup`,
	);
}

/** The workspace, or the nearest folder that has something to show without one. */
export function findWorkspaceOr(context: Context, hasSomething: (folder: string) => boolean): Workspace {
	const place = placeOf(context);
	if (place.isWorkspace) return workspaceAt(place.folder, context);
	const found = foldersUpFrom(place.start).find(hasSomething);
	return found === undefined ? findWorkspace(context) : workspaceAt(found, context);
}

/**
 * The workspace, or the place for a new one: the root of the git repository, else the current folder. A repository that holds the whole
 * home folder does not count.
 */
export function findOrChooseWorkspace(context: Context): Workspace {
	return workspaceAt(placeOf(context).folder, context);
}

/** The workspace, or a nearer folder with a deployment whose `.nancy` is gone. A workspace of a folder above would be the wrong one. */
export async function findDeployed(
	context: Context,
	isDeployed: (workspace: Workspace) => Promise<boolean>,
): Promise<Workspace> {
	const place = placeOf(context);
	for (const folder of foldersUpFrom(place.start)) {
		if (place.isWorkspace && folder === place.folder) break;
		const workspace = workspaceAt(folder, context);
		if (await isDeployed(workspace)) return workspace;
	}
	return findWorkspace(context);
}

function workspaceAt(folder: string, { env }: Context): Workspace {
	return new Workspace(folder, dataFolder(env));
}

/** The place that a command works in. */
interface Place {
	/** Of the workspace, else the root of the repository, else {@link start}. */
	folder: string;
	/** The folder that the search began in. */
	start: string;
	isWorkspace: boolean;
	isRepository: boolean;
}

/**
 * A person's place is the current folder, or the folder of -C. An agent's place is its own workspace, whatever its shell's folder: the one
 * that Nancy started it in, else the workspace of its CLI's folder.
 * @throws NancyError `not-trusted` for an agent that names another one
 */
function placeOf(context: Context): Place {
	const { asker, cwd, isFolderGiven } = context;
	const given = placeFrom(cwd, context);
	if (asker.is === 'human') return given;
	const own = placeOfAgent(asker, context);
	if (isFolderGiven) permit(asker, { is: 'work-in', folder: cwd, isOwn: real(given.folder) === real(own.folder) });
	return own;
}

function placeOfAgent({ worker, process }: AskingAgent, context: Context): Place {
	if (worker && isFolderOrLink(join(worker.folder, '.nancy')))
		return { folder: worker.folder, start: worker.folder, isWorkspace: true, isRepository: false };
	return placeFrom(process?.folder ?? context.calledIn, context);
}

/**
 * The nearest candidate. A repository below a workspace is a project of its own, and a `.nancy` in the home folder is not the workspace of
 * all below.
 */
export function placeFrom(from: string, { env }: Pick<Context, 'env'>): Place {
	const start = resolve(from);
	const home = resolve(env['HOME'] ?? homedir());
	for (const folder of foldersUpFrom(start)) {
		// A link counts, so that the workspace can report it. The `.nancy` of a folder above would be the wrong one.
		if (isFolderOrLink(join(folder, '.nancy'))) return { folder, start, isWorkspace: true, isRepository: false };
		if (isRepositoryRoot(folder) && !isSameOrAbove(folder, home))
			return { folder, start, isWorkspace: false, isRepository: true };
	}
	return { folder: start, start, isWorkspace: false, isRepository: false };
}

/** A worktree inside the checkout that it was made from, as some agents make them, belongs to that checkout. */
function isRepositoryRoot(folder: string): boolean {
	const git = join(folder, '.git');
	const found = lstatSync(git, { throwIfNoEntry: false });
	if (!found?.isFile()) return found !== undefined;
	const [, main] = /^gitdir: (.+)\/\.git\/worktrees\/[^/]+\s*$/.exec(readText(git)) ?? [];
	return main === undefined || !isInside(real(main), real(folder));
}

function readText(file: string): string {
	try {
		return readFileSync(file, 'utf8').slice(0, 10_000);
	} catch {
		return '';
	}
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

/** The path itself if nothing exists there. */
function real(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return path;
	}
}
