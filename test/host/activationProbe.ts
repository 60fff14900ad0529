import { renameSync, writeFileSync } from 'node:fs';
import * as vscode from 'vscode';

/** Inside the extension host: times `activate()` of the extension named in the environment. */
export async function run(): Promise<void> {
	const { NANCY_BENCH_EXTENSION: name = '', NANCY_BENCH_RESULT: result = '' } = process.env;
	const extension = vscode.extensions.getExtension(name);
	if (!extension || extension.isActive) throw new Error(`${name} is ${extension ? 'active already' : 'missing'}`);
	const begun = performance.now();
	await extension.activate();
	const milliseconds = performance.now() - begun;
	writeFileSync(`${result}.part`, JSON.stringify({ milliseconds }));
	renameSync(`${result}.part`, result);
}
