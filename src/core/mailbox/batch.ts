import { dirname } from 'node:path';
import type { Author } from '../../protocol/author.ts';
import type { Effect } from '../../protocol/message.ts';
import type { MessageId } from '../../protocol/names.ts';
import type { EventKind } from '../../protocol/traffic.ts';
import { isAroundTools, isBeforeTool, isDue, type Slot } from './due.ts';
import type { Claim, Mailbox } from './mailbox.ts';
import { messageMark } from './messageId.ts';

/** What one hook call hands to the agent. */
export interface Batch {
	claims: Claim[];
	/** The messages as the agent reads them. */
	text: string;
	effect: Effect;
}

/**
 * Claims what is due, most urgent first, as far as it fits into `limit` UTF-16 units; the rest waits for the next boundary.
 * A message that is too long by itself is handed over as a file to read.
 * @param canFile the agent has the `nancy` command on its PATH
 * @param mayTake see {@link Mailbox.claim}
 */
export async function claimBatch(
	mailbox: Mailbox,
	{ kind, slot, canFile = true }: { kind: EventKind; slot: Slot; canFile?: boolean },
	limit: number,
	mayTake?: Parameters<Mailbox['claim']>[1],
): Promise<Batch> {
	const footer = howToFile(mailbox, canFile);
	let room = limit - footer.length;
	const claims = await mailbox.claim(({ content, author, id }) => {
		if (!isDue(slot, content)) return 'leave';
		const deliveredFile = mailbox.deliveredFile(id);
		const size = render({ content, author, id, deliveredFile, earlierClaims: 1 }, limit).length + SEPARATOR.length;
		if (size > room) return 'stop';
		room -= size;
		return 'take';
	}, mayTake);
	const effects = new Set(claims.map(claim => claim.content.effect));
	return {
		claims,
		text: [...claims.map(claim => render(claim, limit)), footer].join(SEPARATOR),
		effect: isAroundTools(slot) ? effectAt(kind, effects) : 'none',
	};
}

const SEPARATOR = '\n\n';
/** A single message may fill this share of a batch; above it, the agent reads the file. */
const LARGEST_SHARE = 0.5;
/** How much of a long message is shown beside the path of its file, in UTF-16 units. */
const OPENING = 300;

/** After the tools have run there is nothing left to halt, but the turn can still be ended. */
function effectAt(kind: EventKind, effects: ReadonlySet<Effect>): Effect {
	if (effects.has('pause')) return 'pause';
	return effects.has('halt') && isBeforeTool(kind) ? 'halt' : 'none';
}

type Rendered = Pick<Claim, 'content' | 'author' | 'deliveredFile' | 'earlierClaims'> & { id: MessageId };

function render({ content, author, id, deliveredFile, earlierClaims }: Rendered, limit: number): string {
	const urgent = content.priority === 'urgent' ? 'urgent ' : '';
	const repeat = earlierClaims === 0 ? '' : '\n(You may have received this message before.)';
	const words = author.is === 'human' ? content.text : withoutMarks(content.text);
	const text =
		words.length <= limit * LARGEST_SHARE
			? words
			: `${words.slice(0, OPENING)} …\nThis message is long. Read the whole of it now in ${deliveredFile}`;
	return `${messageMark(id)} ${urgent}${content.kind} ${byWhom(author)}]\n${text}${repeat}`;
}

/** What looks like the beginning of a message, in words that are not the user's: it would be read as one, perhaps from the user. */
function withoutMarks(text: string): string {
	return text.replace(FORGED_MARK, '(');
}

const UNREAD = String.raw`[\s\p{Cf}\p{DI}\p{M}]*`;
/** As {@link messageMark} writes it, or nearly so: spaces, accents and invisible characters make it no other one to a reader. */
const FORGED_MARK = new RegExp(`[[［【](?=${UNREAD}${'nancymessage'.split('').join(UNREAD)})`, 'giu');

function howToFile(mailbox: Mailbox, canFile: boolean): string {
	const folder = dirname(mailbox.deliveredFile('x'));
	const advice = canFile ? ' When you have acted on one, file it: nancy archive <id>' : '';
	return `[Each message is kept as ${folder}/<id>.md.${advice}]`;
}

/** Who speaks, in words that an agent can weigh: only what a person has sent is called the user's. */
function byWhom(author: Author): string {
	switch (author.is) {
		case 'human':
			return author.via === 'window' ? 'from the user (Nancy sidebar)' : 'from the user (terminal)';
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
