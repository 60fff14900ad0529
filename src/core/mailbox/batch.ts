import { dirname } from 'node:path';
import { withoutMarks } from './forgedMarks.ts';
import type { Author } from '../../protocol/author.ts';
import type { Effect, MessageContent } from '../../protocol/message.ts';
import type { MessageId, SessionId } from '../../protocol/names.ts';
import type { Receipt } from '../../protocol/records.ts';
import type { EventKind } from '../../protocol/traffic.ts';
import { goesAlone, isAroundTools, isBeforeTool, isDue } from './due.ts';
import type { Slot } from '../driver/slot.ts';
import type { Mailbox } from './mailbox.ts';
import type { Claim } from './messageClaims.ts';
import { messageMark } from './messageId.ts';

/** The delivery of one hook call. */
export interface Batch {
	claims: Claim[];
	/** The messages as the agent reads them. */
	text: string;
	effect: Effect;
	/** The only message is too long for one call: the lengths of its parts so far, with that of this call. */
	parts?: { lengths: number[]; isLast: boolean };
}

export interface Occasion {
	kind: EventKind;
	slot: Slot;
	session: SessionId;
	/** The agent has the `nancy` command on its PATH. */
	canFile?: boolean;
}

/**
 * Claims due messages, most urgent first, within `limit` UTF-16 units. The rest waits for the next boundary. A message that is too long for
 * one call is handed over in parts, one at each call, with nothing beside it. Not every agent may read a file of Nancy's. Its effect is
 * that of its first part.
 * @param mayTake see {@link Mailbox.claim}
 */
export async function claimBatch(
	mailbox: Mailbox,
	{ kind, slot, session, canFile = true }: Occasion,
	limit: number,
	mayTake?: Parameters<Mailbox['claim']>[1],
): Promise<Batch> {
	const footer = howToFile(mailbox, canFile);
	const wholeRoom = limit - footer.length - SEPARATOR.length;
	let room = wholeRoom;
	let isInParts = false;
	let isAlone = false;
	const claims = await mailbox.claim(message => {
		const { content, author, id } = message;
		const before = mailbox.handedParts(message, session);
		if (!isDue(slot, before.length > 0 ? { ...content, effect: 'none' } : content)) return 'leave';
		if (isAlone) return 'stop';
		if (goesAlone(message)) {
			if (slot !== 'end' || room < wholeRoom) return 'leave';
			isAlone = true;
		}
		const { length } = render({ content, author, id, earlierClaims: 1 });
		if (before.length === 0 && !isInParts && length <= room) {
			room -= length + SEPARATOR.length;
			return 'take';
		}
		const isFirst = !isInParts && room === wholeRoom;
		if (!isFirst || (before.length === 0 && length <= wholeRoom)) return 'stop';
		isInParts = true;
		return 'take';
	}, mayTake);
	const [claim] = claims;
	// An edit may have come before the claim.
	const handed = isInParts && claim ? mailbox.handedParts(claim, session) : [];
	const part = isInParts && claim ? nextPart(claim, handed, wholeRoom) : undefined;
	const effects = new Set(handed.length > 0 ? [] : claims.map(({ content }) => content.effect));
	return {
		claims,
		text: [...(part ? [part.text] : claims.map(each => render(each))), footer].join(SEPARATOR),
		effect: isAroundTools(slot) ? effectAt(kind, effects) : 'none',
		...(part && { parts: { lengths: [...handed, part.length], isLast: part.isLast } }),
	};
}

/**
 * The text with which {@link claimBatch} hands over this message, if it is the only one and was never handed over. `undefined` if it does
 * not fit.
 */
export function textOfOne(
	mailbox: Mailbox,
	message: Pick<Rendered, 'id' | 'content' | 'author'>,
	{ canFile, limit }: { canFile: boolean; limit: number },
): string | undefined {
	const footer = howToFile(mailbox, canFile);
	const room = limit - footer.length - SEPARATOR.length;
	if (render({ ...message, earlierClaims: 1 }).length > room) return undefined;
	return render({ ...message, earlierClaims: 0 }) + SEPARATOR + footer;
}

const SEPARATOR = '\n\n';

/** The text around a part, at most, in UTF-16 units. A sender's name may have two hundred. */
const PART_FRAME = 600;
/** However long the path of the mailbox is. */
const SHORTEST_PART = 1000;

/** The next part of a long message. */
function nextPart(claim: Rendered, handed: readonly number[], room: number) {
	const words = wordsOf(claim.content, claim.author);
	const size = Math.max(SHORTEST_PART, room - PART_FRAME);
	const [part = '', ...others] = partsOf(words.slice(sum(handed)), size);
	const number = handed.length + 1;
	const isLast = others.length === 0;
	const note = isLast
		? `(Part ${number} of ${number}: the message is complete.)`
		: '(The next part comes by itself with your next step. Do not act on the message before you have its last part.)';
	const label = `, part ${number} of ${number + others.length}`;
	return { text: render(claim, { words: `${part}\n${note}`, label }), length: part.length, isLast };
}

/** A text in pieces of at most `size` UTF-16 units, cut between lines or words if those are close enough. */
function partsOf(text: string, size: number): string[] {
	const parts: string[] = [];
	for (let at = 0; at < text.length; at += parts.at(-1)?.length ?? 0) {
		const rest = text.slice(at);
		parts.push(rest.slice(0, cutAt(rest, size)));
	}
	return parts;
}

function cutAt(text: string, size: number): number {
	if (text.length <= size) return text.length;
	const head = text.slice(0, size);
	for (const space of ['\n', ' ']) {
		const at = head.lastIndexOf(space) + 1;
		if (at > size / 2) return at;
	}
	// Never cuts a character of two units in half.
	return /[\uD800-\uDBFF]$/.test(head) ? size - 1 : size;
}

/** The receipt's facts about the text that the agent was told. */
type Told = Pick<Receipt, 'author' | 'parts'>;

/** The parts of a message as they were handed over, by their lengths; the whole text if it was handed over at once. */
export function handedOver(content: MessageContent, { author, parts: lengths }: Told): string[] {
	// Receipts of earlier versions do not say. Then the text is the file's.
	const words = author ? wordsOf(content, author) : content.text;
	if (!lengths) return [words];
	return lengths.map((length, index) => {
		const from = sum(lengths.slice(0, index));
		return words.slice(from, from + length);
	});
}

function sum(numbers: readonly number[]): number {
	return numbers.reduce((total, each) => total + each, 0);
}

/** After the tools have run there is nothing to halt, but the turn can still be ended. */
function effectAt(kind: EventKind, effects: ReadonlySet<Effect>): Effect {
	if (effects.has('pause')) return 'pause';
	return effects.has('halt') && isBeforeTool(kind) ? 'halt' : 'none';
}

type Rendered = Pick<Claim, 'content' | 'author' | 'earlierClaims'> & { id: MessageId };

function render(
	{ content, author, id, earlierClaims }: Rendered,
	{ words = wordsOf(content, author), label = '' }: { words?: string; label?: string } = {},
): string {
	const urgent = content.priority === 'urgent' ? 'urgent ' : '';
	// The word is all that remains of a halt or pause that comes when no tool call can be denied any more.
	const effect = content.effect === 'none' ? '' : `to ${content.effect} `;
	const repeat = earlierClaims === 0 ? '' : '\n(You may have received this message before.)';
	return `${messageMark(id)} ${urgent}${content.kind} ${effect}${byWhom(author)}${label}]\n${words}${repeat}`;
}

/** A message's text as the agent reads it. */
function wordsOf({ text }: MessageContent, { is }: Author): string {
	return is === 'human' ? text : withoutMarks(text);
}

function howToFile(mailbox: Mailbox, canFile: boolean): string {
	const folder = dirname(mailbox.deliveredFile('x'));
	const advice = canFile ? ' When you have acted on one, file it: nancy archive <id>' : '';
	return `[Each message is kept as ${folder}/<id>.md.${advice}]`;
}

const viaWords = { window: 'Nancy sidebar', terminal: 'terminal', page: 'Nancy page' } as const;

/** The author, in words that an agent can weigh. Only a person's messages are called the user's. */
export function byWhom(author: Author): string {
	switch (author.is) {
		case 'human':
			return `from the user (${viaWords[author.via]})`;
		case 'agent':
			return `from agent ${author.worker ?? author.driver ?? 'of another session'} (not the user)`;
		case 'delegate':
			return `from your delegate ${author.worker} (another agent, not the user)`;
		case 'nancy':
			return 'from Nancy (not the user)';
		case 'unknown':
			return 'found in the inbox, author unknown (perhaps not the user)';
	}
}
