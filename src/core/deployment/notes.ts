import { stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { formatVersion } from '../../base/version.ts';
import type { Deployment } from '../../protocol/deployment.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Job } from './job.ts';
import type { DeploymentRecords } from './records.ts';
import { statusOf } from './target.ts';

/** Notes the next step, and the folders that will have been made for it. */
export async function note(
	{ records, workspace, driver, request, plan }: Job,
	madeFor: string,
	change: (record: Deployment) => Deployment,
	/** Changes the other drivers' records, which share what is changed. */
	changeOther: (record: Deployment) => Deployment = other => other,
): Promise<void> {
	const folders = await missingFolders(workspace, madeFor);
	await records.change(all => {
		const known = all.deployments.find(each => each.driver === driver.id);
		const record: Deployment = {
			...(known ?? { driver: driver.id, files: [], ownFiles: [], launchFiles: [], skills: [] }),
			scope: request.scope,
			folders: [...new Set([...folders, ...(known?.folders ?? [])])],
			hookVersion: request.runtime.version,
			agentVersion: formatVersion(request.agentVersion),
			events: [...plan.events],
			deployedAt: new Date().toISOString(),
		};
		const others = all.deployments.filter(each => each.driver !== driver.id).map(changeOther);
		return { ...all, deployments: [...others, change(record)] };
	});
}

/** Changes the record of a driver. */
export async function noteChange(
	records: DeploymentRecords,
	driver: Deployment['driver'],
	change: (record: Deployment) => Deployment,
): Promise<void> {
	await records.change(all => ({
		...all,
		deployments: all.deployments.map(each => (each.driver === driver ? change(each) : each)),
	}));
}

/** Forgets a driver's deployment. Other drivers that still need its folders will remove them. */
export async function noteEnd(records: DeploymentRecords, record: Deployment): Promise<void> {
	await records.change(all => ({
		...all,
		deployments: all.deployments
			.filter(each => each.driver !== record.driver)
			.map(each => {
				const places = placesOf(each);
				const inherited = record.folders.filter(folder => places.some(place => place.startsWith(`${folder}/`)));
				return { ...each, folders: [...new Set([...each.folders, ...inherited])] };
			}),
	}));
}

/** Everything that a deployment has in the agent's places, relative to the workspace folder. */
export function placesOf({ files, ownFiles, skills }: Deployment): string[] {
	return [...new Set([...[...files, ...ownFiles].map(({ file }) => file), ...skills.map(({ folder }) => folder)])];
}

/** The folders of a path that are not there yet, innermost first, relative to the workspace folder. */
async function missingFolders(workspace: Workspace, folder: string): Promise<string[]> {
	const missing: string[] = [];
	for (let each = folder; each !== '.' && each !== '/'; each = posix.dirname(each)) {
		if (!(await statusOf(stat, join(workspace.folder, each)))) missing.push(each);
	}
	return missing;
}
