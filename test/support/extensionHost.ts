import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { descendantsOf, processTable } from '../../src/process/processTable.ts';
import type { Server } from './vscodeServer.ts';

/** The process that runs the extensions, of the one window that the server has; none while it starts. */
async function extensionHostOf(server: Server): Promise<number | undefined> {
	const found = descendantsOf(server.pid, await processTable()).filter(isExtensionHost);
	expect(found.length).toBeLessThan(2);
	return found[0];
}

/** As a crash ends it; resolves once there is another. */
export async function killExtensionHost(server: Server): Promise<void> {
	const killed = await extensionHostOf(server);
	process.kill(killed ?? Number.NaN, 'SIGKILL');
	await expect.poll(() => extensionHostOf(server)).not.toBe(killed);
	await expect.poll(() => extensionHostOf(server)).toBeDefined();
}

function isExtensionHost(pid: number): boolean {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=extensionHost');
	} catch {
		return false; // ended while we looked
	}
}
