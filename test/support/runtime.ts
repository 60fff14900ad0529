import { join } from 'node:path';
import { dataFolder } from '../../src/base/folders.ts';
import { installRuntime, type Runtime } from '../../src/core/deployment/runtime.ts';
import { programs, repository } from './programs.ts';

let made: Promise<Runtime> | undefined;

/**
 * The launcher of a runtime as deployment installs it, built from the sources: guard, programs, and the Node that runs them.
 * One for a test process, in the data folder where the tests' own seals are.
 */
export async function hookRuntime(): Promise<string> {
	made ??= install(dataFolder());
	return (await made).launcher;
}

/** A runtime of the sources' own below `folder`. Its path has a space and a quote in it, as a user's may have. */
export function installedRuntime(folder: string, version?: string): Promise<Runtime> {
	return install(dataFolderIn(folder), version);
}

/** The user's data folder of {@link installedRuntime}. */
export function dataFolderIn(folder: string): string {
	return join(folder, `it's data`, 'nancy');
}

async function install(data: string, version = '0.0.0'): Promise<Runtime> {
	const { cli, guard, hooks, pages, plugin } = await programs();
	const sources = {
		guard,
		hooks,
		cli,
		pages,
		skills: join(repository, 'skills'),
		plugin,
	};
	const node = { executable: process.execPath, isElectron: false };
	return installRuntime(sources, version, data, node);
}
