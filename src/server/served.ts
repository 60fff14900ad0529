import type * as z from 'zod/mini';
import type { Event } from '../base/event.ts';
import type { DeskSource, DeskWords } from '../core/live/deskView.ts';
import type { AnswerReply, AnswerRequest, MessageReply, MessageRequest } from '../protocol/deskApi.ts';
import type { DelegateId } from '../protocol/delegate.ts';
import type {
	AllowedQuery,
	AllowedReply,
	ChangesQuery,
	ChangesReply,
	DiffQuery,
	DiffReply,
	FileQuery,
	FileReply,
	RemarksRequest,
	StopReply,
	TrafficQuery,
	TrafficReply,
} from '../protocol/deskRooms.ts';
import type { FolderId } from '../protocol/deskState.ts';
import type { QuestionId } from '../protocol/question.ts';
import type { Scope } from '../protocol/scope.ts';

/**
 * What the server serves. It is handed in: the window and the `nancy` command have the live model and the operations, and the server's bundle has
 * neither. Failures are data, because an error's class is another one in another bundle.
 */
export interface Served {
	/** What pages show. */
	sources(): readonly DeskSource[];
	readonly words: DeskWords;
	readonly onDidChange: Event<void>;
	/** @param device the name of the paired browser, whose person answers */
	answer(device: string, question: QuestionId, request: AnswerRequest): Promise<Done<AnswerReply>>;
	send(device: string, request: MessageRequest): Promise<Done<MessageReply>>;
	readonly rooms: ServedRooms;
}

/** What pages seldom look at, and what is done there. */
export interface ServedRooms {
	changes(query: z.infer<typeof ChangesQuery>): Promise<Done<ChangesReply>>;
	diff(query: z.infer<typeof DiffQuery>): Promise<Done<DiffReply>>;
	allowed(query: z.infer<typeof AllowedQuery>): Promise<Done<AllowedReply>>;
	file(query: z.infer<typeof FileQuery>): Promise<Done<FileReply>>;
	traffic(query: z.infer<typeof TrafficQuery>): Promise<Done<TrafficReply>>;
	stop(device: string, delegate: DelegateId, folder: FolderId): Promise<Done<z.infer<typeof StopReply>>>;
	remark(device: string, delegate: DelegateId, request: RemarksRequest): Promise<Done<MessageReply>>;
}

export type Done<T> = { ok: true; value: T } | { ok: false; code: string; message: string };

/** The person who has started the server. */
export interface Owner {
	/**
	 * Asks whether a browser may come in.
	 * @param signal aborts when the browser has given up, or the time is over
	 * @returns what it may do; `undefined`: it stays out
	 */
	letIn(newcomer: Newcomer, signal: AbortSignal): Promise<Scope | undefined>;
	/** Something that the owner must know. */
	warn(what: Warning): void;
}

/** `guesses`: somebody tries tokens or codes that are none. `devices-unreadable`: the list of devices; all of them are out. */
export type Warning = 'guesses' | 'devices-unreadable';

export interface Newcomer {
	/** By its own words, safe to show. */
	readonly name: string;
	/** It shows the same number. */
	readonly number: string;
	/** What it asks for. */
	readonly scope: Scope;
}
