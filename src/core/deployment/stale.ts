import type { Job, Outcome } from './job.ts';
import { placesOfDriver } from './places.ts';
import { recordOf, removeEmpty, updateRecord } from './record.ts';
import { forget, isAnyInReach, partsOf, removeParts, type Parts } from './removal.ts';
import { skillsOf } from './skillFolders.ts';

/** Whether something is there that an earlier version has deployed and this one does not, and that can be removed. */
export async function hasStale(job: Job): Promise<boolean> {
	const stale = await staleIn(job);
	return isAnyInReach(job.workspace, placesOfDriver(job.workspace, job.driver), stale);
}

/** Removes what an earlier version has deployed and this one does not. */
export async function removeStale(job: Job): Promise<Outcome> {
	const { workspace, driver, request } = job;
	const record = await recordOf(workspace, driver.id);
	const stale = await staleIn(job);
	if (!record || stale.files.length + stale.ownFiles.length + stale.skills.length === 0)
		return { changed: [], warnings: [] };
	const places = placesOfDriver(workspace, driver);
	const { changed, warnings, kept } = await removeParts(workspace, record, places, stale, request.isBusy);
	await removeEmpty(workspace, record.folders, places);
	await updateRecord(job, '.', known => forget(known, stale, kept));
	return { changed, warnings };
}

async function staleIn({ workspace, driver, request, plan }: Job): Promise<Parts> {
	const record = await recordOf(workspace, driver.id);
	if (!record) return { files: [], ownFiles: [], skills: [] };
	const { files, ownFiles, skills } = partsOf(record);
	const wanted = new Set([...plan.edits, ...plan.files].map(({ file }) => file));
	const wantedSkills = driver.skillsFolder === undefined ? [] : await skillsOf(request.runtime, driver.skillsFolder);
	return {
		files: files.filter(({ file }) => !wanted.has(file)),
		ownFiles: ownFiles.filter(file => !wanted.has(file)),
		skills: skills.filter(folder => !wantedSkills.includes(folder)),
	};
}
