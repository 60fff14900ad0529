import * as z from 'zod/mini';
import { DeskMessage, DeskPatch, DeskState, FolderId } from './deskState.ts';
import { MessageId, TaskName, WorkerName } from './names.ts';
import { Effect, LONGEST_WORDS, QuestionId } from './question.ts';
import { Moment } from './records.ts';
import { SCOPES } from './scope.ts';

// API v1 between the desk's server and a page: docs/api.md. Both sides parse every message. Fields may be added, never renamed or removed.

export const Scope = z.enum(SCOPES);

/** A paired browser. Its id is no secret. */
export const DeviceId = z
	.string()
	.check(z.regex(/^[0-9a-f]{16}$/))
	.brand<'DeviceId'>();
export type DeviceId = z.infer<typeof DeviceId>;

/** A request's name, chosen at random by the page: the same request twice does one thing. */
export const Nonce = z.string().check(z.regex(/^[0-9a-zA-Z_-]{16,64}$/));

const v = z.literal(1);

/** Grows by one with each change of the state, from the server's start. */
const Seq = z.int().check(z.nonnegative());

/** `GET /api/v1/state` */
export const StateReply = z.object({ seq: Seq, state: DeskState });
export type StateReply = z.infer<typeof StateReply>;

/**
 * From a page by `WS /api/v1/live`: `hello` first. The server ignores a type that it does not know. `challenge` is a random text, and
 * `device` the id that came with the token. The server proves first that it knows the token, which then goes out in `token`. Another program may have
 * the port by now.
 */
export const ToServer = z.discriminatedUnion('type', [
	z.object({
		v,
		type: z.literal('hello'),
		device: DeviceId,
		challenge: z.string().check(z.regex(/^[0-9A-Za-z_-]{22,64}$/)),
	}),
	z.object({ v, type: z.literal('token'), token: z.string().check(z.maxLength(200)) }),
	z.object({ v, type: z.literal('ping') }),
]);
export type ToServer = z.infer<typeof ToServer>;

/**
 * Why the server ends a connection. `reload`: the page speaks another version. `unknown`: the token is none, or no more: pair again.
 * `revoked`: the person has taken the device out. `stopped`: the server ends. `slow`: the page did not read or said nothing; connect again.
 */
export const ByeReason = z.enum(['reload', 'unknown', 'revoked', 'stopped', 'slow']);
export type ByeReason = z.infer<typeof ByeReason>;

/**
 * To a page. It ignores a type that it does not know. `proof` answers `hello`: HMAC-SHA256, with the token's text as key, of `nancy desk ` and the
 * challenge, in lower hexadecimal digits. If it is wrong, the page sends nothing more and shows nothing. After `welcome` comes `state`, then a
 * `patch` for each change, or `state` anew.
 */
export const ToPage = z.discriminatedUnion('type', [
	z.object({ v, type: z.literal('proof'), proof: z.string() }),
	/** `now`: of the server's clock. */
	z.object({ v, type: z.literal('welcome'), scope: Scope, device: z.string(), now: Moment }),
	z.object({ v, type: z.literal('state'), seq: Seq, state: DeskState }),
	z.object({ v, type: z.literal('patch'), seq: Seq, patch: DeskPatch }),
	z.object({ v, type: z.literal('pong') }),
	z.object({ v, type: z.literal('bye'), reason: ByeReason }),
]);
export type ToPage = z.infer<typeof ToPage>;

/** `POST /api/v1/pair`, without a token. `code` is the fragment's, used once. `name`: what the person's list calls the device. */
export const PairRequest = z.object({
	code: z.string().check(z.regex(/^[0-9A-Za-z_-]{22,64}$/)),
	name: z.string().check(z.trim(), z.minLength(1), z.maxLength(60)),
	scope: Scope,
});
/** `number`: the page shows it, and the person compares it with that on the computer. */
export const PairReply = z.object({ request: z.string(), number: z.string() });
export type PairReply = z.infer<typeof PairReply>;

/** `POST /api/v1/pair/result`, without a token: answers within 25 s, `waiting` if the person has not decided yet. */
export const PairResultRequest = z.object({ request: z.string().check(z.maxLength(64)) });
export const PairResult = z.discriminatedUnion('is', [
	z.object({ is: z.literal('waiting') }),
	z.object({ is: z.literal('refused') }),
	/** Nobody has decided in time. */
	z.object({ is: z.literal('expired') }),
	/** Said once. `scope`: what the person allows, which may be less than was asked for. */
	z.object({ is: z.literal('in'), token: z.string(), device: DeviceId, scope: Scope }),
]);
export type PairResult = z.infer<typeof PairResult>;

const Words = z.string().check(z.maxLength(LONGEST_WORDS));

/** For each field of a model's question: the places of the chosen options, and a text of the person's own. */
export const Chosen = z.array(z.object({ options: z.array(z.int().check(z.nonnegative())), text: Words }));

/** `POST /api/v1/questions/<id>/answer`, scope `answer`. `words` go to the model with a No; empty for none. */
export const AnswerRequest = z.object({
	folder: FolderId,
	digest: z.string(),
	effect: Effect,
	words: Words,
	chosen: Chosen,
	nonce: Nonce,
});
export type AnswerRequest = z.infer<typeof AnswerRequest>;
export const AnswerReply = z.object({ question: QuestionId, effect: Effect, at: Moment });
export type AnswerReply = z.infer<typeof AnswerReply>;

/** `POST /api/v1/messages`, scope `feedback`. A `directive` is read between tool calls, `feedback` when the agent stops. */
export const MessageRequest = z.object({
	folder: FolderId,
	task: TaskName,
	worker: WorkerName,
	kind: z.enum(['directive', 'feedback']),
	text: z.string().check(z.minLength(1), z.maxLength(64 * 1024)),
	nonce: Nonce,
});
export type MessageRequest = z.infer<typeof MessageRequest>;
export const MessageReply = z.object({
	id: MessageId,
	/** Whether an agent runs that will read it. */
	running: z.boolean(),
	/** Why an idle agent is not woken for it. */
	held: z.optional(z.string()),
});
export type MessageReply = z.infer<typeof MessageReply>;

/** `GET /api/v1/feedback?folder&task&worker&after&seconds`: messages that wait in a mailbox, after this id; waits for one, 25 s at most. */
export const FeedbackReply = z.object({ messages: z.array(DeskMessage) });
export type FeedbackReply = z.infer<typeof FeedbackReply>;

/** `POST /api/v1/leave`: the device is forgotten, with its token. */
export const LeaveRequest = z.object({});
export const LeaveReply = z.object({});

/** What every route answers when it does not do what was asked, with a status from 400 on. */
export const ApiError = z.object({ error: z.object({ code: z.string(), message: z.string() }) });
export type ApiError = z.infer<typeof ApiError>;
