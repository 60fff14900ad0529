import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { isInside } from '../../base/inside.ts';
import type { Folder } from '../ports.ts';

export interface Selection {
	/** `src/x.ts:3-9` */
	where: string;
	text: string;
}

/** The selection in the editor, if its file is in the folder. */
export function selectionIn(folder: Folder): Selection | undefined {
	const editor = vscode.window.activeTextEditor;
	if (!editor || editor.selection.isEmpty || editor.document.uri.scheme !== 'file') return undefined;
	const { document, selection } = editor;
	const text = document.getText(selection);
	const file = document.uri.fsPath;
	if (text.trim() === '') return undefined;
	const name = isInside(folder.path, file) ? relative(folder.path, file).replaceAll(sep, '/') : file;
	const first = selection.start.line + 1;
	// A selection that ends at the beginning of a line contains nothing of that line.
	const last = selection.end.character === 0 ? selection.end.line : selection.end.line + 1;
	return { where: last > first ? `${name}:${first}-${last}` : `${name}:${first}`, text };
}

/** The place, then the text in a fence of more backticks than the text has. */
export function quotedSelection({ where, text }: Selection): string {
	const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
	const fence = '`'.repeat(longest + 1);
	return `${where}:\n\n${fence}\n${text}\n${fence}`;
}
