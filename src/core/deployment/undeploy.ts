import type { Deployment } from '../../protocol/deployment.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { DeployResult } from './deploy.ts';
import { removeEarlierRecords } from './earlierRecords.ts';
import { removeEmpty } from './emptyFolders.ts';
import { explained } from './explained.ts';
import { recordsFor } from './found.ts';
import { showToGit } from './gitExclude.ts';
import type { AskGit } from './gitView.ts';
import { hasLaunchFiles, removeLaunchFiles } from './launchFiles.ts';
import { noteChange, noteEnd } from './notes.ts';
import { filesWithLauncher } from './ownFiles.ts';
import { placesOfDriver, type Writer } from './places.ts';
import { DeploymentRecords } from './records.ts';
import { forget, partsOf, removeParts } from './removal.ts';
import { wayTo } from './target.ts';

export interface TakenBack extends DeployResult {
	/** Places behind a link that leads away, relative to the workspace folder: they stay, and so does their record. */
	kept: readonly string[];
}

export interface UndeployRequest {
	/** The user's, with the records: see base/folders. */
	dataFolder: string;
	/** True while a permission answer is in flight: the CLI itself rewrites its settings file then. */
	isBusy?: () => boolean;
	askGit?: AskGit | undefined;
}

/**
 * Takes back everything that was deployed for one agent. A file that nobody changed since is again byte for byte the original. If somebody
 * changed it, or there is no record, only Nancy's own entries go. Returns the changes, and the kept places with their reasons.
 */
export async function undeploy(workspace: Workspace, driver: Writer, request: UndeployRequest): Promise<TakenBack> {
	workspace.refuseLinks();
	return explained(workspace, async () => {
		const records = await recordsFor(workspace, driver, request.dataFolder);
		// A start writes these files before its record.
		const mayBeDeployed = (await records.of(driver.id)) !== undefined || hasLaunchFiles(records, driver.id);
		if (!mayBeDeployed) {
			await records.tidy();
			return takeUnrecorded(records, driver);
		}
		return new DeploymentRecords(workspace, request.dataFolder).locked(async () => {
			const present = await recordsFor(workspace, driver, request.dataFolder);
			const record = await present.of(driver.id);
			return record ? takeBack(present, driver, record, request) : takeUnrecorded(present, driver);
		});
	});
}

async function takeUnrecorded(records: DeploymentRecords, driver: Writer): Promise<TakenBack> {
	const { workspace } = records;
	const changed = await removeLaunchFiles(records, driver.id);
	const warnings = [...(await unseen(workspace, driver)), ...(await strangeFiles(workspace, driver))];
	return { changed, warnings, kept: [] };
}

async function takeBack(
	records: DeploymentRecords,
	driver: Writer,
	record: Deployment,
	{ isBusy, askGit }: UndeployRequest,
): Promise<TakenBack> {
	const { workspace } = records;
	const parts = partsOf(record);
	const { changed, warnings, kept } = await removeParts(records, driver, record, parts, isBusy);
	const launch = await removeLaunchFiles(records, driver.id);
	await removeEmpty(workspace, record.folders, placesOfDriver(workspace, driver));
	// The record may name nothing any more, but stays until git shows its files: after a kill in between, the work continues.
	await noteChange(records, driver.id, known => ({ ...forget(known, parts, kept), launchFiles: [] }));
	const git = await showToGit(records, askGit);
	if (kept.size === 0) await noteEnd(records, record);
	await removeEarlierRecords(workspace);
	return { changed: [...changed, ...launch], warnings: [...warnings, ...git], kept: [...kept] };
}

/** Sentences about files that seem to be Nancy's but cannot be proved to be. */
async function strangeFiles(workspace: Workspace, driver: Writer): Promise<string[]> {
	const files = await filesWithLauncher(workspace, driver);
	return files.map(
		file => `${file} seems to be Nancy's of another version, or changed; it stays. Remove it yourself.`,
	);
}

/** Sentences about places that may hold files of Nancy's, but are not looked at because a link leads away to them. */
async function unseen(workspace: Workspace, driver: Writer): Promise<string[]> {
	const warnings: string[] = [];
	for (const file of placesOfDriver(workspace, driver).files) {
		const way = await wayTo(workspace, file);
		if (way.is === 'blocked' && way.by === 'link') warnings.push(`${String(way.why)}; Nancy has not looked there.`);
	}
	return warnings;
}
