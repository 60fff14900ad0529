import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again and again until the answer is neither undefined nor false; fails with `what` in words. */
export async function eventually<T>(
	what: string,
	ask: () => T | Promise<T>,
	{ timeoutMs = 15_000, everyMs = 50 } = {},
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
