import * as z from 'zod/mini';
import { Effect, Priority } from './message.ts';

/** The messages between the compose page and the extension. Both sides parse every message. */

/** The content of the form. Results are written by delegates, never by hand. */
export const Draft = z.object({
	/** Keys of {@link Recipient}s. */
	to: z.array(z.string()),
	kind: z.enum(['directive', 'feedback']),
	priority: Priority,
	effect: Effect,
	text: z.string(),
});
export type Draft = z.infer<typeof Draft>;

export const EMPTY_DRAFT: Draft = { to: [], kind: 'directive', priority: 'normal', effect: 'none', text: '' };

const Recipient = z.object({
	/** Only the extension interprets it. */
	key: z.string(),
	label: z.string(),
	/** The worker's activity, in words. */
	detail: z.string(),
	isRunning: z.boolean(),
});

const SentMessage = z.object({
	key: z.string(),
	to: z.string(),
	text: z.string(),
	/** For the mark in front; the words are in `detail`. */
	state: z.enum(['queued', 'held', 'delivered', 'archived', 'withdrawn']),
	detail: z.string(),
});

export const ToComposePage = z.discriminatedUnion('type', [
	z.object({ type: z.literal('state'), recipients: z.array(Recipient), sent: z.array(SentMessage) }),
	/** The user wants to write: to these recipients, for a reply or a message to one worker, else to those already chosen. */
	z.object({ type: z.literal('address'), to: z.optional(z.array(z.string())) }),
	/** Loads a queued message for editing; the draft that was there comes back afterwards. */
	z.object({ type: z.literal('edit'), title: z.string(), draft: Draft }),
	/** The request is done, so the form can be emptied. */
	z.object({ type: z.literal('done'), note: z.string() }),
	/** The request failed, at least for some: the form keeps its text for the rest. */
	z.object({ type: z.literal('failed'), reason: z.string(), to: z.optional(z.array(z.string())) }),
]);
export type ToComposePage = z.infer<typeof ToComposePage>;

export const FromComposePage = z.discriminatedUnion('type', [
	z.object({ type: z.literal('ready') }),
	z.object({ type: z.literal('send'), draft: Draft }),
	z.object({ type: z.literal('save'), draft: Draft }),
	z.object({ type: z.literal('cancelEdit') }),
]);
export type FromComposePage = z.infer<typeof FromComposePage>;
