import type { Deployment } from '../../protocol/records.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { DeployResult } from './deploy.ts';
import { showToGit, type AskGit } from './gitExclude.ts';
import { removeLaunchFiles } from './launchFiles.ts';
import { explained, locked } from './locked.ts';
import { placesOfDriver, type Places, type Writer } from './places.ts';
import { changeRecord, dropRecord, recordOf, removeEmpty, sweepOriginals } from './record.ts';
import { forget, partsOf, removeParts } from './removal.ts';

export interface TakenBack extends DeployResult {
	/** Places that a link leads away from, relative to the workspace folder: they stay, and so does the record of them. */
	kept: readonly string[];
}

/**
 * Takes back everything that was deployed for one agent. A file that nobody changed since is again what it was, byte for byte;
 * of any other, only Nancy's own entries go. Returns what was done, and what was kept and why.
 */
export async function undeploy(
	workspace: Workspace,
	driver: Writer,
	isBusy?: () => boolean,
	askGit?: AskGit,
): Promise<TakenBack> {
	return explained(workspace, async () => {
		if (!(await recordOf(workspace, driver.id))) return { changed: [], warnings: [], kept: [] };
		return locked(workspace, async () => {
			const record = await recordOf(workspace, driver.id);
			if (!record) return { changed: [], warnings: [], kept: [] };
			return takeBack(workspace, record, placesOfDriver(workspace, driver), isBusy, askGit);
		});
	});
}

async function takeBack(
	workspace: Workspace,
	record: Deployment,
	places: Places,
	isBusy: (() => boolean) | undefined,
	askGit: AskGit | undefined,
): Promise<TakenBack> {
	const parts = partsOf(record);
	const { changed, warnings, kept } = await removeParts(workspace, record, places, parts, isBusy);
	const launch = await removeLaunchFiles(workspace, record.driver);
	await removeEmpty(workspace, record.folders, places);
	// Though it may name nothing any more, it stays until git shows what it named: a kill in between is gone on from.
	await changeRecord(workspace, record.driver, known => ({ ...forget(known, parts, kept), launchFiles: [] }));
	const git = await showToGit(workspace, askGit);
	if (kept.size === 0) await dropRecord(workspace, record);
	await sweepOriginals(workspace);
	return { changed: [...changed, ...launch], warnings: [...warnings, ...git], kept: [...kept] };
}
