import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './bootstrap.mjs';
import { build } from './bundles.mjs';
import { runOrThrow } from './run.mjs';

/** @returns {Promise<string>} the VSIX file; the build in dist/ is a minified one afterwards */
export async function packageExtension() {
	// Whatever lies in dist/ would be packed.
	await rm(join(root, 'dist'), { recursive: true, force: true });
	await build({ minify: true });
	const file = await pack(root, 'nancy');
	const { size } = await stat(file);
	console.log(`package: ${Math.round(size / 1024)} KB`);
	return file;
}

/** @returns {Promise<string>} the VSIX file of the extension that shows the demo where Nancy is */
export function packageDemo() {
	return pack(join(root, 'scripts', 'demo'), 'nancy-demo');
}

/** @param {string} folder @param {string} name */
async function pack(folder, name) {
	const file = join(root, 'out', `${name}.vsix`);
	const unfinished = join(root, 'out', `${name}-${process.pid}.vsix`);
	await mkdir(join(root, 'out'), { recursive: true });
	const options = [
		'--no-dependencies',
		'--no-rewrite-relative-links',
		'--skip-license',
		'--allow-missing-repository',
	];
	await runOrThrow('vsce', ['package', ...options, '-o', unfinished], { cwd: folder });
	// Somebody may be installing the one that is there: they get all of one or all of the other.
	await rename(unfinished, file);
	return file;
}
