import * as z from 'zod/mini';
import { Author } from './author.ts';
import { DelegateId, DelegateStatus } from './delegate.ts';
import { Isolation } from './isolation.ts';
import { MessageHeader } from './message.ts';
import { DriverId, MessageId, SessionId, TaskName, WorkerName } from './names.ts';
import { VariableName } from './podFields.ts';
import { Moment } from './records.ts';
import { QueueCommands } from './queueCommands.ts';
import { SbatchArguments } from './sbatch.ts';

export const Commit = z.string().check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/));

/** The queue of a cluster, in which a job waits for a place. It comes from the user's own settings. */
export const JobQueue = z.discriminatedUnion('type', [
	z.object({ type: z.literal('slurm'), sbatch: SbatchArguments }),
	z.extend(QueueCommands, { type: z.literal('command') }),
]);
export type JobQueue = z.infer<typeof JobQueue>;

/** Everything that the other machine needs to know of a delegate. Goes there on standard input. */
export const RemoteJob = z.object({
	id: DelegateId,
	/** Name of the bare repository there: a hash. */
	repository: z.string().check(z.regex(/^[0-9a-f]{16}$/)),
	/** The commit that the worktree there begins with. */
	base: Commit,
	/** The folder to work in, relative to the top of the worktree; empty for the top. */
	prefix: z.string().check(z.refine(text => !text.startsWith('/') && !text.split('/').includes('..'))),
	prompt: z.string(),
	agent: DriverId,
	/** Its mailbox, which has the same name there. Absent if no message reaches it there. */
	mailbox: z.optional(z.object({ task: TaskName, worker: WorkerName })),
	model: z.optional(z.string()),
	permissions: z.string(),
	/** The sandbox that it runs in there; absent for none. */
	isolate: z.optional(Isolation),
	wallSeconds: z.number(),
	idleSeconds: z.number(),
	/** Absent for a job that begins at once. Added by what submits it. */
	queue: z.optional(JobQueue),
	/** The variables of its agent, which begins once they have come through a pipe. Absent for none, and where they go with the submission. */
	forwards: z.optional(z.array(VariableName)),
});
export type RemoteJob = z.infer<typeof RemoteJob>;

/** How a job ended there. */
export const RemoteEnd = z.object({
	ok: z.boolean(),
	output: z.string(),
	reason: z.optional(z.string()),
	/** Its work, all of it committed; absent if it could not be. */
	tip: z.optional(Commit),
});
export type RemoteEnd = z.infer<typeof RemoteEnd>;

/** A message on its way to the agent. Its text and its author decide whether it is the same one that went there before. */
export const RemoteLetter = z.object({
	id: MessageId,
	content: z.extend(MessageHeader, { text: z.string() }),
	author: Author,
});
export type RemoteLetter = z.infer<typeof RemoteLetter>;

/** What is believed of a receipt from there: where the agent got a message. */
export const RemoteReceipt = z.object({
	id: MessageId,
	deliveredAt: Moment,
	event: z.string(),
	session: SessionId,
	tool: z.optional(z.string()),
});
export type RemoteReceipt = z.infer<typeof RemoteReceipt>;

/** What became of a message that somebody wants back from there. */
export const TakenBack = z.object({
	/** Its agent will not get it, however often it is carried. If false, the agent has it or is being given it. */
	isBack: z.boolean(),
	/** The agent may have read it before, or has read earlier words of it. */
	mayBeRead: z.boolean(),
});
export type TakenBack = z.infer<typeof TakenBack>;

/** What a live status may carry from there. Nothing in it names a file or a process of this machine. */
export const RemoteStatus = z.object({
	tool_calls: DelegateStatus.shape.tool_calls,
	last_tool: DelegateStatus.shape.last_tool,
	last_file: DelegateStatus.shape.last_file,
	last_activity: DelegateStatus.shape.last_activity,
	denied: DelegateStatus.shape.denied,
	input_tokens: DelegateStatus.shape.input_tokens,
	output_tokens: DelegateStatus.shape.output_tokens,
	cost_usd: DelegateStatus.shape.cost_usd,
	model: DelegateStatus.shape.model,
});

/** A job as its files there say. */
export const Seen = z.object({
	/**
	 * `absent`: never accepted, or cleaned up. `running`: its runner lives. `ended`: `end` is there. `lost`: it was begun, its runner is
	 * gone, and nobody wrote an end.
	 */
	is: z.enum(['absent', 'running', 'ended', 'lost']),
	/**
	 * What the queue of a cluster says: why a running job has not begun yet, or how it ended one. In the second case, the name of the
	 * queue's engine comes with it.
	 */
	queueSays: z.optional(z.string()),
	status: z.optional(RemoteStatus),
	/** It waits for the variables of its agent. */
	awaitsVariables: z.optional(z.boolean()),
	/** The log from the asked offset on, in bytes. */
	log: z.string(),
	nextOffset: z.int().check(z.nonnegative()),
	end: z.optional(RemoteEnd),
	/** Receipts of the messages that were asked for, as far as the agent has them. */
	receipts: z.array(RemoteReceipt),
	/** The messages, among those that were asked for, that were taken back there: see {@link TakenBack}. */
	takenBack: z.array(MessageId),
});
export type Seen = z.infer<typeof Seen>;

/** Before each step on another machine, the phase is on the disk here: after a kill, the step is looked at or repeated. */
export const RemotePhase = z.looseObject({
	version: z.literal(1),
	/** `kept`: it has ended, its work could not be brought here, and its folder there stays. */
	phase: z.enum(['preparing', 'submitting', 'submitted', 'collected', 'cleaned', 'kept']),
	/** How much of the remote log is in the log here, in bytes. */
	offset: z._default(z.int(), 0),
	/** Absent before the first look. */
	isBegun: z.optional(z.boolean()),
	/** Why it waits in the queue of a cluster; absent once it has begun. */
	waits: z.optional(z.string()),
	/** Since when the machine cannot be reached (UTC, ISO 8601); absent while it can. */
	unreachableSince: z.optional(Moment),
	/** Whether messages reach its agent, as it was submitted; absent before. */
	isSteered: z.optional(z.boolean()),
	/** See {@link RemoteJob}; absent before it was submitted. */
	prefix: z.optional(RemoteJob.shape.prefix),
	/** See {@link RemoteJob}; absent before it was submitted. Its agent gets no others, whatever it says that it waits for. */
	forwards: RemoteJob.shape.forwards,
	/** The messages that may be there, noted before they are carried. */
	carried: z._default(z.array(MessageId), []),
	/** Set with `collected`: see `other_branches` in {@link DelegateStatus}. */
	others: z.optional(z.array(z.string())),
	/** Set with `collected` and `kept`. */
	end: z.optional(RemoteEnd),
});
export type RemotePhase = z.infer<typeof RemotePhase>;
