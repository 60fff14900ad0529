import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { hasErrno } from '../../base/errors.ts';
import { formatVersion } from '../../base/version.ts';
import type { DriverId } from '../../protocol/names.ts';
import type { Deployment } from '../../protocol/records.ts';
import type { Driver } from '../driver/driver.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Job } from './job.ts';
import type { Places } from './places.ts';
import { wayTo } from './target.ts';

export async function recordOf(workspace: Workspace, driver: Driver['id']): Promise<Deployment | undefined> {
	return (await workspace.config()).deployments.find(each => each.driver === driver);
}

/** Notes what is about to be done, and the folders that will have been made for it. */
export async function updateRecord(
	{ workspace, driver, request, plan }: Job,
	madeFor: string,
	change: (record: Deployment) => Deployment,
	/** Of the other drivers' records, which share what is changed. */
	changeOther: (record: Deployment) => Deployment = other => other,
): Promise<void> {
	const folders = await missingFolders(workspace, madeFor);
	await workspace.updateConfig(config => {
		const known = config.deployments.find(each => each.driver === driver.id);
		const record: Deployment = {
			...(known ?? { driver: driver.id, files: [], ownFiles: [], launchFiles: [], skills: [] }),
			scope: request.scope,
			folders: [...new Set([...folders, ...(known?.folders ?? [])])],
			hookVersion: request.runtime.version,
			agentVersion: formatVersion(request.agentVersion),
			events: [...plan.events],
			deployedAt: new Date().toISOString(),
		};
		const others = config.deployments.filter(each => each.driver !== driver.id).map(changeOther);
		return { ...config, deployments: [...others, change(record)] };
	});
}

/** Changes a driver's record where there is one. */
export async function changeRecord(
	workspace: Workspace,
	driver: DriverId,
	change: (record: Deployment) => Deployment,
): Promise<void> {
	await workspace.updateConfig(config => ({
		...config,
		deployments: config.deployments.map(each => (each.driver === driver ? change(each) : each)),
	}));
}

/** Forgets a driver's deployment. Folders that others still need are theirs to remove from now on. */
export async function dropRecord(workspace: Workspace, record: Deployment): Promise<void> {
	await workspace.updateConfig(config => ({
		...config,
		deployments: config.deployments
			.filter(each => each.driver !== record.driver)
			.map(each => {
				const places = placesOf(each);
				const inherited = record.folders.filter(folder => places.some(place => place.startsWith(`${folder}/`)));
				return { ...each, folders: [...new Set([...each.folders, ...inherited])] };
			}),
	}));
}

/** Removes folders that were made for a deployment, as far as they are empty and on the way to its driver's places. */
export async function removeEmpty(workspace: Workspace, folders: readonly string[], places: Places): Promise<void> {
	const innermostFirst = folders.toSorted((a, b) => b.split('/').length - a.split('/').length);
	for (const folder of innermostFirst.filter(each => places.folders.has(each))) {
		const way = await wayTo(workspace, folder);
		if (way.is === 'open') await removeIfEmpty(way.path);
	}
}

/** All that a deployment has in the agent's places, relative to the workspace folder. */
export function placesOf({ files, ownFiles, skills }: Deployment): string[] {
	return [...new Set([...[...files, ...ownFiles].map(({ file }) => file), ...skills.map(({ folder }) => folder)])];
}

/** What Nancy itself puts there: originals, skills on their way in and out, and files that are being written. */
const OWN = /^(?:[0-9a-f]{16,64}\.original|(?:skill|old)-[0-9a-f]{8}|\.[0-9a-f]{12}\.tmp)$/;

/**
 * Removes what a kill left in the folder of originals, and originals that no record names; nothing that somebody else put there.
 * Only under the lock.
 */
export async function sweepOriginals(workspace: Workspace): Promise<void> {
	const folder = workspace.paths.originals;
	const named = (await workspace.config()).deployments.flatMap(({ files }) => files.map(({ original }) => original));
	for (const name of await namesIn(folder)) {
		if (OWN.test(name) && !named.includes(name)) await rm(join(folder, name), { recursive: true, force: true });
	}
	await removeIfEmpty(folder);
}

export async function exists(file: string): Promise<boolean> {
	try {
		await stat(file);
		return true;
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return false;
		throw error;
	}
}

export async function removeIfEmpty(folder: string): Promise<void> {
	try {
		await rmdir(folder);
	} catch (error) {
		if (!hasErrno(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')) throw error;
	}
}

/** The folders of a path that are not there yet, innermost first, relative to the workspace folder. */
async function missingFolders(workspace: Workspace, folder: string): Promise<string[]> {
	const missing: string[] = [];
	for (let each = folder; each !== '.' && each !== '/'; each = posix.dirname(each)) {
		if (!(await exists(join(workspace.folder, each)))) missing.push(each);
	}
	return missing;
}

async function namesIn(folder: string): Promise<string[]> {
	try {
		return await readdir(folder);
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return [];
		throw error;
	}
}
