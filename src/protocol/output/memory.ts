import * as z from 'zod/mini';
import {
	Category,
	ExtractionState,
	NoNotes,
	NoteId,
	ProjectName,
	ProjectStatus,
	Reason,
	TaskEnding,
} from '../memoryNames.ts';
import { DriverId, SessionId } from '../names.ts';
import { Moment } from '../records.ts';
import { Problem } from './parts.ts';

/** One project, as `nancy projects` lists it. */
export const ProjectOutput = z.object({
	project: ProjectName,
	status: ProjectStatus,
	created: Moment,
	repository: z.string(),
	branch: z.optional(z.string()),
	parent: z.optional(ProjectName),
	tasks: z.int(),
	lastTaskAt: z.optional(Moment),
	notes: z.record(Category, z.int()),
	/** Updates that wait for you. */
	pending: z.int(),
	/** Tasks that are still to be extracted. */
	due: z.int(),
	/** Tokens and cost of all extractions. */
	inputTokens: z.int(),
	outputTokens: z.int(),
	costUsd: z.number(),
});
export type ProjectOutput = z.infer<typeof ProjectOutput>;

/** `nancy projects` */
export const ProjectsOutput = z.object({ projects: z.array(ProjectOutput), problems: z.array(Problem) });
export type ProjectsOutput = z.infer<typeof ProjectsOutput>;

const noNotes = {
	/** Why there are no notes. */
	cause: z.optional(NoNotes),
	/** Another program's words about it, or the sentence of a record of an earlier version. */
	why: z.optional(z.string()),
};
/** Why a task has no notes. */
export interface WithoutNotes {
	readonly cause?: NoNotes | undefined;
	readonly why?: string | undefined;
}

const Evidence = z.object({ ref: z.string(), quote: z.string() });

/** `nancy notes` */
export const NotesOutput = z.object({
	project: ProjectName,
	/** Where its files are, absolute: `notes/plan.md` and so on. */
	folder: z.string(),
	plan: z.string(),
	notes: z.array(
		z.object({
			id: NoteId,
			category: Category,
			text: z.string(),
			/** 0 for a person's own. */
			task: z.int(),
			by: z.string(),
			/** The conversation of its task, while the task is kept. */
			session: z.optional(SessionId),
			commit: z.optional(z.string()),
			/** Its task ended with changes that are in no commit: the commit alone does not have what it says. */
			dirty: z.optional(z.boolean()),
			branch: z.optional(z.string()),
			/** `src/pool.ts:3-5`, as the lines stand now. */
			places: z.array(z.string()),
			/** What its task quoted, while the task is kept. */
			evidence: z.array(Evidence),
			freshness: z.enum(['fresh', 'moved', 'changed', 'gone', 'elsewhere']),
			seen: z.int(),
			pinned: z.boolean(),
		}),
	),
	pending: z.array(
		z.object({
			id: NoteId,
			task: z.int(),
			what: z.enum(['add', 'amend', 'retire', 'plan']),
			category: z.optional(Category),
			/** What is to be said; of a note that is to go, the reason. */
			text: z.string(),
			/** The note that is to change or go, as it is now. */
			note: z.optional(z.object({ id: NoteId, text: z.string() })),
			held: z.array(Reason),
			evidence: z.array(Evidence),
		}),
	),
	tasks: z.array(
		z.object({
			task: z.int(),
			prompt: z.string(),
			agent: DriverId,
			startedAt: Moment,
			/** Absent while it runs. */
			ending: z.optional(TaskEnding),
			ok: z.optional(z.boolean()),
			summary: z.optional(z.string()),
			extraction: ExtractionState,
			...noNotes,
			/** What the extraction reads, absolute; absent if nothing was recorded. */
			digest: z.optional(z.string()),
		}),
	),
	problems: z.array(Problem),
});
export type NotesOutput = z.infer<typeof NotesOutput>;

/** The projects of a folder's repository, with all that is known of each. Archived ones are left out. */
export const FolderProjectsOutput = z.object({
	projects: z.array(z.object({ ...ProjectOutput.shape, known: NotesOutput })),
	problems: z.array(Problem),
});
export type FolderProjectsOutput = z.infer<typeof FolderProjectsOutput>;

/** What a waiting update would make of its file. */
export const ProposalOutput = z.object({
	project: ProjectName,
	id: NoteId,
	/** Name of the file in `notes/`. */
	file: z.string(),
	before: z.string(),
	after: z.string(),
});
export type ProposalOutput = z.infer<typeof ProposalOutput>;

/** `nancy notes accept`, `reject`, `retire` and `pin` */
export const ReviewedOutput = z.object({ project: ProjectName, id: NoteId, text: z.string() });

/** `nancy notes share` */
export const SharedOutput = z.object({
	project: ProjectName,
	id: NoteId,
	text: z.string(),
	/** Absolute. */
	file: z.string(),
});

/** `nancy extract` */
export const ExtractedOutput = z.object({
	project: ProjectName,
	/** Absent if no task was due. */
	task: z.optional(z.int()),
	state: z.enum(['none', 'merged', 'failed']),
	...noNotes,
	added: z.record(Category, z.int()),
	confirmed: z.int(),
	held: z.int(),
	dropped: z.array(z.string()),
	plan: z.enum(['unchanged', 'updated', 'held']),
	inputTokens: z.optional(z.number()),
	outputTokens: z.optional(z.number()),
	costUsd: z.optional(z.number()),
});
export type ExtractedOutput = z.infer<typeof ExtractedOutput>;

/** One task of `nancy start` */
export const ProjectTaskOutput = z.object({
	project: ProjectName,
	task: z.int(),
	ok: z.boolean(),
	output: z.string(),
	reason: z.optional(z.string()),
	session: z.optional(SessionId),
	/** How many notes its agent was told, and about how many tokens that took. */
	told: z.int(),
	aboutTokens: z.int(),
	extraction: ExtractionState,
	...noNotes,
});
export type ProjectTaskOutput = z.infer<typeof ProjectTaskOutput>;
