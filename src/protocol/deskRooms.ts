import * as z from 'zod/mini';
import { DelegateId } from './delegate.ts';
import { Nonce } from './deskApi.ts';
import { FolderId } from './deskState.ts';

// The parts of API v1 for the rooms of the desk that are seldom looked at: docs/api.md. Fields may be added, never renamed or removed.
// Texts are safe to show, without secrets, and have at most the length that is said.

/** In UTF-16 units. */
export const LONGEST_PATH = 1000;

/** Relative to a folder, with `/`. */
export const ShownPath = z.string().check(z.minLength(1), z.maxLength(LONGEST_PATH));

/** `POST /api/v1/delegates/<id>/stop`, scope `feedback`. Answers once the delegate has ended. */
export const StopRequest = z.object({ folder: FolderId, nonce: Nonce });
export const StopReply = z.object({});

/** Files that are listed of a delegate's changes. */
export const MOST_FILES = 500;

/** `GET /api/v1/changes?folder&delegate` */
export const ChangesQuery = z.object({ folder: FolderId, delegate: DelegateId });
export const ChangesReply = z.object({
	files: z.array(
		z.object({
			path: z.string(),
			/** Its place before it was renamed. */
			before: z.optional(z.string()),
			status: z.enum(['added', 'modified', 'deleted', 'renamed']),
			/** Absent for a binary file. */
			lines: z.optional(z.object({ insertions: z.int(), deletions: z.int() })),
		}),
	),
	/** Changed files that are not listed. */
	more: z.int(),
	insertions: z.int(),
	deletions: z.int(),
});
export type ChangesReply = z.infer<typeof ChangesReply>;
export type ChangedFile = ChangesReply['files'][number];

/** `GET /api/v1/diff?folder&delegate&path`: the changes of one file, as a unified diff without the names of the files. */
export const DiffQuery = z.extend(ChangesQuery, { path: ShownPath });
export const DiffReply = z.object({
	path: z.string(),
	/** Empty for a binary file and for one that is too large. */
	text: z.string(),
	/** The diff is longer. */
	isCut: z.boolean(),
});
export type DiffReply = z.infer<typeof DiffReply>;

/** In UTF-16 units, of all remarks together. */
export const LONGEST_REMARKS = 64 * 1024;

/** `POST /api/v1/delegates/<id>/remarks`, scope `feedback`: comments on lines of its changes, in one message. Answers as `messages` does. */
export const RemarksRequest = z.object({
	folder: FolderId,
	remarks: z
		.array(
			z.object({
				/** One of the changed files. */
				path: ShownPath,
				/** From 1, in the present file. */
				line: z.int().check(z.positive()),
				text: z.string().check(z.trim(), z.minLength(1), z.maxLength(LONGEST_REMARKS)),
			}),
		)
		.check(z.minLength(1), z.maxLength(200)),
	nonce: Nonce,
});
export type RemarksRequest = z.infer<typeof RemarksRequest>;
