import { phrase, type Phrase } from '../base/phrase.ts';
import type { Reason } from '../protocol/memoryNames.ts';
import type { NotesOutput } from '../protocol/output/memory.ts';

/** What an update that waits would do. */
export function proposedWord(what: NotesOutput['pending'][number]['what']): Phrase {
	switch (what) {
		case 'add':
			return phrase`new note`;
		case 'amend':
			return phrase`other words`;
		case 'retire':
			return phrase`takes a note away`;
		case 'plan':
			return phrase`new plan`;
	}
}

/** Why something waits for a person. */
export function reasonWords(reason: Reason): Phrase {
	switch (reason) {
		case 'secret':
			return phrase`looks like a secret`;
		case 'instruction':
			return phrase`tells an agent what to do`;
		case 'from-outside':
			return phrase`comes from the web or another server`;
		case 'from-repository':
			return phrase`the repository brings it`;
		case 'no-evidence':
			return phrase`has no source`;
		case 'conflict':
			return phrase`the note has changed meanwhile`;
		case 'users-own':
			return phrase`changes what you wrote`;
		case 'contradicts':
			return phrase`contradicts a note`;
		case 'inferred':
			return phrase`only the agent said so`;
		case 'review':
			return phrase`you review every note`;
	}
}
