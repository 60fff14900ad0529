import { buildForAll } from './programs.ts';
import { tempFolder } from './tempFolder.ts';

/** Vitest's set-up of each project of a run: what dozens of test files start is built once for all. */
export default async function setup(): Promise<() => Promise<void>> {
	const folder = tempFolder('nancy-programs-');
	await buildForAll(folder.path);
	// Seals and runtimes of the tests are not the developer's own. A user's path may have a space and a quote in it.
	process.env['XDG_DATA_HOME'] = folder.file("it's data");
	return () => folder.remove();
}
