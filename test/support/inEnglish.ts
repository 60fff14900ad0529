import { Phrase } from '../../src/base/phrase.ts';

/** An answer whose texts are as a terminal and programs get them. */
export async function inEnglish<T extends object>(answer: Promise<T>): Promise<T> {
	const done = await answer;
	const texts = Object.entries(done).flatMap(([key, value]) =>
		value instanceof Phrase ? [[key, String(value)]] : [],
	);
	return { ...done, ...Object.fromEntries(texts) };
}
