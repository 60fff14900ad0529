import { phrase } from '../../base/phrase.ts';
import type { DeskMessage } from '../../protocol/deskState.ts';
import { say } from './words.ts';

/** Says that messages wait which are not on the page: it gets the newest. */
export function Older({ waiting, shown }: { waiting: number; shown: readonly DeskMessage[] }) {
	const more = waiting - shown.filter(({ state }) => state === 'queued').length;
	return more > 0 ? <p class="quiet">{say(phrase`${more} older messages are not shown.`)}</p> : null;
}
