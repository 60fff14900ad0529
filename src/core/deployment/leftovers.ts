import type { Job, Outcome } from './job.ts';
import { placesOfDriver } from './places.ts';
import { removeEmpty } from './emptyFolders.ts';
import { note } from './notes.ts';
import { forget, isAnyInReach, partsOf, removeParts, type Parts } from './removal.ts';
import { skillsOf } from './skillFolders.ts';

/** Whether there are removable leftovers of an earlier version that this version does not deploy. */
export async function hasLeftovers(job: Job): Promise<boolean> {
	const { workspace, driver } = job;
	return isAnyInReach(workspace, placesOfDriver(workspace, driver), await leftoversOf(job));
}

/** Removes leftovers of an earlier version that this version does not deploy. */
export async function removeLeftovers(job: Job): Promise<Outcome> {
	const { records, workspace, driver, request } = job;
	const record = await records.of(driver.id);
	const leftovers = await leftoversOf(job);
	if (!record || leftovers.files.length + leftovers.ownFiles.length + leftovers.skills.length === 0)
		return { changed: [], warnings: [] };
	const { changed, warnings, kept } = await removeParts(records, driver, record, leftovers, request.isBusy);
	await removeEmpty(workspace, record.folders, placesOfDriver(workspace, driver));
	await note(job, '.', known => forget(known, leftovers, kept));
	return { changed, warnings };
}

async function leftoversOf({ records, driver, request, plan }: Job): Promise<Parts> {
	const record = await records.of(driver.id);
	if (!record) return { files: [], ownFiles: [], skills: [] };
	const { files, ownFiles, skills } = partsOf(record);
	const wanted = new Set([...plan.edits, ...plan.files].map(({ file }) => file));
	const wantedSkills = driver.skillsFolder === undefined ? [] : await skillsOf(request.runtime, driver.skillsFolder);
	return {
		files: files.filter(file => !wanted.has(file)),
		ownFiles: ownFiles.filter(file => !wanted.has(file)),
		skills: skills.filter(folder => !wantedSkills.includes(folder)),
	};
}
