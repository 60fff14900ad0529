import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';

/** Puts the shapes of what a page hears into its bundle as data, so that zod is not in it. */
export const shapesAsData: Plugin = {
	name: 'shapes-as-data',
	setup(build) {
		build.onLoad({ filter: /[/\\]desk[/\\](?:shapes|roomShapes)\.ts$/ }, async ({ path }) => ({
			contents: Object.entries<unknown>(await import(pathToFileURL(path).href))
				.map(([name, shape]) => `export const ${name} = ${JSON.stringify(shape)};`)
				.join('\n'),
			loader: 'js',
		}));
	},
};
