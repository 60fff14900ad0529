import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CompiledNotes } from '../../protocol/compiledNotes.ts';
import { sha256 } from '../../base/sha256.ts';
import { holdingOwnLock } from '../files/holdingLock.ts';
import { jsonText } from '../files/jsonFile.ts';
import type { OwnFolder } from '../files/ownFolder.ts';
import { COMPILED } from './toldMarks.ts';

/** The hash of a text without its first line, which has figures. */
export function hashOfNotes(text: string): string {
	return sha256(text.slice(text.indexOf('\n') + 1)).slice(0, 16);
}

/**
 * Replaces the compiled notes of a workspace. Those that are the same stay as they are: the guard looks at the time of their folder. One after
 * another, so that the last ones are the newest.
 * @param compile reads notes and files
 */
export async function writeCompiled(own: OwnFolder, compile: () => Promise<readonly CompiledNotes[]>): Promise<void> {
	await holdingOwnLock(own, 'notes.lock', async () => {
		const compiled = await compile();
		const names = new Set(compiled.map(({ project }) => `${project}.json`));
		for (const name of own.namesSync(COMPILED)) {
			// Under the lock nobody else writes: a killed process has left it.
			if (/^\.[0-9a-f]+\.tmp$/.test(name)) await rm(join(own.path(COMPILED), name), { force: true });
			else if (/^\w.*\.json$/.test(name) && !names.has(name)) await own.remove(COMPILED, name);
		}
		for (const each of compiled) {
			const name = `${each.project}.json`;
			// One that cannot be read is replaced.
			const before = await own.read(CompiledNotes, COMPILED, name).catch(() => undefined);
			if (before && jsonText(before) === jsonText(each)) continue;
			await own.write(each, COMPILED, name);
		}
	});
}
