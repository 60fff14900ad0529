import type { Emitter } from 'highlight.js';
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

/** A part of code, and what it is in its language. */
export interface Token {
	readonly text: string;
	/** As highlight.js calls it, without what stands behind a dot. Empty for plain text. */
	readonly scope: string;
}

/** In UTF-16 units: a grammar's expressions may take long for more. */
const LONGEST = 64 * 1024;

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
		if (text !== '') this.list.push({ text, scope: this.scopes.at(-1)?.split('.')[0] ?? '' });
	}

	__addSublanguage(inner: Emitter): void {
		if (inner instanceof Tokens) this.list.push(...inner.list);
	}

	toHTML(): string {
		return '';
	}

	finalize(): void {}
}

hljs.configure({ __emitter: Tokens });
// TypeScript's grammar also reads JavaScript.
for (const [name, language] of Object.entries({ bash, go, ini, java, json, python, rust, typescript, xml, yaml }))
	hljs.registerLanguage(name, language);
hljs.registerAliases(['javascript', 'js', 'jsx', 'mjs', 'cjs'], { languageName: 'typescript' });

/** The parts of a text in a language. A language that is not known, and a very long text, is one plain part. */
export function highlight(text: string, language: string): readonly Token[] {
	const plain = [{ text, scope: '' }];
	if (text.length > LONGEST || !hljs.getLanguage(language)) return plain;
	const { _emitter: tokens } = hljs.highlight(text, { language, ignoreIllegals: true });
	if (!(tokens instanceof Tokens)) return plain;
	// A grammar that fails leaves out the rest, and a person would allow what is not shown.
	return tokens.list.map(each => each.text).join('') === text ? tokens.list : plain;
}
