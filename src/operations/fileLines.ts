import { realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { pathFrom } from '../base/inside.ts';
import { phrase } from '../base/phrase.ts';
import { openPlainFile } from '../core/files/plainFile.ts';
import { redactLines } from '../core/traffic/redactLines.ts';
import { isIgnored } from '../git/ignored.ts';
import { anybody, type Operation } from './operation.ts';

/** In bytes. */
const LARGEST = 1024 * 1024;

/** Folders of tools: git's settings and Nancy's own files. In every spelling, because a disk may take all for the same. */
const OF_TOOLS = /^\.(?:git|nancy)$/i;

const Input = z.object({
	/** Relative to the workspace folder, with `/`; or absolute, and inside it. */
	path: z.string(),
	from: z.int().check(z.positive()),
	/** How many lines at most. */
	count: z.int().check(z.positive()),
});
const Output = z.object({
	/** Without secrets. */
	lines: z.array(z.string()),
	/** How many lines the whole file has. */
	total: z.int(),
});

/**
 * Lines of a file of the workspace, for people elsewhere. A file that leads out of the workspace (a link, a second name) is refused. So is
 * a file that git ignores (there secrets are), or that belongs to git or Nancy.
 */
export const fileLines: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'fileLines',
	input: Input,
	output: Output,
	worksOnPage: true,
	permit: anybody,
	async run(_, { path: named, from, count }, { workspace }) {
		const root = realpathSync(workspace.folder);
		const path = pathFrom(root, pathFrom(workspace.folder, named));
		const text = await textOf(root, partsOf(path), path);
		if (await isIgnored(root, path)) throw refused(path, phrase`is ignored by git`);
		const lines = redactLines(text.replace(/\r?\n$/, ''));
		return { lines: lines.slice(from - 1, from - 1 + count), total: lines.length };
	},
};

/** @throws NancyError `bad-file` for anything but a plain way down from the folder */
function partsOf(path: string): string[] {
	const parts = path.split('/');
	const isPlain = parts.every(part => !['', '.', '..'].includes(part) && !/[\\\0]/.test(part));
	if (!isPlain) throw refused(path, phrase`is no path from the workspace folder`);
	if (parts.some(part => OF_TOOLS.test(part))) throw refused(path, phrase`belongs to git or to Nancy`);
	return parts;
}

async function textOf(root: string, parts: readonly string[], path: string): Promise<string> {
	const file = join(root, ...parts);
	const handle = await openPlainFile(file);
	if (!handle) throw refused(path, phrase`is not there`);
	try {
		const { size, nlink, ino, dev } = await handle.stat();
		// What was opened is what is there, on a way without links.
		const there = realpathSync(dirname(file)) === dirname(file) ? statSync(file) : undefined;
		if (there?.ino !== ino || there.dev !== dev) throw refused(path, phrase`is behind a link`);
		if (nlink > 1) throw refused(path, phrase`has a second name, which may be that of a file elsewhere`);
		if (size > LARGEST) throw refused(path, phrase`is larger than ${LARGEST} bytes`);
		const bytes = await handle.readFile();
		if (bytes.includes(0)) throw refused(path, phrase`is no text`);
		return bytes.toString('utf8');
	} finally {
		await handle.close();
	}
}

function refused(path: string, why: ReturnType<typeof phrase>): NancyError {
	return new NancyError('bad-file', phrase`${JSON.stringify(path)} ${why}, so it is not shown here.`);
}
