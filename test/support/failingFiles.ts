import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { vi } from 'vitest';

/** Calls of `node:fs/promises` for some paths fail, as with another user's file: tests may run as root, who may do all. */
export function failFiles(
	name: 'link' | 'open' | 'readdir' | 'rm',
	isMeant: (path: string) => boolean,
	code = 'EACCES',
): Disposable {
	const call = files[name] as (path: unknown, ...rest: unknown[]) => Promise<never>;
	const spy = vi.spyOn(files, name).mockImplementation(async (path: unknown, ...rest: unknown[]) => {
		if (isMeant(String(path))) throw Object.assign(new Error(`${code}: ${String(path)}`), { code });
		return call(path, ...rest);
	});
	syncBuiltinESMExports();
	return {
		[Symbol.dispose]: () => {
			spy.mockRestore();
			syncBuiltinESMExports();
		},
	};
}
