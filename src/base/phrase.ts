/** What stands at a `{0}`. */
export type PhrasePart = string | number | Phrase | undefined;

/** An English text that can be said in another language: its template is the key of the translation. */
export class Phrase {
	readonly template: string;
	readonly parts: readonly PhrasePart[];

	constructor(template: string, parts: readonly PhrasePart[]) {
		this.template = template;
		this.parts = parts;
	}

	/** @param say makes the text of a template and its parts. Only Nancy's own words are translated, never a name or another program's text */
	in(say: (template: string, ...parts: string[]) => string): string {
		return say(this.template, ...this.parts.map(part => (part instanceof Phrase ? part.in(say) : String(part))));
	}

	/** In English, for terminals, logs, files and agents. */
	toString(): string {
		return this.in(filled);
	}

	/** So that programs that read JSON get the English text. */
	toJSON(): string {
		return this.toString();
	}
}

/**
 * Marks a text that a person may read in the window: phrase`there is no task "${name}"`. A new line with its indentation counts as one
 * blank, so that a long text can stand on several lines. All signs are of Latin-1: see the test of the command line.
 */
export function phrase(texts: TemplateStringsArray, ...parts: readonly PhrasePart[]): Phrase {
	return new Phrase(templateOf(texts), parts);
}

/** The key of a translation, from the texts between the parts. */
export function templateOf(texts: readonly string[]): string {
	return texts.map((text, index) => (index === 0 ? '' : `{${index - 1}}`) + text.replace(/\n\t*/g, ' ')).join('');
}

/** A template with its parts. */
export function filled(template: string, ...parts: string[]): string {
	return template.replace(/\{(\d+)\}/g, (place, index: string) => parts[Number(index)] ?? place);
}
