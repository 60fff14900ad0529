import { filled, type Phrase } from '../../base/phrase.ts';

/** The page's own words, in the language of the browser where Nancy has it. */

let translations: Readonly<Record<string, string>> = {};

/** From now on, texts are said with these translations, by their English templates. */
export function speak(texts: Readonly<Record<string, string>>): void {
	translations = texts;
}

/** A text of Nancy's, to be shown. One that is no phrase needs no translation. */
export function say(text: string | Phrase): string {
	if (typeof text === 'string') return text;
	return text.in((template, ...parts) => filled(translations[template] ?? template, ...parts));
}
