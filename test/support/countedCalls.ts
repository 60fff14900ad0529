import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { vi } from 'vitest';

type Counted = 'lstat' | 'open' | 'readdir' | 'readFile';

export interface CountedCalls {
	/** How often it was called for a path that this is true of. */
	count(name: Counted, isMeant?: (path: string) => boolean): number;
	/** Of what it was called for, in order. */
	paths(name: Counted): string[];
	/** Forgets what was counted so far. */
	clear(): void;
	/** To be called in the end: the functions count no more. */
	stop(): void;
}

/** Counts calls of `node:fs/promises`, which do what they always do: work is bounded by its amount and not by its time. */
export function countCalls(...names: readonly Counted[]): CountedCalls {
	const spies = new Map(names.map(name => [name, vi.spyOn(fs, name)]));
	syncBuiltinESMExports();
	const paths = (name: Counted) =>
		(spies.get(name)?.mock.calls ?? []).map(([path]) => (typeof path === 'string' ? path : ''));
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
