import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installRuntime, type Runtime } from '../../src/core/deployment/runtime.ts';
import { programs, repository } from './programs.ts';

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
	const { cli, hooks } = await programs();
	const sources = {
		guard: join(repository, 'hooks', 'nancy-hook'),
		hooks,
		cli,
		skills: join(repository, 'skills'),
	};
	const node = { executable: process.execPath, isElectron: false };
	return installRuntime(sources, version, join(folder, `it's data`, 'nancy'), node);
}
