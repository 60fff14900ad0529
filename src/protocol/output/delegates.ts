import * as z from 'zod/mini';
import { ExecutorId } from '../executorId.ts';
import { Isolation } from '../isolation.ts';
import { DelegateId, DelegateState } from '../delegate.ts';
import { DriverId } from '../names.ts';
import { QuestionKind } from '../question.ts';
import { Moment } from '../records.ts';
import { Mailbox, Problem } from './parts.ts';

/** `nancy run --headless` */
export const RunOutput = z.object({
	ok: z.boolean(),
	/** The agent's answer. If the run failed, its description of the failure. */
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
	/** You have not queued it on this machine: what its files say may be anybody's words. */
	isUnproved: z.optional(z.literal(true)),
	/** Only of one that is named: its output file is not as its runner has written it. */
	isOutputChanged: z.optional(z.literal(true)),
	agent: DriverId,
	model: z.optional(z.string()),
	/** The machine that it runs on, if that is another one. */
	on: z.optional(ExecutorId),
	/** The sandbox that it runs in; absent for none. */
	isolate: z.optional(Isolation),
	/** The machine that has no place now for a queued delegate. */
	waitsFor: z.optional(ExecutorId),
	/** Why a running delegate has not begun yet, as the queue of its cluster says. */
	waitsInQueue: z.optional(z.string()),
	/** Since when the other machine cannot be reached. */
	notSeenSince: z.optional(Moment),
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
	/** What it asks its user and waits for. The titles are for people alone. Absent for none. */
	asks: z.optional(z.array(z.object({ kind: QuestionKind, title: z.optional(z.string()) }))),
	inputTokens: z.optional(z.number()),
	outputTokens: z.optional(z.number()),
	costUsd: z.optional(z.number()),
	/** Its folder, if that is a worktree of its own. */
	worktree: z.optional(z.string()),
	branch: z.optional(z.string()),
	/** Branches here with what its agent has left on another machine in branches, tags and stashes of its own. Absent for none. */
	otherBranches: z.optional(z.array(z.string())),
	output: z.string(),
	log: z.string(),
});
export type DelegateOutput = z.infer<typeof DelegateOutput>;

/** `nancy delegates` */
export const DelegatesOutput = z.object({ delegates: z.array(DelegateOutput), problems: z.array(Problem) });

/** `nancy delegates delete` */
export const DelegatesDeletedOutput = z.object({
	deleted: z.array(DelegateId),
	/** Still there, with the reason. */
	kept: z.array(z.object({ id: DelegateId, reason: z.string() })),
	/** Sentences: the branch that keeps work that was only in a worktree, the folder that was not touched. */
	notes: z.array(z.string()),
});
