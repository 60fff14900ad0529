import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isInside } from '../../base/inside.ts';
import { realOr } from '../../base/realPath.ts';
import { readPlainTextSync } from '../files/plainFile.ts';
import { freshnessOf, lineHashes, placeOf, type LineHashes } from './freshness.ts';
import type { KnownNote, MemoryPlace } from './state.ts';
import type { ProjectFolder } from './projectFolder.ts';

/** In bytes. A larger file is no source of notes. */
const LONGEST_SOURCE = 2 * 1024 * 1024;
/** What every agent of a repository reads: README, AGENTS and the like. */
const DOCUMENT = /^[A-Z]+\.md$/;
const LONGEST_DOCUMENT = 256 * 1024;

/** The notes of a project, with their freshness in a folder. */
export async function known(project: ProjectFolder, { folder, branch, of }: MemoryPlace): Promise<KnownNote[]> {
	const cache = new Map<string, LineHashes | undefined>();
	const linesOf = (path: string) => {
		if (!cache.has(path)) {
			const text = sourceText(folder, path);
			cache.set(path, text === undefined ? undefined : lineHashes(text));
		}
		return cache.get(path);
	};
	const { notes } = await project.readableNotes();
	return notes.map(note => {
		// The files are those of the other branch, and prove nothing of its notes.
		const isForeign = of !== undefined && note.branch !== undefined && note.branch !== of;
		return { ...note, freshness: isForeign ? 'elsewhere' : freshnessOf(note, linesOf, of ?? branch) };
	});
}

/** The same notes with the lines where those that have moved stand now. */
export function placedNow(notes: readonly KnownNote[], folder: string): KnownNote[] {
	return notes.map(note => {
		if (note.freshness !== 'moved') return note;
		const anchors = note.anchors.map(anchor => {
			const text = sourceText(folder, anchor.path);
			const from = (text !== undefined && placeOf(anchor, lineHashes(text))) || anchor.from;
			return { ...anchor, from, to: from + anchor.to - anchor.from };
		});
		return { ...note, anchors };
	});
}

/** The text of a file of the workspace, reached through no link that leads out of it. @param longest in bytes */
export function sourceText(folder: string, path: string, longest = LONGEST_SOURCE): string | undefined {
	const file = join(folder, path);
	if (!isInside(folder, file) || !isInside(realOr(folder), realOr(file))) return undefined;
	try {
		return readPlainTextSync(file, longest);
	} catch {
		return undefined;
	}
}

/** The sentences that every agent of the repository reads anyway. */
export function documentsIn(folder: string): string[] {
	const names = existsSync(folder) ? readdirSync(folder).filter(name => DOCUMENT.test(name)) : [];
	return names
		.flatMap(name => {
			const text = sourceText(folder, name);
			return text === undefined || text.length > LONGEST_DOCUMENT ? [] : text.split(/\n|(?<=[.!?]) /);
		})
		.filter(line => line.trim().length > 10);
}
