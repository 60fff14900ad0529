import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { writeFileAtomic } from '../../base/atomicFile.ts';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { exchangeFile } from '../deployment/exchangeFile.ts';
import { readBytes, targetOf } from '../deployment/target.ts';
import { inHeldFolder } from '../files/heldFolder.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { hasImport, IMPORT_LINE, importedFile, importedNow, importedText, importsNotes } from './imported.ts';
import { notesNow } from './telling.ts';

/** In the user's own records of a workspace: Nancy wrote the line. */
const CHOICE = 'import.json';
const TRIES = 5;

const ImportChoice = z.object({
	version: z.literal(1),
	/** The manual; relative to the workspace folder. */
	file: z.string(),
	/** The line, with the ends of lines that it needed. */
	added: z.string(),
});

/**
 * Lets a manual of the workspace import the notes. A line that is there already is a person's, and stays one.
 * @param manual see HookMapping
 * @returns whether it was written
 * @throws NancyError `settings-broken` for one that is no file of the user's own in the workspace
 */
export async function importNotes(workspace: Workspace, manual: string): Promise<boolean> {
	return changeManual(workspace, manual, async text => {
		if (hasImport(text)) return text;
		const end = text.includes('\r\n') ? '\r\n' : '\n';
		const added = `${text === '' || text.endsWith('\n') ? '' : end}${IMPORT_LINE}${end}`;
		// First, so that a kill leaves no line that nobody takes back.
		await workspace.own.write({ version: 1, file: manual, added } satisfies z.infer<typeof ImportChoice>, CHOICE);
		return text + added;
	});
}

/** Takes back the line that Nancy wrote, with the file that it names. @returns the manual, if the line was still there */
export async function withdrawImport(workspace: Workspace): Promise<string | undefined> {
	const choice = await workspace.own.read(ImportChoice, CHOICE);
	if (!choice) return undefined;
	const wasThere = await changeManual(workspace, choice.file, async text =>
		text.includes(choice.added) ? text.replace(choice.added, '') : withoutLine(text),
	);
	await workspace.own.remove(CHOICE);
	await writeImported(workspace, [choice.file]);
	return wasThere ? choice.file : undefined;
}

/** Brings the file that the line names up to date. Where none of the manuals has the line, there is no such file. */
export async function writeImported(workspace: Workspace, manuals: readonly string[]): Promise<void> {
	const isWanted = manuals.some(manual => importsNotes(workspace, manual));
	const notes = isWanted ? notesNow(workspace, undefined).notes?.text : undefined;
	const text = notes === undefined || notes === '' ? '' : importedText(notes);
	if (text === importedNow(workspace)) return;
	workspace.refuseLinks();
	await inHeldFolder(importedFile(workspace), file =>
		text === '' ? rm(file, { force: true }) : writeFileAtomic(file, text),
	);
}

/** @returns whether the text was changed */
async function changeManual(
	workspace: Workspace,
	manual: string,
	to: (text: string) => Promise<string>,
): Promise<boolean> {
	const file = await targetOf(workspace, manual);
	for (let attempt = 0; attempt < TRIES; attempt++) {
		const before = await readBytes(file);
		// Each byte is a letter: a text in another encoding stays what it is.
		const text = before?.toString('latin1') ?? '';
		const after = await to(text);
		if (after === text) return false;
		const options = {
			mode: before ? (await stat(file)).mode & 0o7777 : 0o644,
			staging: workspace.own.path('import'),
			workspaceFolder: workspace.folder,
		};
		const data = after === '' ? undefined : Buffer.from(after, 'latin1');
		if (await exchangeFile(file, before, data, options)) return true;
	}
	throw new NancyError('busy', phrase`${join(workspace.folder, manual)} keeps changing; try again`);
}

function withoutLine(text: string): string {
	return text
		.split('\n')
		.filter(line => line.trim() !== IMPORT_LINE)
		.join('\n');
}
