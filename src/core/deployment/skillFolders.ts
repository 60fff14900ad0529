import { cp, lstat, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { hasErrno } from '../../base/errors.ts';
import { folderNames } from '../../base/listing.ts';
import { uniqueHex } from '../../base/unique.ts';
import type { Deployment } from '../../protocol/records.ts';
import { contentHash, HIDING, type Runtime } from './runtime.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Job, Outcome } from './job.ts';
import type { Places } from './places.ts';
import { exists, removeIfEmpty, updateRecord } from './record.ts';
import { placeIn, readText, statusOf, wayTo } from './target.ts';

/**
 * Copies the runtime's skills to where the agent reads them. A folder that is not Nancy's, or was changed, stays as it is. What
 * several drivers read is there once, and named in the record of each.
 */
export async function deploySkills(job: Job, skillsFolder: string): Promise<Outcome> {
	const { workspace, driver, request } = job;
	const changed: string[] = [];
	const warnings: string[] = [];
	for (const name of await folderNames(request.runtime.skills)) {
		const folder = posix.join(skillsFolder, name);
		const source = join(request.runtime.skills, name);
		const wanted = await contentHash(source);
		const present = await presentHash(workspace, folder);
		const { deployments } = await workspace.config();
		const noted = hashesOf(deployments, folder);
		const ownNoted = hashesOf(
			deployments.filter(each => each.driver === driver.id),
			folder,
		);
		if (present !== undefined && !noted.includes(present)) {
			// The very same, but not from us: a colleague may have committed it. It serves, and is not ours to remove.
			if (present !== wanted)
				warnings.push(
					`${folder} is not Nancy's or was changed; Nancy's own skill of that name was not deployed.`,
				);
			continue;
		}
		if (present === wanted && noted.length === 1 && ownNoted.length === 1) continue;
		const note = (hashes: readonly string[]) => {
			const named = (record: Deployment) => ({
				...record,
				skills: [
					...record.skills.filter(skill => skill.folder !== folder),
					...hashes.map(sha256 => ({ folder, sha256 })),
				],
			});
			const isNamedIn = (record: Deployment) => record.skills.some(skill => skill.folder === folder);
			return updateRecord(job, skillsFolder, named, other => (isNamedIn(other) ? named(other) : other));
		};
		if (present !== wanted) {
			// Whichever of the two a kill leaves there is known as ours.
			await note([...new Set([wanted, ...(present === undefined ? [] : [present])])]);
			await copyFolder(workspace, source, await placeIn(workspace, folder));
			changed.push(folder);
		}
		await note([wanted]);
	}
	return { changed, warnings };
}

/** The folders that the skills of a runtime have below a skills folder. */
export async function skillsOf({ skills }: Runtime, skillsFolder: string): Promise<string[]> {
	return (await folderNames(skills)).map(name => posix.join(skillsFolder, name));
}

/** Whether the agent finds all of Nancy's skills as they were deployed; a user's own of the same name counts. */
export async function hasSkills({ workspace, driver, request }: Job, skillsFolder: string): Promise<boolean> {
	const { deployments } = await workspace.config();
	for (const name of await folderNames(request.runtime.skills)) {
		const folder = posix.join(skillsFolder, name);
		const present = await presentHash(workspace, folder);
		if (present === undefined) return false;
		if (!hashesOf(deployments, folder).includes(present)) continue;
		// Another driver's clean-up must not take away what this one has not in its own record.
		const isNamed = deployments.some(
			each => each.driver === driver.id && each.skills.some(skill => skill.folder === folder),
		);
		if (!isNamed || present !== (await contentHash(join(request.runtime.skills, name)))) return false;
	}
	return true;
}

/** Removes the skills of a deployment that no other one needs, but those that somebody has changed and those elsewhere. No link may be on the way. */
export async function removeSkills(
	workspace: Workspace,
	record: Deployment,
	places: Places,
	folders: Iterable<string>,
): Promise<Outcome> {
	const changed: string[] = [];
	const warnings: string[] = [];
	const others = (await workspace.config()).deployments.filter(each => each.driver !== record.driver);
	for (const folder of new Set(folders)) {
		if (hashesOf(others, folder).length > 0) continue;
		if (!places.has(folder)) {
			warnings.push(`${folder} is not where Nancy writes for ${record.driver}; it stays.`);
			continue;
		}
		const present = await presentHash(workspace, folder);
		if (present === undefined) continue;
		if (!hashesOf([record], folder).includes(present)) {
			warnings.push(`${folder} was changed by somebody; it stays.`);
			continue;
		}
		await removeFolder(workspace, await placeIn(workspace, folder));
		changed.push(folder);
	}
	return { changed, warnings };
}

/**
 * Folders that stand where a driver's skills do, have the name of one, and are in no record (somebody removed `.nancy`); with each
 * the skills of that name.
 * @param runtimes the folder of installed runtimes
 */
export async function unrecordedSkills(
	workspace: Workspace,
	skillsFolder: string,
	runtimes: string,
): Promise<Map<string, string[]>> {
	const found = new Map<string, string[]>();
	const { deployments } = await workspace.config();
	for (const version of await folderNames(runtimes)) {
		const skills = join(runtimes, version, 'skills');
		for (const name of await folderNames(skills)) {
			const folder = posix.join(skillsFolder, name);
			if ((await wayTo(workspace, folder)).is === 'blocked' || hashesOf(deployments, folder).length > 0) continue;
			if ((await presentHash(workspace, folder)) === undefined) continue;
			found.set(folder, [...(found.get(folder) ?? []), join(skills, name)]);
		}
	}
	return found;
}

/** Removes {@link unrecordedSkills} that are exactly a runtime's; of one that only looks like Nancy's nobody knows who changed it. */
export async function removeUnrecordedSkills(
	workspace: Workspace,
	skillsFolder: string,
	runtimes: string,
): Promise<Outcome> {
	const changed: string[] = [];
	const warnings: string[] = [];
	for (const [folder, sources] of await unrecordedSkills(workspace, skillsFolder, runtimes)) {
		const known = await Promise.all(sources.map(source => contentHash(source)));
		if (known.includes((await presentHash(workspace, folder)) ?? '')) {
			await removeFolder(workspace, await placeIn(workspace, folder));
			changed.push(folder);
		} else if ((await hidingIn(workspace, folder)) === HIDING) {
			warnings.push(
				`${folder} seems to be Nancy's of another version, or changed; it stays. Remove it yourself.`,
			);
		}
	}
	if (changed.length > 0) await removeIfEmpty(await placeIn(workspace, skillsFolder));
	return { changed, warnings };
}

/** The `.gitignore` that each skill of Nancy's has; `undefined` also in what is no folder, or behind a link. */
async function hidingIn(workspace: Workspace, folder: string): Promise<string | undefined> {
	const file = posix.join(folder, '.gitignore');
	const way = await wayTo(workspace, file);
	if (way.is === 'blocked' || !(await statusOf(lstat, way.path))?.isFile()) return undefined;
	return readText(workspace, file);
}

/** What Nancy put there, by the records; once each. */
function hashesOf(records: readonly Deployment[], folder: string): string[] {
	const noted = records.flatMap(({ skills }) => skills).filter(skill => skill.folder === folder);
	return [...new Set(noted.map(({ sha256 }) => sha256))];
}

/** `undefined` where nothing stands; what a link leads to is somebody else's, and no hash is its. */
async function presentHash(workspace: Workspace, folder: string): Promise<string | undefined> {
	const path = await placeIn(workspace, folder);
	const status = await statusOf(lstat, path);
	if (!status) return undefined;
	return status.isDirectory() ? contentHash(path) : '';
}

/** Whole or not at all: what a kill leaves behind is in Nancy's own folder, where it is swept up. */
async function copyFolder(workspace: Workspace, source: string, target: string): Promise<void> {
	const fresh = join(workspace.paths.originals, `skill-${uniqueHex(8)}`);
	await mkdir(dirname(fresh), { recursive: true, mode: 0o700 });
	await mkdir(dirname(target), { recursive: true });
	try {
		await cp(source, fresh, { recursive: true });
		if (await exists(target)) await removeFolder(workspace, target);
		await moveFolder(fresh, target);
	} finally {
		await rm(fresh, { recursive: true, force: true });
	}
}

async function removeFolder(workspace: Workspace, folder: string): Promise<void> {
	const aside = join(workspace.paths.originals, `old-${uniqueHex(8)}`);
	await mkdir(dirname(aside), { recursive: true, mode: 0o700 });
	await moveFolder(folder, aside);
	await rm(aside, { recursive: true, force: true });
}

/** The agent's folder may be on another disk, where there is no moving in one step. */
async function moveFolder(from: string, to: string): Promise<void> {
	try {
		await rename(from, to);
	} catch (error) {
		if (!hasErrno(error, 'EXDEV')) throw error;
		await cp(from, to, { recursive: true });
		await rm(from, { recursive: true });
	}
}
