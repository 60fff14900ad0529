import * as z from 'zod/mini';
import { DriverId, SessionId } from '../names.ts';
import { Moment } from '../records.ts';
import { Mailbox } from './parts.ts';

const SessionOutput = z.object({
	session: SessionId,
	worker: Mailbox,
	agent: DriverId,
	startedAt: Moment,
	current: z.boolean(),
	transcript: z.optional(z.string()),
});

/** `nancy sessions` */
export const SessionsOutput = z.object({ sessions: z.array(SessionOutput) });

/** `nancy sessions --show <session>` */
export const SessionHistoryOutput = z.object({
	session: SessionId,
	worker: z.optional(Mailbox),
	transcript: z.optional(z.string()),
	/** The session's turns in short, oldest first. */
	entries: z.array(
		z.object({
			at: Moment,
			what: z.enum(['start', 'prompt', 'tool', 'message', 'asked', 'reply', 'end', 'trouble', 'status']),
			text: z.string(),
		}),
	),
});
export type SessionHistoryOutput = z.infer<typeof SessionHistoryOutput>;
