import type { MessageContent } from '../../protocol/message.ts';
import type { WorkerRecord } from '../../protocol/records.ts';
import { canWake } from '../driver/abilities.ts';
import type { Driver } from '../driver/driver.ts';
import { isAroundTools, isDue, wakes } from './due.ts';
import { wakeLimit, type ReadHeld } from './held.ts';

/** What must be known of a CLI to say when its agents read a message. */
export type Reader = Pick<Driver, 'id' | 'floors' | 'limits'> & {
	hooks: Pick<Driver['hooks'], 'slots' | 'hearsWhenResumed'>;
};

/** A worker at the moment of sending, from the newest evidence. */
export interface ReaderState {
	record: Pick<WorkerRecord, 'agentVersion' | 'hooks' | 'delegate'>;
	state: {
		phase: 'starting' | 'working' | 'waiting' | 'idle' | 'ended';
		tool?: string;
		session?: string;
		isUnprompted?: true;
	};
	/** Why a message in its mailbox still waits, if one does. */
	held?: ReadHeld | undefined;
}

/** The events of a working agent at which it reads a message. */
export type ReadingPlace =
	/** At the next tool call; if none follows, when it is done. */
	| 'tool'
	/** In place of the next tool call, which does not run; if none follows, when it is done. */
	| 'instead'
	/** At the next tool call, and its turn ends there. */
	| 'pause'
	/** At the next tool call, which asks it to end its turn: its CLI ends no turn. */
	| 'ask-to-pause'
	/** At the next question for permission, where its turn ends. */
	| 'permission'
	/** The same, but if none follows, with its next prompt. */
	| 'instead-or-prompt'
	/** When it is done. It goes on with the message. */
	| 'stop'
	/** With its next prompt: it goes on for no message. */
	| 'prompt';

/** When an agent reads a message that is sent now. */
export type Reading =
	/** `after`: first a person must answer its question. */
	| { when: 'working'; at: ReadingPlace; after: 'permission' | 'question' | undefined }
	/** It is idle, and the message wakes it. */
	| { when: 'wakes' }
	/** The same, but its CLI can be woken only in part. */
	| { when: 'may-wake'; held: ReadHeld }
	/** It is starting, and watches for messages. */
	| { when: 'started' }
	/** It is starting, and reads nothing before its first prompt. */
	| { when: 'first-prompt' }
	/** A delegate whose turn is over. It is about to end. */
	| { when: 'ending' }
	| { when: 'held'; held: ReadHeld };

/** The words of a message do not matter. */
export type Letter = Pick<MessageContent, 'kind' | 'priority' | 'effect'>;

/** @param reader `undefined` for an agent that this version of Nancy does not know: then the answer is, too */
export function whenRead(reader: Reader | undefined, worker: ReaderState, letter: Letter): Reading | undefined {
	const { record, state, held } = worker;
	if (state.phase === 'ended') return { when: 'held', held: { code: 'ended' } };
	if (record.hooks === 'off') return { when: 'held', held: { code: 'no-hooks' } };
	if (held?.code === 'brought') return { when: 'held', held };
	if (!reader) return undefined;
	switch (state.phase) {
		case 'starting':
			return { when: hearsUnprompted(reader, record, state) ? 'started' : 'first-prompt' };
		case 'working':
			return { when: 'working', at: placeOf(reader, letter), after: undefined };
		case 'waiting': {
			const after = state.tool === undefined ? 'question' : 'permission';
			return { when: 'working', at: placeOf(reader, letter), after };
		}
		case 'idle':
			return whenIdle(reader, worker, letter);
	}
}

/** Whether a session that has had no prompt yet watches for messages. */
export function hearsUnprompted(
	reader: Pick<Reader, 'floors'> & { hooks: Pick<Reader['hooks'], 'hearsWhenResumed'> },
	{ agentVersion }: Pick<WorkerRecord, 'agentVersion'>,
	{ session }: Pick<ReaderState['state'], 'session'>,
): boolean {
	return session !== undefined && reader.hooks.hearsWhenResumed && canWake(reader, agentVersion);
}

function whenIdle(reader: Reader, { record, state, held }: ReaderState, letter: Letter): Reading {
	if (record.delegate !== undefined) return { when: 'ending' };
	if (!wakes(letter)) return { when: 'held', held: { code: 'resting' } };
	if (state.isUnprompted && !hearsUnprompted(reader, record, state)) return { when: 'first-prompt' };
	if (!canWake(reader, record.agentVersion)) return { when: 'held', held: wakeLimit(reader) };
	// The messages before this one were not heard either.
	if (held?.code === 'unheard' || held?.code === 'limit') return { when: 'held', held };
	return reader.limits.wake === undefined ? { when: 'wakes' } : { when: 'may-wake', held: wakeLimit(reader) };
}

function placeOf({ hooks, limits, floors }: Reader, letter: Letter): ReadingPlace {
	const due = Object.entries(hooks.slots)
		.filter(([, slot]) => isAroundTools(slot) && isDue(slot, letter))
		// Whether such an agent takes words there, only its session tells.
		.filter(([, slot]) => slot !== 'boundary' || floors.steer !== 'none')
		.map(([kind]) => kind);
	const goesOn = hooks.slots.stop !== undefined;
	if (due.length === 0) return goesOn ? 'stop' : 'prompt';
	switch (letter.effect) {
		case 'none':
			return 'tool';
		case 'halt':
			return goesOn ? 'instead' : 'instead-or-prompt';
		case 'pause':
			if (limits.halt !== undefined) return 'ask-to-pause';
			return due.every(kind => kind === 'permission-check') ? 'permission' : 'pause';
	}
}
