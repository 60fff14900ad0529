import { phrase, type Phrase } from '../base/phrase.ts';
import type { DeskWorker } from '../protocol/deskState.ts';

type State = Pick<DeskWorker, 'phase' | 'tool' | 'exitCode'> & { isUnprompted?: boolean | undefined };

/** What an agent does, in a word or two. */
export function phaseWord({ phase, tool, isUnprompted, exitCode }: State): Phrase {
	switch (phase) {
		case 'starting':
			return phrase`starting`;
		case 'working':
			return phrase`working`;
		case 'waiting':
			// A question about no tool may be anything: a form, or a dialog of the agent's own.
			return tool === undefined ? phrase`waiting for you` : phrase`waiting for permission`;
		case 'idle':
			return isUnprompted ? phrase`idle, not yet prompted` : phrase`idle`;
		case 'ended':
			return exitCode === undefined ? phrase`ended` : phrase`failed · exit ${exitCode}`;
	}
}

/** The agent's own words on its work, as such. */
export function saidWords({ text, word }: Pick<NonNullable<DeskWorker['said']>, 'text' | 'word'>): Phrase {
	switch (word) {
		case 'blocked':
			return phrase`says it is blocked: “${text}”`;
		case 'done':
			return phrase`says it is done: “${text}”`;
		default:
			return phrase`says: “${text}”`;
	}
}
