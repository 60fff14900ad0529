import { readdir, readFile, readlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { sha256 } from '../../base/sha256.ts';

/** A file by its path in a folder, with `/`. The bytes of a link are its target. */
export interface ContentFile {
	name: string;
	bytes: Buffer;
	isLink?: boolean;
}

/** SHA-256 over names and bytes of everything in a folder, except the files named `except`; for links, over their targets. */
export async function contentHash(folder: string, except: readonly string[] = []): Promise<string> {
	const files: ContentFile[] = [];
	for (const { name, isLink } of await namesIn(folder)) {
		if (except.includes(name.split('/', 1)[0] ?? '')) continue;
		const file = join(folder, name);
		const bytes = isLink ? Buffer.from(await readlink(file).catch(() => 'neither')) : await readFile(file);
		files.push({ name, bytes, isLink });
	}
	return hashOfFiles(files);
}

/** Everything in a folder and below it that is no folder. */
export async function namesIn(folder: string): Promise<{ name: string; isLink: boolean }[]> {
	return (await readdir(folder, { recursive: true, withFileTypes: true }))
		.filter(entry => !entry.isDirectory())
		.map(entry => ({
			name: relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'),
			isLink: !entry.isFile(),
		}));
}

/** {@link contentHash} of a folder that would hold these files. */
export function hashOfFiles(files: readonly ContentFile[]): string {
	const sorted = files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
	return sha256(
		...sorted.flatMap(({ name, bytes, isLink }) => [`${name}\0${isLink ? 'link ' : ''}${bytes.length}\0`, bytes]),
	);
}
