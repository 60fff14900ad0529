import * as z from 'zod/mini';

/** A line of Nancy's own record of a conversation, which it keeps for an agent that keeps none it knows. */
export const ConversationLine = z.lazy(() =>
	z.object({
		/** UTC, ISO 8601. */
		at: z.string(),
		/** Words that were handed over, and that the agent has read. A line without them says that a turn is over. */
		read: z.optional(z.string()),
	}),
);
export type ConversationLine = z.infer<typeof ConversationLine>;
