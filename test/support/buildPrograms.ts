import { buildForAll } from './programs.ts';
import { tempFolder } from './tempFolder.ts';

/** Vitest's set-up of a run: what dozens of test files start is built once. */
export default async function setup(): Promise<() => Promise<void>> {
	const folder = tempFolder('nancy-programs-');
	await buildForAll(folder.path);
	return () => folder.remove();
}
