import { globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Every driver's folder, which is its id. */
export const driverFolders: readonly string[] = globSync('src/drivers/*/driver.ts', { cwd: root })
	.map(file => basename(dirname(file)))
	.toSorted();

/** Leaves one driver in the registry: an agent's hook waits for its program to load, and needs none of the others. */
export function oneDriver(folder: string): Plugin {
	const registry = join(root, 'src', 'drivers', 'index.ts');
	return {
		name: 'one-driver',
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
		},
	};
}
