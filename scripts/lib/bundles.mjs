import { chmodSync, globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import esbuild from 'esbuild';
import { beside, besidePrograms, NO_NATIVE_MODULES } from './beside.mts';
import { deskPage } from './deskPage.mts';
import { copyTerminals, hookPrograms } from './hookProgram.mts';
import { root } from './bootstrap.mjs';
import { thirdPartyNotices } from './notices.mts';
import { buildPlugin } from './plugin.mts';
import { shapesAsData } from './shapesAsData.mts';
import { windowProgram } from './windowProgram.mts';

/**
 * `vscode` is external only where the editor provides it: anywhere else, importing it is a build error.
 * `./late.js` and `./main.js` stay files of their own, loaded after the activation and at first use.
 */
const PROGRAMS = [
	{
		out: 'dist/extension.js',
		entry: 'src/extension.ts',
		external: ['vscode', './late.js'],
		plugins: [windowProgram],
	},
	{ out: 'dist/late.js', entry: 'src/late.ts', external: ['vscode', './main.js'], plugins: [windowProgram] },
	{ out: 'dist/main.js', entry: 'src/main.ts', external: ['vscode'], plugins: [beside, windowProgram] },
	{ out: 'dist/nancy.js', entry: 'src/cli/main.ts', external: [], plugins: [beside], executable: true },
	...besidePrograms.map(({ out, entry, define }) => ({
		out: `dist/${out}`,
		entry,
		external: [],
		define,
		plugins: [beside],
	})),
	...hookPrograms.map(({ name, entry, plugin }) => ({
		out: `dist/hook/${name}.js`,
		entry,
		external: [],
		plugins: [plugin],
		define: NO_NATIVE_MODULES,
	})),
];

/** @param {{ minify: boolean }} options */
function optionsOfAll({ minify }) {
	const shared = {
		absWorkingDir: root,
		bundle: true,
		sourcemap: true,
		minify,
		// The licences of what is bundled stand in a file of their own: see notices.mts.
		legalComments: 'none',
		metafile: true,
		logLevel: 'warning',
	};
	const programs = PROGRAMS.map(({ out, entry, external, plugins, define = {}, executable }) => ({
		...shared,
		entryPoints: [entry],
		outfile: out,
		external,
		plugins,
		define,
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		// Without `module` first, jsonc-parser's UMD build is taken, which breaks when bundled.
		mainFields: ['module', 'main'],
		banner: executable ? { js: '#!/usr/bin/env node' } : {},
	}));
	const page = { ...shared, platform: 'browser', format: 'esm', target: 'es2022', sourcemap: false };
	return [
		...programs,
		{
			...page,
			entryPoints: globSync('src/web/*.{ts,tsx,css}', { cwd: root }),
			outdir: 'media/web',
			plugins: [shapesAsData],
		},
		{
			...page,
			entryPoints: ['src/web/desk/desk.tsx', 'src/web/desk/desk.css'],
			outdir: 'media/desk',
			// What is seldom needed is a file of its own, and so is what both files need.
			splitting: true,
			chunkNames: '[name]-[hash]',
			plugins: [shapesAsData, deskPage],
		},
	];
}

/** @param {{ minify: boolean }} options */
export async function build({ minify }) {
	const started = Date.now();
	const all = optionsOfAll({ minify });
	const built = await Promise.all(all.map(options => esbuild.build(options)));
	const notices = thirdPartyNotices(built.flatMap(({ metafile }) => metafile ?? []));
	writeFileSync(join(root, 'dist/ThirdPartyNotices.txt'), notices);
	buildPlugin(join(root, 'dist/plugin'));
	copyTerminals(join(root, 'dist/hook'));
	for (const { out, executable } of PROGRAMS) if (executable) chmodSync(join(root, out), 0o755);
	console.log(`build: ${all.length} bundles in ${Date.now() - started} ms`);
}

export async function watch() {
	await build({ minify: false });
	const contexts = await Promise.all(
		optionsOfAll({ minify: false }).map(options => esbuild.context({ ...options, logLevel: 'info' })),
	);
	await Promise.all(contexts.map(context => context.watch()));
	console.log('watch: waiting for changes');
}
