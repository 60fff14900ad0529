import * as z from 'zod/mini';

/** Words of `nancy notes`. A project of such a name could not be named there. */
const RESERVED = ['accept', 'reject', 'retire', 'pin', 'share'];

/** A project's folder name. Only such a name may become part of a path. */
export const ProjectName = z
	.string()
	.check(
		z.regex(/^[a-z0-9](?:[a-z0-9_-]|\.(?!\.)){0,62}[a-z0-9]$|^[a-z0-9]$/),
		z.refine(name => !RESERVED.includes(name), 'this word is a part of a command'),
	)
	.brand<'ProjectName'>();
export type ProjectName = z.infer<typeof ProjectName>;

/** A paused project takes tasks, but tells them nothing and learns nothing from them. An archived one takes none. */
export const ProjectStatus = z.enum(['active', 'paused', 'archived']);
export type ProjectStatus = z.infer<typeof ProjectStatus>;

export const Category = z.enum(['architecture', 'decisions', 'failures']);
export type Category = z.infer<typeof Category>;

/** The notes files of a project, as a person names them. */
export const NotesFile = z.enum(['plan', ...Category.options]);
export type NotesFile = z.infer<typeof NotesFile>;
export const NOTES_FILES = NotesFile.options;

/** So many lines of a file a note is about at most. */
export const LONGEST_ANCHOR = 12;

/** Below the workspace folder: one file for each note that its repository brings. */
export const SHARED_NOTES = 'docs/agent-notes';

export const NoteId = z
	.string()
	.check(z.regex(/^[0-9a-f]{8}$/))
	.brand<'NoteId'>();
export type NoteId = z.infer<typeof NoteId>;

/** Why an update waits for a person. */
export const Reason = z.enum([
	/** It has the form of a secret, which is taken out. */
	'secret',
	/** It addresses an agent, or loosens something. */
	'instruction',
	/** Its only source is the web or another server. */
	'from-outside',
	/** A file of the repository brings it. */
	'from-repository',
	'no-evidence',
	/** Its note has changed since the agent read it. */
	'conflict',
	/** Its note is a person's. */
	'users-own',
	/** It says the opposite of a note whose lines still stand. */
	'contradicts',
	/** Its only source is what the agent itself said. */
	'inferred',
	/** The user wants to see every update. */
	'review',
]);
export type Reason = z.infer<typeof Reason>;

export const ExtractionState = z.enum(['none', 'due', 'running', 'answered', 'merged', 'skipped', 'failed']);

/** Why no notes are made of a task, or why making them has failed. */
export const NoNotes = z.enum([
	/** The project learns nothing now. */
	'paused',
	/** `extraction.enabled` is false. */
	'off',
	/** No hook has reported anything of it. */
	'unrecorded',
	/** Nothing can be learnt from it. */
	'poor',
	/** The process that ran it was killed. */
	'killed',
	/** Nancy cannot ask its agent, and the user names no other. */
	'no-extractor',
	/** The agent that is to be asked is not installed, or cannot be used. */
	'no-agent',
	'timeout',
	'cancelled',
	/** The answer is not of the form that was asked for. */
	'malformed',
	/** The agent ended without an answer. */
	'no-answer',
	/** The agent has reported a failure. */
	'failed',
]);
export type NoNotes = z.infer<typeof NoNotes>;

/** How a task ended. */
export const TaskEnding = z.enum(['result', 'timeout', 'cancelled', 'no-result', 'killed']);
