import { mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A fresh folder, by its real path. `await using folder = tempFolder()` removes it at the end of the test. */
export interface TempFolder extends AsyncDisposable {
	path: string;
	/** A path inside. */
	file(...segments: string[]): string;
	remove(): Promise<void>;
}

export function tempFolder(prefix = 'nancy-', parent = tmpdir()): TempFolder {
	const path = realpathSync(mkdtempSync(join(parent, prefix)));
	// A process that is just ending may still write into it.
	const remove = () => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
	return { path, file: (...segments) => join(path, ...segments), remove, [Symbol.asyncDispose]: remove };
}
