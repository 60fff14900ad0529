import { build, type Metafile, type Plugin } from 'esbuild';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beside, besidePrograms } from '../../scripts/lib/beside.mts';
import { copyTerminals, hookPrograms } from '../../scripts/lib/hookProgram.mts';
import { buildPlugin } from '../../scripts/lib/plugin.mts';

export const repository = join(import.meta.dirname, '../..');
/** Where a run of tests has them built already: environment, for it reaches every test process. */
const BUILT = 'NANCY_TEST_PROGRAMS';

/** The programs that run outside the editor, built from the sources under test and minified as a package has them. */
export interface Programs {
	/** The `nancy` command. */
	cli: string;
	/** A folder: a page for that server, as small as one can be. */
	pages: string;
	/** A folder: the hook program of each driver. */
	hooks: string;
	/** A folder: the marketplace with the plugin. */
	plugin: string;
	/** What the command was made of. */
	metafile: Metafile;
}

const PAGE = {
	'desk.html': '<!doctype html><link rel="stylesheet" href="desk.css"><script type="module" src="desk.js"></script>',
	'desk.js': 'document.title = "Desk";',
	'desk.css': 'body { color: black }',
};

let own: Promise<string> | undefined;

/** Those of this run of tests; outside one (benches, conformance) built once in the process. */
export async function programs(): Promise<Programs> {
	const folder = process.env[BUILT] ?? (await (own ??= mkdtemp(join(tmpdir(), 'nancy-programs-')).then(built)));
	const metafile = JSON.parse(readFileSync(join(folder, 'nancy.json'), 'utf8')) as Metafile;
	return {
		cli: join(folder, 'nancy.js'),
		pages: join(folder, 'desk'),
		hooks: join(folder, 'hook'),
		plugin: join(folder, 'plugin'),
		metafile,
	};
}

/** Builds them for all test processes that are started from now on, unless a process above has. */
export async function buildForAll(folder: string): Promise<void> {
	process.env[BUILT] ??= await built(folder);
}

async function built(folder: string): Promise<string> {
	const [metafile] = await Promise.all([
		bundled('src/cli/main.ts', join(folder, 'nancy.js'), [beside]),
		...besidePrograms.map(({ out, entry, define }) => bundled(entry, join(folder, out), [beside], define)),
		...hookPrograms.map(({ name, entry, plugin }) => bundled(entry, join(folder, 'hook', `${name}.js`), [plugin])),
	]);
	writeFileSync(join(folder, 'nancy.json'), JSON.stringify(metafile));
	buildPlugin(join(folder, 'plugin'));
	copyTerminals(join(folder, 'hook'));
	mkdirSync(join(folder, 'desk'));
	for (const [name, text] of Object.entries(PAGE)) writeFileSync(join(folder, 'desk', name), text);
	return folder;
}

async function bundled(
	entry: string,
	outfile: string,
	plugins: Plugin[] = [],
	define: Readonly<Record<string, string>> = {},
): Promise<Metafile> {
	const { metafile } = await build({
		absWorkingDir: repository,
		entryPoints: [entry],
		outfile,
		plugins,
		define,
		bundle: true,
		metafile: true,
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		minify: true,
		mainFields: ['module', 'main'],
		logLevel: 'silent',
	});
	return metafile;
}
