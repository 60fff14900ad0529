import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../../base/sha256.ts';
import { formatVersion } from '../../base/version.ts';
import type { DeploymentScope } from '../driver/deploymentPlan.ts';
import type { Driver } from '../driver/driver.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { hideFromGit, showToGit } from './gitExclude.ts';
import { jobFor, type DeployRequest, type Job, type Outcome } from './job.ts';
import { deployLaunchFiles, holdsLaunchFiles } from './launchFiles.ts';
import { removeEarlierRecords } from './earlierRecords.ts';
import { explained } from './explained.ts';
import { deployOwnFiles, inTheWay, ownFilesState, writable } from './ownFiles.ts';
import { note, placesOf } from './notes.ts';
import { isServedByAnother } from './otherVersion.ts';
import { ownEntries } from './ownEntries.ts';
import { DeploymentRecords } from './records.ts';
import { deployFile, tryFile } from './settingsFile.ts';
import { passedOver } from './silencers.ts';
import { holdsExactly, withoutEntries } from './settingsText.ts';
import { deploySkills, hasSkills, skillsOf } from './skillFolders.ts';
import { hasLeftovers, removeLeftovers } from './leftovers.ts';
import { placeIn, readText, realPlace, statusOf, targetOf, wayTo } from './target.ts';

export interface DeployResult {
	/** Files and folders written, relative to the workspace folder. Empty if all were up to date. */
	changed: readonly string[];
	/** What the user should know, in sentences. */
	warnings: readonly string[];
}

export type DeploymentState = 'ok' | 'missing' | 'outdated';

/**
 * Writes a driver's hooks and skills into the workspace; safe to repeat. The earlier content is kept and noted in the user's data folder
 * first, so after a kill at any line `undeploy` can undo the rest.
 */
export async function deploy(workspace: Workspace, driver: Driver, request: DeployRequest): Promise<DeployResult> {
	return explained(workspace, async () => {
		await workspace.prepare();
		return new DeploymentRecords(workspace, request.runtime.dataFolder).locked(async () => {
			const job = await jobFor(workspace, driver, request);
			try {
				return await carryOut(job, request.scope);
			} catch (error) {
				await showToGit(job.records, request.askGit);
				throw error;
			}
		});
	});
}

/** @param asked which sessions the user has just asked to be served */
async function carryOut(job: Job, asked: DeploymentScope): Promise<DeployResult> {
	const { workspace, driver, plan } = job;
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
		outcome.warnings.push(...passedOver(driver, edit.file, await readText(workspace, edit.file)));
	}
	const own = await deployOwnFiles(job);
	add(own);
	for (const file of own.changed.filter(isTracked))
		outcome.warnings.push(`${file} is tracked by git: do not commit what Nancy wrote there.`);
	outcome.changed.push(...(await deployLaunchFiles(job)));
	if (driver.skillsFolder !== undefined) add(await deploySkills(job, driver.skillsFolder));
	add(await removeLeftovers(job));
	await settleRecord(job);
	await removeEarlierRecords(workspace);
	// At a start that found everything up to date, the user has been told before.
	const isNews = asked === 'workspace' || outcome.changed.length > 0;
	return { changed: outcome.changed, warnings: [...(isNews ? plan.warnings : []), ...outcome.warnings] };
}

/**
 * Whether the workspace has the result of {@link deploy}, or another Nancy of this version or a later one serves it. Two of them that
 * repair each other's would never end. Another's file in the place of one of Nancy's counts too: see {@link obstacles}. Throws
 * `settings-broken` for an unreadable file.
 */
export async function deploymentState(
	workspace: Workspace,
	driver: Driver,
	request: DeployRequest,
): Promise<DeploymentState> {
	const job = await jobFor(workspace, driver, request);
	const { records } = job;
	const record = await records.of(driver.id);
	let isSame = record?.hookVersion === request.runtime.version && record.scope === job.request.scope;
	let isThere = false;
	for (const { file, entries } of job.plan.edits) {
		await targetOf(workspace, file);
		const text = await readText(workspace, file);
		const { isOwn } = await ownEntries(records, driver, file, text);
		isSame &&= holdsExactly(file, text, entries, isOwn);
		isThere ||= withoutEntries(file, text, isOwn) !== text;
	}
	const own = await ownFilesState(job);
	isSame &&= own.isSame && (await holdsLaunchFiles(job)) && !(await hasLeftovers(job));
	isThere ||= own.isThere || (record !== undefined && record.launchFiles.length > 0);
	if (isSame && driver.skillsFolder !== undefined) isSame = await hasSkills(job, driver.skillsFolder);
	if (isSame || (record && isThere && (await isServedByAnother(job, record)))) return 'ok';
	return isThere ? 'outdated' : 'missing';
}

/** Sentences about obstacles to a driver's hooks that only the user can remove. */
export async function obstacles(workspace: Workspace, driver: Driver, request: DeployRequest): Promise<string[]> {
	return inTheWay(await jobFor(workspace, driver, request));
}

/** Throws `settings-broken` for a settings file that {@link deploy} could not edit; writes nothing. */
export async function rehearse(workspace: Workspace, driver: Driver, request: DeployRequest): Promise<void> {
	const job = await jobFor(workspace, driver, request);
	for (const edit of job.plan.edits) await tryFile(job, edit);
}

/** Before anything is written: a refusal leaves nothing half done. */
async function refuseLinkedPlaces({ workspace, driver, request, plan }: Job): Promise<void> {
	const skills = driver.skillsFolder === undefined ? [] : await skillsOf(request.runtime, driver.skillsFolder);
	for (const { file } of plan.edits) await targetOf(workspace, file);
	for (const skill of skills) await placeIn(workspace, skill);
	for (const { file } of plan.files) {
		const way = await wayTo(workspace, file);
		// A file in the place of a folder counts like another's file in the place of Nancy's own: it stays, and the rest is deployed.
		if (way.is === 'blocked' && way.by === 'link') await placeIn(workspace, file);
	}
}

/** Makes git ignore the files before they are made. Returns the files of the plan that git tracks. */
async function hide(job: Job, outcome: Outcome): Promise<(file: string) => boolean> {
	const { records, workspace, plan, request } = job;
	const real = new Map<string, string>();
	for (const { file } of [...plan.edits, ...plan.files]) real.set(file, await realPlace(workspace, file));
	const view = real.size > 0 ? await request.askGit?.(workspace.folder, [...real.values()]) : undefined;
	if (!view) return () => false;
	const made = await writable(job);
	for (const { file } of plan.edits) {
		const known = await records.file(file);
		const isThere = (await statusOf(lstat, join(workspace.folder, file))) !== undefined;
		if (known ? !known.existedBefore : !isThere) made.push(file);
	}
	outcome.warnings.push(...(await hideFromGit(records, view, made, (await records.all()).flatMap(placesOf))));
	return file => view.tracked.has(real.get(file) ?? file);
}

/** The record says for which versions and sessions Nancy is deployed, even if it wrote nothing in the agent's places. */
async function settleRecord(job: Job): Promise<void> {
	const { records, driver, request, plan } = job;
	const launchFiles = plan.launchFiles.map(({ file, content }) => ({ file, sha256: sha256(content) }));
	const known = await records.of(driver.id);
	const isSettled =
		known?.scope === request.scope &&
		known.hookVersion === request.runtime.version &&
		known.agentVersion === formatVersion(request.agentVersion) &&
		known.events.join() === plan.events.join() &&
		JSON.stringify(known.launchFiles) === JSON.stringify(launchFiles);
	if (!isSettled) await note(job, '.', record => ({ ...record, launchFiles }));
}
