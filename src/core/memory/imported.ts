import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { hasErrno } from '../../base/errors.ts';
import { readPlainTextSync } from '../files/plainFile.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** The line of a manual (see HookMapping) that imports the notes. Git ignores all of `.nancy`. */
export const IMPORT_LINE = '@.nancy/memory/context.md';

/** In bytes. A megabyte is more than each CLI takes without failing, or than a model can read. */
const LONGEST_MANUAL = 1024 * 1024;
/** Several times the longest notes that can be set, in bytes. */
const LONGEST_NOTES = 256 * 1024;

/** Whether a manual with this text imports the notes, whoever wrote the line. No CLI imports what stands in code or in a comment. */
export function hasImport(manual: string): boolean {
	let isCode = false;
	return manual
		.replace(/<!--[^]*?(-->|$)/g, '')
		.split('\n')
		.some(line => {
			if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
			return !isCode && line.trimEnd() === IMPORT_LINE;
		});
}

/** Whether this manual of the workspace, which may be a link, imports the notes. */
export function importsNotes({ folder }: Workspace, manual: string): boolean {
	return hasImport(textOf(join(folder, manual), LONGEST_MANUAL));
}

/** The file that the line names. */
export function importedFile({ paths }: Workspace): string {
	return join(paths.memory, 'context.md');
}

/** What is imported now; empty for nothing. */
export function importedNow(workspace: Workspace): string {
	return textOf(importedFile(workspace), LONGEST_NOTES);
}

/** What the file holds for compiled notes. */
export function importedText(notes: string): string {
	return `${notes.trimEnd()}\n`;
}

function textOf(file: string, limit: number): string {
	try {
		return readPlainTextSync(realpathSync(file), limit) ?? '';
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return '';
		throw error;
	}
}
