import * as z from 'zod/mini';
import { Effect, Priority } from './message.ts';

/** The messages between the compose page and the extension. Both sides parse every message. */

/** The content of the form. Results are written by delegates, never by hand. */
export const Draft = z.object({
	kind: z.enum(['directive', 'feedback']),
	priority: Priority,
	effect: Effect,
	text: z.string(),
});
export type Draft = z.infer<typeof Draft>;

export const EMPTY_DRAFT: Draft = { kind: 'directive', priority: 'normal', effect: 'none', text: '' };

/** Keys of workers. Only the extension interprets them. */
const To = z.array(z.string());

/** Names what the form holds. It grows whenever the extension fills the form. What the page says of an earlier content comes too late. */
const Filling = z.int();

/** When a message is read that is sent now. */
const Timing = z.object({
	/** A few words; none if the recipients differ, or if nothing is known. */
	short: z.string(),
	/** A sentence. */
	text: z.string(),
	/** The few words say it all. */
	isPlain: z.boolean(),
	isHeld: z.boolean(),
});
export type Timing = z.infer<typeof Timing>;

const SentMessage = z.object({
	to: z.string(),
	text: z.string(),
	/** For the mark in front; the words are in `detail`. */
	state: z.enum(['queued', 'held', 'delivered', 'archived', 'withdrawn']),
	detail: z.string(),
});

/** What is around the text. */
const ComposeState = z.object({
	to: To,
	/** Names the recipients in a few words, or asks for one. */
	recipients: z.string(),
	/** Names all recipients, a line each; empty without any. */
	everybody: z.string(),
	/** A line above the text: what is answered, or whose message is edited. */
	banner: z.optional(z.string()),
	/** For a directive with each effect, and for feedback. */
	timing: z.object({ none: Timing, halt: Timing, pause: Timing, feedback: Timing }),
	sent: z.array(SentMessage),
});
export type ComposeState = z.infer<typeof ComposeState>;

export const ToComposePage = z.discriminatedUnion('type', [
	z.object({ type: z.literal('state'), state: ComposeState }),
	/**
	 * Replaces the content of the form, and at the same moment what is around it: from then on the user writes to others. `isEdit`: it is a
	 * queued message.
	 */
	z.object({
		type: z.literal('fill'),
		state: ComposeState,
		filling: Filling,
		draft: Draft,
		isEdit: z.boolean(),
	}),
	z.object({ type: z.literal('focus') }),
	/** The outcome of what was submitted from this filling. */
	z.object({ type: z.literal('note'), filling: Filling, text: z.string(), isError: z.boolean() }),
	/** The answer to a search. */
	z.object({ type: z.literal('files'), query: z.string(), files: z.array(z.string()) }),
]);
export type ToComposePage = z.infer<typeof ToComposePage>;

export const FromComposePage = z.discriminatedUnion('type', [
	z.object({ type: z.literal('ready') }),
	/** The content has changed. */
	z.object({ type: z.literal('draft'), filling: Filling, draft: Draft }),
	/** Sends the message, or saves the one that is edited. `to` is as the page shows it. */
	z.object({ type: z.literal('submit'), filling: Filling, to: To, draft: Draft }),
	/** The user wants to choose recipients. */
	z.object({ type: z.literal('choose') }),
	/** The user closes the banner: no reply, or no edit. */
	z.object({ type: z.literal('drop') }),
	/** A search for files of the workspace by a part of their path. */
	z.object({ type: z.literal('files'), query: z.string().check(z.maxLength(200)) }),
]);
export type FromComposePage = z.infer<typeof FromComposePage>;
