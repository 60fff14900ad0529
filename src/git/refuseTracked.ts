import { relative } from 'node:path';
import { hasCode, NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { visibleLine } from '../base/visible.ts';
import type { Workspace } from '../core/workspace/workspace.ts';
import { IGNORES_CASE, mayTrack } from './mayTrack.ts';
import { trackedFiles } from './trackedFiles.ts';

/**
 * Every start of an agent, deployment, sending and delivery in a workspace asks this first. Throws `not-trusted` if git tracks anything of
 * its `.nancy`. That came with the repository, and agents would get its prompts and messages as the user's own words. Without git and
 * outside a checkout nothing is refused. In another user's repository, where git refuses to look, the index counts as if it were the
 * user's.
 */
export async function refuseTracked({ folder, paths }: Workspace): Promise<void> {
	const name = relative(folder, paths.root);
	const tracked = await filesOf(folder, name);
	const [first] = tracked;
	if (first === undefined) return;
	const more = tracked.length > 1 ? phrase` and ${tracked.length - 1} more` : '';
	throw new NancyError(
		'not-trusted',
		phrase`${paths.root} came with the repository: git tracks ${visibleLine(first, 200)}${more}. Its prompts and messages are not your own, and agents would
			take them for yours; so nothing is started, set up, sent or handed over here. Look at what is in it, then run "git rm -r --cached ${name}" in
			${folder}, or remove the folder.`,
	);
}

async function filesOf(folder: string, name: string): Promise<readonly string[]> {
	// Every `nancy` asks this.
	if (!mayTrack(folder, name)) return [];
	try {
		return await trackedFiles(folder, [name], IGNORES_CASE ? { GIT_ICASE_PATHSPECS: '1' } : undefined);
	} catch (error) {
		if (hasCode(error, 'git')) return [];
		throw error;
	}
}
