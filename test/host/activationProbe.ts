import { renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';

/** Between two activations, in milliseconds: an extension goes on loading after its own. */
const APART_MS = 500;

/** Inside the extension host: times `activate()` of the extensions named in the environment, in that order. */
export async function run(): Promise<void> {
	const { NANCY_BENCH_EXTENSIONS: names = '', NANCY_BENCH_RESULT: result = '' } = process.env;
	const times: Record<string, number> = {};
	for (const name of names.split(' ')) {
		const extension = vscode.extensions.getExtension(name);
		if (!extension || extension.isActive) throw new Error(`${name} is ${extension ? 'active already' : 'missing'}`);
		await sleep(APART_MS);
		const begun = performance.now();
		await extension.activate();
		times[name] = performance.now() - begun;
	}
	writeFileSync(`${result}.part`, JSON.stringify(times));
	renameSync(`${result}.part`, result);
}
