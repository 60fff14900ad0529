import { templateOf } from '../../src/base/phrase.ts';

/** The templates of all `phrase` literals in a source text: the keys of their translations. */
export function phrasesIn(code: string): string[] {
	return Array.from(code.matchAll(/\bphrase`/g), ({ index, 0: { length } }) => template(code, index + length).key);
}

/** A template literal from behind its first backtick to behind its last. */
function template(code: string, from: number): { key: string; end: number } {
	const texts = [''];
	for (let at = from; at < code.length; at++) {
		if (code[at] === '`') return { key: templateOf(texts), end: at + 1 };
		if (code.startsWith('${', at)) {
			at = expressionEnd(code, at + 2);
			texts.push('');
			continue;
		}
		if (code[at] === '\\') at++;
		texts.push(`${texts.pop()}${code[at]}`);
	}
	throw new Error('a template literal without an end');
}

/** Where the `}` of an expression in a template literal stands. */
function expressionEnd(code: string, from: number): number {
	let depth = 0;
	for (let at = from; at < code.length; at++) {
		const sign = code[at];
		if (sign === '`') at = template(code, at + 1).end - 1;
		else if (sign === "'" || sign === '"') at = code.indexOf(sign, at + 1);
		else if (sign === '{') depth++;
		else if (sign === '}' && depth-- === 0) return at;
	}
	throw new Error('an expression without an end');
}
