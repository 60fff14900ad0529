import * as z from 'zod/mini';

/** The author of a message, as a seal in the user's data folder says. `worker` is `<task>/<worker>`, the mailbox for an answer. */
export const SealedAuthor = z.lazy(() =>
	z.discriminatedUnion('is', [
		z.object({ is: z.literal('human'), via: z.enum(['window', 'terminal', 'page']) }),
		/** `worker` is missing for an agent that Nancy did not start, and `driver` if its CLI is unknown. */
		z.object({ is: z.literal('agent'), worker: z.optional(z.string()), driver: z.optional(z.string()) }),
		/** A delegate's result. `id` is the delegate's. */
		z.object({ is: z.literal('delegate'), id: z.string(), worker: z.string() }),
		z.object({ is: z.literal('nancy') }),
	]),
);
export type SealedAuthor = z.infer<typeof SealedAuthor>;

/** `unknown`: no seal proves the author. Somebody put the file there by hand, or changed or copied it. */
export const Author = z.lazy(() => z.union([SealedAuthor, z.object({ is: z.literal('unknown') })]));
export type Author = z.infer<typeof Author>;

export const UNKNOWN_AUTHOR = { is: 'unknown' } as const satisfies Author;

/** The mailbox of an author who has one: `<task>/<worker>`. */
export function writer(author: Author): string | undefined {
	return author.is === 'agent' || author.is === 'delegate' ? author.worker : undefined;
}

/** The `From` line of a message's file. It is for people who read the file, and proves nothing. */
export function headerName(author: Author): string {
	switch (author.is) {
		case 'human':
			return 'orchestrator';
		case 'agent':
			return writer(author) ?? author.driver ?? 'agent';
		case 'delegate':
			return author.worker;
		default:
			return author.is;
	}
}
