import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { writeFileAtomic } from '../../base/atomicFile.ts';
import { hasErrno } from '../../base/errors.ts';
import { entriesOf } from '../../base/listing.ts';
import { removeTree } from '../../base/removeTree.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Deployment } from '../../protocol/deployment.ts';
import type { DriverId } from '../../protocol/names.ts';
import { refuseLinks } from '../files/links.ts';
import { removeIfEmpty } from '../../base/removeIfEmpty.ts';
import type { Job } from './job.ts';
import type { DeploymentRecords } from './records.ts';
import { isLauncherGone } from './launcher.ts';

/**
 * Makes a driver's launch folder hold the plan's files and nothing else, because a CLI may load every file there. The folder is in the
 * user's data folder: a CLI runs its files, so no other agent may write there. Returns the written and removed files. Each file is whole at
 * any moment, because an agent may be starting with it.
 */
export async function deployLaunchFiles({ records, driver, plan }: Job): Promise<string[]> {
	const folder = records.launchFolder(driver.id);
	const changed: string[] = [];
	const wanted = new Map(plan.launchFiles.map(({ file, content }) => [file, content]));
	if (wanted.size > 0) await records.makeLaunchFolder(driver.id);
	for (const name of await filesBelow(folder)) {
		if (wanted.has(name)) continue;
		await rm(join(folder, name), { force: true });
		changed.push(join(folder, name));
	}
	for (const [name, content] of wanted) {
		const file = join(folder, name);
		if ((await textOf(file)) === content) continue;
		// A folder of that name is empty now, or holds what another version wanted.
		await removeTree(file);
		await writeFileAtomic(file, content);
		changed.push(file);
	}
	if (wanted.size === 0) await removeTree(folder);
	return changed;
}

/** Whether a launch finds exactly the wanted files. */
export async function holdsLaunchFiles({ records, driver, plan }: Job): Promise<boolean> {
	const wanted = plan.launchFiles.map(({ file, content }) => ({ file, sha256: sha256(content) }));
	return isWhole(records.launchFolder(driver.id), wanted);
}

/** Whether a launch finds the files of a record, and the programs that they call. */
export async function hasRecordedLaunchFiles(records: DeploymentRecords, record: Deployment): Promise<boolean> {
	const folder = records.launchFolder(record.driver);
	for (const { file } of record.launchFiles)
		if (isLauncherGone((await textOf(join(folder, file))) ?? '')) return false;
	return isWhole(folder, record.launchFiles);
}

/** Whether anything is where a launch of this driver would find its files. */
export function hasLaunchFiles(records: DeploymentRecords, driver: DriverId): boolean {
	return existsSync(records.launchFolder(driver)) || existsSync(join(records.workspace.paths.launches, driver));
}

/** Removes a driver's launch folder, and the one that earlier versions had below `.nancy`. Returns what was there. */
export async function removeLaunchFiles(records: DeploymentRecords, driver: DriverId): Promise<string[]> {
	const { paths } = records.workspace;
	const earlier = join(paths.launches, driver);
	refuseLinks([paths.root, paths.launches, earlier]);
	const removed: string[] = [];
	for (const folder of [records.launchFolder(driver), earlier]) {
		if ((await filesBelow(folder)).length > 0) removed.push(folder);
		await removeTree(folder);
	}
	await removeIfEmpty(paths.launches);
	return removed;
}

async function isWhole(folder: string, files: Deployment['launchFiles']): Promise<boolean> {
	if ((await filesBelow(folder)).length !== files.length) return false;
	for (const { file, sha256: hash } of files) {
		const text = await textOf(join(folder, file));
		if (text === undefined || sha256(text) !== hash) return false;
	}
	return true;
}

/** Everything below a launch folder except folders. */
async function filesBelow(folder: string, below = ''): Promise<string[]> {
	const found: string[] = [];
	for (const entry of await entriesOf(join(folder, below))) {
		const name = posix.join(below, entry.name);
		if (entry.isDirectory()) found.push(...(await filesBelow(folder, name)));
		else found.push(name);
	}
	return found;
}

async function textOf(file: string): Promise<string | undefined> {
	try {
		return await readFile(file, 'utf8');
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) return undefined;
		throw error;
	}
}
