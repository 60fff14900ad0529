import * as z from 'zod/mini';
import { Isolation } from '../../protocol/isolation.ts';
import { MessageId, TaskName, WorkerName } from '../../protocol/names.ts';
import { Moment, ProcessRecord } from '../../protocol/records.ts';
import { Worktree } from '../../protocol/worktree.ts';

/** A delegate's own mailbox. */
export const Mailbox = z.object({ task: TaskName, worker: WorkerName });
export type Mailbox = z.infer<typeof Mailbox>;

/** A queued request: the hash of its record and its prompt, its mailbox, its asker's, and the message that will carry the result. */
export const Issued = z.looseObject({
	version: z.literal(1),
	digest: z.string(),
	mailbox: z.optional(Mailbox),
	/** `null` for one that no worker has asked for. */
	parent: z.optional(z.nullable(Mailbox)),
	report: z.optional(MessageId),
	/** Its sandbox. In one, it can write the seals of its own mailbox. */
	isolate: z.optional(Isolation),
});

/** It was started, by whom and when. Written once: a ticket runs once. */
export const Run = z.looseObject({ version: z.literal(1), runner: ProcessRecord, startedAt: Moment });

/** Its runner has made this worktree for it. */
export const Made = z.looseObject({ version: z.literal(1), worktree: Worktree });

/** The hash of its answer. */
export const Answered = z.looseObject({ version: z.literal(1), digest: z.string() });

/** It has ended. */
export const End = z.looseObject({
	version: z.literal(1),
	endedAt: Moment,
	/** Why it failed; absent where it was done. */
	error: z.optional(z.string()),
	report: z.optional(MessageId),
	/** Its result is in the mailbox of whoever gets it. */
	isReported: z.boolean(),
});
export type End = z.infer<typeof End>;

/** A person has stopped it. */
export const Stopped = z.looseObject({ version: z.literal(1), by: z.literal('human') });

/** Its runner is told to end. */
export const Told = z.looseObject({ version: z.literal(1) });

/** The content of its files of the request. Kept once it goes to another machine: there it goes on, whatever happens to the files. */
export const Kept = z.looseObject({ version: z.literal(1), contents: z.array(z.string()) });
