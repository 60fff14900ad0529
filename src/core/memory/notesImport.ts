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
	/** The manual was there, be it empty. */
	wasThere: z.boolean(),
});

/**
 * Lets a manual of the workspace import the notes. A line that is there already is a person's, and stays one.
 * @param manual see HookMapping
 * @returns whether it was written
 * @throws NancyError `settings-broken` for one that is no file of the user's own in the workspace
 */
export async function importNotes(workspace: Workspace, manual: string): Promise<boolean> {
	let isNoted = false;
	return changeManual(workspace, manual, true, async (text, wasThere) => {
		if (hasImport(text)) {
			// Somebody else has written it just now.
			if (isNoted) await workspace.own.remove(CHOICE);
			return text;
		}
		const end = text.includes('\r\n') ? '\r\n' : '\n';
		const added = `${text === '' || text.endsWith('\n') ? '' : end}${IMPORT_LINE}${end}`;
		// First, so that a kill leaves no line that nobody takes back.
		const choice: z.infer<typeof ImportChoice> = { version: 1, file: manual, added, wasThere };
		await workspace.own.write(choice, CHOICE);
		isNoted = true;
		return text + added;
	});
}

/** Takes back the line that Nancy wrote, with the file that it names. @returns the manual, if the line was still there */
export async function withdrawImport(workspace: Workspace): Promise<string | undefined> {
	const choice = await workspace.own.read(ImportChoice, CHOICE);
	if (!choice) return undefined;
	const wasWritten = await changeManual(workspace, choice.file, choice.wasThere, async text =>
		withoutLine(text, choice.added),
	);
	await workspace.own.remove(CHOICE);
	await writeImported(workspace, [choice.file]);
	return wasWritten ? choice.file : undefined;
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

/**
 * @param keepsEmpty whether a manual without any text stays
 * @returns whether the text was changed
 */
async function changeManual(
	workspace: Workspace,
	manual: string,
	keepsEmpty: boolean,
	to: (text: string, wasThere: boolean) => Promise<string>,
): Promise<boolean> {
	const file = await targetOf(workspace, manual);
	for (let attempt = 0; attempt < TRIES; attempt++) {
		const before = await readBytes(file);
		// Each byte is a letter: a text in another encoding stays what it is.
		const text = before?.toString('latin1') ?? '';
		const after = await to(text, before !== undefined);
		if (after === text) return false;
		const options = {
			mode: before ? (await stat(file)).mode & 0o7777 : 0o644,
			staging: workspace.own.path('import'),
			workspaceFolder: workspace.folder,
		};
		const data = after === '' && !keepsEmpty ? undefined : Buffer.from(after, 'latin1');
		if (await exchangeFile(file, before, data, options)) return true;
	}
	throw new NancyError('busy', phrase`${join(workspace.folder, manual)} keeps changing; try again`);
}

/** As it was before, if what was added is still at the end; else without the last such line. */
function withoutLine(text: string, added: string): string {
	const before = text.slice(0, -added.length);
	const isWhole = /^[\r\n]/.test(added) || before === '' || before.endsWith('\n');
	if (text.endsWith(added) && isWhole) return before;
	const lines = text.split('\n');
	const at = lines.findLastIndex(line => line.trim() === IMPORT_LINE);
	return at < 0 ? text : lines.toSpliced(at, 1).join('\n');
}
