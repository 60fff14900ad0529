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
	const since = idTime(nowMs - CURRENT_MS);
	const newest = new Newest<B>(most);
	let total = 0;
	let open = 0;
	for (const box of boxes) {
		const { waiting, done, filed } = indexOf(box.listing);
		if (filter === 'toYou' && !box.isOwn) continue;
		const shown = [
			{ list: waiting, count: waiting.length },
			{ list: done, count: filter === 'current' ? countSince(done, since) : done.length },
			{ list: filed, count: filter === 'all' ? filed.length : 0 },
		];
		for (const { list, count } of shown) {
			total += count;
			newest.take(box, list, count);
		}
		open += waiting.length;
	}
	const messages = newest.all();
	const shownOpen = messages.filter(({ message }) => isOpen(message)).length;
	return { messages, more: total - messages.length, moreOpen: open - shownOpen };
}

/** The newest of many lists. Most of what is older is never looked at. */
class Newest<B> {
	private found: { box: B; message: StoredMessage }[] = [];
	/** Nothing older than this is among the newest. */
	private floor = '';

	constructor(private readonly most: number) {}

	/** @param list newest first; only so many of it count */
	take(box: B, list: readonly StoredMessage[], count: number): void {
		for (const [at, message] of list.entries()) {
			if (at >= count || message.id < this.floor) return;
			this.found.push({ box, message });
			if (this.found.length >= 2 * this.most) this.cut();
		}
	}

	all(): { box: B; message: StoredMessage }[] {
		this.cut();
		return this.found;
	}

	private cut(): void {
		this.found = inOrder(this.found).slice(0, this.most);
		if (this.found.length === this.most) this.floor = this.found.at(-1)?.message.id ?? '';
	}
}

/** Unread, or not handed over yet. */
export function isOpen({ state }: StoredMessage): boolean {
	return state === 'queued' || state === 'claimed';
}

/** Whether two files in different states have this name: a person may drop a file of any name. They are two messages. */
export function isTwin(listing: MailboxListing, id: MessageId): boolean {
	return indexOf(listing).twins.has(id);
}

/** The message of this id; of twins the one in this state. */
export function messageOf(listing: MailboxListing, id: string, state?: string): StoredMessage | undefined {
	const { byId, twins } = indexOf(listing);
	const message = byId.get(id);
	if (!message || state === undefined || !twins.has(message.id)) return message;
	return listing.messages.find(each => each.id === id && each.state === state);
}

/** The queued messages, in the order in which the worker reads them. */
export function queueOf(listing: MailboxListing): readonly MessageId[] {
	return indexOf(listing).queue;
}

interface Index {
	/** Unread, or not handed over yet. These and the next two are newest first. */
	waiting: readonly StoredMessage[];
	done: readonly StoredMessage[];
	/** Archived or withdrawn. */
	filed: readonly StoredMessage[];
	queue: readonly MessageId[];
	twins: ReadonlySet<MessageId>;
	byId: ReadonlyMap<string, StoredMessage>;
}

/** A listing is the same object until its mailbox was read again. */
const indexes = new WeakMap<MailboxListing, Index>();

function indexOf(listing: MailboxListing): Index {
	const known = indexes.get(listing);
	if (known) return known;
	const { messages } = listing;
	const newest = messages.toSorted(byTime);
	const now: Index = {
		waiting: newest.filter(isOpen),
		done: newest.filter(({ state }) => state === 'delivered'),
		filed: newest.filter(({ state }) => state === 'archived' || state === 'withdrawn'),
		queue: messages.filter(({ state }) => state === 'queued').map(({ id }) => id),
		byId: new Map(messages.toReversed().map(message => [message.id, message])),
		twins: new Set(newest.flatMap(({ id }, at) => (id === newest[at + 1]?.id ? [id] : []))),
	};
	indexes.set(listing, now);
	return now;
}

/** Newest first. */
export function inOrder<B>(
	messages: readonly { box: B; message: StoredMessage }[],
): { box: B; message: StoredMessage }[] {
	return messages.toSorted((a, b) => byTime(a.message, b.message));
}

/** Ids begin with the time. */
function byTime(a: StoredMessage, b: StoredMessage): number {
	return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}

/** How many of them, newest first, are not older than this. */
function countSince(messages: readonly StoredMessage[], since: string): number {
	let [low, high] = [0, messages.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((messages[middle]?.id ?? '') >= since) low = middle + 1;
		else high = middle;
	}
	return low;
}
