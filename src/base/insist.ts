import { setTimeout as sleep } from 'node:timers/promises';

/** How often a step is tried again: for more than four minutes in all. */
const MOST_TRIES = 30;

/** Tries a step again and again: a full disk may have room soon, and an answer is worth waiting for. @throws what the last try throws */
export async function insist<T>(step: () => Promise<T>): Promise<T> {
	for (let attempt = 0; ; attempt++) {
		try {
			return await step();
		} catch (error) {
			if (attempt === MOST_TRIES) throw error;
			await sleep(Math.min(10_000, 500 * 2 ** attempt));
		}
	}
}
