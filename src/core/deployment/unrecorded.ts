import type { Driver } from '../driver.ts';
import type { Workspace } from '../workspace.ts';
import { isOursFor, type Outcome } from './job.ts';
import { removeLaunchFiles } from './launchFiles.ts';
import { explained, locked } from './locked.ts';
import { removeUnrecorded, unrecordedOwnFiles } from './ownFiles.ts';
import { recordOf, removeIfEmpty, sweepOriginals } from './record.ts';
import { restoreFile, sha256 } from './settingsFile.ts';
import { oursAmong } from './settingsText.ts';
import { readText } from './target.ts';

/**
 * Takes back a deployment whose record is gone (somebody removed `.nancy`). Entries are known by themselves, and files of Nancy's own
 * by what the driver writes; skills are not, and stay.
 */
export async function undeployUnrecorded(
	workspace: Workspace,
	driver: Driver,
	isBusy?: () => boolean,
): Promise<Outcome> {
	const outcome: Outcome = { changed: [], warnings: [] };
	if (await recordOf(workspace, driver.id)) return outcome;
	const settings = await settingsWithEntries(workspace, driver);
	const hasFiles = (await unrecordedOwnFiles(workspace, driver)).length > 0;
	if (settings.length > 0 || hasFiles) {
		await locked(workspace, async () => {
			for (const file of settings) {
				// Nobody knows any more who made the file: when nothing is left in it, it goes.
				const noted = { file, existedBefore: false, sha256: sha256('') };
				if (await restoreFile(workspace, driver.id, noted, isBusy)) outcome.changed.push(file);
			}
			const own = await removeUnrecorded(workspace, driver);
			outcome.changed.push(...own.changed);
			outcome.warnings.push(...own.warnings);
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
export async function filesWithEntries(workspace: Workspace, driver: Driver): Promise<string[]> {
	return [...(await settingsWithEntries(workspace, driver)), ...(await unrecordedOwnFiles(workspace, driver))];
}

async function settingsWithEntries(workspace: Workspace, driver: Driver): Promise<string[]> {
	const plan = driver.deployment({
		version: driver.oldestVersion,
		launcher: '',
		workspaceFolder: workspace.folder,
		scope: 'workspace',
	});
	const found: string[] = [];
	for (const { file } of plan.edits) {
		if (oursAmong(file, await readText(workspace, file), isOursFor(driver.id)).length > 0) found.push(file);
	}
	return found;
}
