import * as z from 'zod/mini';
import { Author } from './author.ts';
import { DelegateId, DelegateState } from './delegate.ts';
import { Effect as MessageEffect, MessageKind, Priority } from './message.ts';
import { DriverId, MessageId, SessionId, TaskName, WorkerName } from './names.ts';
import { Mailbox, PhaseName } from './output/parts.ts';
import { AnsweredBy, Effect, Field, OutcomeState, QuestionId, QuestionKind, Risk } from './question.ts';
import { Moment, Rung } from './records.ts';

// What a page of the desk shows, in API v1: see deskApi.ts. Fields may be added, never renamed or removed.
// Texts of agents are already safe to show: see base/visible. None is cut, unless its field says so.

/** Names a workspace folder without its path. */
export const FolderId = z
	.string()
	.check(z.regex(/^[0-9a-f]{12}$/))
	.brand<'FolderId'>();
export type FolderId = z.infer<typeof FolderId>;

const item = {
	/** Names the item among all of its section. */
	key: z.string(),
	folder: FolderId,
};

export const DeskFolder = z.object({
	...item,
	/** The last part of its path. */
	name: z.string(),
	/** How many files Nancy could not read: the computer says which. */
	problems: z.int(),
});
export type DeskFolder = z.infer<typeof DeskFolder>;

/** An answer that a question takes. */
const DeskChoice = z.object({
	effect: Effect,
	isYes: z.boolean(),
	/** The CLI's own rule, word by word. */
	rule: z.optional(z.string()),
	keptIn: z.optional(z.string()),
	/** For a No: the CLI takes no words with it. */
	isMute: z.optional(z.literal(true)),
	/** Whether it may be chosen on this page. A standing rule, and a Yes to a risk, may be chosen in VS Code or a terminal alone. */
	isHere: z.boolean(),
});
export type DeskChoice = z.infer<typeof DeskChoice>;

/** What an agent asks, whole. */
export const DeskQuestion = z.object({
	...item,
	id: QuestionId,
	/** Goes back with the answer. */
	digest: z.string(),
	driver: DriverId,
	/** What people call that CLI. */
	agentName: z.string(),
	/** Whose session asks, if Nancy knows its mailbox. */
	task: z.optional(TaskName),
	taskTitle: z.optional(z.string()),
	worker: z.optional(WorkerName),
	/** A delegate has no terminal: without an answer its request is denied. */
	delegate: z.optional(z.object({ id: DelegateId, title: z.string() })),
	/** The subagent that asks: its name, or else its id. */
	subagent: z.optional(z.string()),
	askedAt: Moment,
	kind: QuestionKind,
	tool: z.string(),
	/** One short line. */
	title: z.string(),
	/** Empty for `choice`, whose fields say all. */
	body: z.string(),
	bodyIs: z.enum(['command', 'diff', 'plan', 'json', 'text']),
	/** False: a part is not shown, so it cannot be allowed here. */
	isWhole: z.boolean(),
	/** Why it deserves a closer look. With one, no device may allow it. */
	risk: z.array(Risk),
	also: z.array(z.object({ name: z.string(), value: z.string() })),
	cwd: z.optional(z.string()),
	files: z.array(z.string()),
	choices: z.array(DeskChoice),
	fields: z.array(Field),
	/** Open questions with the same value may be answered together. */
	alike: z.optional(z.string()),
	/** It takes an answer now. */
	isOpen: z.boolean(),
	answer: z.optional(
		z.object({
			effect: Effect,
			by: AnsweredBy,
			/** The name of the device, for `page`. */
			device: z.optional(z.string()),
			at: Moment,
		}),
	),
	/** What came of it. The newest of those that are over stay here. */
	outcome: z.optional(z.object({ state: OutcomeState, evidence: z.string(), at: Moment })),
});
export type DeskQuestion = z.infer<typeof DeskQuestion>;

export const DeskWorker = z.object({
	worker: WorkerName,
	agent: DriverId,
	agentName: z.string(),
	phase: PhaseName,
	/** The tool it is in, or asks for, and its subject in one line. */
	tool: z.optional(z.string()),
	summary: z.optional(z.string()),
	/** The evidence for the phase, its time, and since when the phase lasts. */
	source: z.string(),
	at: Moment,
	since: Moment,
	/** What the agent itself has last said of its work in this turn. */
	said: z.optional(
		z.object({ text: z.string(), word: z.optional(z.enum(['working', 'blocked', 'done'])), at: Moment }),
	),
	/** What its CLI has last told its user in this turn, beside a question or the end of the turn. */
	alert: z.optional(z.object({ text: z.string(), at: Moment })),
	/** Subagents at work. */
	subagents: z.optional(z.int()),
	/** Messages that wait for it. */
	queued: z.int(),
	/** It ended with this code, on its own and not in peace. */
	exitCode: z.optional(z.int()),
	/** It has no hooks: no message reaches it. */
	isWithoutHooks: z.optional(z.literal(true)),
	/** It waits for an answer that no desk can carry. */
	asksInTerminal: z.optional(z.literal(true)),
	delegate: z.optional(z.string()),
	session: z.optional(SessionId),
	context: z.optional(z.object({ tokens: z.int(), window: z.optional(z.int()) })),
});
export type DeskWorker = z.infer<typeof DeskWorker>;

/** A task that is not archived. */
export const DeskTask = z.object({
	...item,
	task: TaskName,
	title: z.string(),
	createdAt: Moment,
	/** Messages to the person that are not read. */
	unread: z.int(),
	workers: z.array(DeskWorker),
});
export type DeskTask = z.infer<typeof DeskTask>;

/** One of the newest messages of a mailbox. */
export const DeskMessage = z.object({
	...item,
	id: MessageId,
	/** `<task>/orchestrator` is the person's own. */
	mailbox: Mailbox,
	isToPerson: z.boolean(),
	state: z.enum(['queued', 'claimed', 'delivered', 'archived', 'withdrawn']),
	kind: MessageKind,
	priority: Priority,
	effect: MessageEffect,
	/** As the seal in the user's data folder says. */
	author: Author,
	/** As the file says: for orientation, and no proof. */
	from: z.string(),
	/** Somebody's Markdown. */
	text: z.string(),
	/** The text is longer. */
	isCut: z.boolean(),
	receipt: z.optional(
		z.object({
			deliveredAt: Moment,
			event: z.string(),
			tool: z.optional(z.string()),
			rung: Rung,
			/** Since then the agent's own record shows it. */
			inContextAt: z.optional(Moment),
			/** How often it was lost and queued again. */
			lost: z.int(),
		}),
	),
	/** Why it still waits, if the reason is known. */
	held: z.optional(z.string()),
});
export type DeskMessage = z.infer<typeof DeskMessage>;

export const DeskDelegate = z.object({
	...item,
	id: z.string(),
	title: z.string(),
	agent: DriverId,
	agentName: z.string(),
	model: z.optional(z.string()),
	mailbox: Mailbox,
	state: DelegateState,
	/** Why it failed. */
	error: z.optional(z.string()),
	isStopped: z.optional(z.literal(true)),
	/** The user has not queued it on this machine, or its files were changed since: what it says may be anybody's words. */
	isUnproved: z.optional(z.literal(true)),
	createdAt: Moment,
	startedAt: z.optional(Moment),
	endedAt: z.optional(Moment),
	parkedUntil: z.optional(Moment),
	lastActivity: z.optional(Moment),
	toolCalls: z.int(),
	lastTool: z.optional(z.string()),
	lastFile: z.optional(z.string()),
	/** The attempt at hand, from 1. */
	iteration: z.int(),
	/** Actions that it wanted and was not allowed. */
	denied: z.array(z.string()),
	/** What it asks and waits for, one line each. */
	asks: z.array(z.string()),
	tokens: z.optional(z.object({ input: z.number(), output: z.number() })),
	costUsd: z.optional(z.number()),
	branch: z.optional(z.string()),
	/** The machine that it runs on, if it is another one. */
	on: z.optional(z.string()),
	/** Why it waits in the queue of a cluster. */
	waitsInQueue: z.optional(z.string()),
	/** Since when that machine cannot be reached. */
	unseenSince: z.optional(Moment),
	/** Its changes are apart, in a worktree. */
	hasChanges: z.optional(z.literal(true)),
});
export type DeskDelegate = z.infer<typeof DeskDelegate>;

/** Everything a page shows. Items are in no order: questions, messages and delegates go by id, which is their time, tasks by `createdAt`. */
export const DeskState = z.object({
	folders: z.array(DeskFolder),
	questions: z.array(DeskQuestion),
	tasks: z.array(DeskTask),
	messages: z.array(DeskMessage),
	delegates: z.array(DeskDelegate),
});
export type DeskState = z.infer<typeof DeskState>;

function change<S extends z.ZodMiniType>(of: S) {
	/** `put` replaces the item with the same key or adds it; `gone` has the keys of those that are no more. */
	return z.optional(z.object({ put: z.array(of), gone: z.array(z.string()) }));
}

/** By section. A section that is not named is as before. */
export const DeskPatch = z.object({
	folders: change(DeskFolder),
	questions: change(DeskQuestion),
	tasks: change(DeskTask),
	messages: change(DeskMessage),
	delegates: change(DeskDelegate),
});
export type DeskPatch = z.infer<typeof DeskPatch>;
