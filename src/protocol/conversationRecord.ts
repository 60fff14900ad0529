import * as z from 'zod/mini';

/** What an agent has told last: tokens in its context, the size of that, and what the session has cost. */
export const ConversationUsage = z.lazy(() =>
	z.object({
		used: z.int().check(z.nonnegative()),
		size: z.int().check(z.nonnegative()),
		costUsd: z.optional(z.number().check(z.nonnegative())),
	}),
);
export type ConversationUsage = z.infer<typeof ConversationUsage>;

/** A line of Nancy's own record of a conversation, which it keeps for an agent that keeps none it knows. */
export const ConversationLine = z.lazy(() =>
	z.object({
		/** UTC, ISO 8601. */
		at: z.string(),
		/** Words that were handed over, and that the agent has read. A line without them says that a turn is over. */
		read: z.optional(z.string()),
		/** At the end of a turn. */
		usage: z.optional(ConversationUsage),
	}),
);
export type ConversationLine = z.infer<typeof ConversationLine>;
