import { globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Every driver's folder, which is its id. */
export const driverFolders: readonly string[] = globSync('src/drivers/*/driver.ts', { cwd: root })
	.map(file => basename(dirname(file)))
	.toSorted();

/**
 * What makes a bundle a hook program, for which an agent waits: its registry has one driver, and its files are read and written
 * without Node's thread pool.
 */
export function hookProgram(folder: string): Plugin {
	const registry = join(root, 'src', 'drivers', 'index.ts');
	return {
		name: 'hook-program',
		setup(build) {
			build.onLoad({ filter: /[/\\]src[/\\]drivers[/\\]index\.ts$/ }, () => ({
				contents: [
					`import * as found from './${folder}/driver.ts';`,
					'export const drivers = Object.values(found);',
					'export const driverById = id => drivers.find(driver => driver.id === id);',
				].join('\n'),
				resolveDir: dirname(registry),
				loader: 'ts',
			}));
			build.onResolve({ filter: /^node:fs\/promises$/ }, () => ({
				path: join(root, 'src', 'hook', 'blockingFiles.ts'),
			}));
		},
	};
}
