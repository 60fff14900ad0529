import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TempFolder } from './tempFolder.ts';

/** An installed `nancy` that runs delegates with the fake agents; its tickets are in `data`, what goes wrong is in `stderr`. */
export function fakeNancy(folder: TempFolder): string {
	const nancy = folder.file('nancy');
	const script = join(import.meta.dirname, '../fixtures/children/runDelegate.mts');
	writeFileSync(
		nancy,
		[
			'#!/bin/sh',
			`export FAKE_DATA='${folder.file('data')}' FAKE_NANCY="$0"`,
			'# Node reads TypeScript with WebAssembly, which a runner has not.',
			`NODE_OPTIONS= exec '${process.execPath}' --experimental-transform-types --no-warnings '${script}' "$@" 2>>'${folder.file('stderr')}'`,
			'',
		].join('\n'),
	);
	chmodSync(nancy, 0o755);
	return nancy;
}
