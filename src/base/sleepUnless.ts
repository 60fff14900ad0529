import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after so many milliseconds, or once the signal is aborted. */
export async function sleepUnless(ms: number, signal?: AbortSignal): Promise<void> {
	await sleep(ms, undefined, { signal }).catch(() => undefined);
}
