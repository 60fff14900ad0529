import * as z from 'zod/mini';

/** A task's folder name. Only such a name may become part of a path. */
export const TaskName = z
	.string()
	.check(z.regex(/^[a-z0-9](?:[a-z0-9_-]|\.(?!\.)){0,62}[a-z0-9]$|^[a-z0-9]$/))
	.brand<'TaskName'>();
export type TaskName = z.infer<typeof TaskName>;

/** A worker's mailbox name: `worker`, `worker-2`, …; `orchestrator` is the human's own. */
export const WorkerName = z
	.string()
	.check(z.regex(/^[a-z][a-z0-9-]{0,31}$/))
	.brand<'WorkerName'>();
export type WorkerName = z.infer<typeof WorkerName>;

/** In bytes. A file name may have 255. Claims put the claimer in front, and receipts an ending behind. */
export const LONGEST_MESSAGE_NAME = 200;

/**
 * A message's file name without `.md`. Nancy makes `<UTC time>-<random>`; a file that a person dropped may be called
 * anything that is one visible path segment.
 */
export const MessageId = z
	.string()
	.check(
		z.regex(/^(?!\.)[^/\\\p{Cc}]{1,200}$/u),
		z.refine(name => new TextEncoder().encode(name).length <= LONGEST_MESSAGE_NAME, 'the file name is too long'),
	)
	.brand<'MessageId'>();
export type MessageId = z.infer<typeof MessageId>;

/** An agent CLI's own id of a conversation. It becomes a file name, so it is as strict as one. */
export const SessionId = z
	.string()
	.check(z.regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/))
	.brand<'SessionId'>();
export type SessionId = z.infer<typeof SessionId>;

export const DriverId = z
	.string()
	.check(z.regex(/^[a-z][a-z0-9-]{0,31}$/))
	.brand<'DriverId'>();
export type DriverId = z.infer<typeof DriverId>;

/** The mailbox of the human at the sidebar. */
export const ORCHESTRATOR = WorkerName.parse('orchestrator');
export const FIRST_WORKER = WorkerName.parse('worker');
