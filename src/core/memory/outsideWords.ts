import { entriesOf, isFromOutside, plain } from './digest.ts';

/** So many words in a row are no accident. */
const RUN = 5;
/** A word with a sign or a digit inside: a name of a package, a command, a host, a file. */
const TELLING = /^(?=.*\p{L})(?=.{5,}$).*[^\p{L}].*$/u;

/**
 * Whether a text repeats words that only the web or another server has brought: some in a row, or a telling one. What the agent itself said
 * is no other source of them.
 */
export function hasWordsFromOutside(text: string, digest: string): boolean {
	const [outside, own] = [new Set<string>(), new Set<string>()];
	for (const [id, entry] of entriesOf(digest)) {
		if (id.startsWith('a')) continue;
		const into = isFromOutside(entry) ? outside : own;
		for (const each of phrasesOf(entry.text)) into.add(each);
	}
	return outside.size > 0 && phrasesOf(text).some(each => outside.has(each) && !own.has(each));
}

/** What can be recognised: runs of words, and telling words. */
function phrasesOf(text: string): string[] {
	const words = plain(text)
		.toLowerCase()
		.split(' ')
		.map(word => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
		.filter(Boolean);
	const runs = words.slice(RUN - 1).map((_, at) => words.slice(at, at + RUN).join(' '));
	return [...runs, ...words.filter(word => TELLING.test(word))];
}
