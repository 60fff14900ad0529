import type * as z from 'zod/mini';
import { createFileAtomic, writeFileAtomic } from '../../base/atomicFile.ts';
import { errorText, NancyError } from '../../base/errors.ts';
import { phrase, type Phrase } from '../../base/phrase.ts';
import { fromHeldFolder, inHeldFolder } from './heldFolder.ts';
import { readPlainText } from './plainFile.ts';

/**
 * Reads a JSON file of Nancy's. A missing file is `undefined`. A file that does not parse is an error that names the file, the place and
 * the cure, and stays unchanged.
 * @param read how: in a workspace, only a plain file, and through no link
 */
export async function readJsonFile<S extends z.ZodMiniType>(
	file: string,
	schema: S,
	read: (file: string) => Promise<string | undefined> = readHeld,
): Promise<z.infer<S> | undefined> {
	const text = await read(file);
	return text === undefined ? undefined : parseJsonFile(file, text, schema);
}

const readHeld = (file: string) => fromHeldFolder(file, held => readPlainText(held));

/** The result of {@link readJsonFile} for a text that it has read. */
export function parseJsonFile<S extends z.ZodMiniType>(file: string, text: string, schema: S): z.infer<S> {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch (cause) {
		throw broken(file, errorText(cause), cause);
	}
	const parsed = schema.safeParse(value);
	if (parsed.success) return parsed.data;
	const issue = parsed.error.issues[0];
	throw broken(file, phrase`at ${issue?.path.join('.') || phrase`the top`}: ${issue?.message}`, parsed.error);
}

/** Writes a JSON file of a workspace, whole. */
export async function writeJsonFile(file: string, value: unknown): Promise<void> {
	await inHeldFolder(file, held => writeFileAtomic(held, jsonText(value)));
}

/** Like {@link writeJsonFile}, but never replaces a file: `false` when one is there already. */
export function createJsonFile(file: string, value: unknown): Promise<boolean> {
	return inHeldFolder(file, held => createFileAtomic(held, jsonText(value)));
}

/** The content of a file that {@link writeJsonFile} writes. */
export function jsonText(value: unknown): string {
	return `${JSON.stringify(value, null, '\t')}\n`;
}

function broken(file: string, what: string | Phrase, cause: unknown): NancyError {
	return new NancyError(
		'bad-file',
		phrase`${file} cannot be read: ${what}. Repair it, or move it away and try again.`,
		{
			cause,
		},
	);
}
