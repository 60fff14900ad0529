import { phrase, type Phrase } from '../base/phrase.ts';
import type { DeskMessage } from '../protocol/deskState.ts';

/** What a message is for. */
export function kindWord(kind: DeskMessage['kind']): Phrase {
	switch (kind) {
		case 'directive':
			return phrase`directive`;
		case 'feedback':
			return phrase`feedback`;
		case 'result':
			return phrase`result`;
	}
}

/** The words of the compose box, as what the message does. */
export function effectWord(effect: DeskMessage['effect']): Phrase | undefined {
	switch (effect) {
		case 'none':
			return undefined;
		case 'halt':
			return phrase`blocks the next tool call`;
		case 'pause':
			return phrase`ends the turn`;
	}
}

/** Where a message is. */
export function stateWord(state: DeskMessage['state']): Phrase {
	switch (state) {
		case 'queued':
			return phrase`queued`;
		case 'claimed':
			return phrase`being delivered`;
		case 'delivered':
			return phrase`delivered`;
		case 'archived':
			return phrase`archived`;
		case 'withdrawn':
			return phrase`withdrawn`;
	}
}
