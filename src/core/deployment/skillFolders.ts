import { cp, lstat, rename } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import { hasErrno } from '../../base/errors.ts';
import { folderNames } from '../../base/listing.ts';
import { removeTree } from '../../base/removeTree.ts';
import { uniqueHex } from '../../base/unique.ts';
import type { Deployment } from '../../protocol/deployment.ts';
import { contentHash } from './contentHash.ts';
import type { Runtime } from './runtime.ts';
import { namedError, type HeldFolder } from '../files/heldFolder.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { holdFolderOf } from './exchangeFile.ts';
import type { Job, Outcome } from './job.ts';
import type { Places } from './places.ts';
import { note } from './notes.ts';
import type { DeploymentRecords } from './records.ts';
import { placeIn, statusOf } from './target.ts';

/**
 * Copies the runtime's skills to the agent's folder. A folder that is not Nancy's, or was changed, stays unchanged. A skill that several
 * drivers read is there once, and named in the record of each.
 */
export async function deploySkills(job: Job, skillsFolder: string): Promise<Outcome> {
	const { records, workspace, driver, request } = job;
	const changed: string[] = [];
	const warnings: string[] = [];
	for (const name of await folderNames(request.runtime.skills)) {
		const folder = posix.join(skillsFolder, name);
		const source = join(request.runtime.skills, name);
		const wanted = await contentHash(source);
		const present = await folderHash(workspace, folder);
		const deployments = await records.all();
		const noted = hashesOf(deployments, folder);
		const ownNoted = hashesOf(
			deployments.filter(each => each.driver === driver.id),
			folder,
		);
		if (present !== undefined && !noted.includes(present)) {
			// The very same content, but not from Nancy: a colleague may have committed it. It serves, and Nancy does not remove it.
			if (present !== wanted)
				warnings.push(
					`${folder} is not Nancy's or was changed; Nancy's own skill of that name was not deployed.`,
				);
			continue;
		}
		if (present === wanted && noted.length === 1 && ownNoted.length === 1) continue;
		const noteHashes = (hashes: readonly string[]) => {
			const named = (record: Deployment) => ({
				...record,
				skills: [
					...record.skills.filter(skill => skill.folder !== folder),
					...hashes.map(sha256 => ({ folder, sha256 })),
				],
			});
			const isNamedIn = (record: Deployment) => record.skills.some(skill => skill.folder === folder);
			return note(job, skillsFolder, named, other => (isNamedIn(other) ? named(other) : other));
		};
		if (present !== wanted) {
			// After a kill, either content is known as ours.
			await noteHashes([...new Set([wanted, ...(present === undefined ? [] : [present])])]);
			await copyFolder(records, source, await placeIn(workspace, folder));
			changed.push(folder);
		}
		await noteHashes([wanted]);
	}
	return { changed, warnings };
}

/** The folders that the skills of a runtime have below a skills folder. */
export async function skillsOf({ skills }: Runtime, skillsFolder: string): Promise<string[]> {
	return (await folderNames(skills)).map(name => posix.join(skillsFolder, name));
}

/** Whether the agent finds all of Nancy's skills as they were deployed. A user's own skill of the same name counts. */
export async function hasSkills({ records, workspace, driver, request }: Job, skillsFolder: string): Promise<boolean> {
	const deployments = await records.all();
	for (const name of await folderNames(request.runtime.skills)) {
		const folder = posix.join(skillsFolder, name);
		const present = await folderHash(workspace, folder);
		if (present === undefined) return false;
		if (!hashesOf(deployments, folder).includes(present)) continue;
		// Another driver's clean-up must not remove a skill that this driver needs but has not in its own record.
		const isNamed = deployments.some(
			each => each.driver === driver.id && each.skills.some(skill => skill.folder === folder),
		);
		if (!isNamed || present !== (await contentHash(join(request.runtime.skills, name)))) return false;
	}
	return true;
}

/**
 * Removes the skills of a deployment that no other one needs. Folders that somebody has changed, and folders elsewhere, stay. No link may
 * be on the way.
 */
export async function removeSkills(
	records: DeploymentRecords,
	record: Deployment,
	places: Places,
	folders: Iterable<string>,
): Promise<Outcome> {
	const changed: string[] = [];
	const warnings: string[] = [];
	const { workspace } = records;
	const others = (await records.all()).filter(each => each.driver !== record.driver);
	for (const folder of new Set(folders)) {
		if (hashesOf(others, folder).length > 0) continue;
		if (!places.has(folder)) {
			warnings.push(`${folder} is not where Nancy writes for ${record.driver}; it stays.`);
			continue;
		}
		const present = await folderHash(workspace, folder);
		if (present === undefined) continue;
		if (!hashesOf([record], folder).includes(present)) {
			warnings.push(`${folder} was changed by somebody; it stays.`);
			continue;
		}
		await removeFolder(records, await placeIn(workspace, folder));
		changed.push(folder);
	}
	return { changed, warnings };
}

/** Nancy's skill folders by the records, each once. */
function hashesOf(records: readonly Deployment[], folder: string): string[] {
	const noted = records.flatMap(({ skills }) => skills).filter(skill => skill.folder === folder);
	return [...new Set(noted.map(({ sha256 }) => sha256))];
}

/** `undefined` if nothing is there. The target of a link is somebody else's, and has no hash of Nancy's. */
async function folderHash(workspace: Workspace, folder: string): Promise<string | undefined> {
	const path = await placeIn(workspace, folder);
	const status = await statusOf(lstat, path);
	if (!status) return undefined;
	return status.isDirectory() ? contentHash(path) : '';
}

/** Whole or not at all. Leftovers of a kill are in Nancy's own folder, where they are swept. */
async function copyFolder(records: DeploymentRecords, source: string, target: string): Promise<void> {
	const fresh = join(records.staging, `skill-${uniqueHex(8)}`);
	const above = holdFolderOf(target, records.workspace.folder, true);
	if (!above) return;
	try {
		const name = basename(target);
		await cp(source, fresh, { recursive: true });
		if (await statusOf(lstat, above.at(name))) await moveAway(records, above, name);
		await renameOr(fresh, above.at(name), async () => {
			const near = await besides(above, name);
			await cp(fresh, above.at(near), { recursive: true });
			await rename(above.at(near), above.at(name));
		});
	} catch (error) {
		throw namedError(error);
	} finally {
		above.close();
		await removeTree(fresh);
	}
}

async function removeFolder(records: DeploymentRecords, folder: string): Promise<void> {
	const above = holdFolderOf(folder, records.workspace.folder, false);
	if (!above) return;
	try {
		await moveAway(records, above, basename(folder));
	} catch (error) {
		throw namedError(error);
	} finally {
		above.close();
	}
}

async function moveAway({ staging }: DeploymentRecords, above: HeldFolder, name: string): Promise<void> {
	let aside = join(staging, `old-${uniqueHex(8)}`);
	await renameOr(above.at(name), aside, async () => {
		const near = await besides(above, name);
		await rename(above.at(name), above.at(near));
		aside = above.atForOthers(near);
	});
	await removeTree(aside);
}

/** The user's data folder may be on another disk than the workspace, where there is no moving in one step. */
async function renameOr(from: string, to: string, onOtherDisk: () => Promise<void>): Promise<void> {
	try {
		await rename(from, to);
	} catch (error) {
		if (!hasErrno(error, 'EXDEV')) throw error;
		await onOtherDisk();
	}
}

/** A name on the same disk, always the same one. Leftovers of a kill go with the next deployment or clean-up. */
async function besides(above: HeldFolder, name: string): Promise<string> {
	const near = `.${name}.nancy`;
	await removeTree(above.atForOthers(near));
	return near;
}
