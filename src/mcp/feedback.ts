import * as z from 'zod/mini';
import { counted } from '../base/counted.ts';
import { NancyError } from '../base/errors.ts';
import * as operations from '../operations/index.ts';
import { perform } from '../operations/operation.ts';
import { MessageId } from '../protocol/names.ts';
import { LONGEST_STATUS, StatusWord } from '../protocol/traffic.ts';
import { HINTS, tool, type ToolCaller, type ToolCall } from './tool.ts';

const NOTHING = 'No messages wait.';

/** A client that wants progress gives a silent call up after a minute at the earliest, in milliseconds. */
const PROGRESS_MS = 20_000;

/** In seconds. A model may ask for one second again and again. */
const SHORTEST_WAIT = 5;
/** The longest wait of a client that Nancy does not know, in seconds. */
const UNKNOWN_WAIT = 50;

export const getFeedback = tool(
	{
		name: 'get_feedback',
		title: 'Read the messages of the user',
		description:
			'Reads the messages that wait for you in Nancy: from your user, from agents and from your delegates. ' +
			'Each is handed to you once. They would also come by themselves when you are done.',
		annotations: HINTS.changes,
	},
	z.object({}),
	(_, caller, call) => take('get_feedback', 0, caller, call),
);

export const waitForFeedback = tool(
	{
		name: 'wait_for_feedback',
		title: 'Wait for a message',
		description:
			'Waits until a message comes, and reads it. Returns none and again after some time: call it again if you still have to wait. ' +
			'Wait only if you can do nothing else, or were asked to.',
		annotations: HINTS.changes,
	},
	z.object({ seconds: z.optional(z.number().check(z.positive())) }),
	async ({ seconds }, caller, call) => {
		const waitMs = waitMsOf(seconds, caller.waits, call.progress !== undefined);
		const tell = () => call.progress?.('waiting for a message');
		// At once, so that a person sees what the agent does.
		tell();
		const beat = setInterval(tell, PROGRESS_MS);
		try {
			const text = await take('wait_for_feedback', waitMs, caller, call);
			return text === NOTHING ? JSON.stringify({ none: true, again: true }) : text;
		} finally {
			clearInterval(beat);
		}
	},
);

/** As long as the model asks for, within what its CLI lets a call last. */
export function waitMsOf(seconds = Infinity, waits: ToolCaller['waits'], isHeard: boolean): number {
	const { heard, unheard } = waits ?? { heard: UNKNOWN_WAIT, unheard: UNKNOWN_WAIT };
	return Math.min(isHeard ? heard : unheard, Math.max(SHORTEST_WAIT, seconds)) * 1000;
}

/** Loaded at the first use, as all drivers are with it. */
async function mailboxOf({ asker, context, session }: ToolCaller) {
	const { ownMailbox } = await import('../operations/shared/ownMailbox.ts');
	return (await ownMailbox(asker, context, session)).address;
}

async function take(event: string, waitMs: number, caller: ToolCaller, call: ToolCall): Promise<string | undefined> {
	const { asker, context, session } = caller;
	const { signal } = call;
	const where = { ...context, signal, hand: (text: string) => call.reply(text) };
	const taken = await perform(await operations.takeFeedback(), asker, { session, event, waitMs }, where);
	if (taken.handed.length === 0) return signal.aborted ? undefined : NOTHING;
	const messages = taken.handed;
	await call.ifDropped(async () => perform(await operations.returnFeedback(), asker, { session, messages }, context));
	return undefined;
}

export const feedbackWaiting = tool(
	{
		name: 'feedback_waiting',
		title: 'Count the waiting messages',
		description: 'Says how many messages wait for you, and reads none. get_feedback reads them.',
		annotations: HINTS.reads,
	},
	z.object({}),
	async (_, caller) => {
		const { asker, context } = caller;
		const of = await mailboxOf(caller);
		const { messages } = await perform(await operations.inbox(), asker, { of, all: false }, context);
		const waiting = messages.filter(({ state }) => state === 'queued').length;
		return waiting === 0 ? NOTHING : `${counted(waiting, 'message')} waiting.`;
	},
);

export const sendStatus = tool(
	{
		name: 'send_status',
		title: 'Say how it goes',
		description:
			'Shows your user one line beside your name: what you do now, what blocks you, or that you are done. It is no message and no question.',
		annotations: HINTS.changes,
	},
	z.object({
		text: z.string().check(z.minLength(1), z.maxLength(LONGEST_STATUS)),
		state: z.optional(StatusWord),
	}),
	async ({ text, state }, { asker, context, session }) => {
		const said = { session, event: 'send_status', text, ...(state && { state }) };
		await perform(await operations.sendStatus(), asker, said, context);
		return 'Shown.';
	},
);

export const markReceived = tool(
	{
		name: 'mark_received',
		title: 'File messages that were acted on',
		description: 'Files messages that you were handed and have acted on, by the ids in their first lines.',
		annotations: HINTS.changes,
	},
	z.object({ ids: z.array(MessageId).check(z.minLength(1), z.maxLength(100)) }),
	async ({ ids }, caller) => {
		const { asker, context } = caller;
		const address = await mailboxOf(caller);
		const archived: string[] = [];
		const unknown: string[] = [];
		const waiting: string[] = [];
		for (const id of ids) {
			try {
				await perform(await operations.archive(), asker, { messages: [{ ...address, id }] }, context);
				archived.push(id);
			} catch (error) {
				if (!(error instanceof NancyError)) throw error;
				if (error.code === 'no-message') unknown.push(id);
				else if (error.code === 'busy') waiting.push(id);
				else throw error;
			}
		}
		return JSON.stringify({ archived, unknown, ...(waiting.length > 0 && { notHandedOverYet: waiting }) });
	},
);
