import * as z from 'zod/mini';
import { Author } from '../author.ts';
import { Effect, MessageKind, Priority } from '../message.ts';
import { MessageId, TaskName } from '../names.ts';
import { Receipt } from '../records.ts';
import { Mailbox, PhaseName, Problem } from './parts.ts';

const MessageState = z.enum(['queued', 'claimed', 'delivered', 'archived', 'withdrawn']);

/** `nancy send` */
export const SendOutput = z.object({
	id: MessageId,
	to: Mailbox,
	/** The header of the message: for orientation, and no proof. */
	from: z.string(),
	author: Author,
	kind: MessageKind,
	priority: Priority,
	effect: Effect,
	/** Whether an agent runs that will read it. `false`: the message waits for one. */
	running: z.boolean(),
	/** Why an agent that is idle now will not be woken for it. */
	held: z.optional(z.string()),
	/** Why the agent could not be told of it; it is queued all the same. */
	untold: z.optional(z.array(z.string())),
});

export type SendOutput = z.infer<typeof SendOutput>;

/** One message, as `nancy inbox` lists it. */
export const MessageOutput = z.object({
	id: MessageId,
	mailbox: Mailbox,
	state: MessageState,
	kind: MessageKind,
	priority: Priority,
	effect: Effect,
	/** The header of the message: for orientation, and no proof. */
	from: z.string(),
	/** The author, as the seal in the user's data folder says. */
	author: Author,
	text: z.string(),
	file: z.string(),
	receipt: z.optional(Receipt),
	/** Why a queued message still waits, if the reason is known. */
	held: z.optional(z.string()),
});
export type MessageOutput = z.infer<typeof MessageOutput>;

/** `nancy inbox` */
export const InboxOutput = z.object({ messages: z.array(MessageOutput), problems: z.array(Problem) });

/** `nancy archive`, `nancy withdraw` */
export const MovedOutput = z.object({
	messages: z.array(
		z.object({
			id: MessageId,
			mailbox: Mailbox,
			state: MessageState,
			/** Taken back after a hook died while it handed the message over, or after a lost delivery. */
			mayBeRead: z.optional(z.literal(true)),
		}),
	),
});
export type MovedOutput = z.infer<typeof MovedOutput>;

/** `nancy wait` */
export const WaitOutput = z.object({
	task: TaskName,
	until: z.enum(['idle', 'stop', 'message']),
	workers: z.array(z.object({ worker: Mailbox, phase: PhaseName })),
	/** The messages that ended the wait; empty unless `until` is `message`. */
	messages: z.array(MessageOutput),
});
