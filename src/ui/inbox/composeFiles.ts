import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { dataFolder } from '../../base/folders.ts';
import { visible } from '../../base/visible.ts';
import { DeploymentRecords } from '../../core/deployment/records.ts';
import type { Folder } from '../ports.ts';
import { bestMatches, globFor, outside } from './fileMatches.ts';

/** Beside `files.exclude`. Nobody names these in a message. */
const EXCLUDED = '**/{node_modules,.git,.nancy}/**';
/** More than are offered, so that the best are among them. */
const MOST_FOUND = 200;

/**
 * The files of a folder that fit to a part of a path, best first, relative to the folder, with `/`. What Nancy deployed there is none of
 * the user's work.
 */
export async function matchingFiles(
	{ path: folder, workspace }: Pick<Folder, 'path' | 'workspace'>,
	query: string,
	token: vscode.CancellationToken,
): Promise<string[]> {
	const pattern = new vscode.RelativePattern(folder, globFor(query));
	const [found, own] = await Promise.all([
		vscode.workspace.findFiles(pattern, EXCLUDED, MOST_FOUND, token),
		// An unreadable record hides no file of the user's. The doctor tells of it.
		new DeploymentRecords(workspace, dataFolder()).ownPaths().catch(() => []),
	]);
	const paths = found.map(({ fsPath }) => relative(folder, fsPath).split(sep).join('/'));
	// A name that hides something is not offered: what is shown is what is written.
	const shown = paths.filter(path => visible(path) === path);
	return bestMatches(outside(shown, own), query);
}
