import { setTimeout as sleep } from 'node:timers/promises';

/**
 * In milliseconds: what takes longer hangs. It is so long that nothing is measured by it: how fast a step is depends on what else
 * the machine does, and `npm run bench` measures that.
 */
export const HANG_MS = 60_000;
/** The same for a whole test, which has many steps. */
export const TEST_HANGS_MS = 5 * HANG_MS;

/** Asks again and again until the answer is neither undefined nor false; fails with `what` in words. */
export async function eventually<T>(
	what: string,
	ask: () => T | Promise<T>,
	{ timeoutMs = HANG_MS, everyMs = 50 } = {},
): Promise<Exclude<T, undefined | false | null>> {
	const deadline = Date.now() + timeoutMs;
	let last: unknown;
	for (;;) {
		const answer = await Promise.resolve()
			.then(ask)
			.catch((error: unknown) => {
				last = error;
				return undefined;
			});
		if (answer !== undefined && answer !== false && answer !== null)
			return answer as Exclude<T, undefined | false | null>;
		if (Date.now() > deadline) throw new Error(`Not within ${timeoutMs} ms: ${what}`, { cause: last });
		await sleep(everyMs);
	}
}
