import { renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';

/** How long the host is watched after an activation, in milliseconds: an extension goes on working after its own. */
const AFTER_MS = 500;

/** Inside the extension host: activates the extensions named in the environment, in that order, and measures each, in milliseconds. */
export async function run(): Promise<void> {
	const { NANCY_BENCH_EXTENSIONS: names = '', NANCY_BENCH_RESULT: result = '' } = process.env;
	const measured: Record<string, { took: number; cpu: number; block: number }> = {};
	await longestBlock();
	for (const name of names.split(' ')) {
		const extension = vscode.extensions.getExtension(name);
		if (!extension || extension.isActive) throw new Error(`${name} is ${extension ? 'active already' : 'missing'}`);
		const [begun, before] = [performance.now(), process.threadCpuUsage()];
		await extension.activate();
		const took = performance.now() - begun;
		const { user, system } = process.threadCpuUsage(before);
		measured[name] = { took, cpu: (user + system) / 1000, block: await longestBlock() };
	}
	writeFileSync(`${result}.part`, JSON.stringify(measured));
	renameSync(`${result}.part`, result);
}

/** The longest time in which the host could do nothing else. */
async function longestBlock(): Promise<number> {
	const end = performance.now() + AFTER_MS;
	let longest = 0;
	for (let last = performance.now(); last < end;) {
		await sleep(1);
		const now = performance.now();
		longest = Math.max(longest, now - last);
		last = now;
	}
	return longest;
}
