import { build } from 'esbuild';
import { copyFileSync, chmodSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
let made: Promise<string> | undefined;

/**
 * The hook's runtime as deployment installs it, built from the sources: guard, program and the Node that runs it. One for a
 * test process. Its path has a space and a quote in it, as a user's may have. Returns the launcher.
 */
export function hookRuntime(): Promise<string> {
	made ??= install();
	return made;
}

async function install(): Promise<string> {
	const folder = join(mkdtempSync(join(tmpdir(), 'nancy-runtime-')), `it's a runtime`);
	mkdirSync(folder);
	const launcher = join(folder, 'nancy-hook');
	copyFileSync(join(root, 'hooks', 'nancy-hook'), launcher);
	chmodSync(launcher, 0o755);
	symlinkSync(process.execPath, join(folder, 'node'));
	await build({
		absWorkingDir: root,
		entryPoints: ['src/hook/main.ts'],
		outfile: join(folder, 'hook.js'),
		bundle: true,
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		minify: true,
		mainFields: ['module', 'main'],
		logLevel: 'silent',
	});
	return launcher;
}
