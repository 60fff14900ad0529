import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { RunnerTestCase } from 'vitest';
import { LEAN } from '../../src/core/deployment/runtimePrograms.ts';
import { bundledChild } from './bundledChild.ts';
import type { TempFolder } from './tempFolder.ts';

/**
 * An installed `nancy` that runs delegates with the fake agents, and V8 as in a real runner; what goes wrong is in `stderr`.
 * @param data the folder of the tickets
 */
export function fakeNancy(folder: TempFolder, data = folder.file('data')): string {
	const nancy = folder.file('nancy');
	writeFileSync(
		nancy,
		[
			'#!/bin/sh',
			`export FAKE_DATA='${data}' FAKE_NANCY="$0"`,
			`exec '${process.execPath}' ${LEAN.join(' ')} '${bundledChild('runDelegate')}' "$@" 2>>'${stderrOf(folder)}'`,
			'',
		].join('\n'),
	);
	chmodSync(nancy, 0o755);
	return nancy;
}

/** Prints what the runners of a test that has failed have said: how each ended, but for those that were killed. */
export function sayRunners(folder: TempFolder, { result }: RunnerTestCase): void {
	if (result?.state !== 'fail' || !existsSync(stderrOf(folder))) return;
	console.error(readFileSync(stderrOf(folder), 'utf8'));
}

function stderrOf(folder: TempFolder): string {
	return folder.file('stderr');
}
