import { lstat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { folderNames } from '../../base/listing.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Deployment } from '../../protocol/deployment.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { ownEntries } from './ownEntries.ts';
import { plannedEdits, plannedFiles, type Writer } from './places.ts';
import { DeploymentRecords } from './records.ts';
import { contentHash } from './contentHash.ts';
import { installedLauncher, LAUNCHER, launcherWithin, runtimesIn } from './launcher.ts';
import { HIDING } from './runtime.ts';
import { entriesAmong, oursAmong } from './settingsText.ts';
import { readText, statusOf, wayTo, wayToFile } from './target.ts';

/** The records of a workspace, and for a driver without a record, its findings. */
export async function recordsFor(workspace: Workspace, driver: Writer, dataFolder: string): Promise<DeploymentRecords> {
	const records = new DeploymentRecords(workspace, dataFolder);
	if (!(await records.of(driver.id))) records.assume(await foundDeployment(records, driver));
	return records;
}

/**
 * A driver's deployment in a workspace without a record. An earlier version of Nancy has made it, or somebody has removed the user's data
 * folder. It is known by itself alone: entries by their lines, files and skills by their content.
 */
async function foundDeployment(records: DeploymentRecords, driver: Writer): Promise<Deployment | undefined> {
	const found: Deployment = {
		driver: driver.id,
		scope: 'workspace',
		hookVersion: '',
		events: [],
		deployedAt: new Date().toISOString(),
		files: await foundEntries(records, driver),
		ownFiles: await foundFiles(records, driver),
		launchFiles: [],
		skills: await foundSkills(records, driver),
		folders: [],
	};
	return found.files.length + found.ownFiles.length + found.skills.length > 0 ? found : undefined;
}

async function foundEntries(records: DeploymentRecords, driver: Writer): Promise<Deployment['files']> {
	const { workspace } = records;
	const found: Deployment['files'] = [];
	for (const file of new Set(plannedEdits(workspace, driver, '').map(edit => edit.file))) {
		if ((await wayToFile(workspace, file)).is === 'blocked') continue;
		// A file that can hold nothing of Nancy's need not be JSON. Its editing reports an unreadable one.
		const text = await readText(workspace, file).catch(() => '');
		if (!text.includes(LAUNCHER)) continue;
		const { isOwn, isWhole } = await ownEntries(records, driver, file, text);
		const before = oursAmong(file, text, isOwn);
		if (before.length > 0) found.push({ file, entries: entriesAmong(file, text, isOwn).filter(isWhole), before });
	}
	return found;
}

/** Files that are exactly the driver's text for the launcher in them. For any other file, nobody knows who changed it. */
async function foundFiles(records: DeploymentRecords, driver: Writer): Promise<Deployment['ownFiles']> {
	const { workspace, dataFolder } = records;
	const found: Deployment['ownFiles'] = [];
	for (const file of new Set(plannedFiles(workspace, driver, '').map(own => own.file))) {
		const way = await wayTo(workspace, file);
		if (way.is === 'blocked' || !(await statusOf(lstat, way.path))?.isFile()) continue;
		const text = await readText(workspace, file);
		const launcher = launcherWithin(text) ?? '';
		if (launcher !== installedLauncher(dataFolder, posix.basename(posix.dirname(launcher)))) continue;
		const planned = plannedFiles(workspace, driver, launcher);
		if (planned.some(own => own.file === file && own.content === text)) found.push({ file, sha256: sha256(text) });
	}
	return found;
}

/** Skills with the name of an installed runtime's that hide themselves from git as Nancy's do, with the runtimes' content. */
async function foundSkills(records: DeploymentRecords, { skillsFolder }: Writer): Promise<Deployment['skills']> {
	const { workspace } = records;
	if (skillsFolder === undefined) return [];
	const found: Deployment['skills'] = [];
	const runtimes = runtimesIn(records.dataFolder);
	const others = (await records.all()).flatMap(({ skills }) => skills);
	for (const version of await folderNames(runtimes)) {
		const skills = join(runtimes, version, 'skills');
		for (const name of await folderNames(skills)) {
			const folder = posix.join(skillsFolder, name);
			if ((await wayTo(workspace, folder)).is === 'blocked') continue;
			if (others.some(skill => skill.folder === folder) || (await hidingIn(workspace, folder)) !== HIDING)
				continue;
			found.push({ folder, sha256: await contentHash(join(skills, name)) });
		}
	}
	return found;
}

/** The `.gitignore` of each skill of Nancy's; also `undefined` in something other than a folder, or behind a link. */
async function hidingIn(workspace: Workspace, folder: string): Promise<string | undefined> {
	const file = posix.join(folder, '.gitignore');
	const way = await wayTo(workspace, file);
	if (way.is === 'blocked' || !(await statusOf(lstat, way.path))?.isFile()) return undefined;
	return readText(workspace, file);
}
