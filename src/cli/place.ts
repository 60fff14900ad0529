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

/** The mailbox of whoever asks: an agent has one, where Nancy knows which worker it is. */
export function ownAddress(asker: Asker): WorkerAddress | undefined {
	return asker.is === 'agent' ? asker.worker?.address : undefined;
}

/** Whose words a message of the one who asks is. */
export function authorOf(asker: Asker): SealedAuthor {
	if (asker.is === 'human') return { is: 'human', via: asker.via };
	const { worker, driver } = asker;
	return { is: 'agent', ...(worker && { worker: mailboxName(worker.address) }), ...(driver && { driver }) };
}

export function mailboxName({ task, worker }: WorkerAddress): string {
	return `${task}/${worker}`;
}

/** The workspace that the command is about; an error when there is none. */
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
 * The workspace, or where one should be made: the root of the git repository, else the current folder. A repository that
 * holds the whole home folder does not count.
 */
export function findOrChooseWorkspace(context: Context): Workspace {
	return workspaceAt(placeOf(context).folder, context);
}

/**
 * The workspace, or a folder nearer to the current one that is deployed into although its `.nancy` is gone: the one of a folder
 * above is another workspace.
 */
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

/** Where a command works. */
interface Place {
	/** Of the workspace, else the root of the repository, else {@link start}. */
	folder: string;
	/** Where it was looked from. */
	start: string;
	isWorkspace: boolean;
	isRepository: boolean;
}

/**
 * A person's place is where they are, or what they name with -C. An agent's is its own workspace, wherever its shell has gone: the one
 * that Nancy started it in, else that of the folder that its CLI works in.
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

/** What is nearest: a repository below a workspace is a project of its own, and a `.nancy` in the home folder not that of all below. */
export function placeFrom(from: string, { env }: Pick<Context, 'env'>): Place {
	const start = resolve(from);
	const home = resolve(env['HOME'] ?? homedir());
	for (const folder of foldersUpFrom(start)) {
		// A link counts, for the workspace then says what is wrong with it; the one of a folder above would be the wrong one.
		if (isFolderOrLink(join(folder, '.nancy'))) return { folder, start, isWorkspace: true, isRepository: false };
		if (isRepositoryRoot(folder) && !isSameOrAbove(folder, home))
			return { folder, start, isWorkspace: false, isRepository: true };
	}
	return { folder: start, start, isWorkspace: false, isRepository: false };
}

/** A worktree that stands within the checkout it was made from, as some agents make them, is part of that. */
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

/** The path itself where there is nothing. */
function real(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return path;
	}
}
