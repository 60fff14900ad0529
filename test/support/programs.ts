import { build, type Metafile, type Plugin } from 'esbuild';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beside, besidePrograms } from '../../scripts/lib/beside.mts';
import { copyTerminals, hookPrograms } from '../../scripts/lib/hookProgram.mts';
import { buildPlugin } from '../../scripts/lib/plugin.mts';
import { HANG_MS } from './eventually.ts';

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
	/** The guard, with its parts beside it. */
	guard: string;
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

/** Gives up after three seconds, for an agent waits. On a busy machine a hook takes longer, and no test shall fail by that. */
const PATIENT_HOOK: Plugin = {
	name: 'patient-hook',
	setup(build) {
		build.onLoad({ filter: /[/\\]src[/\\]hook[/\\]main\.ts$/ }, ({ path }) => ({
			contents: exchanged(readFileSync(path, 'utf8'), 'LIMIT_MS = 3000', `LIMIT_MS = ${HANG_MS}`),
			resolveDir: dirname(path),
			loader: 'ts',
		}));
	},
};

/** The same for the guard's own way. It counts in hundredths of a second. */
export function patientHandOver(): string {
	return exchanged(readFileSync(join(repository, 'hooks', 'hand-over'), 'utf8'), 'most=300', `most=${HANG_MS / 10}`);
}

function exchanged(text: string, from: string, to: string): string {
	if (text.split(from).length !== 2) throw new Error(`“${from}” does not stand there once`);
	return text.replace(from, to);
}

let own: Promise<string> | undefined;

/** Those of this run of tests; outside one (benches, conformance) built once in the process. */
export async function programs(): Promise<Programs> {
	const folder = process.env[BUILT] ?? (await (own ??= mkdtemp(join(tmpdir(), 'nancy-programs-')).then(built)));
	const metafile = JSON.parse(readFileSync(join(folder, 'nancy.json'), 'utf8')) as Metafile;
	return {
		cli: join(folder, 'nancy.js'),
		pages: join(folder, 'desk'),
		hooks: join(folder, 'hook'),
		guard: join(folder, 'guard', 'nancy-hook'),
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
		...hookPrograms.map(({ name, entry, plugin }) =>
			bundled(entry, join(folder, 'hook', `${name}.js`), [plugin, PATIENT_HOOK]),
		),
	]);
	cpSync(join(repository, 'hooks'), join(folder, 'guard'), { recursive: true });
	writeFileSync(join(folder, 'guard', 'hand-over'), patientHandOver());
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
