import * as z from 'zod/mini';
import { DelegateId } from './delegate.ts';
import { DeskQuestion, FolderId } from './deskState.ts';
import { DeviceId, Nonce, Scope } from './deskApi.ts';
import { RuleId } from './deskRules.ts';
import { TaskName, WorkerName } from './names.ts';
import { Effect } from './question.ts';
import { Moment } from './records.ts';
import { EventKind } from './traffic.ts';

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

/** Records of an agent's traffic that are shown. */
export const MOST_TRAFFIC = 100;

/** `GET /api/v1/traffic?folder&task&worker`: what an agent reports, as `nancy traffic` says it, newest last. */
export const TrafficQuery = z.object({ folder: FolderId, task: TaskName, worker: WorkerName });
export const TrafficReply = z.object({
	records: z.array(
		z.object({
			/** Unique within a session. */
			id: z.string(),
			at: Moment,
			/** The kind of an event of the agent's. Absent for what Nancy itself notes. */
			kind: z.optional(EventKind),
			/** One line. */
			text: z.string(),
			/** The file of the workspace that it is about. */
			path: z.optional(z.string()),
		}),
	),
});
export type TrafficReply = z.infer<typeof TrafficReply>;

/** Lines of a file in one answer. */
export const MOST_LINES = 1000;

const LineNumber = z.string().check(z.regex(/^[1-9]\d{0,8}$/));

/** `GET /api/v1/files?folder&path&from&to`: lines of a file of the workspace. Without `to`, as many as there are, or {@link MOST_LINES}. */
export const FileQuery = z.object({
	folder: FolderId,
	path: ShownPath,
	from: z._default(LineNumber, '1'),
	to: z.optional(LineNumber),
});
export const FileReply = z.object({
	path: z.string(),
	/** The number of the first line. */
	from: z.int(),
	/** The lines of the whole file. */
	total: z.int(),
	text: z.string(),
	/** The last line is longer than is shown. */
	isCut: z.boolean(),
});
export type FileReply = z.infer<typeof FileReply>;

/** Answers that are listed. */
export const MOST_ANSWERS = 100;

/** `GET /api/v1/allowed?folder`: what holds without being asked again, and who has answered. */
export const AllowedQuery = z.object({ folder: FolderId });
const shown = DeskQuestion.shape;
export const AllowedReply = z.object({
	/** Rules that answers have added to the CLIs' own files, newest first. A file may hold more, and no longer these. */
	added: z.array(z.object({ rule: z.string(), keptIn: z.string(), asked: z.string(), at: Moment })),
	/** The person's own rules for this folder. */
	rules: z.array(
		z.object({
			id: RuleId,
			effect: z.enum(['once', 'no']),
			agentName: z.string(),
			tool: z.string(),
			/** The one request that it is for; absent for every one of the tool. */
			body: z.optional(z.string()),
			/** It holds in one session alone. */
			isOfSession: z.boolean(),
			until: Moment,
			used: z.int(),
			/** How often it may say Yes. */
			uses: z.optional(z.int()),
		}),
	),
	isPaused: z.boolean(),
	/** Why the rules cannot be read. */
	problem: z.optional(z.string()),
	/** Questions that are over or answered, newest first. */
	answers: z.array(
		z.object({
			id: shown.id,
			agentName: shown.agentName,
			askedAt: Moment,
			kind: shown.kind,
			tool: z.string(),
			title: z.string(),
			choices: z.array(z.object({ effect: Effect, isYes: z.boolean() })),
			answer: shown.answer,
			outcome: shown.outcome,
		}),
	),
});
export type AllowedReply = z.infer<typeof AllowedReply>;
export type AnsweredQuestion = AllowedReply['answers'][number];

/** `GET /api/v1/devices`: the browsers that are let in, oldest first. */
export const DevicesReply = z.object({
	devices: z.array(
		z.object({
			id: DeviceId,
			name: z.string(),
			scope: Scope,
			madeAt: Moment,
			/** To within a minute. */
			usedAt: Moment,
			expiresAt: Moment,
			/** It asks. */
			isThis: z.boolean(),
		}),
	),
});
export type DevicesReply = z.infer<typeof DevicesReply>;
