import type { MessageContent, MessageKind } from '../protocol/message.ts';
import type { EventKind } from '../protocol/traffic.ts';
import type { HookMapping } from './driver.ts';

/**
 * What a message may be handed over at (design §4.3). `boundary`: between or around tool calls. `denial`: before a tool call
 * where the CLI takes words only with a denial. `turn`: when a prompt begins one. `end`: when the agent would stop. `never`: everything else; at the start of a session, too, nobody reads: what is
 * put into the context there waits unseen for a prompt, and the message would count as delivered.
 */
export type Slot = 'boundary' | 'denial' | 'turn' | 'end' | 'never';

/** A subagent's events never deliver: its context is not the worker's. */
export function slotOf(slots: HookMapping['slots'], event: { kind: EventKind; subagent?: string | undefined }): Slot {
	return event.subagent === undefined ? (slots[event.kind] ?? 'never') : 'never';
}

/** Whether tool calls are at hand or just over, so that what is due may be worth a look at the next one. */
export function isAroundTools(slot: Slot): boolean {
	return slot === 'boundary' || slot === 'denial';
}

const always = () => true;
const dueByKind: Readonly<Record<MessageKind, (slot: Slot, message: MessageContent) => boolean>> = {
	directive: always,
	feedback: slot => !isAroundTools(slot),
	result: (slot, message) => !isAroundTools(slot) || message.priority === 'urgent',
};

export function isDue(slot: Slot, message: MessageContent): boolean {
	// A pause handed over at Stop would keep the agent going: it waits for the next prompt instead.
	if (slot === 'end' && message.effect === 'pause') return false;
	if (slot === 'denial' && message.effect === 'none') return false;
	return slot !== 'never' && dueByKind[message.kind](slot, message);
}

/** Whether a queued message is worth waking an idle agent for. A pause is not: the agent rests already. */
export function wakes(message: MessageContent): boolean {
	return message.effect !== 'pause';
}
