import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Completions } from '../driver/completions.ts';
import { parseLooseJson } from '../files/looseJson.ts';
import { foldersUpFrom } from '../workspace/placeFrom.ts';

/** Whether the CLI adds something to the text of this file. */
export function isCompleted({ version, schema }: Completions, file: string): boolean {
	return version?.file === file || schema?.files.includes(file) === true;
}

/** Where the CLI has its packages installed, if it works in this folder. */
export function packagesIn({ packages }: Completions, folder: string): ReadonlySet<string> {
	return new Set(foldersUpFrom(folder).flatMap(at => packages.map(each => join(at, each))));
}

/** A text of settings without what the CLI itself adds to it. */
export async function withoutCompletions(
	text: string,
	{ version, schema }: Completions,
	file: string,
): Promise<string> {
	if (version?.file === file) return withoutVersion(text, version.key);
	return schema?.files.includes(file) ? withoutSchema(text, schema.address) : text;
}

/** JSON without a number at the top, if all else there is objects. What is no such JSON stays. */
async function withoutVersion(text: string, key: string): Promise<string> {
	const Versioned = z.catchall(z.object({ [key]: z.number() }), z.record(z.string(), z.unknown()));
	try {
		Versioned.parse(parseLooseJson(text));
	} catch {
		return text;
	}
	const { applyEdits, modify } = await import('jsonc-parser');
	return applyEdits(text, modify(text, [key], undefined, {}));
}

/** By the text alone: a comment behind it stays, and what was no JSON does not become some. */
function withoutSchema(text: string, address: string): string {
	const [head, start = '', value] = /^(\s*\{)\s*"\$schema"\s*:\s*"([^"\\]*)"\s*(?:,|(?=\}))/.exec(text) ?? [];
	return head === undefined || value !== address ? text : start + text.slice(head.length);
}
