import * as z from 'zod/mini';
import { DriverId, MessageId, SessionId, TaskName, WorkerName } from './names.ts';
import { Moment, ProcessRecord } from './records.ts';
import { ExecutorId } from './executorId.ts';
import { Isolation } from './isolation.ts';
import { Worktree } from './worktree.ts';

/** A delegate's file name without its ending. Sorts by time: `<UTC time>-<random>`, lower case. */
export const DelegateId = z
	.string()
	.check(z.regex(/^[a-z0-9][a-z0-9-]{0,79}$/))
	.brand<'DelegateId'>();
export type DelegateId = z.infer<typeof DelegateId>;

/** In bytes of UTF-8: file systems allow 255, and an ending and a temporary file's suffix follow. */
const LONGEST_FEATURE = 200;

/**
 * A claude-swarm's name of a worker, and of its files before their ending: one visible path segment, kept as it is. It has no invisible
 * characters, and none that reorder the text around them.
 */
export const SwarmFeature = z
	.string()
	.check(
		z.regex(/^(?!\.)[^/\\\p{Cc}\p{Cf}]+$/u),
		z.refine(name => new TextEncoder().encode(name).length <= LONGEST_FEATURE),
	)
	.brand<'SwarmFeature'>();
export type SwarmFeature = z.infer<typeof SwarmFeature>;

/** A delegate's limits, in seconds, and how often a transient failure is retried. */
export const Limits = z.object({
	/** Wall clock of all attempts together, without the wait for a quota. */
	wallSeconds: z._default(z.number().check(z.positive()), 30 * 60),
	/** Without any output of the agent. */
	idleSeconds: z._default(z.number().check(z.positive()), 10 * 60),
	retries: z._default(z.int().check(z.nonnegative()), 2),
});
export type Limits = z.infer<typeof Limits>;

/** Where a delegate works: the workspace folder itself (`in`), or a worktree that is made when it starts. */
const Place = z.discriminatedUnion('is', [
	z.object({ is: z.literal('folder'), folder: z.string() }),
	z.object({
		is: z.literal('worktree'),
		folder: z.string(),
		/** With the uncommitted changes in the folder. */
		withChanges: z.boolean(),
	}),
]);

/** The asker of a delegate: the user, or an agent, with its worker if Nancy knows it. */
const AskedBy = z.discriminatedUnion('is', [
	z.object({ is: z.literal('human') }),
	z.object({ is: z.literal('agent'), worker: z.optional(z.object({ task: TaskName, worker: WorkerName })) }),
]);

/** `delegates/<id>.json`: the request. Written once. */
export const DelegateRecord = z.looseObject({
	version: z.literal(1),
	id: DelegateId,
	title: z.string(),
	createdAt: Moment,
	agent: DriverId,
	model: z.optional(z.string()),
	/** One of the driver's permission modes. */
	permissions: z.string(),
	place: Place,
	limits: Limits,
	/** Commands for `sh`, run in a worktree after it was made and before it is removed. */
	setUp: z.optional(z.string()),
	tearDown: z.optional(z.string()),
	/** The machine that it runs on; this one if absent. */
	on: z.optional(ExecutorId),
	/** It runs in a sandbox; absent for none. */
	isolate: z.optional(Isolation),
	/** The mailbox of its own. */
	task: TaskName,
	worker: WorkerName,
	/** The receiver of the result; the human if absent. */
	parent: z.optional(z.object({ task: TaskName, worker: WorkerName })),
	/** Groups delegates with the same prompt that were started together for comparison. */
	group: z.optional(z.string()),
	/** Absent in records of earlier versions, which only the user may touch. */
	askedBy: z.optional(AskedBy),
	/** The delegate is this worker of a claude-swarm too: the swarm's files are kept beside its own. */
	swarm: z.optional(z.object({ feature: SwarmFeature })),
});
export type DelegateRecord = z.infer<typeof DelegateRecord>;

/**
 * `queued` waits for its turn, `parked` for the account's limit to reset. `done` and `failed` are final, and true once `.done`
 * is there.
 */
export const DelegateState = z.enum(['queued', 'running', 'parked', 'done', 'failed']);
export type DelegateState = z.infer<typeof DelegateState>;

/** The reason of the failure if its runner was killed: the next look at the folder writes it. */
export const RUNNER_DIED = 'runner died';

/** `delegates/<id>.status`: rewritten whole at each change, at most four times a second. */
export const DelegateStatus = z.looseObject({
	task_id: z.string(),
	status: DelegateState,
	started_at: z.optional(Moment),
	ended_at: z.optional(Moment),
	tool_calls: z._default(z.int(), 0),
	last_tool: z.optional(z.string()),
	last_file: z.optional(z.string()),
	last_activity: z.optional(Moment),
	/** The attempt at hand, from 1. */
	iteration: z._default(z.int(), 0),
	/** Actions that it wanted and was not allowed. */
	denied: z._default(z.array(z.string()), []),
	/** How many answers of its user it waits for. Never what it asks: agents read this file. Absent for none. */
	asks: z.optional(z.int().check(z.positive())),
	/** Tokens and cost of all attempts, as far as the agent has reported them. */
	input_tokens: z.optional(z.number()),
	output_tokens: z.optional(z.number()),
	cost_usd: z.optional(z.number()),
	model: z.optional(z.string()),
	session: z.optional(SessionId),
	runner: z.optional(ProcessRecord),
	agent_process: z.optional(ProcessRecord),
	/** The machine that has no place now for a queued delegate. */
	waits_for: z.optional(ExecutorId),
	/** The moment until which a delegate is parked. Absent once that time is over and it waits for a place. */
	parked_until: z.optional(Moment),
	worktree: z.optional(Worktree),
	/** Branches here that hold what its agent has left on another machine beside its branch. */
	other_branches: z.optional(z.array(z.string())),
	/** Why it failed, as `.done` will say it. */
	error: z.optional(z.string()),
	/** The message that carries the result. `reported` with a final status: it is in its mailbox before `.done` is written. */
	report: z.optional(MessageId),
	reported: z._default(z.boolean(), false),
});
export type DelegateStatus = z.infer<typeof DelegateStatus>;

/** Nothing of this agent is started before then. */
export const Parked = z.looseObject({
	version: z.literal(1),
	agent: DriverId,
	until: Moment,
	reason: z.string(),
});
export type Parked = z.infer<typeof Parked>;
