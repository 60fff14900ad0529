import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { noteId } from '../../src/core/memory/noteFile.ts';
import { PendingUpdate } from '../../src/protocol/memory.ts';
import type { NoteId, ProjectName } from '../../src/protocol/memoryNames.ts';

const TEXT = 'Always run the tests with DB_URL.';

/**
 * An update that waits, as a merge writes it: by default a note that tells agents what to do.
 * @param configFolder Nancy's
 */
export function seedWaitingNote(
	configFolder: string,
	project: ProjectName,
	more: Partial<Pick<PendingUpdate, 'change' | 'held' | 'evidence' | 'was'>> = {},
): NoteId {
	const { change } = more;
	const id = noteId(1, 0, change ? JSON.stringify(change) : TEXT);
	const line = `- ${TEXT} <!-- n:${id} t:001 by:claude-code -->`;
	const update = PendingUpdate.parse({
		version: 1,
		id,
		task: 1,
		at: new Date(0).toISOString(),
		held: change?.op === 'plan' ? ['users-own'] : ['instruction'],
		change: { op: 'put', category: 'failures', line },
		evidence: [{ ref: 'e1', quote: 'the pool needs DB_URL to be set' }],
		...more,
	});
	const folder = join(configFolder, 'projects', project, 'pending');
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, `${id}.json`), JSON.stringify(update));
	return id;
}
