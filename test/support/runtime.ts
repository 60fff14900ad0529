import { build, type Plugin } from 'esbuild';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { driverFolders, oneDriver } from '../../scripts/lib/oneDriver.mts';
import { installRuntime, type Runtime, type RuntimeSources } from '../../src/core/runtime.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
let built: Promise<RuntimeSources> | undefined;
let made: Promise<Runtime> | undefined;

/**
 * The launcher of a runtime as deployment installs it, built from the sources: guard, programs, and the Node that runs them.
 * One for a test process.
 */
export async function hookRuntime(): Promise<string> {
	made ??= installedRuntime(mkdtempSync(join(tmpdir(), 'nancy-runtime-')));
	return (await made).launcher;
}

/** A runtime of the sources' own below `folder`. Its path has a space and a quote in it, as a user's may have. */
export async function installedRuntime(folder: string, version = '0.0.0'): Promise<Runtime> {
	built ??= buildPrograms();
	const node = { executable: process.execPath, isElectron: false };
	return installRuntime(await built, version, join(folder, `it's data`, 'nancy'), node);
}

async function buildPrograms(): Promise<RuntimeSources> {
	const folder = mkdtempSync(join(tmpdir(), 'nancy-programs-'));
	await Promise.all([bundle('src/cli/main.ts', join(folder, 'nancy.js')), buildHooks(join(folder, 'hook'))]);
	return {
		guard: join(root, 'hooks', 'nancy-hook'),
		hooks: join(folder, 'hook'),
		cli: join(folder, 'nancy.js'),
		skills: join(root, 'skills'),
	};
}

/** The program behind the guard, one for each driver. */
export async function buildHooks(folder: string): Promise<void> {
	const each = (driver: string) => bundle('src/hook/main.ts', join(folder, `${driver}.js`), [oneDriver(driver)]);
	await Promise.all(driverFolders.map(each));
}

async function bundle(entry: string, outfile: string, plugins: Plugin[] = []): Promise<void> {
	await build({
		absWorkingDir: root,
		entryPoints: [entry],
		outfile,
		plugins,
		bundle: true,
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		minify: true,
		mainFields: ['module', 'main'],
		logLevel: 'silent',
	});
}
