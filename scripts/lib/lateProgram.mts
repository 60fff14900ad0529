import type { Plugin } from 'esbuild';

/** What draws pictures stays out of the `nancy` command, whose every start would read it: it is a program of its own beside it. */
export const LATE = { entry: 'src/picture/draw.ts', out: 'picture.js' } as const;

/** Makes the command load that program where its sources load the file. */
export const lateProgram: Plugin = {
	name: 'late-program',
	setup(build) {
		build.onResolve({ filter: /\/picture\/draw\.ts$/ }, ({ kind }) =>
			kind === 'dynamic-import' ? { path: `./${LATE.out}`, external: true } : undefined,
		);
	},
};
