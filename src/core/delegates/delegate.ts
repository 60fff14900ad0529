import type { DelegateRecord, DelegateState, DelegateStatus } from '../../protocol/delegate.ts';
import type { MergeRecord } from '../../protocol/merge.ts';
import type { DelegateFiles } from './files.ts';

/** A delegate as it stands on disk. */
export interface Delegate {
	record: DelegateRecord;
	status: DelegateStatus;
	files: DelegateFiles;
	/** Final once `.done` is there, and not before, whatever the status file says. */
	state: DelegateState;
	/** Why it failed. */
	error?: string;
	/** A person has stopped it. */
	isStoppedByUser?: true;
	/** Merges of its own worktree that were not undone, oldest first. */
	merges?: readonly MergeRecord[];
	/** What it asks its user and waits for, one line each. */
	asks?: readonly string[];
	/** Since when the other machine that it runs on cannot be reached (UTC, ISO 8601). */
	unseenSince?: string;
	/** It runs on another machine, and has begun there. */
	isBegun?: true;
	/** Why it waits in the queue of a cluster. */
	waitsInQueue?: string;
	/** Another program's, which Nancy only shows. */
	isForeign?: true;
	/** The user's sealed records know nothing of it: nobody but its files says that it was asked, or what it has answered. */
	isUnproved?: true;
	/** Its files are not those that its user had queued. Nancy tells that it has ended, and nothing of what they say. */
	isChanged?: true;
}

/** How a run ended, for `finish` in ending.ts. */
export type Outcome = { ok: true; output: string } | { ok: false; reason: string; output: string };

export function isFinal(state: DelegateState): boolean {
	return state === 'done' || state === 'failed';
}

export function swarmFeatures(delegates: readonly Delegate[]): ReadonlySet<string> {
	return new Set(delegates.flatMap(({ record }) => record.swarm?.feature ?? []));
}
