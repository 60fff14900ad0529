import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { formatVersion } from '../../base/version.ts';
import type { Deployment } from '../../protocol/records.ts';
import type { DriverId } from '../../protocol/names.ts';
import type { DeploymentScope, Driver } from '../driver.ts';
import type { Workspace } from '../workspace.ts';
import { hideFromGit, showToGit, type AskGit } from './gitExclude.ts';
import { isOursFor, jobFor, type DeployRequest, type Job, type Outcome } from './job.ts';
import { deployLaunchFiles, holdsLaunchFiles, removeLaunchFiles } from './launchFiles.ts';
import { explained, locked } from './locked.ts';
import { deployOwnFiles, inTheWay, ownFilesState, removeOwnFiles, writable } from './ownFiles.ts';
import { placesOfDriver, type Places, type Writer } from './places.ts';
import { dropRecord, placesOf, recordOf, removeEmpty, sweepOriginals, updateRecord } from './record.ts';
import { isServedByAnother } from './served.ts';
import { deployFile, restoreFile, sha256 } from './settingsFile.ts';
import { holdsExactly, isPlainJson, withoutEntries } from './settingsText.ts';
import { deploySkills, hasSkills, removeSkills, skillsOf } from './skillFolders.ts';
import { placeIn, readText, statusOf, wayTo } from './target.ts';

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
		return locked(workspace, async () => {
			const job = jobFor(workspace, driver, request, await recordOf(workspace, driver.id));
			try {
				return await carryOut(job, request.scope);
			} catch (error) {
				await showToGit(workspace, request.askGit);
				throw error;
			}
		});
	});
}

/** @param asked which sessions the user has just asked to be served */
async function carryOut(job: Job, asked: DeploymentScope): Promise<DeployResult> {
	const { workspace, driver, request, plan } = job;
	const outcome: Outcome = { changed: [], warnings: [] };
	const add = ({ changed, warnings }: Outcome) => {
		outcome.changed.push(...changed);
		outcome.warnings.push(...warnings);
	};
	await refuseLinkedPlaces(job);
	const isTracked = await hide(job, outcome);
	for (const edit of plan.edits) {
		if (await deployFile(job, edit)) {
			outcome.changed.push(edit.file);
			if (isTracked(edit.file))
				outcome.warnings.push(`${edit.file} is tracked by git: do not commit Nancy's lines in it.`);
		}
		if (!isPlainJson(await readText(workspace, edit.file))) {
			outcome.warnings.push(
				`${edit.file} has comments or trailing commas; ${driver.displayName} may ignore the whole file.`,
			);
		}
	}
	const own = await deployOwnFiles(job);
	add(own);
	for (const file of own.changed.filter(isTracked))
		outcome.warnings.push(`${file} is tracked by git: do not commit what Nancy wrote there.`);
	outcome.changed.push(...(await deployLaunchFiles(job)));
	if (driver.skillsFolder !== undefined) add(await deploySkills(job, driver.skillsFolder));
	add(await removeStale(job, request.isBusy));
	await settleRecord(job);
	await sweepOriginals(workspace);
	// At a start that found everything in its place, the user has been told.
	const isNews = asked === 'workspace' || outcome.changed.length > 0;
	return { changed: outcome.changed, warnings: [...(isNews ? plan.warnings : []), ...outcome.warnings] };
}

/**
 * Whether the workspace has what {@link deploy} would write, or another Nancy of this version or a later one serves it: two that
 * take turns would never end. A file of somebody else's that stands where one of Nancy's belongs counts: see {@link obstacles}.
 * Throws `settings-broken` for a file nobody can read.
 */
export async function deploymentState(
	workspace: Workspace,
	driver: Driver,
	request: DeployRequest,
): Promise<DeploymentState> {
	const record = await recordOf(workspace, driver.id);
	const job = jobFor(workspace, driver, request, record);
	const isOwn = isOursFor(driver.id);
	let isSame = record?.hookVersion === request.runtime.version && record.scope === job.request.scope;
	let isThere = false;
	for (const { file, entries } of job.plan.edits) {
		const text = await readText(workspace, file);
		isSame &&= holdsExactly(file, text, entries, isOwn);
		isThere ||= withoutEntries(file, text, isOwn) !== text;
	}
	const own = await ownFilesState(job);
	isSame &&= own.isSame && (await holdsLaunchFiles(job)) && (await staleIn(job)) === undefined;
	isThere ||= own.isThere || (record !== undefined && record.launchFiles.length > 0);
	if (isSame && driver.skillsFolder !== undefined) isSame = await hasSkills(job, driver.skillsFolder);
	if (isSame || (record && isThere && (await isServedByAnother(workspace, record, request.runtime)))) return 'ok';
	return isThere ? 'outdated' : 'missing';
}

/** Sentences about what keeps a driver's hooks out of the workspace and only the user can cure. */
export async function obstacles(workspace: Workspace, driver: Driver, request: DeployRequest): Promise<string[]> {
	return inTheWay(jobFor(workspace, driver, request, await recordOf(workspace, driver.id)));
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
): Promise<DeployResult> {
	return explained(workspace, async () => {
		if (!(await recordOf(workspace, driver.id))) return { changed: [], warnings: [] };
		return locked(workspace, async () => {
			const record = await recordOf(workspace, driver.id);
			if (!record) return { changed: [], warnings: [] };
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
): Promise<DeployResult> {
	const files = await giveBack(workspace, record.driver, record.files, isBusy);
	const own = await removeOwnFiles(workspace, record, places);
	const launch = await removeLaunchFiles(workspace, record.driver);
	const skills = await removeSkills(workspace, record, places);
	await removeEmpty(workspace, record.folders, places);
	const git = await showToGit(workspace, askGit, record.driver);
	await dropRecord(workspace, record);
	await sweepOriginals(workspace);
	return {
		changed: [...files.changed, ...own.changed, ...launch, ...skills.changed],
		warnings: [...files.warnings, ...own.warnings, ...skills.warnings, ...git],
	};
}

/** Gives other tools' files back, but those that a link leads away to. */
async function giveBack(
	workspace: Workspace,
	driver: DriverId,
	files: Deployment['files'],
	isBusy: (() => boolean) | undefined,
): Promise<Outcome> {
	const outcome: Outcome = { changed: [], warnings: [] };
	for (const deployed of files) {
		const way = await wayTo(workspace, deployed.file);
		if (way.is === 'blocked') outcome.warnings.push(`${way.why}; it stays as it is.`);
		else if (await restoreFile(workspace, driver, deployed, isBusy)) outcome.changed.push(deployed.file);
	}
	return outcome;
}

/** Before anything is written: a refusal leaves nothing half done. */
async function refuseLinkedPlaces({ workspace, driver, request, plan }: Job): Promise<void> {
	const skills = driver.skillsFolder === undefined ? [] : await skillsOf(request.runtime, driver.skillsFolder);
	for (const place of [...[...plan.edits, ...plan.files].map(({ file }) => file), ...skills])
		await placeIn(workspace, place);
}

/** Has git overlook the files that will be made, before they are. Returns which of the plan's files it tracks. */
async function hide(job: Job, outcome: Outcome): Promise<(file: string) => boolean> {
	const { workspace, plan, request } = job;
	const files = [...plan.edits, ...plan.files].map(({ file }) => file);
	const view = files.length > 0 ? await request.askGit?.(workspace.folder, files) : undefined;
	if (!view) return () => false;
	const { deployments } = await workspace.config();
	const made = await writable(job);
	for (const { file } of plan.edits) {
		const known = deployments.flatMap(record => record.files).find(each => each.file === file);
		const isThere = (await statusOf(lstat, join(workspace.folder, file))) !== undefined;
		if (known ? !known.existedBefore : !isThere) made.push(file);
	}
	outcome.warnings.push(...(await hideFromGit(workspace, view, made, deployments.flatMap(placesOf))));
	return file => view.tracked.has(file);
}

/** What an earlier version has deployed and this one does not. */
interface Stale {
	record: Deployment;
	files: Deployment['files'];
	ownFiles: string[];
	skills: string[];
}

async function staleIn({ workspace, driver, request, plan }: Job): Promise<Stale | undefined> {
	const record = await recordOf(workspace, driver.id);
	if (!record) return undefined;
	const wanted = new Set([...plan.edits, ...plan.files].map(({ file }) => file));
	const skills = driver.skillsFolder === undefined ? [] : await skillsOf(request.runtime, driver.skillsFolder);
	const stale = {
		record,
		files: record.files.filter(({ file }) => !wanted.has(file)),
		ownFiles: record.ownFiles.map(({ file }) => file).filter(file => !wanted.has(file)),
		skills: record.skills.map(({ folder }) => folder).filter(folder => !skills.includes(folder)),
	};
	return stale.files.length + stale.ownFiles.length + stale.skills.length > 0 ? stale : undefined;
}

async function removeStale(job: Job, isBusy: (() => boolean) | undefined): Promise<Outcome> {
	const stale = await staleIn(job);
	if (!stale) return { changed: [], warnings: [] };
	const { workspace, driver } = job;
	const { record } = stale;
	const places = placesOfDriver(workspace, driver);
	const files = await giveBack(workspace, driver.id, stale.files, isBusy);
	const own = await removeOwnFiles(workspace, record, places, stale.ownFiles);
	const skills = await removeSkills(workspace, record, places, stale.skills);
	await removeEmpty(workspace, record.folders, places);
	await updateRecord(job, '.', known => ({
		...known,
		files: known.files.filter(({ file }) => !stale.files.some(each => each.file === file)),
		ownFiles: known.ownFiles.filter(({ file }) => !stale.ownFiles.includes(file)),
		skills: known.skills.filter(({ folder }) => !stale.skills.includes(folder)),
	}));
	return {
		changed: [...files.changed, ...own.changed, ...skills.changed],
		warnings: [...files.warnings, ...own.warnings, ...skills.warnings],
	};
}

/** Also where nothing stands in the agent's places, the record says for which versions and sessions Nancy is here. */
async function settleRecord(job: Job): Promise<void> {
	const { workspace, driver, request, plan } = job;
	const launchFiles = plan.launchFiles.map(({ file, content }) => ({ file, sha256: sha256(content) }));
	const known = await recordOf(workspace, driver.id);
	const isSettled =
		known?.scope === request.scope &&
		known.hookVersion === request.runtime.version &&
		known.agentVersion === formatVersion(request.agentVersion) &&
		known.events.join() === plan.events.join() &&
		JSON.stringify(known.launchFiles) === JSON.stringify(launchFiles);
	if (!isSettled) await updateRecord(job, '.', record => ({ ...record, launchFiles }));
}
