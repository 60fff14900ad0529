import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText, hasErrno, NancyError } from '../../base/errors.ts';
import { isAtLeast, parseVersion } from '../../base/version.ts';
import type { Deployment } from '../../protocol/records.ts';
import type { Driver } from '../driver.ts';
import { isExecutable, launcherIn, type Runtime } from '../runtime.ts';
import type { Workspace } from '../workspace.ts';
import { isOurs, type DeployRequest, type Job } from './job.ts';
import { holdingLock } from '../holdingLock.ts';
import { exists, recordOf, removeIfEmpty, sweepOriginals } from './record.ts';
import { deployFile, restoreFile, sha256 } from './settingsFile.ts';
import { holdsExactly, isPlainJson, oursAmong, withoutEntries } from './settingsText.ts';
import { deploySkills, hasSkills, removeSkills } from './skillFolders.ts';

export interface DeployResult {
	/** Files and folders written, relative to the workspace folder. Empty when all was as it should be. */
	changed: readonly string[];
	/** What the user should know, in sentences. */
	warnings: readonly string[];
}

export type DeploymentState = 'ok' | 'missing' | 'outdated';

/**
 * Writes a driver's hooks and skills into the workspace; safe to repeat. What was there before is kept below
 * `.nancy/deployed/` and noted in config.json first, so that a kill at any line leaves something {@link undeploy} can undo.
 */
export async function deploy(workspace: Workspace, driver: Driver, request: DeployRequest): Promise<DeployResult> {
	return explained(workspace, async () => {
		await workspace.prepare();
		return holdingLock(lockOf(workspace), async () => {
			const job = jobFor(workspace, driver, request);
			const warnings = [...job.plan.warnings];
			const changed: string[] = [];
			for (const edit of job.plan.edits) {
				if (await deployFile(job, edit)) changed.push(edit.file);
				if (!isPlainJson(await readText(workspace, edit.file))) {
					warnings.push(
						`${edit.file} has comments or trailing commas; ${driver.displayName} may ignore the whole file.`,
					);
				}
			}
			if (driver.skillsFolder !== undefined) {
				const skills = await deploySkills(job, driver.skillsFolder);
				changed.push(...skills.changed);
				warnings.push(...skills.warnings);
			}
			await sweepOriginals(workspace);
			return { changed, warnings };
		});
	});
}

/**
 * Whether the workspace has what {@link deploy} would write, or another Nancy of this version or a later one serves it: two that
 * take turns would never end. Throws `settings-broken` for a file nobody can read.
 */
export async function deploymentState(
	workspace: Workspace,
	driver: Driver,
	request: DeployRequest,
): Promise<DeploymentState> {
	const job = jobFor(workspace, driver, request);
	const record = await recordOf(workspace, driver.id);
	let isSame = record?.hookVersion === request.runtime.version;
	let isThere = false;
	for (const { file, entries } of job.plan.edits) {
		const text = await readText(workspace, file);
		isSame &&= holdsExactly(file, text, entries, isOurs);
		isThere ||= withoutEntries(file, text, isOurs) !== text;
	}
	if (isSame && driver.skillsFolder !== undefined) isSame = await hasSkills(job, driver.skillsFolder);
	if (isSame || (record && isThere && (await isServedByAnother(workspace, record, request.runtime)))) return 'ok';
	return isThere ? 'outdated' : 'missing';
}

/** Whether all that another version of Nancy has deployed is in place, and that version is not an earlier one than ours. */
async function isServedByAnother(workspace: Workspace, record: Deployment, { version }: Runtime): Promise<boolean> {
	const own = parseVersion(version);
	const theirs = parseVersion(record.hookVersion);
	if (record.hookVersion === version || !own || !theirs || !isAtLeast(theirs, own)) return false;
	const lines: string[] = [];
	for (const { file } of record.files) lines.push(...oursAmong(file, await readText(workspace, file), isOurs));
	// At least one for each event; which, only that version knows.
	if (lines.length < record.events.length) return false;
	const launchers = lines.map(launcherIn);
	if (launchers.some(launcher => launcher?.version !== record.hookVersion)) return false;
	for (const file of new Set(launchers.map(launcher => launcher?.file ?? '')))
		if (!(await isExecutable(file))) return false;
	for (const { folder } of record.skills) if (!(await exists(join(workspace.folder, folder)))) return false;
	return true;
}

/**
 * Takes back everything that was deployed for one agent. A file that nobody changed since is again what it was, byte for byte;
 * of any other, only Nancy's own entries go. Returns what was done, and what was kept and why.
 */
export async function undeploy(
	workspace: Workspace,
	driver: Driver['id'],
	isBusy?: () => boolean,
): Promise<DeployResult> {
	return explained(workspace, async () => {
		if (!(await recordOf(workspace, driver))) return { changed: [], warnings: [] };
		return holdingLock(lockOf(workspace), async () => {
			const record = await recordOf(workspace, driver);
			return record ? takeBack(workspace, record, isBusy) : { changed: [], warnings: [] };
		});
	});
}

/**
 * Takes back the entries of a deployment whose record is gone (somebody removed `.nancy`). They are known by themselves; skills
 * are not, and stay.
 */
export async function undeployUnrecorded(
	workspace: Workspace,
	driver: Driver,
	isBusy?: () => boolean,
): Promise<DeployResult> {
	if (await recordOf(workspace, driver.id)) return { changed: [], warnings: [] };
	const changed: string[] = [];
	for (const file of await filesWithEntries(workspace, driver)) {
		await explained(workspace, async () => {
			await holdingLock(lockOf(workspace), async () => {
				// Nobody knows any more who made the file: when nothing is left in it, it goes.
				const noted = { file, existedBefore: false, sha256: sha256('') };
				if (await restoreFile(workspace, noted, isBusy)) changed.push(file);
				await sweepOriginals(workspace);
			});
			// Made for the lock alone where the user had removed it.
			await removeIfEmpty(workspace.paths.root);
		});
	}
	return { changed, warnings: [] };
}

/** An agent's settings files in a folder that hold entries of Nancy's, whether a record says so or not. */
export async function filesWithEntries(workspace: Workspace, driver: Driver): Promise<string[]> {
	const plan = driver.deployment({
		version: driver.oldestVersion,
		launcher: '',
		workspaceFolder: workspace.folder,
		scope: 'workspace',
	});
	const found: string[] = [];
	for (const { file } of plan.edits) {
		if (oursAmong(file, await readText(workspace, file), isOurs).length > 0) found.push(file);
	}
	return found;
}

async function takeBack(workspace: Workspace, record: Deployment, isBusy?: () => boolean): Promise<DeployResult> {
	const changed: string[] = [];
	for (const file of record.files) if (await restoreFile(workspace, file, isBusy)) changed.push(file.file);
	const skills = await removeSkills(workspace, record);
	for (const folder of record.folders) await removeIfEmpty(join(workspace.folder, folder));
	await workspace.updateConfig(config => ({
		...config,
		deployments: config.deployments.filter(each => each.driver !== record.driver),
	}));
	await sweepOriginals(workspace);
	return { changed: [...changed, ...skills.changed], warnings: skills.warnings };
}

function jobFor(workspace: Workspace, driver: Driver, request: DeployRequest): Job {
	const { runtime, agentVersion, scope } = request;
	const plan = driver.deployment({
		version: agentVersion,
		launcher: runtime.launcher,
		workspaceFolder: workspace.folder,
		scope,
	});
	return { workspace, driver, request, plan };
}

function lockOf(workspace: Workspace): string {
	return join(workspace.paths.root, 'deploy.lock');
}

/** A disk that is full or may not be written is nothing Nancy can cure: says what to do, and that nothing is half done. */
async function explained<T>(workspace: Workspace, run: () => Promise<T>): Promise<T> {
	try {
		return await run();
	} catch (cause) {
		// Where nothing may be written, Node says of a folder to be made that it is not there.
		const isUnmade = hasErrno(cause, 'ENOENT') && errorText(cause).includes('mkdir');
		if (cause instanceof NancyError) throw cause;
		if (!isUnmade && !hasErrno(cause, 'EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT')) throw cause;
		const cure = hasErrno(cause, 'ENOSPC', 'EDQUOT') ? 'Free some space' : 'Check who may write there';
		throw new NancyError(
			'io',
			`${workspace.folder} cannot be set up or cleaned up: ${errorText(cause)}. ${cure} and try again; no file is half written.`,
			{ cause },
		);
	}
}

async function readText(workspace: Workspace, file: string): Promise<string> {
	try {
		return await readFile(join(workspace.folder, file), 'utf8');
	} catch (error) {
		if (hasErrno(error, 'ENOENT')) return '';
		throw error;
	}
}
