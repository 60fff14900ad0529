import type { Emitter, HLJSApi } from 'highlight.js';
import type { Line, Span } from './line.ts';

/** A part of code, and what it is in its language. */
export interface Token {
	readonly text: string;
	/** As highlight.js calls it, for example `title.function`. Empty for plain text. */
	readonly scope: string;
}

/** Takes what highlight.js says of each part of a text, so that no HTML is made. */
class Tokens implements Emitter {
	readonly list: Token[] = [];
	private readonly scopes: string[] = [];

	startScope(name: string): void {
		this.scopes.push(name);
	}

	endScope(): void {
		this.scopes.pop();
	}

	// highlight.js calls the same by two names, of which its types know one.
	openNode(name: string): void {
		this.startScope(name);
	}

	closeNode(): void {
		this.endScope();
	}

	addText(text: string): void {
		if (text !== '') this.list.push({ text, scope: this.scopes.at(-1) ?? '' });
	}

	__addSublanguage(inner: Emitter): void {
		if (inner instanceof Tokens) this.list.push(...inner.list);
	}

	toHTML(): string {
		return '';
	}

	finalize(): void {}
}

/**
 * The parts of a text in a language. A language that is not known makes one plain part.
 * @param hljs with the languages that the caller wants
 */
export function tokensOf(hljs: HLJSApi, text: string, language: string): readonly Token[] {
	const plain = [{ text, scope: '' }];
	if (!hljs.getLanguage(language)) return plain;
	hljs.configure({ __emitter: Tokens });
	const { _emitter: tokens } = hljs.highlight(text, { language, ignoreIllegals: true });
	if (!(tokens instanceof Tokens)) return plain;
	// A grammar that fails leaves out the rest, and a person would take a part for the whole.
	return tokens.list.map(each => each.text).join('') === text ? tokens.list : plain;
}

/** Tokens as lines of coloured spans. */
export function linesOf(tokens: readonly Token[]): Line[] {
	const lines: Span[][] = [[]];
	for (const { text, scope } of tokens) {
		for (const [at, part] of text.split('\n').entries()) {
			if (at > 0) lines.push([]);
			if (part !== '') lines.at(-1)?.push({ text: part, ...(scope !== '' && { scope }) });
		}
	}
	return lines;
}
