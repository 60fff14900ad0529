import type { Event } from '../base/event.ts';
import type { Disposable } from '../base/lifetime.ts';
import type { ProcessIdentity } from '../base/liveness.ts';
import type { Attention } from '../core/attention.ts';
import type { WorkerPlan, WorkerRequest } from '../core/launch.ts';
import type { MailboxListing } from '../core/mailboxFiles.ts';
import type { Overview } from '../core/overview.ts';
import type { SessionTraffic } from '../core/sessionView.ts';
import type { WorkerAddress, Workspace } from '../core/workspace.ts';
import type { DriverId, TaskName } from '../protocol/names.ts';

/** One workspace folder as the views read it: from memory, refreshed by the core, which tells when to look again. */
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
	/** Newest first. */
	sessions(): readonly SessionTraffic[];
	/** Looks at the disk now, for what this window itself has just changed. */
	refresh(): Promise<void>;
}

export interface AgentChoice {
	id: DriverId;
	displayName: string;
	/** Where it was found and which version, or why it cannot be used. */
	found: { executable: string; version: string } | undefined;
	problem: string | undefined;
	installHint: string;
}

export interface Report {
	markdown: string;
	repairable: number;
}

/** What needs drivers, processes or other programs' files: handed in by the composition root. */
export interface Operations {
	/** Every agent that Nancy knows, found or not. */
	agents(): Promise<readonly AgentChoice[]>;
	/** Writes hooks and skills for one agent, or for every agent that is found. Returns warnings for the user. */
	setUp(folder: Folder, agent: DriverId | undefined): Promise<readonly string[]>;
	/** Takes back what was deployed, for one task or the whole workspace. Returns what was done, for the user. */
	cleanUp(folder: Folder, task: TaskName | undefined): Promise<readonly string[]>;
	doctor(folder: Folder, options: { fix: boolean }): Promise<Report>;
	plan(folder: Folder, agent: DriverId, request: Omit<WorkerRequest, 'bin' | 'env' | 'extra'>): Promise<WorkerPlan>;
	/** Ends a process politely, then firmly. */
	stop(process: ProcessIdentity): Promise<void>;
}
