import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workspace } from '../../src/core/workspace/workspace.ts';

/** How many events are stored, and in how many lines: an event that is stored twice is in two. */
export async function collectedIn({ paths }: Workspace): Promise<{ ids: number; lines: number }> {
	const ids = new Set<string>();
	let lines = 0;
	for (const name of await readdir(paths.traffic)) {
		for (const line of (await readFile(join(paths.traffic, name), 'utf8')).split('\n').filter(Boolean)) {
			lines++;
			ids.add(JSON.parse(line).id);
		}
	}
	return { ids: ids.size, lines };
}
