import { buildSync } from 'esbuild';
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '../..');
const made = new Map<string, string>();

/**
 * A program of test/fixtures/children as one file of JavaScript, for processes that a test starts again and again: reading the
 * sources would be most of what each costs. Made anew once in each test process.
 */
export function bundledChild(name: string): string {
	const folder = join(root, 'out', 'children');
	const file = made.get(name) ?? join(folder, `${name}.mjs`);
	if (made.has(name)) return file;
	mkdirSync(folder, { recursive: true });
	const unfinished = join(folder, `${name}-${process.pid}.mjs`);
	buildSync({
		absWorkingDir: root,
		entryPoints: [join('test/fixtures/children', `${name}.mts`)],
		outfile: unfinished,
		bundle: true,
		platform: 'node',
		format: 'esm',
		mainFields: ['module', 'main'],
		// What is in test/support finds its fixtures as it does from its source.
		define: { 'import.meta.url': JSON.stringify(pathToFileURL(import.meta.filename).href) },
		logLevel: 'silent',
	});
	// Another test process may be starting the one that is there.
	renameSync(unfinished, file);
	made.set(name, file);
	return file;
}
