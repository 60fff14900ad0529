import * as z from 'zod/mini';

/** The messages between the page that shows mail and the extension. Both sides parse every message. */

export const MESSAGE_ACTS = ['reply', 'edit', 'conversation', 'file', 'archive', 'withdraw'] as const;
export type MessageAct = (typeof MESSAGE_ACTS)[number];

/** Every text is shown as it is, except for `text`. */
const ShownMessage = z.object({
	/** Only the extension interprets it. */
	key: z.string(),
	heading: z.string(),
	/** Its kind, effect and time. */
	facts: z.string(),
	/** Another person's Markdown. */
	text: z.string(),
	/** What happened to it, in order. */
	steps: z.array(z.object({ time: z.string(), words: z.string() })),
	acts: z.array(z.object({ act: z.enum(MESSAGE_ACTS), label: z.string() })),
});
export type ShownMessage = z.infer<typeof ShownMessage>;

export const ToMessagePage = z.object({
	/** What is shown. The page of another one begins at its top. */
	about: z.string(),
	title: z.string(),
	/** A line below the title. */
	note: z.string(),
	/** Names the list of steps for a screen reader. */
	stepsLabel: z.string(),
	messages: z.array(ShownMessage),
});
export type ToMessagePage = z.infer<typeof ToMessagePage>;

export const FromMessagePage = z.discriminatedUnion('type', [
	z.object({ type: z.literal('ready') }),
	z.object({ type: z.literal('act'), act: z.enum(MESSAGE_ACTS), key: z.string() }),
]);
export type FromMessagePage = z.infer<typeof FromMessagePage>;
