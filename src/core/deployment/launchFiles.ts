import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import { join, posix, relative } from 'node:path';
import { writeFileAtomic } from '../../base/atomicFile.ts';
import { hasErrno } from '../../base/errors.ts';
import { sha256 } from '../../base/sha256.ts';
import type { DriverId } from '../../protocol/names.ts';
import type { Deployment } from '../../protocol/records.ts';
import { refuseLinks } from '../files/links.ts';
import { isLauncherGone } from './runtime.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Job } from './job.ts';
import { removeIfEmpty } from './record.ts';

/**
 * Makes a driver's launch folder hold the plan's files and nothing else: a CLI may load all that it finds there. Returns what was
 * written or removed. Each file is whole at any moment, for an agent may be starting with it.
 */
export async function deployLaunchFiles({ workspace, driver, plan }: Job): Promise<string[]> {
	const folder = workspace.paths.launchFiles(driver.id);
	const changed: string[] = [];
	const wanted = new Map(plan.launchFiles.map(({ file, content }) => [file, content]));
	for (const { name, isFile } of await entriesBelow(workspace, folder)) {
		if (isFile && wanted.has(name)) continue;
		await rm(join(folder, name), { force: true });
		changed.push(shown(workspace, folder, name));
	}
	for (const [name, content] of wanted) {
		const file = join(folder, name);
		if ((await textOf(file)) === content) continue;
		// A folder of that name is empty now, or holds what another version wanted.
		if (await isFolder(file)) await rm(file, { recursive: true, force: true });
		await writeFileAtomic(file, content);
		changed.push(shown(workspace, folder, name));
	}
	if (wanted.size === 0) await removeLaunchFiles(workspace, driver.id);
	return changed;
}

/** Whether a launch finds exactly what is wanted. */
export async function holdsLaunchFiles({ workspace, driver, plan }: Job): Promise<boolean> {
	return isWhole(
		workspace,
		driver.id,
		plan.launchFiles.map(({ file, content }) => ({ file, sha256: sha256(content) })),
	);
}

/** Whether a launch finds what a record says, with the programs that it calls. */
export async function hasRecordedLaunchFiles(workspace: Workspace, record: Deployment): Promise<boolean> {
	const folder = workspace.paths.launchFiles(record.driver);
	for (const { file } of record.launchFiles)
		if (await isLauncherGone((await textOf(join(folder, file))) ?? '')) return false;
	return isWhole(workspace, record.driver, record.launchFiles);
}

/** Removes a driver's launch folder. Returns it when it was there. */
export async function removeLaunchFiles(workspace: Workspace, driver: DriverId): Promise<string[]> {
	const folder = workspace.paths.launchFiles(driver);
	refuseLinks([workspace.paths.root, workspace.paths.launches, folder]);
	if (!(await isFolder(folder))) return [];
	const wasFilled = (await readdir(folder)).length > 0;
	await rm(folder, { recursive: true, force: true });
	await removeIfEmpty(workspace.paths.launches);
	return wasFilled ? [relative(workspace.folder, folder).replaceAll('\\', '/')] : [];
}

async function isWhole(workspace: Workspace, driver: DriverId, files: Deployment['launchFiles']): Promise<boolean> {
	const folder = workspace.paths.launchFiles(driver);
	const present = await entriesBelow(workspace, folder);
	if (present.length !== files.length) return false;
	for (const { file, sha256: hash } of files) {
		const text = await textOf(join(folder, file));
		if (text === undefined || sha256(text) !== hash) return false;
	}
	return true;
}

/** All that is below a launch folder but folders; nothing is looked at through a link. */
async function entriesBelow(
	workspace: Workspace,
	folder: string,
	below = '',
): Promise<{ name: string; isFile: boolean }[]> {
	if (below === '') refuseLinks([workspace.paths.root, workspace.paths.launches, folder]);
	const found: { name: string; isFile: boolean }[] = [];
	let entries;
	try {
		entries = await readdir(join(folder, below), { withFileTypes: true });
	} catch (error) {
		if (hasErrno(error, 'ENOENT')) return [];
		throw error;
	}
	for (const entry of entries) {
		const name = posix.join(below, entry.name);
		if (entry.isDirectory()) found.push(...(await entriesBelow(workspace, folder, name)));
		else found.push({ name, isFile: entry.isFile() });
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

async function isFolder(path: string): Promise<boolean> {
	try {
		return (await lstat(path)).isDirectory();
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return false;
		throw error;
	}
}

function shown(workspace: Workspace, folder: string, name: string): string {
	return relative(workspace.folder, join(folder, name)).replaceAll('\\', '/');
}
