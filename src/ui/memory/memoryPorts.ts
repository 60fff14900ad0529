import type { Disposable } from '../../base/lifetime.ts';
import type { Category, NoteId, ProjectName, ProjectStatus } from '../../protocol/memoryNames.ts';
import type { ExtractedOutput, FolderProjectsOutput, ProposalOutput } from '../../protocol/output/memory.ts';
import type { Folder } from '../ports.ts';

/** A project of a folder's repository, with all that is known of it. */
export type KnownProject = FolderProjectsOutput['projects'][number];

/** A note of a person's own. */
export interface OwnNote {
	readonly category: Category;
	readonly text: string;
	/** Relative to the folder, with `/`; lines count from 1. */
	readonly lines: { readonly path: string; readonly from: number; readonly to: number };
}

/** How `nancy start` is run for a project. */
export interface Session {
	readonly project: ProjectName;
	readonly agent?: string | undefined;
	readonly permissions?: string | undefined;
	/** The first task. */
	readonly task?: string | undefined;
}

export interface SessionStart {
	readonly command: string;
	readonly args: readonly string[];
	readonly env: Readonly<Record<string, string>>;
}

/** What a person does with the projects that Nancy remembers. */
export interface MemoryOperations {
	/** Those of the folder's repository. */
	projects(folder: Folder): Promise<FolderProjectsOutput>;
	/** Tells that files of some project may have changed. */
	watch(onChange: () => void): Disposable;
	/** Opens a project of the folder's repository, and makes it if it is new. */
	remember(folder: Folder, project: ProjectName): Promise<void>;
	setStatus(project: ProjectName, status: ProjectStatus): Promise<void>;
	/** A notes file as it is, and as what waits would make it. */
	proposal(project: ProjectName, id: NoteId): Promise<ProposalOutput>;
	/** @param words of the person's own, to be accepted instead */
	review(
		action: 'accept' | 'reject' | 'retire' | 'pin',
		project: ProjectName,
		id: NoteId,
		words?: string,
	): Promise<void>;
	/** Writes a note into a file of the folder, for its repository. @returns the file, absolute */
	share(folder: Folder, project: ProjectName, id: NoteId): Promise<string>;
	add(folder: Folder, project: ProjectName, note: OwnNote): Promise<void>;
	/** Makes the notes of a task, or of the oldest that is due. One call of the user's agent. */
	extract(
		folder: Folder,
		project: ProjectName,
		task: { task: number; again: boolean } | undefined,
		signal: AbortSignal,
	): Promise<ExtractedOutput>;
	/** The program of a session's terminal. */
	session(session: Session): Promise<SessionStart>;
}
