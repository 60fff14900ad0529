import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { visible } from '../../base/visible.ts';
import { bestMatches, globFor } from './fileMatches.ts';

/** Beside `files.exclude`. Nobody names these in a message. */
const EXCLUDED = '**/{node_modules,.git,.nancy}/**';
/** More than are offered, so that the best are among them. */
const MOST_FOUND = 200;

/** The files of a folder that fit to a part of a path, best first, relative to the folder, with `/`. */
export async function matchingFiles(folder: string, query: string, token: vscode.CancellationToken): Promise<string[]> {
	const pattern = new vscode.RelativePattern(folder, globFor(query));
	const found = await vscode.workspace.findFiles(pattern, EXCLUDED, MOST_FOUND, token);
	const paths = found.map(({ fsPath }) => relative(folder, fsPath).split(sep).join('/'));
	// A name that hides something is not offered: what is shown is what is written.
	return bestMatches(
		paths.filter(path => visible(path) === path),
		query,
	);
}
