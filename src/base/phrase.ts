/** What stands at a `{0}`. */
export type PhrasePart = string | number | Phrase | Named | undefined;

/** Names of the protocol that no person should have to read. */
type Hidden = 'TaskName' | 'DelegateId' | 'DriverId';
/** The brand of such a name. A text without one has all keys. */
type Brand<T extends string> = keyof T[Exclude<keyof T, keyof string>];
/** A name is a part only as a {@link Named}. In a command to type, the whole command is the part. */
type Said<T> = T extends string ? (Brand<T> extends Hidden ? never : T) : T;

/** What programs know by a name, and a person by a title. */
export class Named {
	readonly is: 'task' | 'worker' | 'delegate' | 'agent';
	readonly name: string;

	constructor(is: Named['is'], name: string) {
		this.is = is;
		this.name = name;
	}

	toString(): string {
		return this.name;
	}
}

/** An English text that can be said in another language: its template is the key of the translation. */
export class Phrase {
	readonly template: string;
	readonly parts: readonly PhrasePart[];

	constructor(template: string, parts: readonly PhrasePart[]) {
		this.template = template;
		this.parts = parts;
	}

	/**
	 * @param say makes the text of a template and its parts. Only Nancy's own words are translated, never a name or another program's text
	 * @param titleOf says what a person calls something
	 */
	in(say: (template: string, ...parts: string[]) => string, titleOf: (named: Named) => string = String): string {
		const text = (part: PhrasePart) => {
			if (part instanceof Phrase) return part.in(say, titleOf);
			return part instanceof Named ? titleOf(part) : String(part);
		};
		return say(this.template, ...this.parts.map(text));
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
 * Marks a text that a person may read in the window: phrase`there is no task ${theTask(name)}`. A new line with its indentation counts as one
 * blank, so that a long text can stand on several lines. All signs are of Latin-1: see the test of the command line.
 */
export function phrase<const T extends readonly PhrasePart[]>(
	texts: TemplateStringsArray,
	...parts: { readonly [Index in keyof T]: Said<T[Index]> }
): Phrase {
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
