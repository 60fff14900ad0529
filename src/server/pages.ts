import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { sha256 } from '../base/sha256.ts';
import { readPlainFile } from '../core/files/plainFile.ts';

export interface PageFile {
	readonly type: string;
	readonly bytes: Buffer;
}

const PAGE = 'desk.html';

/** Beside the page; served under a name that changes with the content. */
const PARTS = { 'desk.js': 'text/javascript', 'desk.css': 'text/css' } as const;

/** Further parts of the script. The build gives them names that change with the content. */
const FURTHER = /^[a-z]+-[0-9A-Z]{8}\.js$/;

/** Served under their own names, if they are there. */
const OTHERS = {
	'icon.svg': 'image/svg+xml',
	'icon.png': 'image/png',
	'manifest.webmanifest': 'application/manifest+json',
	'sw.js': 'text/javascript; charset=utf-8',
} as const;

/** In bytes. */
const LARGEST = 4 * 1024 * 1024;

/**
 * The files of the page by the path of a request. They are read once, and nothing else is ever served.
 * @throws NancyError `io` if one is missing
 */
export async function readPages(folder: string): Promise<ReadonlyMap<string, PageFile>> {
	const files = new Map<string, PageFile>();
	let html = (await read(folder, PAGE)).toString('utf8');
	for (const [name, type] of Object.entries(PARTS)) {
		const bytes = await read(folder, name);
		const place = `a/${sha256(bytes.toString('utf8')).slice(0, 16)}${name.slice(name.lastIndexOf('.'))}`;
		html = html.replaceAll(`"${name}"`, `"${place}"`);
		files.set(`/${place}`, { type: `${type}; charset=utf-8`, bytes });
	}
	for (const name of (await readdir(folder)).filter(each => FURTHER.test(each)))
		files.set(`/a/${name}`, { type: 'text/javascript; charset=utf-8', bytes: await read(folder, name) });
	files.set('/', { type: 'text/html; charset=utf-8', bytes: Buffer.from(html) });
	for (const [name, type] of Object.entries(OTHERS)) {
		const bytes = await readPlainFile(join(folder, name), LARGEST);
		if (bytes) files.set(`/${name}`, { type, bytes });
	}
	return files;
}

async function read(folder: string, name: string): Promise<Buffer> {
	const file = join(folder, name);
	const bytes = await readPlainFile(file, LARGEST);
	if (bytes) return bytes;
	throw new NancyError('io', phrase`this Nancy is not complete: ${file} is missing; build or install it again`);
}
