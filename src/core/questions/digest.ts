import { sha256 } from '../../base/sha256.ts';
import type { Question } from '../../protocol/question.ts';

/**
 * Names everything that a person sees of a question. A desk refuses a question whose file says something else than its digest. The holder
 * compares an answer with the digest that it has in memory. So neither a changed question nor a forged one can allow another request.
 */
export function digestOf(question: Omit<Question, 'digest'>): string {
	return sha256(sortedJson({ ...question, digest: undefined }));
}

/** The same text for the same value, whatever the order of its keys. */
export function sortedJson(value: unknown): string {
	return JSON.stringify(sorted(value));
}

/** The same value with its keys in order. */
function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	if (typeof value !== 'object' || value === null) return value;
	const entries = Object.entries(value).filter(([, item]) => item !== undefined);
	return Object.fromEntries(
		entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]),
	);
}
