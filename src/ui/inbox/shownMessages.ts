import type { MailboxListing, StoredMessage } from '../../core/mailbox/mailboxFiles.ts';
import { idTime } from '../../core/mailbox/messageId.ts';
import type { MessageId } from '../../protocol/names.ts';

/** Which messages the Inbox shows: what is unread, waiting or of the last day; what is for the user; or everything. */
export const INBOX_FILTERS = ['current', 'toYou', 'all'] as const;
export type InboxFilter = (typeof INBOX_FILTERS)[number];

/** How long a message that nobody waits for counts as current, in milliseconds. */
const CURRENT_MS = 24 * 60 * 60 * 1000;

/** A mailbox as last read. */
export interface Box {
	readonly listing: MailboxListing;
	/** It is the human's own. */
	readonly isOwn: boolean;
}

export interface ShownMessages<B extends Box> {
	/** Newest first. */
	messages: { box: B; message: StoredMessage }[];
	/** How many older ones pass the filter, and how many of them are unread or wait for an agent. */
	more: number;
	moreOpen: number;
}

/** The newest messages that pass the filter. Order is by time alone, so no row moves when a state changes. */
export function shownMessages<B extends Box>(
	boxes: readonly B[],
	filter: InboxFilter,
	most: number,
	nowMs: number,
): ShownMessages<B> {
	const found: { box: B; message: StoredMessage }[] = [];
	const since = idTime(nowMs - CURRENT_MS);
	let total = 0;
	let open = 0;
	for (const box of boxes) {
		let ofBox = 0;
		for (const message of indexOf(box.listing).newest) {
			if (!passes(message, box, filter, since)) continue;
			total++;
			if (isOpen(message)) open++;
			// A box is in order, so no more of it than fits can be shown.
			if (ofBox++ < most) found.push({ box, message });
		}
	}
	const messages = found.toSorted((a, b) => byTime(a.message, b.message)).slice(0, most);
	return {
		messages,
		more: total - messages.length,
		moreOpen: open - messages.filter(({ message }) => isOpen(message)).length,
	};
}

/** Unread, or not handed over yet. */
export function isOpen({ state }: StoredMessage): boolean {
	return state === 'queued' || state === 'claimed';
}

/** Whether two files in different states have this name: a person may drop a file of any name. They are two messages. */
export function isTwin(listing: MailboxListing, id: MessageId): boolean {
	return indexOf(listing).twins.has(id);
}

/** The queued messages, in the order in which the worker reads them. */
export function queueOf(listing: MailboxListing): readonly MessageId[] {
	return indexOf(listing).queue;
}

interface Index {
	newest: readonly StoredMessage[];
	queue: readonly MessageId[];
	twins: ReadonlySet<MessageId>;
}

/** A listing is the same object until its mailbox was read again. */
const indexes = new WeakMap<MailboxListing, Index>();

function indexOf(listing: MailboxListing): Index {
	const known = indexes.get(listing);
	if (known) return known;
	const { messages } = listing;
	const newest = messages.toSorted(byTime);
	const now: Index = {
		newest,
		queue: messages.filter(({ state }) => state === 'queued').map(({ id }) => id),
		twins: new Set(newest.flatMap(({ id }, at) => (id === newest[at + 1]?.id ? [id] : []))),
	};
	indexes.set(listing, now);
	return now;
}

/** Ids begin with the time. */
function byTime(a: StoredMessage, b: StoredMessage): number {
	return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}

function passes(message: StoredMessage, { isOwn }: Box, filter: InboxFilter, since: string): boolean {
	if (filter === 'all') return true;
	if (message.state === 'archived' || message.state === 'withdrawn') return false;
	if (filter === 'toYou') return isOwn;
	if (isOpen(message)) return true;
	return message.id >= since;
}
