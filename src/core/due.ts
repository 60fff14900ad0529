import type { MessageContent, MessageKind } from '../protocol/message.ts';
import type { EventKind } from '../protocol/traffic.ts';

/**
 * What a message may be handed over at (design §4.3). `boundary`: between or around tool calls. `turn`: when a prompt
 * begins one. `end`: when the agent would stop. `never`: everything else; at the start of a session, too, nobody reads: what is
 * put into the context there waits unseen for a prompt, and the message would count as delivered.
 */
export type Slot = 'boundary' | 'turn' | 'end' | 'never';

const slotByKind: Partial<Record<EventKind, Slot>> = {
	'tool-start': 'boundary',
	'batch-end': 'boundary',
	prompt: 'turn',
	stop: 'end',
};

/** A subagent's events never deliver: its context is not the worker's. */
export function slotOf(event: { kind: EventKind; subagent?: string | undefined }): Slot {
	return event.subagent === undefined ? (slotByKind[event.kind] ?? 'never') : 'never';
}

const always = () => true;
const dueByKind: Readonly<Record<MessageKind, (slot: Slot, message: MessageContent) => boolean>> = {
	directive: always,
	feedback: slot => slot !== 'boundary',
	result: (slot, message) => slot !== 'boundary' || message.priority === 'urgent',
};

export function isDue(slot: Slot, message: MessageContent): boolean {
	// A pause handed over at Stop would keep the agent going: it waits for the next prompt instead.
	if (slot === 'end' && message.effect === 'pause') return false;
	return slot !== 'never' && dueByKind[message.kind](slot, message);
}

/** Whether a queued message is worth waking an idle agent for. A pause is not: the agent rests already. */
export function wakes(message: MessageContent): boolean {
	return message.effect !== 'pause';
}
