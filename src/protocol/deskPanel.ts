import * as z from 'zod/mini';
import { DeskQuestion } from './deskState.ts';
import { QuestionId } from './question.ts';

// The messages between the desk's page in a tab of VS Code and the extension. Both sides parse every message.

/** What the tab shows. */
const Shown = z.object({
	type: z.literal('shown'),
	id: QuestionId,
	/** Absent: the window does not know it any more. */
	question: z.optional(DeskQuestion),
	/** Those that may be answered together with it. */
	alike: z.array(DeskQuestion),
	/** Whether the terminal of its agent is open in this window. A delegate has none. */
	terminal: z.enum(['here', 'elsewhere', 'none']),
	/** Another question waits for an answer. */
	hasNext: z.boolean(),
});
export type Shown = z.infer<typeof Shown>;

export const ToPanel = z.discriminatedUnion('type', [
	/** Translations, by the English text. First, and nothing in English. */
	z.object({ type: z.literal('texts'), texts: z.record(z.string(), z.string()) }),
	Shown,
	/** To the request with this number: what a route of the API replies, or why nothing was done. */
	z.object({
		type: z.literal('reply'),
		number: z.int(),
		value: z.optional(z.unknown()),
		error: z.optional(z.string()),
	}),
]);
export type ToPanel = z.infer<typeof ToPanel>;

export const FromPanel = z.discriminatedUnion('type', [
	z.object({ type: z.literal('ready') }),
	/** A request as a browser sends it to the desk's server: see deskApi.ts. */
	z.object({ type: z.literal('post'), number: z.int(), route: z.string(), body: z.unknown() }),
	z.object({ type: z.literal('terminal') }),
	z.object({ type: z.literal('next') }),
]);
export type FromPanel = z.infer<typeof FromPanel>;
