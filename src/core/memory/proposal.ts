import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { PendingUpdate } from '../../protocol/memory.ts';
import type { NoteId } from '../../protocol/memoryNames.ts';
import type { ProposalOutput } from '../../protocol/output/memory.ts';
import { changed, markedPlan, PLAN } from './changes.ts';
import { notesIn, notesText, type NoteFile } from './noteFile.ts';
import { CATEGORIES, type ProjectFolder } from './projectFolder.ts';

/** @throws NancyError `no-task` if nothing of this id waits */
export async function waitingOf(project: ProjectFolder, id: NoteId): Promise<PendingUpdate> {
	const waiting = (await project.pending()).pending.find(each => each.id === id);
	if (waiting) return waiting;
	throw new NancyError('no-task', phrase`nothing with the id ${id} waits for you; nancy notes <project> lists all`);
}

/** What an update would make of its file. Nothing is changed. */
export async function proposalOf(project: ProjectFolder, { id, change }: PendingUpdate): Promise<ProposalOutput> {
	const named = { project: project.name, id };
	if (change.op === 'plan')
		return { ...named, file: PLAN, before: await project.text(PLAN), after: markedPlan(change.text) };
	const file = await fileOf(project, change);
	return {
		...named,
		file: `${file.category}.md`,
		before: notesText(file),
		after: notesText(changed(file, [change])),
	};
}

/** The notes file that a change is about. For a note that is gone already, it is any of the files. */
async function fileOf(
	project: ProjectFolder,
	change: Exclude<PendingUpdate['change'], { op: 'plan' }>,
): Promise<NoteFile> {
	if (change.op === 'put') return project.notes(change.category);
	const files: NoteFile[] = [];
	for (const category of CATEGORIES) files.push(await project.notes(category));
	const holding = files.find(file => notesIn(file).some(({ id }) => id === change.id));
	return holding ?? project.notes('architecture');
}
