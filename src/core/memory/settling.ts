import { rm } from 'node:fs/promises';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { Change, PendingUpdate } from '../../protocol/memory.ts';
import { applyChanges, noteRejected, noteReplaced, notesOf, planOf } from './changes.ts';
import { folded, hashOf, type StoredNote } from './noteFile.ts';
import type { ProjectFolder } from './projectFolder.ts';

/** Accepts or rejects what waits. The notes first: after a kill it waits still. */
export async function settle(
	project: ProjectFolder,
	waiting: PendingUpdate,
	action: 'accept' | 'reject',
	notes: readonly StoredNote[],
): Promise<string> {
	const { change, id } = waiting;
	if (action === 'accept') {
		const replaced = await replacedBy(project, waiting, notes);
		if (replaced) await noteReplaced(project, replaced);
		await applyChanges(project, [change]);
	} else {
		const [note] = change.op === 'put' ? notesOf(change.line, change.category) : [];
		if (note) await noteRejected(project, { ...note, id });
	}
	await rm(project.pendingFile(id), { force: true });
	return textOf(waiting);
}

/**
 * What gives way to an update that is accepted.
 * @throws NancyError `wrong-state` if that is no longer what the update was proposed for
 */
async function replacedBy(
	project: ProjectFolder,
	{ id, change, was }: PendingUpdate,
	notes: readonly StoredNote[],
): Promise<StoredNote | undefined> {
	const plan = await planOf(project);
	const target = targetOf(change, notes);
	const now = change.op === 'plan' ? plan.text : target?.text;
	const next = change.op === 'retire' ? undefined : textOf({ change });
	// After a kill it may be done already. A new note replaces none.
	if ((now && hashOf(now)) === (next && hashOf(next))) return undefined;
	if ((now === undefined ? undefined : hashOf(now)) !== was)
		throw new NancyError(
			'wrong-state',
			phrase`what ${id} would change is another text now; read it, and reject ${id} or make the change yourself`,
		);
	if (change.op === 'put') return target;
	return change.op === 'plan' && !plan.isOwn ? notesOf(`- ${folded(plan.text)}`, 'decisions')[0] : undefined;
}

/** The note that a change replaces or takes away. */
export function targetOf(change: Change, notes: readonly StoredNote[]): StoredNote | undefined {
	const [note] = change.op === 'put' ? notesOf(change.line, change.category) : [];
	const id = change.op === 'retire' ? change.id : note?.id;
	return notes.find(each => each.id === id);
}

/** What a change says, for a person. */
export function textOf({ change }: Pick<PendingUpdate, 'change'>): string {
	switch (change.op) {
		case 'put':
			return notesOf(change.line, change.category)[0]?.text ?? '';
		case 'retire':
			return change.reason;
		case 'plan':
			return change.text;
	}
}
