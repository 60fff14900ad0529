import { cpSync, globSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { root } from './bootstrap.mjs';
import { build } from './bundles.mjs';
import { copyTerminals } from './hookProgram.mts';
import { runOrThrow } from './run.mjs';
import { ownTarget, TARGETS, vsixOf, WATCHED } from './targets.mts';

/**
 * Builds once, and packs a VSIX for each of these targets. Each holds what its platform needs to watch a terminal, and that of `undefined` holds
 * none of it. The build in dist/ is a minified one afterwards.
 * @param {readonly (string | undefined)[]} targets that of this machine by default
 * @returns {Promise<string[]>} the VSIX files
 */
export async function packageExtension(targets = [ownTarget]) {
	const dist = join(root, 'dist');
	// Whatever lies there would be packed.
	await rm(dist, { recursive: true, force: true });
	await build({ minify: true });
	const files = [];
	const folder = join(root, 'out', `package-${process.pid}`);
	try {
		copyPacked(folder);
		const hook = join(folder, 'dist', 'hook');
		for (const target of targets) {
			await rm(join(hook, 'prebuilds'), { recursive: true, force: true });
			copyTerminals(
				hook,
				WATCHED.filter(platform => platform === target),
			);
			const file = vsixOf(target);
			await pack(folder, file, target === undefined ? [] : ['--target', target]);
			const { size } = await stat(file);
			console.log(`package: ${relative(root, file)}, ${Math.round(size / 1024)} KB`);
			files.push(file);
		}
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
	return files;
}

/**
 * Copies what .vscodeignore lets through, and what is beside it in the same folders. `vsce` tries each of its patterns on every file of its folder:
 * five seconds of a core for the tens of thousands that the agents and VS Code are.
 */
function copyPacked(folder) {
	const patterns = readFileSync(join(root, '.vscodeignore'), 'utf8').split('\n');
	const shipped = patterns.filter(line => line.startsWith('!')).map(line => line.slice(1).split('/')[0]);
	for (const name of ['.vscodeignore', ...globSync(shipped, { cwd: root })])
		cpSync(join(root, name), join(folder, name), { recursive: true });
}

/** The VSIX of each target, and the one for every other platform. */
export function packageAll() {
	return packageExtension([...Object.keys(TARGETS), undefined]);
}

/** @returns {Promise<string>} the VSIX file of the extension that shows the demo where Nancy is */
export function packageDemo() {
	return pack(join(root, 'scripts', 'demo'), join(root, 'out', 'nancy-demo.vsix'));
}

/** @param {string} folder @param {string} file @param {string[]} more */
async function pack(folder, file, more = []) {
	const unfinished = file.replace(/\.vsix$/, `-${process.pid}.vsix`);
	await mkdir(dirname(file), { recursive: true });
	const options = [
		...more,
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
