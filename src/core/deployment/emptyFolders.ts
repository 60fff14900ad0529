import { removeIfEmpty } from '../../base/removeIfEmpty.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Places } from './places.ts';
import { wayTo } from './target.ts';

/** Removes folders that were made for a deployment, if they are empty and on the way to its driver's places. */
export async function removeEmpty(workspace: Workspace, folders: readonly string[], places: Places): Promise<void> {
	const innermostFirst = folders.toSorted((a, b) => b.split('/').length - a.split('/').length);
	for (const folder of innermostFirst.filter(each => places.folders.has(each))) {
		const way = await wayTo(workspace, folder);
		if (way.is === 'open') await removeIfEmpty(way.path);
	}
}
