import { phrase, type Phrase } from '../base/phrase.ts';
import type { NoNotes, Reason } from '../protocol/memoryNames.ts';
import type { NotesOutput, WithoutNotes } from '../protocol/output/memory.ts';

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

/** Why a task has no notes. `undefined` if nothing says so; a record of an earlier version has a sentence. */
export function noNotesWords({ cause, why }: WithoutNotes): Phrase | string | undefined {
	if (cause === undefined) return why;
	return why === undefined ? causeWords(cause) : phrase`${causeWords(cause)}: ${why}`;
}

function causeWords(cause: NoNotes): Phrase {
	switch (cause) {
		case 'paused':
			return phrase`the memory of the project is paused`;
		case 'off':
			return phrase`extraction is off (config.toml)`;
		case 'unrecorded':
			return phrase`nothing of it was recorded, because hooks are off`;
		case 'poor':
			return phrase`nothing can be learnt from it`;
		case 'killed':
			return phrase`it was killed`;
		case 'no-extractor':
			return phrase`its agent cannot be asked for them, and config.toml names no other agent (extraction.agent)`;
		case 'no-agent':
			return phrase`the agent that makes them cannot be used here; nancy doctor says why`;
		case 'timeout':
			return phrase`making them took too long`;
		case 'cancelled':
			return phrase`it was broken off`;
		case 'malformed':
			return phrase`the answer does not have the form that was asked for`;
		case 'no-answer':
			return phrase`the agent ended without an answer`;
		case 'failed':
			return phrase`the agent failed`;
	}
}
