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
} from './memoryNames.ts';
import { DriverId, SessionId } from './names.ts';
import { Moment, ProcessRecord } from './records.ts';

// The records of project memory: see core/memory. Only its own program builds these schemas.

/** Lines of a file that a note is about. The hash is of the trimmed lines. */
export interface Anchor {
	readonly path: string;
	readonly from: number;
	readonly to: number;
	readonly hash: string;
}

/** One sentence with its source. */
export interface Note {
	readonly id: NoteId;
	readonly category: Category;
	readonly text: string;
	/** Number of the task that it comes from; 0 for a person's own. */
	readonly task: number;
	/** The agent whose task it was, `user`, or `repository` for one that its user has accepted from there. */
	readonly by: string;
	readonly commit?: string | undefined;
	readonly branch?: string | undefined;
	readonly anchors: readonly Anchor[];
	/** How many tasks have confirmed it. */
	readonly seen: number;
	/** The last task that did. */
	readonly seenIn: number;
	readonly isPinned: boolean;
}

const Evidence = z.object({ ref: z.string().check(z.maxLength(400)), quote: z.string().check(z.maxLength(400)) });
export type Evidence = z.infer<typeof Evidence>;

/** What an extraction answers. Every key is required, because the strict modes of CLIs want that. */
export const ExtractionAnswer = z.object({
	summary: z.string().check(z.maxLength(1200)),
	plan: z.nullable(
		z.object({
			status: z.string().check(z.maxLength(600)),
			todo: z.array(z.string().check(z.maxLength(200))).check(z.maxLength(20)),
			questions: z.array(z.string().check(z.maxLength(200))).check(z.maxLength(10)),
		}),
	),
	updates: z
		.array(
			z.object({
				op: z.enum(['add', 'amend', 'retire', 'confirm']),
				category: z.nullable(Category),
				id: z.nullable(z.string().check(z.maxLength(20))),
				text: z.nullable(z.string().check(z.maxLength(400))),
				reason: z.nullable(z.string().check(z.maxLength(400))),
				evidence: z.array(Evidence).check(z.maxLength(6)),
			}),
		)
		.check(z.maxLength(12)),
});
export type ExtractionAnswer = z.infer<typeof ExtractionAnswer>;
export type ProposedUpdate = ExtractionAnswer['updates'][number];

/** A change of the notes that can be carried out as it is. */
export const Change = z.discriminatedUnion('op', [
	z.object({ op: z.literal('put'), category: Category, line: z.string() }),
	z.object({ op: z.literal('retire'), id: NoteId, reason: z.string() }),
	z.object({ op: z.literal('plan'), text: z.string() }),
]);
export type Change = z.infer<typeof Change>;

/** `pending/<id>.json`: an update that waits for a person. */
export const PendingUpdate = z.looseObject({
	version: z.literal(1),
	id: NoteId,
	task: z.int(),
	at: Moment,
	held: z.array(Reason),
	/** The folder whose repository brings it. */
	broughtBy: z.optional(z.string()),
	change: Change,
	/** The hash of what it replaces or takes away: of a note, or of the plan. Absent for a new note. */
	was: z.optional(z.string()),
	evidence: z.array(Evidence),
});
export type PendingUpdate = z.infer<typeof PendingUpdate>;

const Usage = z.object({
	inputTokens: z.optional(z.number()),
	outputTokens: z.optional(z.number()),
	costUsd: z.optional(z.number()),
});

/** `tasks/NNN-<words>.json` */
export const MemoryTask = z.looseObject({
	version: z.literal(1),
	number: z.int().check(z.positive()),
	prompt: z.string(),
	agent: DriverId,
	session: z.optional(SessionId),
	/** The folder that the agent worked in. */
	folder: z.string(),
	/** The process that runs it. Absent in records of earlier versions. */
	by: z.optional(ProcessRecord),
	startedAt: Moment,
	endedAt: z.optional(Moment),
	branch: z.optional(z.string()),
	/** Commits that were checked out. */
	before: z.optional(z.string()),
	after: z.optional(z.string()),
	/** The files that it has changed, relative to the folder: the first ones of many. Absent in records of earlier versions. */
	touched: z.optional(z.array(z.string())),
	/** At its end, the folder had changes that are in no commit. Absent outside of git. */
	isDirty: z.optional(z.boolean()),
	/** `killed`: the process that ran it was gone before it had ended. */
	ending: z.optional(TaskEnding),
	ok: z.optional(z.boolean()),
	reason: z.optional(z.string()),
	output: z._default(z.string(), ''),
	/** The notes that its agent was told. */
	told: z._default(z.array(NoteId), []),
	summary: z.optional(z.string()),
	extraction: z.object({
		state: ExtractionState,
		tries: z._default(z.int(), 0),
		/** The process that extracts now. */
		by: z.optional(ProcessRecord),
		/** The moment of the last call. */
		at: z.optional(Moment),
		usage: z.optional(Usage),
		/** Why it was skipped, or has failed. Absent in records of earlier versions, whose `why` is a sentence. */
		cause: z.optional(NoNotes),
		/** What the agent that was asked, or the system, has said about it. */
		why: z.optional(z.string()),
		/** The notes with their texts' hashes, as the extraction was given them. */
		known: z.optional(z.record(z.string(), z.string())),
		/** As it came, without secrets. */
		answer: z.optional(z.unknown()),
		/** Why the summary is not told to the next task. It is not in the tray: a person reads it with its task. */
		summaryHeld: z.optional(z.array(Reason)),
	}),
});
export type MemoryTask = z.infer<typeof MemoryTask>;

/** `project.toml` */
export const ProjectRecord = z.looseObject({
	name: ProjectName,
	created: Moment,
	status: ProjectStatus,
	/** The git folder that its worktrees share, or the folder itself outside of git. */
	repository: z.string(),
	branch: z.optional(z.string()),
	/** Its notes are read too. */
	parent: z.optional(ProjectName),
	/** Number of the latest task. This and `stats` are counted from the tasks, for a person who reads the file. */
	last_task: z.optional(z.int()),
	stats: z.optional(
		z.looseObject({
			tasks: z.int(),
			sessions: z.int(),
			extraction_input_tokens: z.number(),
			extraction_output_tokens: z.number(),
			extraction_cost_usd: z.number(),
		}),
	),
});
export type ProjectRecord = z.infer<typeof ProjectRecord>;

/** The tables of `config.toml`, which is the user's: Nancy reads it and never writes it. */
export const CONFIG_TABLES = {
	extraction: z.looseObject({
		enabled: z._default(z.boolean(), true),
		/** Default: the agent that ran the task. */
		agent: z.optional(z.string()),
		model: z.optional(z.string()),
		per_day: z._default(z.int().check(z.nonnegative()), 40),
		transcript_tokens: z._default(z.int().check(z.gte(1000), z.lte(200_000)), 25_000),
		/** What waits for a person. */
		review: z._default(z.enum(['all', 'risky', 'none']), 'risky'),
	}),
	context: z.looseObject({ max_tokens: z._default(z.int().check(z.gte(200), z.lte(12_000)), 2000) }),
	repl: z.looseObject({
		agent: z.optional(z.string()),
		mode: z._default(z.enum(['fresh', 'summary', 'full']), 'summary'),
	}),
};

/** `config.toml` */
export const ConfigFile = z.looseObject({
	extraction: z._default(CONFIG_TABLES.extraction, {
		enabled: true,
		per_day: 40,
		transcript_tokens: 25_000,
		review: 'risky',
	}),
	context: z._default(CONFIG_TABLES.context, { max_tokens: 2000 }),
	repl: z._default(CONFIG_TABLES.repl, { mode: 'summary' }),
});

/** What `config.toml` says, and which of its keys have no effect. */
export type MemoryConfig = z.infer<typeof ConfigFile> & {
	readonly problems: readonly { readonly file: string; readonly reason: string }[];
};
