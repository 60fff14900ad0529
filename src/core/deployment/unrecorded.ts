import { sha256 } from '../../base/sha256.ts';
import { LAUNCHER } from './runtime.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { isOursFor, type Outcome } from './job.ts';
import { removeLaunchFiles } from './launchFiles.ts';
import { explained, locked } from './locked.ts';
import { placesOfDriver, plannedEdits, type Writer } from './places.ts';
import { removeUnrecorded, unrecordedOwnFiles } from './ownFiles.ts';
import { recordOf, removeIfEmpty, sweepOriginals } from './record.ts';
import { restoreFile } from './settingsFile.ts';
import { oursAmong } from './settingsText.ts';
import { removeUnrecordedSkills, unrecordedSkills } from './skillFolders.ts';
import { readText, wayTo } from './target.ts';

/**
 * Takes back a deployment whose record is gone (somebody removed `.nancy`). Entries are known by themselves, and files of Nancy's own
 * by what the driver writes; skills by what a runtime has that is still installed.
 * @param runtimes the folder of installed runtimes; without, skills stay
 */
export async function undeployUnrecorded(
	workspace: Workspace,
	driver: Writer,
	isBusy?: () => boolean,
	runtimes?: string,
): Promise<Outcome> {
	const outcome: Outcome = { changed: [], warnings: [] };
	if (await recordOf(workspace, driver.id)) return outcome;
	outcome.warnings.push(...(await unseen(workspace, driver)));
	const settings = await settingsWithEntries(workspace, driver);
	const hasFiles = (await unrecordedOwnFiles(workspace, driver)).length > 0;
	const { skillsFolder } = driver;
	const hasSkills =
		runtimes !== undefined &&
		skillsFolder !== undefined &&
		(await unrecordedSkills(workspace, skillsFolder, runtimes)).size > 0;
	if (settings.length > 0 || hasFiles || hasSkills) {
		await locked(workspace, async () => {
			for (const file of settings) {
				// Nobody knows any more who made the file: when nothing is left in it, it goes.
				const noted = { file, existedBefore: false, sha256: sha256('') };
				if (await restoreFile(workspace, driver.id, noted, isBusy)) outcome.changed.push(file);
			}
			const own = await removeUnrecorded(workspace, driver);
			outcome.changed.push(...own.changed);
			outcome.warnings.push(...own.warnings);
			if (hasSkills) {
				const skills = await removeUnrecordedSkills(workspace, skillsFolder, runtimes);
				outcome.changed.push(...skills.changed);
				outcome.warnings.push(...skills.warnings);
			}
			await sweepOriginals(workspace);
		});
	}
	await explained(workspace, async () => {
		outcome.changed.push(...(await removeLaunchFiles(workspace, driver.id)));
		// The folder may have been made for the lock alone, where the user had removed it.
		await removeIfEmpty(workspace.paths.root);
	});
	return outcome;
}

/** An agent's files in a folder that hold something of Nancy's, whether a record says so or not. */
export async function filesWithEntries(workspace: Workspace, driver: Writer): Promise<string[]> {
	return [...(await settingsWithEntries(workspace, driver)), ...(await unrecordedOwnFiles(workspace, driver))];
}

async function settingsWithEntries(workspace: Workspace, driver: Writer): Promise<string[]> {
	const found: string[] = [];
	for (const file of plannedEdits(workspace, driver)) {
		if ((await wayTo(workspace, file)).is === 'blocked') continue;
		const text = await readText(workspace, file);
		// One in which nothing of Nancy's can be need not be JSON.
		if (text.includes(LAUNCHER) && oursAmong(file, text, isOursFor(driver.id)).length > 0) found.push(file);
	}
	return found;
}

/** Sentences about places that may hold something of Nancy's, and are not looked at, for a link leads away to them. */
async function unseen(workspace: Workspace, driver: Writer): Promise<string[]> {
	const warnings: string[] = [];
	for (const file of placesOfDriver(workspace, driver).files) {
		const way = await wayTo(workspace, file);
		if (way.is === 'blocked' && way.by === 'link') warnings.push(`${way.why}; Nancy has not looked there.`);
	}
	return warnings;
}
