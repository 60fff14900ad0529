import type { FileChange } from '../../core/memory/digest.ts';
import { changesSinceCommit } from '../../git/snapshot.ts';
import { isDirty } from './memory.ts';

/** How long a look at what has changed may take, in milliseconds. A person waits for it. */
const LONGEST_MS = 5000;

/** What a folder has beyond a commit. `undefined` outside of git, where git cannot be trusted, or if it takes too long. */
async function beyond(folder: string, commit: string | undefined): Promise<readonly FileChange[] | undefined> {
	if (commit === undefined) return undefined;
	return changesSinceCommit(folder, commit, LONGEST_MS).then(
		({ files }) => files,
		() => undefined,
	);
}

/** What a folder has in no commit when a task begins; `undefined` if git does not tell. */
export async function uncommitted(
	folder: string,
	commit: string | undefined,
): Promise<readonly FileChange[] | undefined> {
	const dirty = await isDirty(folder);
	return dirty === false ? [] : dirty && beyond(folder, commit);
}

/**
 * What a task has changed. Nothing is told of a folder that git did not tell of when the task began: it may have had all of it.
 * @param had at its beginning, beyond this commit
 */
export async function changedSince(
	folder: string,
	commit: string | undefined,
	had: readonly FileChange[] | undefined,
): Promise<readonly FileChange[]> {
	if (!had) return [];
	const known = new Set(had.map(each => JSON.stringify(each)));
	return ((await beyond(folder, commit)) ?? []).filter(each => !known.has(JSON.stringify(each)));
}
