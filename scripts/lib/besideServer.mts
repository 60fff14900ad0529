import type { Plugin } from 'esbuild';

/** Leaves the desk's server out of a program: it stays a bundle of its own beside it, which is loaded when it is needed. */
export const besideServer: Plugin = {
	name: 'beside-server',
	setup(build) {
		build.onResolve({ filter: /[/\\]server[/\\]index\.ts$/ }, () => ({ path: './serve.js', external: true }));
	},
};

/**
 * What the server's program is built with. The WebSocket library would load two native modules if some folder above had them: whoever can write there
 * could have the server run them.
 */
export const SERVER_DEFINES: Readonly<Record<string, string>> = {
	'process.env.WS_NO_BUFFER_UTIL': '"1"',
	'process.env.WS_NO_UTF_8_VALIDATE': '"1"',
};
