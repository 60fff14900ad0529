import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** The WebSocket library would load two native modules if some folder above had them. Who writes there could have the program run them. */
export const NO_NATIVE_MODULES = { 'process.env.WS_NO_BUFFER_UTIL': '"1"', 'process.env.WS_NO_UTF_8_VALIDATE': '"1"' };

/** What the `nancy` command and the window load only when they need it: programs of their own beside them, which no other start reads. */
export const besidePrograms = [
	{
		out: 'serve.js',
		entry: 'src/server/index.ts',
		define: NO_NATIVE_MODULES,
	},
	{ out: 'picture.js', entry: 'src/picture/draw.ts', define: {} },
	{ out: 'memory.js', entry: 'src/core/memory/memory.ts', define: {} },
	{ out: 'projects.js', entry: 'src/cli/projectProgram.ts', define: {} },
] as const;

/** Makes a program load one of these where its sources load the file. */
export const beside: Plugin = {
	name: 'beside',
	setup(build) {
		for (const { out, entry } of besidePrograms) {
			build.onResolve({ filter: new RegExp(`${basename(entry, '.ts')}\\.ts$`) }, ({ kind, resolveDir, path }) =>
				kind !== 'entry-point' && resolve(resolveDir, path) === join(root, entry)
					? { path: `./${out}`, external: true }
					: undefined,
			);
		}
	},
};
