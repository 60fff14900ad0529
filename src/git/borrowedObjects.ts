import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../base/atomicFile.ts';
import { readMark } from '../core/files/plainFile.ts';

/** Makes a store for new objects that finds those of a repository. */
export async function borrowedObjects(common: string, folder: string): Promise<string> {
	await mkdir(join(folder, 'info'), { recursive: true });
	await writeFile(alternates(folder), storeOf(common));
	return folder;
}

/** Has the objects of a repository found in another one, and in no third one. */
export async function borrowObjects(common: string, repository: string): Promise<void> {
	const file = alternates(join(repository, 'objects'));
	if ((await readMark(file)) !== storeOf(common)) await writeFileAtomic(file, storeOf(common));
}

const alternates = (objects: string) => join(objects, 'info', 'alternates');

function storeOf(common: string): string {
	const quoted = join(common, 'objects').replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
	return `"${quoted}"\n`;
}
