import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { errorText } from '../../base/errors.ts';
import { NancyPaths } from '../files/paths.ts';
import { removeIfEmpty } from '../../base/removeIfEmpty.ts';
import { exchangeFile } from './exchangeFile.ts';
import { placesOf } from './notes.ts';
import type { AskGit, GitView } from './gitView.ts';
import type { DeploymentRecords } from './records.ts';
import { excludedFor, foldersIn, patternFor, withExcluded } from './excludeBlock.ts';
import { readBytes, realPlace } from './target.ts';

const TRIES = 5;

/**
 * Makes git ignore Nancy's own files in a workspace folder, and no others. Those are the files of `fresh` that git would show, and those of
 * `kept` that were listed before. Never fails a deployment: returns what the user should know then.
 * @param fresh files that Nancy is about to make
 * @param kept files of earlier deployments
 */
export async function hideFromGit(
	records: DeploymentRecords,
	view: GitView,
	fresh: readonly string[],
	kept: readonly string[],
): Promise<string[]> {
	const { excludeFile, prefix, ignored, tracked } = view;
	const { workspace, staging } = records;
	if (excludeFile === undefined) return [];
	const patterns = (files: readonly string[]) => files.flatMap(file => patternFor(prefix, file) ?? []);
	try {
		const made = await Promise.all(fresh.map(file => realPlace(workspace, file)));
		const added = patterns(made.filter(file => !ignored.has(file) && !tracked.has(file)));
		const known = new Set(
			patterns([...made, ...(await Promise.all(kept.map(file => realPlace(workspace, file))))]),
		);
		for (let attempt = 0; attempt < TRIES; attempt++) {
			const before = await readBytes(excludeFile);
			const present = before?.toString('latin1');
			const stays = excludedFor(present, workspace.folder).filter(line => known.has(line));
			let after = withExcluded(present, workspace.folder, [...new Set([...stays, ...added])]);
			for (const folder of foldersIn(after)) if (isGone(folder)) after = withExcluded(after, folder, []);
			if (after === present) return [];
			const mode = before ? (await stat(excludeFile)).mode & 0o7777 : 0o644;
			const data = after === undefined ? undefined : Buffer.from(after, 'latin1');
			const options = { mode, staging, workspaceFolder: workspace.folder };
			if (!(await exchangeFile(excludeFile, before, data, options))) continue;
			// The folder came with Nancy's file if the repository was made without git's template.
			if (after === undefined) await removeIfEmpty(dirname(excludeFile));
			return [];
		}
		return [`git may show files of Nancy's own as new, for ${excludeFile} keeps changing.`];
	} catch (error) {
		return [`git may show files of Nancy's own as new, for ${excludeFile} cannot be written: ${errorText(error)}`];
	}
}

/** Lists only files that a record still names. */
export async function showToGit(records: DeploymentRecords, askGit: AskGit | undefined): Promise<string[]> {
	const view = await askGit?.(records.workspace.folder, []);
	if (!view) return [];
	return hideFromGit(records, view, [], (await records.all()).flatMap(placesOf));
}

/** A workspace folder that was removed or moved away, which nobody will clean up any more. */
function isGone(folder: string): boolean {
	return isAbsolute(folder) && !existsSync(new NancyPaths(folder).root);
}
