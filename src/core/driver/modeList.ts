import { phrase, type Phrase } from '../../base/phrase.ts';

/** For an error: each mode with what it allows. */
export function modeList(modes: readonly { id: string; detail: Phrase }[]): Phrase {
	return modes.map(({ id, detail }) => phrase`${id} (${detail})`).reduce((list, each) => phrase`${list}, ${each}`);
}
