import fsSync from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { vi } from 'vitest';

type Counted = 'lstat' | 'lstatSync' | 'open' | 'readdir' | 'readFile';

export interface CountedCalls {
	/** How often it was called for a path that this is true of. */
	count(name: Counted, isMeant?: (path: string) => boolean): number;
	/** Of what they were called for, in order. */
	paths(...names: Counted[]): string[];
	/** Forgets what was counted so far. */
	clear(): void;
	/** To be called in the end: the functions count no more. */
	stop(): void;
}

/** Counts calls of `node:fs/promises` and `node:fs`, which do what they always do: work is bounded by its amount and not by its time. */
export function countCalls(...names: readonly Counted[]): CountedCalls {
	const spies = new Map(
		names.map(name => [name, name === 'lstatSync' ? vi.spyOn(fsSync, name) : vi.spyOn(fs, name)]),
	);
	syncBuiltinESMExports();
	const paths = (...counted: Counted[]) =>
		counted
			.flatMap(name => {
				const { calls, invocationCallOrder } = spies.get(name)?.mock ?? { calls: [], invocationCallOrder: [] };
				return calls.map(([path], at) => ({
					path: typeof path === 'string' ? path : '',
					at: invocationCallOrder[at] ?? 0,
				}));
			})
			.toSorted((one, other) => one.at - other.at)
			.map(({ path }) => path);
	return {
		count: (name, isMeant = () => true) => paths(name).filter(isMeant).length,
		paths,
		clear: () => spies.forEach(spy => spy.mockClear()),
		stop: () => {
			spies.forEach(spy => spy.mockRestore());
			syncBuiltinESMExports();
		},
	};
}
