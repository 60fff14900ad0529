import type { Capability } from '../core/driver/abilities.ts';
import type { Event } from '../base/event.ts';
import type { Disposable } from '../base/lifetime.ts';
import type { BudgetOwner } from '../core/budgets/budgets.ts';
import type { Attention } from '../core/live/attention.ts';
import type { WorkerPlan } from '../core/start/launch.ts';
import type { MailboxListing } from '../core/mailbox/mailboxFiles.ts';
import type { LiveQuestion } from '../core/live/liveQuestions.ts';
import type { Overview } from '../core/live/overview.ts';
import type { SessionTraffic } from '../core/live/sessionView.ts';
import type { OnlyThere } from '../core/delegates/batches.ts';
import type { EventDetail } from '../core/traffic/eventDetail.ts';
import type { Asked } from '../core/questions/questions.ts';
import type { TrafficNode } from '../core/traffic/node.ts';
import type { Delegate } from '../core/delegates/delegate.ts';
import type { DelegateRequest } from '../core/delegates/queueDelegate.ts';
import type { Words, WorkerAddress, Workspace } from '../core/workspace/workspace.ts';
import type { IsolationChoice } from '../protocol/isolation.ts';
import type { Budget, BudgetUnit } from '../protocol/budget.ts';
import type { DelegateId } from '../protocol/delegate.ts';
import type { Answer, QuestionId, Reply } from '../protocol/question.ts';
import type { DriverId, MessageId, SessionId, TaskName, WorkerName } from '../protocol/names.ts';
import type { Worktree } from '../protocol/worktree.ts';

/** One workspace folder as the views read it. It is in memory; the core refreshes it and reports each change. */
export interface Folder extends Disposable {
	readonly name: string;
	/** Absolute. */
	readonly path: string;
	readonly workspace: Workspace;
	readonly onDidChange: Event<void>;
	readonly onDidNeedAttention: Event<Attention>;
	overview(): Overview;
	/** A worker's mailbox, or the human's own (`orchestrator`). */
	messages(address: WorkerAddress): MailboxListing;
	/** Oldest first. */
	delegates(): readonly Delegate[];
	/** Newest first. */
	sessions(): readonly SessionTraffic[];
	/** What the records behind a row of the traffic say. */
	eventDetail(session: SessionId, node: TrafficNode): Promise<EventDetail>;
	/** What agents ask and is not over, oldest first. */
	questions(): readonly LiveQuestion[];
	/** The newest of those that are over, if this window has seen them open. */
	pastQuestions(): readonly LiveQuestion[];
	/** Also one that is over, if this window has seen it open. */
	question(id: QuestionId): LiveQuestion | undefined;
	/** Looks at the disk now. For changes that this window has just made. */
	refresh(): Promise<void>;
}

export interface AgentChoice {
	id: DriverId;
	displayName: string;
	/** Where it was found and which version. */
	found?: { executable: string; version: string } | undefined;
	/** Why it cannot be used if it was not found, in a word and in a sentence. */
	obstacle?: 'missing' | 'too-old' | 'broken' | 'unanswered' | undefined;
	problem?: string | undefined;
	/** Its version, if it is too old to be used. */
	oldVersion?: string | undefined;
	/** What a person types into a terminal to install it; empty where no one command does. */
	installCommand: string;
	/** Nobody has tried Nancy with it. */
	isUntried: boolean;
	/** What its version cannot do at all. */
	lacks: readonly Capability[];
	/** What its version can do only in part. */
	limits: readonly Capability[];
	/** The model in the user's settings. `undefined` leaves the choice to the CLI. */
	model: string | undefined;
	/** Its permission modes as a delegate, most careful first; empty if it cannot be one. */
	permissionModes: readonly AgentMode[];
	/** Without a terminal it is a delegate alone: no project's task runs with it. */
	isDelegateAlone?: boolean | undefined;
	/** As a delegate it can run in a sandbox. */
	isIsolable?: boolean | undefined;
	/** Its permission modes in a terminal, most careful first; empty if its CLI takes no flag for them. */
	launchModes: readonly AgentMode[];
	/** Whether its first prompt in a terminal can have images. */
	takesImages: boolean;
}

/** What an agent may do unasked, in the user's language. */
export interface AgentMode {
	id: string;
	label: string;
	detail: string;
	/** It asks the user: for delegates alone. */
	asks?: boolean | undefined;
}

/** A worker to start in a terminal. */
export interface WorkerRequest {
	task: TaskName;
	agent: DriverId;
	/** The title of a task that is made for it. */
	title?: string;
	/** The task must be new. */
	isNew?: boolean;
	/** A new worker where absent. */
	worker?: WorkerName;
	/** Goes on with the worker's last conversation, where it worked before. */
	resume?: boolean;
	/** Where a new worker works: see the operation. */
	place?: 'folder' | 'worktree' | 'worktreeWithChanges';
	/** A new worker begins with a copy of the worker's last conversation. */
	fork?: boolean;
	/** The first prompt; empty for an agent that waits for the user. */
	prompt?: string;
	model?: string | undefined;
	/** One of the agent's launch modes. Absent: as its CLI's settings say, or as the conversation had it that goes on. */
	permissions?: string | undefined;
	/** Files for the first prompt, absolute. */
	images?: string[];
}

/** The process to start, and its worker. */
export type WorkerStart = Pick<WorkerPlan, 'address' | 'command' | 'args' | 'env' | 'cwd'>;

export interface Report {
	markdown: string;
	repairable: number;
}

/** What a person writes. */
export type Letter = Words & { kind: 'directive' | 'feedback' };

/** The receiver of a message. */
export interface Addressee {
	folder: Folder;
	address: WorkerAddress;
}

/** What needs drivers, processes or other programs' files: handed in by the composition root. */
export interface Operations {
	/** Every agent that Nancy knows, found or not. */
	agents(): Promise<readonly AgentChoice[]>;
	/** Writes hooks and skills for every agent that is found, also for sessions that the user starts. `isDone`: for one at least. */
	setUp(folder: Folder): Promise<{ isDone: boolean; says: readonly string[] }>;
	/** Takes the deployment back, for one task or the whole workspace. Returns a report in sentences for the user. */
	cleanUp(folder: Folder, task: TaskName | undefined): Promise<readonly string[]>;
	doctor(folder: Folder, options: { fix: boolean }): Promise<Report>;
	/** Prepares an agent for a terminal: its task, hooks, skills and record. The caller starts it. */
	orchestrate(folder: Folder, request: WorkerRequest): Promise<WorkerStart & { warnings: readonly string[] }>;
	/**
	 * Queues a message for each receiver, and returns the receivers for whom that failed. If sending is refused in one of their folders,
	 * throws and queues nothing.
	 */
	send<T extends Addressee>(to: readonly T[], content: Letter): Promise<{ to: T; reason: string }[]>;
	/**
	 * Carries the user's answer to one question to the agent.
	 * @param digest of the question that the user saw
	 */
	answer(folder: Folder, question: QuestionId, digest: string, reply: Reply): Promise<Answer>;
	/** What agents asked here and what was answered, oldest first. */
	answered(folder: Folder): Promise<readonly Asked[]>;
	/** Marks a message to the human as read. Returns where its file is from then on. */
	readMail(folder: Folder, task: TaskName, id: MessageId): Promise<string>;
	/**
	 * Replaces the words of a queued message. Throws `not-queued` if the agent has read it, and `wrong-state` if it is not as it `was` any
	 * more.
	 */
	edit(folder: Folder, from: WorkerAddress, id: MessageId, was: Letter, words: Letter): Promise<void>;
	/** Puts queued messages into this order. */
	reorder(folder: Folder, mailbox: WorkerAddress, ids: readonly MessageId[]): Promise<void>;
	/** Files a message away that was read. */
	archive(folder: Folder, from: WorkerAddress, id: MessageId): Promise<void>;
	/** Takes back a message that waits. @returns whether an agent may have read it before */
	withdraw(folder: Folder, from: WorkerAddress, id: MessageId): Promise<boolean>;
	/**
	 * Ends a worker: a delegate by its runner, any other agent politely, then firmly.
	 * @param onMeant called before the agent is asked to end, once its end counts as intended
	 */
	stop(folder: Folder, worker: WorkerAddress, onMeant: () => Promise<void>): Promise<void>;
	archiveTask(folder: Folder, task: TaskName): Promise<void>;
	restoreTask(folder: Folder, task: TaskName): Promise<void>;
	/** Changes its title; its name stays. */
	renameTask(folder: Folder, task: TaskName, title: string): Promise<void>;
	/** The budget of a task or a delegate, and by what one could be kept. */
	budget(folder: Folder, owner: BudgetOwner): Promise<BudgetFacts>;
	/** Sets a budget, or takes it away. */
	setBudget(folder: Folder, owner: BudgetOwner, budget: Budget | undefined): Promise<void>;
	/** Throws `busy` while an agent of it runs. */
	deleteTask(folder: Folder, task: TaskName): Promise<void>;
	readonly delegates: DelegateOperations;
	readonly worktrees: WorktreeOperations;
}

export interface BudgetFacts {
	/** Absent if nobody has set one. */
	budget?: Budget | undefined;
	/** What a budget can be kept by. */
	units: readonly BudgetUnit[];
	/** The agents that tell nothing while they work. */
	silent: readonly string[];
}

/** What decides how new delegates are isolated. */
export interface IsolationHere {
	/** As the user has set it, for machines without a setting of their own. */
	byDefault: IsolationChoice;
	/** Why this machine has no sandbox, in a sentence. */
	obstacle?: string | undefined;
}

export interface DelegateOperations {
	/** Runs a program that does nothing, where there is one, to learn whether it can make a sandbox. */
	isolation(folder: Folder): Promise<IsolationHere>;
	/** Queues a delegate, and starts it if it may start. */
	start(folder: Folder, request: DelegateRequest): Promise<DelegateId>;
	/**
	 * Delegates once more what a delegate was asked: anew, or with a person's remarks in the same worktree. Throws `not-trusted` if the
	 * user has not queued it on this machine, or its files were changed since.
	 */
	repeat(folder: Folder, id: DelegateId, remarks?: string): Promise<DelegateId>;
	/** Ends it, and resolves once it has ended. Throws `timeout` if its runner does not answer. */
	stop(folder: Folder, id: DelegateId): Promise<void>;
	/** Resumes delegates that wait for their account's limit to reset: this agent's, or all. Returns how many agents waited. */
	resume(folder: Folder, agent: DriverId | undefined): Promise<number>;
	/** Deletes an ended delegate, but not its worktree. */
	delete(folder: Folder, id: DelegateId): Promise<void>;
}

/**
 * The worktrees of a folder's delegates and tasks, as their records name them. An agent may be able to write a record. So each method throws
 * `not-trusted`, and touches nothing, unless Nancy made the worktree on this machine.
 */
export interface WorktreeOperations {
	/** For a caller that opens the worktree or works in it. */
	verify(folder: Folder, worktree: Worktree): Promise<void>;
	/** The difference between the beginning and the present files, committed or not. */
	changes(folder: Folder, of: ChangesOf): Promise<Changes>;
	/** A file as it was in the beginning; `undefined` if there was none. */
	base(folder: Folder, of: ChangesOf, path: string): Promise<Buffer | undefined>;
	/** What a merge would bring. Only looks. */
	previewMerge(folder: Folder, worktree: Worktree): Promise<MergePreview>;
	merge(folder: Folder, worktree: Worktree, message: string): Promise<MergeOutcome>;
	/** Takes the last merge back, unless the checkout has changed since. */
	undoMerge(folder: Folder, worktree: Worktree): Promise<UndoOutcome>;
	/** What removing it would lose. */
	only(folder: Folder, worktree: Worktree): Promise<OnlyThere>;
	/**
	 * Removes it after its tear-down command, if the user set one on this machine. `anyway` skips that command. Work that exists only there
	 * stays on its branch, or is lost with `discard`.
	 */
	remove(
		folder: Folder,
		worktree: Worktree,
		options: { discard: boolean; anyway: boolean },
	): Promise<WorktreeRemoval>;
}

/** The changes in a worktree, or those in the workspace folder since a task began there. */
export type ChangesOf = { readonly worktree: Worktree } | { readonly task: TaskName };

export interface WorktreeRemoval {
	isRemoved: boolean;
	/** What was kept or lost, or why it stays, as a sentence. */
	says: string;
	/** There was a tear-down command. It may be the reason that the worktree is still there. */
	hasTornDown: boolean;
}

export interface ChangedFile {
	/** Relative to the worktree or the workspace folder, with `/`. */
	path: string;
	/** Where it was before it was renamed. */
	before?: string;
	status: 'added' | 'modified' | 'deleted' | 'renamed';
	/** Absent for a binary file. */
	lines?: ChangedLines;
	/** Where it leads, if it is a link now. */
	link?: string;
}

export interface ChangedLines {
	insertions: number;
	deletions: number;
}

export type Changes = ChangedLines & { files: readonly ChangedFile[] };

export interface MergePreview extends ChangedLines {
	/** `merged` by a commit, or `applied` to the files without one. */
	how: 'merged' | 'applied';
	files: number;
	/** The checked-out branch; absent if none is. */
	branch?: string;
	commit?: string;
}

/** `isGone`: the branch had the merge no more. `reason`: a sentence that names what has changed since. */
export type UndoOutcome = { ok: true; isGone?: true } | { ok: false; reason: string };

export type MergeOutcome =
	/** `left`: repositories inside the worktree, which stay there. */
	| { ok: true; how: 'merged' | 'applied' | 'nothing'; left?: string[] | undefined }
	/** A sentence that names the files which are in the way. */
	| { ok: false; reason: string };
