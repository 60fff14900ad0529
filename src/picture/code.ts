import type { Emitter } from 'highlight.js';
import hljs from 'highlight.js/lib/common';
import type { Line, Span } from './line.ts';

/** Takes what highlight.js finds as lines of spans, where its own emitter would make HTML. */
class Lines implements Emitter {
	readonly lines: Span[][] = [[]];
	private readonly scopes: string[] = [];

	startScope(name: string): void {
		this.scopes.push(name);
	}

	endScope(): void {
		this.scopes.pop();
	}

	/** The core calls the two above by these names too. */
	openNode(name: string): void {
		this.startScope(name);
	}

	closeNode(): void {
		this.endScope();
	}

	addText(text: string): void {
		for (const [at, part] of text.split('\n').entries()) {
			if (at > 0) this.lines.push([]);
			if (part !== '') this.lines.at(-1)?.push({ text: part, scope: this.scopes.at(-1) });
		}
	}

	__addSublanguage(emitter: Emitter): void {
		if (!(emitter instanceof Lines)) return;
		const [first = [], ...others] = emitter.lines;
		this.lines.at(-1)?.push(...first);
		this.lines.push(...others);
	}

	finalize(): void {
		// Every text is in its line already.
	}

	toHTML(): string {
		return '';
	}
}

hljs.configure({ __emitter: Lines });

/**
 * Code as lines of coloured spans.
 * @param language a name or a file's extension, as highlight.js knows it; any other leaves the text without colours
 */
export function linesOfCode(code: string, language: string): Line[] {
	const text = code.replaceAll(/\r\n?/g, '\n');
	if (hljs.getLanguage(language)) {
		const { _emitter: found } = hljs.highlight(text, { language, ignoreIllegals: true });
		if (found instanceof Lines) return found.lines;
	}
	return text.split('\n').map(line => [{ text: line }]);
}
