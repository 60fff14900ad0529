import type { Deployment } from '../../protocol/deployment.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { DeploymentRecords } from './records.ts';
import type { Outcome } from './job.ts';
import { removeOwnFiles } from './ownFiles.ts';
import { placesOfDriver, type Places, type Writer } from './places.ts';
import { restoreFile } from './settingsFile.ts';
import { removeSkills } from './skillFolders.ts';
import { wayTo, wayToFile, type Way } from './target.ts';

type Blocked = Extract<Way, { is: 'blocked' }>;

/** A deployment's parts in the agent's places, or some of them. */
export interface Parts {
	files: string[];
	ownFiles: string[];
	skills: string[];
}

export function partsOf({ files, ownFiles, skills }: Deployment): Parts {
	const named = (each: { file: string }) => each.file;
	return { files: files.map(named), ownFiles: ownFiles.map(named), skills: skills.map(({ folder }) => folder) };
}

export interface Removal extends Outcome {
	/** Places behind a link that leads away, relative to the workspace folder. Only a record brings Nancy back there. */
	kept: ReadonlySet<string>;
}

/** Restores other tools' files and removes Nancy's own, unless a link leads away. */
export async function removeParts(
	records: DeploymentRecords,
	driver: Writer,
	record: Deployment,
	parts: Parts,
	isBusy: (() => boolean) | undefined,
): Promise<Removal> {
	const { workspace } = records;
	const places = placesOfDriver(workspace, driver);
	const blocked = await blockedAmong(workspace, places, parts);
	const links = [...blocked].filter(([, { by }]) => by === 'link');
	const { files, ownFiles, skills } = without(parts, blocked);
	const changed: string[] = [];
	for (const file of files) if (await restoreFile(records, driver, file, isBusy)) changed.push(file);
	const own = await removeOwnFiles(records, record, places, ownFiles);
	const folders = await removeSkills(records, record, places, skills);
	return {
		changed: [...changed, ...own.changed, ...folders.changed],
		warnings: [...links.map(([, { why }]) => `${String(why)}; it stays.`), ...own.warnings, ...folders.warnings],
		kept: new Set(links.map(([place]) => place)),
	};
}

/** Whether there is anything that {@link removeParts} could take away. */
export async function isAnyInReach(workspace: Workspace, places: Places, parts: Parts): Promise<boolean> {
	const { files, ownFiles, skills } = without(parts, await blockedAmong(workspace, places, parts));
	return files.length + ownFiles.length + skills.length > 0;
}

/** A record without these parts, except the kept ones. */
export function forget(record: Deployment, parts: Parts, kept: ReadonlySet<string>): Deployment {
	const gone = without(parts, kept);
	return {
		...record,
		files: record.files.filter(({ file }) => !gone.files.includes(file)),
		ownFiles: record.ownFiles.filter(({ file }) => !gone.ownFiles.includes(file)),
		skills: record.skills.filter(({ folder }) => !gone.skills.includes(folder)),
	};
}

function without({ files, ownFiles, skills }: Parts, kept: { has(place: string): boolean }): Parts {
	return {
		files: files.filter(file => !kept.has(file)),
		ownFiles: ownFiles.filter(file => !kept.has(file)),
		skills: skills.filter(folder => !kept.has(folder)),
	};
}

/** The unreachable parts. */
async function blockedAmong(workspace: Workspace, places: Places, parts: Parts): Promise<Map<string, Blocked>> {
	const found = new Map<string, Blocked>();
	for (const file of parts.files) {
		const way = await wayToFile(workspace, file);
		if (way.is === 'blocked') found.set(file, way);
	}
	for (const place of [...parts.ownFiles, ...parts.skills].filter(each => places.has(each))) {
		const way = await wayTo(workspace, place);
		if (way.is === 'blocked') found.set(place, way);
	}
	return found;
}
