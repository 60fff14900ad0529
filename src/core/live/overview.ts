import type { SessionId } from '../../protocol/names.ts';
import type { Budget } from '../../protocol/budget.ts';
import type { TaskRecord, WorkerRecord } from '../../protocol/records.ts';
import type { BudgetLevel } from '../budgets/budgets.ts';
import type { TranscriptFacts } from '../driver/transcript.ts';
import type { FileProblem } from '../files/fileProblem.ts';
import type { Use } from '../budgets/use.ts';

/** A worker's activity, by the newest evidence; never by silence. */
export type Phase = 'starting' | 'working' | 'waiting' | 'idle' | 'ended';

/** An agent's own words on its work. They prove nothing. */
export interface Said {
	text: string;
	word?: 'working' | 'blocked' | 'done';
	/** UTC, ISO 8601. */
	at: string;
}

/** A notification of an agent's CLI: somebody's words, in one line. */
export interface Alert {
	text: string;
	/** UTC, ISO 8601. */
	at: string;
}

export interface WorkerState {
	phase: Phase;
	/** The tool it is in, while working or waiting for permission. */
	tool?: string;
	/** The subject of the tool, or of the question: one short line. */
	summary?: string;
	/** The tool works on a file, whose path the summary is. */
	isOnFile?: true;
	/** The source of the evidence, for a person: `PreToolUse Bash`, `agent's own status`, `process gone`. */
	source: string;
	/** When the evidence was made. UTC, ISO 8601. */
	at: string;
	/** When the phase began, or the question that it waits with. The evidence may be newer. UTC, ISO 8601. */
	since: string;
	session?: SessionId;
	/** Idle, and its first turn has not begun. */
	isUnprompted?: true;
	/** Ended, with this code other than 0, and neither stopped nor at its own word. */
	exitCode?: number;
	/** Subagents at work, when there are any. */
	subagents?: number;
}

/** A budget that a person has set, and how far it is used. */
export interface BudgetView {
	budget: Budget;
	level: BudgetLevel;
}

export interface WorkerView {
	record: WorkerRecord;
	state: WorkerState;
	/** From the agent's own transcript, where it has one. */
	facts?: TranscriptFacts;
	/** The use of all its sessions. */
	use?: Use;
	/** The budget of a delegate that has one of its own. */
	budget?: BudgetView;
	queued: number;
	/** What it has last said of its work in this turn. */
	said?: Said;
	/** What its CLI has last told its user in this turn, beside a question or the end of the turn. */
	alert?: Alert;
	/** When its last turn ended, while nothing has happened since. UTC, ISO 8601. */
	turnEndedAt?: string;
	/** The newest sign of work. UTC, ISO 8601. */
	workedAt?: string;
	/** Its own, which Nancy made for it. The record only says so. */
	worktree?: NonNullable<WorkerRecord['worktree']>;
}

export interface TaskView {
	record: TaskRecord;
	workers: WorkerView[];
	/** The budget of all its workers and delegates together. */
	budget?: BudgetView;
	/** Nancy has a snapshot of the workspace folder from when the task began. */
	hasSnapshot?: true;
	/** Messages from agents that the human has not read. */
	unread: number;
}

/** Everything the sidebar and `nancy status` show of one workspace folder. */
export interface Overview {
	tasks: TaskView[];
	problems: FileProblem[];
}
