import type { FileChange } from '../../core/memory/digest.ts';
import { changesSinceCommit } from '../../git/snapshot.ts';
import { isDirty } from './memory.ts';

/** How long a look at what has changed may take, in milliseconds. A person waits for it. */
const LONGEST_MS = 5000;

/** What a folder has beyond a commit. Nothing is known outside of git, where git cannot be trusted, or if it takes too long. */
async function beyond(folder: string, commit: string | undefined): Promise<readonly FileChange[]> {
	if (commit === undefined) return [];
	return changesSinceCommit(folder, commit, LONGEST_MS).then(
		({ files }) => files,
		() => [],
	);
}

/** What a folder has in no commit when a task begins. */
export async function uncommitted(folder: string, commit: string | undefined): Promise<readonly FileChange[]> {
	return (await isDirty(folder)) === true ? beyond(folder, commit) : [];
}

/** What a task has changed. @param had at its beginning, beyond this commit */
export async function changedSince(
	folder: string,
	commit: string | undefined,
	had: readonly FileChange[],
): Promise<readonly FileChange[]> {
	const known = new Set(had.map(each => JSON.stringify(each)));
	return (await beyond(folder, commit)).filter(each => !known.has(JSON.stringify(each)));
}
