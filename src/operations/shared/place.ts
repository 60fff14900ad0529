import { join } from 'node:path';
import { NancyError } from '../../base/errors.ts';
import { dataFolder } from '../../base/folders.ts';
import { phrase } from '../../base/phrase.ts';
import { keepProgramsOutOf } from '../../base/searchPath.ts';
import { ownPlace, permitWorkIn } from '../../core/asker/ownPlace.ts';
import { agentsFolders, foldersUpFrom, isFolderOrLink, placeFrom, type Place } from '../../core/workspace/placeFrom.ts';
import { Workspace } from '../../core/workspace/workspace.ts';
import type { Caller } from './caller.ts';

/**
 * The workspace of the call.
 * @throws NancyError if there is none
 */
export function findWorkspace(caller: Caller): Workspace {
	const place = placeOf(caller);
	if (place.isWorkspace) return workspaceAt(place.folder, caller);
	const farther = foldersUpFrom(place.folder).find(folder => isFolderOrLink(join(folder, '.nancy')));
	throw new NancyError(
		'not-a-workspace',
		place.isRepository && farther !== undefined
			? phrase`there is no .nancy folder in the repository ${place.folder}; ${farther} has one: name it with -C if you mean that`
			: phrase`there is no .nancy folder in ${place.folder} or above it; go to your project or name it with -C, or start with nancy setup`,
	);
}

/** The workspace, or the nearest folder that has something to show without one. */
export function findWorkspaceOr(caller: Caller, hasSomething: (folder: string) => boolean): Workspace {
	const place = placeOf(caller);
	if (place.isWorkspace) return workspaceAt(place.folder, caller);
	const found = foldersUpFrom(place.start).find(hasSomething);
	return found === undefined ? findWorkspace(caller) : workspaceAt(found, caller);
}

/**
 * The workspace, or the place for a new one: the root of the git repository, else the current folder. A repository that holds the whole
 * home folder does not count.
 */
export function findOrChooseWorkspace(caller: Caller): Workspace {
	return workspaceAt(placeOf(caller).folder, caller);
}

/** The workspace, or a nearer folder with a deployment whose `.nancy` is gone. A workspace of a folder above would be the wrong one. */
export async function findDeployed(caller: Caller): Promise<Workspace> {
	const place = placeOf(caller);
	const [{ deployedIn }, { drivers }] = await Promise.all([
		import('../../core/deployment/cleanUp.ts'),
		import('../../drivers/index.ts'),
	]);
	for (const folder of foldersUpFrom(place.start)) {
		if (place.isWorkspace && folder === place.folder) break;
		const workspace = workspaceAt(folder, caller);
		if ((await deployedIn(workspace, drivers, dataFolder(caller.env))).length > 0) return workspace;
	}
	return findWorkspace(caller);
}

function workspaceAt(folder: string, { env }: Caller): Workspace {
	return new Workspace(folder, dataFolder(env));
}

/**
 * A person's place is the current folder, or the folder of -C. An agent's place is its own workspace. `perform` asks that again, but a command
 * may look names up before.
 * @throws NancyError `not-trusted` for an agent that names another one
 */
function placeOf({ asker, cwd, isFolderGiven, env }: Caller): Place {
	const given = placeFrom(cwd, env);
	if (asker.is === 'agent' && isFolderGiven) permitWorkIn(asker, given.folder, env);
	const place = asker.is === 'human' ? given : ownPlace(asker, env);
	// A command may call git before its operation.
	keepProgramsOutOf(agentsFolders(place.folder));
	return place;
}
