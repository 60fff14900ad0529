import { cpSync, globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import { WATCHED } from './targets.mts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The folders, which are the drivers' ids, that have this file. */
const driversWith = (file: string): string[] =>
	globSync(`src/drivers/*/${file}`, { cwd: root })
		.map(found => basename(dirname(found)))
		.toSorted();

/**
 * What stands in an agent's terminal writes nothing of its own there. Libraries would: a key that came too late, or what an agent says wrong, with
 * its control sequences.
 */
const WITHOUT_CONSOLE: Plugin = {
	name: 'without-console',
	setup(build) {
		build.initialOptions.drop = ['console'];
	},
};

/**
 * Every hook program: one that reports and delivers for each driver, one that holds a question where the driver can, and one that stands in a
 * terminal before the CLI where that is needed to answer it. Also the program that talks with an agent in a terminal, and the one that watches an
 * agent's terminal.
 */
export const hookPrograms: readonly { name: string; entry: string; plugin: Plugin }[] = [
	...driversWith('driver.ts').map(folder => ({
		name: folder,
		entry: 'src/hook/main.ts',
		plugin: hookProgram(folder),
	})),
	...driversWith('asking.ts').map(folder => ({
		name: `${folder}-ask`,
		entry: 'src/hook/ask.ts',
		plugin: hookProgram(folder),
	})),
	...driversWith('terminal.ts').map(folder => ({
		name: `${folder}-terminal`,
		entry: `src/drivers/${folder}/terminal.ts`,
		plugin: hookProgram(folder),
	})),
	{ name: 'conversation', entry: 'src/conversations/main.ts', plugin: WITHOUT_CONSOLE },
	{ name: 'watched', entry: 'src/conversations/watched/main.ts', plugin: WITHOUT_CONSOLE },
];

/**
 * What makes a bundle a hook program, for which an agent waits: its registry has one driver, and its files are read and written
 * without Node's thread pool.
 */
function hookProgram(folder: string): Plugin {
	const registry = join(root, 'src', 'drivers', 'index.ts');
	return {
		name: 'hook-program',
		setup(build) {
			build.onLoad({ filter: /[/\\]src[/\\]drivers[/\\]index\.ts$/ }, () => ({
				contents: [
					`import * as found from './${folder}/driver.ts';`,
					'export const drivers = Object.values(found);',
					"import { driverIn } from '../core/driver/driverIn.ts';",
					'export const driverById = id => driverIn(drivers, id);',
				].join('\n'),
				resolveDir: dirname(registry),
				loader: 'ts',
			}));
			build.onLoad({ filter: /[/\\]src[/\\]drivers[/\\]asking\.ts$/ }, () => ({
				contents: [
					`import { asking } from './${folder}/asking.ts';`,
					`export const askings = { '${folder}': asking };`,
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

/** Copies the binaries of pseudo-terminals for these platforms. The program that watches a terminal looks for them beside itself. */
export function copyTerminals(folder: string, platforms = WATCHED): void {
	for (const platform of platforms) {
		const place = join('prebuilds', platform);
		cpSync(join(root, 'node_modules', 'node-pty', place), join(folder, place), { recursive: true });
	}
}
