import { phrase, type Phrase } from '../base/phrase.ts';
import type { DelegateState } from '../protocol/delegate.ts';

/**
 * A delegate's state in a word.
 * @param waitsInQueue why it has not begun on the other machine, to which it was given
 */
export function delegateStateWord(state: DelegateState, waitsInQueue?: string): Phrase {
	switch (state) {
		case 'queued':
			return phrase`queued`;
		case 'running':
			return waitsInQueue === undefined ? phrase`running` : phrase`waiting`;
		case 'parked':
			return phrase`parked`;
		case 'done':
			return phrase`done`;
		case 'failed':
			return phrase`failed`;
	}
}
