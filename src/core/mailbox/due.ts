import type { Effect, MessageContent, MessageKind } from '../../protocol/message.ts';
import type { EventKind } from '../../protocol/traffic.ts';
import type { HookMapping } from '../driver/hooks.ts';
import type { Slot } from '../driver/slot.ts';

const effectsAroundTools = {
	boundary: ['none', 'halt', 'pause'],
	words: ['none', 'halt'],
	denial: ['halt', 'pause'],
	halt: ['halt'],
} as const satisfies Partial<Record<Slot, readonly Effect[]>>;

/** A subagent's events never deliver: its context is not the worker's. */
export function slotOf(slots: HookMapping['slots'], event: { kind: EventKind; subagent?: string | undefined }): Slot {
	return event.subagent === undefined ? (slots[event.kind] ?? 'never') : 'never';
}

/** Whether tool calls are about to run or just over, so that due messages may be worth a look at the next one. */
export function isAroundTools(slot: Slot): slot is keyof typeof effectsAroundTools {
	return Object.hasOwn(effectsAroundTools, slot);
}

/** Before a tool has run, it can still be denied. */
export function isBeforeTool(kind: EventKind): boolean {
	return kind === 'tool-start' || kind === 'permission-check';
}

const always = () => true;
type Urgency = Pick<MessageContent, 'kind' | 'priority' | 'effect'>;
const dueByKind: Readonly<Record<MessageKind, (slot: Slot, message: Urgency) => boolean>> = {
	directive: always,
	feedback: slot => !isAroundTools(slot),
	result: (slot, message) => !isAroundTools(slot) || message.priority === 'urgent',
};

export function isDue(slot: Slot, message: Urgency): boolean {
	// A pause at Stop would keep the agent going. So it waits for the next prompt.
	if (slot === 'end' && message.effect === 'pause') return false;
	const effects: readonly Effect[] | undefined = isAroundTools(slot) ? effectsAroundTools[slot] : undefined;
	if (effects && !effects.includes(message.effect)) return false;
	return slot !== 'never' && dueByKind[message.kind](slot, message);
}

/** So many lost deliveries of one message are followed by another try. A turn that fails for ever would follow more. */
export const MOST_LOST = 3;

/** What is known of a queued message. */
interface Queued<Content> {
	readonly content: Content;
	/** How often it was handed over and lost. */
	readonly lost?: number;
}

/**
 * Whether this queued message waits for the end of a turn, and is then handed over with nothing beside it. Nobody knows whether the model fails
 * because of it. With a prompt it could break that too, and a turn that has ended by itself shows that the model works.
 */
export function goesAlone({ content, lost = 0 }: Queued<Urgency>): boolean {
	return lost > MOST_LOST && isDue('end', content);
}

/** Whether such a message is worth waking an idle agent for. A pause is not: the agent is idle already. */
export function wakes(message: Pick<MessageContent, 'effect'>): boolean {
	return message.effect !== 'pause';
}

/** Whether this queued message is still worth waking an idle agent for. */
export function mayWake({ content, lost = 0 }: Queued<Pick<MessageContent, 'effect'>>): boolean {
	return wakes(content) && lost <= MOST_LOST;
}
