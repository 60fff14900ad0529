import * as z from 'zod/mini';
import { DriverId, SessionId, TaskName } from '../names.ts';
import { Moment } from '../records.ts';
import { StatusWord } from '../traffic.ts';
import { Mailbox, PhaseName, Problem } from './parts.ts';

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
	/** It waits for an answer that Nancy cannot carry: its own terminal takes it. */
	asksInTerminal: z.optional(z.literal(true)),
	/** Subagents at work. */
	subagents: z.optional(z.int()),
	/** What the agent itself has last said of its work in this turn. */
	said: z.optional(z.object({ text: z.string(), word: z.optional(StatusWord), at: Moment })),
	/** The evidence for the phase, and its time. */
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
	/** From this share on, the agent should wrap up. */
	thresholdPercent: z.number(),
	overThreshold: z.boolean(),
});

/** `nancy stop` */
export const StopOutput = z.object({
	workers: z.array(z.object({ worker: Mailbox, outcome: z.enum(['stopped', 'killed', 'not-running', 'elsewhere']) })),
});
export type StopOutput = z.infer<typeof StopOutput>;

/** `nancy delete` */
export const TasksDeletedOutput = z.object({ deleted: z.array(TaskName) });
