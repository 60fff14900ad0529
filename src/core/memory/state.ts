import type { MemoryTask, PendingUpdate, ProjectRecord } from '../../protocol/memory.ts';
import type { FileProblem } from '../files/fileProblem.ts';
import type { Freshness } from './freshness.ts';
import type { StoredNote } from './noteFile.ts';

/** Where a task works. */
export interface MemoryPlace {
	readonly folder: string;
	readonly branch: string | undefined;
	readonly commit: string | undefined;
	/** The branch that the notes are for, if another one is checked out. */
	readonly of?: string | undefined;
}

/** The same, with what projects are found by. */
export interface Checkout extends MemoryPlace {
	/** The folder of git that its worktrees share, or the folder itself outside of git. */
	readonly repository: string;
	/** The file of git that names the branch. */
	readonly head?: string | undefined;
}

export type KnownNote = StoredNote & { freshness: Freshness };

/** A project as it is on disk. */
export interface ProjectState {
	readonly record: ProjectRecord;
	readonly tasks: readonly MemoryTask[];
	readonly notes: readonly StoredNote[];
	readonly plan: string;
	/** The folder of the project's files, absolute. */
	readonly folder: string;
	/** The files of the digests, by their tasks. */
	readonly digests: ReadonlyMap<number, string>;
	readonly pending: readonly (PendingUpdate & { text: string; target: StoredNote | undefined })[];
	/** Files that cannot be read. They are left alone. */
	readonly problems: readonly FileProblem[];
}
