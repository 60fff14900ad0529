import type { Style } from './style.ts';

/** A block of code begins with such a line, and ends with one that has at least as many of its signs and nothing else. */
const FENCE = /^\s*(?:[-*+>]\s+|\d+[.)]\s+)?(`{3,}|~{3,})(.*)$/;
const HEADING = /^ {0,3}#{1,6}\s/;

/** How each line of a Markdown text looks. The lines stay as they are. */
export class MarkdownLines {
	/** The signs of the block of code that has not ended. */
	private fence: string | undefined;

	/** @param line the next one of the text */
	styleOf(line: string): Style {
		const [, signs = '', rest = ''] = FENCE.exec(line) ?? [];
		if (this.fence !== undefined) {
			if (signs.startsWith(this.fence) && rest.trim() === '') this.fence = undefined;
			return 'code';
		}
		// The words behind backticks have none, or it is code within a line.
		if (signs !== '' && !(signs.startsWith('`') && rest.includes('`'))) {
			this.fence = signs;
			return 'code';
		}
		return HEADING.test(line) ? 'heading' : 'prose';
	}

	/** Another text begins. */
	end(): void {
		this.fence = undefined;
	}
}
