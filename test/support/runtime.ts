import { build } from 'esbuild';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
	await build({
		absWorkingDir: root,
		entryPoints: { hook: 'src/hook/main.ts', nancy: 'src/cli/main.ts' },
		outdir: folder,
		bundle: true,
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		minify: true,
		mainFields: ['module', 'main'],
		logLevel: 'silent',
	});
	return {
		guard: join(root, 'hooks', 'nancy-hook'),
		hook: join(folder, 'hook.js'),
		cli: join(folder, 'nancy.js'),
		skills: join(root, 'skills'),
	};
}
