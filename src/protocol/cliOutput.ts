import * as z from 'zod/mini';
import { Effect, MessageKind, Priority } from './message.ts';
import { DelegateId, DelegateState } from './delegate.ts';
import { DriverId, MessageId, SessionId, TaskName } from './names.ts';
import { Moment, Receipt } from './records.ts';

/**
 * What each `nancy` command prints with `--json` (docs/cli.md). Other programs read these: fields may be added, never
 * renamed or removed.
 */

/** `<task>/<worker>`; the human's mailbox is `<task>/orchestrator`. */
const Mailbox = z.string().check(z.regex(/^[^/]+\/[^/]+$/));

const Problem = z.object({ file: z.string(), reason: z.string() });

const MessageState = z.enum(['queued', 'claimed', 'delivered', 'archived', 'withdrawn']);

const PhaseName = z.enum(['starting', 'working', 'waiting', 'idle', 'ended']);

/** `nancy send` */
export const SendOutput = z.object({
	id: MessageId,
	to: Mailbox,
	from: z.string(),
	kind: MessageKind,
	priority: Priority,
	effect: Effect,
	/** Whether an agent runs that will read it; `false` means that it waits for one. */
	running: z.boolean(),
});

/** One message, as `nancy inbox` lists it. */
export const MessageOutput = z.object({
	id: MessageId,
	mailbox: Mailbox,
	state: MessageState,
	kind: MessageKind,
	priority: Priority,
	effect: Effect,
	from: z.string(),
	text: z.string(),
	file: z.string(),
	receipt: z.optional(Receipt),
	/** Why a queued message is still queued, when something is known to be in its way. */
	held: z.optional(z.string()),
});
export type MessageOutput = z.infer<typeof MessageOutput>;

/** `nancy inbox` */
export const InboxOutput = z.object({ messages: z.array(MessageOutput), problems: z.array(Problem) });

/** `nancy archive`, `nancy withdraw` */
export const MovedOutput = z.object({
	messages: z.array(z.object({ id: MessageId, mailbox: Mailbox, state: MessageState })),
});

const TokenUse = z.object({
	model: z.optional(z.string()),
	contextTokens: z.optional(z.int()),
	contextWindow: z.optional(z.int()),
	inputTokens: z.int(),
	outputTokens: z.int(),
	costUsd: z.optional(z.number()),
});

export const WorkerOutput = z.object({
	worker: z.string(),
	agent: DriverId,
	agentVersion: z.optional(z.string()),
	phase: PhaseName,
	tool: z.optional(z.string()),
	summary: z.optional(z.string()),
	/** Subagents at work. */
	subagents: z.optional(z.int()),
	/** The evidence for the phase, and when it was made. */
	source: z.string(),
	at: z.string(),
	session: z.optional(SessionId),
	pid: z.optional(z.int()),
	queued: z.int(),
	tokens: z.optional(TokenUse),
});
export type WorkerOutput = z.infer<typeof WorkerOutput>;

export const TaskOutput = z.object({
	task: TaskName,
	title: z.string(),
	agent: DriverId,
	createdAt: Moment,
	archivedAt: z.optional(Moment),
	/** Messages from agents that the human has not read. */
	unread: z.int(),
	workers: z.array(WorkerOutput),
});
export type TaskOutput = z.infer<typeof TaskOutput>;

/** `nancy status` */
export const StatusOutput = z.object({
	folder: z.string(),
	tasks: z.array(TaskOutput),
	problems: z.array(Problem),
});

/** `nancy tokens` */
export const TokensOutput = z.object({
	worker: Mailbox,
	session: SessionId,
	...TokenUse.shape,
	/** Share of the context window in use. */
	usedPercent: z.optional(z.number()),
	/** From here on the agent should wrap up. */
	thresholdPercent: z.number(),
	overThreshold: z.boolean(),
});

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
			what: z.enum(['start', 'prompt', 'tool', 'message', 'asked', 'reply', 'end', 'trouble']),
			text: z.string(),
		}),
	),
});
export type SessionHistoryOutput = z.infer<typeof SessionHistoryOutput>;

/** `nancy stop` */
export const StopOutput = z.object({
	workers: z.array(z.object({ worker: Mailbox, outcome: z.enum(['stopped', 'killed', 'not-running']) })),
});
export type StopOutput = z.infer<typeof StopOutput>;

/** `nancy wait` */
export const WaitOutput = z.object({
	task: TaskName,
	until: z.enum(['idle', 'stop', 'message']),
	workers: z.array(z.object({ worker: Mailbox, phase: PhaseName })),
	/** The messages that ended the wait; empty unless `until` is `message`. */
	messages: z.array(MessageOutput),
});

/** `nancy setup`, `nancy update` */
export const SetupOutput = z.object({
	folder: z.string(),
	agents: z.array(
		z.object({
			agent: DriverId,
			agentVersion: z.string(),
			hookVersion: z.string(),
			/** Files and folders written, relative to the folder; empty when all was as it should be. */
			changed: z.array(z.string()),
			warnings: z.array(z.string()),
		}),
	),
});

/** `nancy cleanup` */
export const CleanupOutput = z.object({
	folder: z.string(),
	task: z.optional(TaskName),
	/** Files given back and skills removed, relative to the folder. */
	changed: z.array(z.string()),
	warnings: z.array(z.string()),
	/** Places that a link leads away from: they stay, and the record of them too. */
	kept: z.array(z.string()),
});

/** `nancy doctor` */
export const DoctorOutput = z.object({
	folder: z.string(),
	healthy: z.boolean(),
	checks: z.array(
		z.object({
			check: z.string(),
			level: z.enum(['ok', 'note', 'problem']),
			text: z.string(),
			/** What `--fix` does about it. */
			repair: z.optional(z.string()),
			repaired: z.boolean(),
		}),
	),
});

/** What every command prints on stderr, as one line, when it fails under `--json`. */
export const ErrorOutput = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** `nancy run --headless` */
export const RunOutput = z.object({
	ok: z.boolean(),
	/** The agent's answer; what it says went wrong where it failed. */
	output: z.string(),
	reason: z.optional(z.string()),
	session: z.optional(z.string()),
	toolCalls: z.int(),
	/** Tools that it was not allowed to use. */
	denied: z.array(z.string()),
	inputTokens: z.optional(z.number()),
	outputTokens: z.optional(z.number()),
	costUsd: z.optional(z.number()),
});

/** `nancy delegate` */
export const DelegateCreatedOutput = z.object({ id: DelegateId, worker: Mailbox, status: DelegateState });

/** One delegate, as `nancy delegates` lists it. */
export const DelegateOutput = z.object({
	id: DelegateId,
	title: z.string(),
	status: DelegateState,
	error: z.optional(z.string()),
	agent: DriverId,
	model: z.optional(z.string()),
	worker: Mailbox,
	createdAt: Moment,
	startedAt: z.optional(Moment),
	endedAt: z.optional(Moment),
	parkedUntil: z.optional(Moment),
	toolCalls: z.int(),
	lastTool: z.optional(z.string()),
	lastFile: z.optional(z.string()),
	iteration: z.int(),
	denied: z.array(z.string()),
	inputTokens: z.optional(z.number()),
	outputTokens: z.optional(z.number()),
	costUsd: z.optional(z.number()),
	/** Where it works, when that is a worktree of its own. */
	worktree: z.optional(z.string()),
	branch: z.optional(z.string()),
	output: z.string(),
	log: z.string(),
});
export type DelegateOutput = z.infer<typeof DelegateOutput>;

/** `nancy delegates` */
export const DelegatesOutput = z.object({ delegates: z.array(DelegateOutput), problems: z.array(Problem) });

/** `nancy delegates delete` */
export const DelegatesDeletedOutput = z.object({
	deleted: z.array(DelegateId),
	/** Still there, and why. */
	kept: z.array(z.object({ id: DelegateId, reason: z.string() })),
	/** Sentences: which branch keeps what was only in a worktree, which folder was not touched. */
	notes: z.array(z.string()),
});
