import { readdir, readFile, readlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { sha256 } from '../../base/sha256.ts';

/** SHA-256 over names and bytes of everything in a folder, except the files named `except`; for links, over their targets. */
export async function contentHash(folder: string, except: readonly string[] = []): Promise<string> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries
		.filter(entry => !entry.isDirectory())
		.map(entry => ({
			name: relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'),
			isFile: entry.isFile(),
		}))
		.filter(({ name }) => !except.includes(name.split('/', 1)[0] ?? ''))
		.sort((a, b) => (a.name < b.name ? -1 : 1));
	const parts: (string | Buffer)[] = [];
	for (const { name, isFile } of files) {
		const file = join(folder, name);
		const bytes = isFile ? await readFile(file) : Buffer.from(await readlink(file).catch(() => 'neither'));
		parts.push(`${name}\0${isFile ? '' : 'link '}${bytes.length}\0`, bytes);
	}
	return sha256(...parts);
}
