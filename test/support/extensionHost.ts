import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { descendantsOf, processTable } from '../../src/process/processTable.ts';
import { HANG_MS } from './eventually.ts';
import type { Lab } from './lab.ts';
import type { Server } from './vscodeServer.ts';

/** What runs the extensions, of the one window that the server has; none while it starts. After a reload the last one may be there still. */
async function extensionHostsOf(server: Server): Promise<number[]> {
	return descendantsOf(server.pid, await processTable()).filter(isExtensionHost);
}

/**
 * As a crash ends it; resolves once there is another.
 *
 * The window asks the server how the process ended, and starts another once it knows. VS Code 1.139.1 waits two seconds for the answer
 * (`_getExtensionHostExitInfoWithTimeout`). On a busy machine the answer comes later, and then the window is without extensions for good
 * and says nothing. So the window is given the time.
 */
export async function killExtensionHost({ server, page }: Pick<Lab, 'server' | 'page'>): Promise<void> {
	await expect.poll(() => extensionHostsOf(server)).toHaveLength(1);
	const [killed] = await extensionHostsOf(server);
	const waits = await page.evaluateHandle(waitLonger, { instead: 2000, ms: HANG_MS });
	process.kill(killed ?? Number.NaN, 'SIGKILL');
	await expect.poll(() => extensionHostsOf(server)).not.toContain(killed);
	await expect.poll(() => extensionHostsOf(server)).toHaveLength(1);
	await waits.evaluate(putBack => putBack());
}

/** Runs in the page: a timer that is set to `instead` milliseconds runs for `ms`, until the result is called. */
function waitLonger({ instead, ms }: { instead: number; ms: number }): () => void {
	const original = window.setTimeout.bind(window);
	const longer = (handler: TimerHandler, timeout?: number, ...args: unknown[]) =>
		original(handler, timeout === instead ? ms : timeout, ...args);
	window.setTimeout = Object.assign(longer, window.setTimeout);
	return () => {
		window.setTimeout = Object.assign(original, longer);
	};
}

function isExtensionHost(pid: number): boolean {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=extensionHost');
	} catch {
		return false; // ended while we looked
	}
}
