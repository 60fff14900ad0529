import { phrase, type Phrase } from '../base/phrase.ts';
import type { DelegateState } from '../protocol/delegate.ts';

/** A delegate's state in a word. */
export function delegateStateWord(state: DelegateState): Phrase {
	switch (state) {
		case 'queued':
			return phrase`queued`;
		case 'running':
			return phrase`running`;
		case 'parked':
			return phrase`parked`;
		case 'done':
			return phrase`done`;
		case 'failed':
			return phrase`failed`;
	}
}
