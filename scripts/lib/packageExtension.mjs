import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './bootstrap.mjs';
import { build } from './bundles.mjs';
import { runOrThrow } from './run.mjs';

/** @returns {Promise<string>} the VSIX file; the build in dist/ is a minified one afterwards */
export async function packageExtension() {
	const file = join(root, 'out', 'nancy.vsix');
	const unfinished = join(root, 'out', `nancy-${process.pid}.vsix`);
	await mkdir(join(root, 'out'), { recursive: true });
	// Whatever lies in dist/ would be packed.
	await rm(join(root, 'dist'), { recursive: true, force: true });
	await build({ minify: true });
	await runOrThrow('vsce', [
		'package',
		'--no-dependencies',
		'--no-rewrite-relative-links',
		'--skip-license',
		'--allow-missing-repository',
		'-o',
		unfinished,
	]);
	// Somebody may be installing the one that is there: they get all of one or all of the other.
	await rename(unfinished, file);
	const { size } = await stat(file);
	console.log(`package: ${Math.round(size / 1024)} KB`);
	return file;
}
