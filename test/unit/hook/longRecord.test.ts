import { writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { expect, it } from 'vitest';
import { readNewLines } from '../../../src/core/files/jsonLines.ts';
import { open as blockingOpen } from '../../../src/hook/blockingFiles.ts';
import { tempFolder } from '../../support/tempFolder.ts';

/** Replaces what the bundles of the hook programs replace. */
function withBlockingFiles(): Disposable {
	const { open } = files;
	const set = (each: typeof open) => {
		files.open = each;
		syncBuiltinESMExports();
	};
	set(blockingOpen as unknown as typeof open);
	return { [Symbol.dispose]: () => set(open) };
}

it('a hook that reads a long record still hears its timers, so it ends at its limit', async () => {
	await using folder = tempFolder();
	const file = folder.file('record.jsonl');
	writeFileSync(file, `${'x'.repeat(1023)}\n`.repeat(4096));
	using _ = withBlockingFiles();
	const limit = new AbortController();
	setImmediate(() => limit.abort());
	let lines = 0;
	const onLine = () => void lines++;
	await readNewLines(file, undefined, { onLine, onRestart: () => undefined }, { signal: limit.signal });
	expect(lines).toBeLessThan(4096);
});
