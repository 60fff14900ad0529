import type { Plugin } from 'esbuild';

/** Leaves the desk's server out of a program: it stays a bundle of its own beside it, which is loaded when it is needed. */
export const besideServer: Plugin = {
	name: 'beside-server',
	setup(build) {
		build.onResolve({ filter: /[/\\]server[/\\]index\.ts$/ }, () => ({ path: './serve.js', external: true }));
	},
};
