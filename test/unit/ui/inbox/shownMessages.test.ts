import { describe, expect, it } from 'vitest';
import type { MailboxListing, StoredMessage } from '../../../../src/core/mailbox/mailboxFiles.ts';
import { idTime } from '../../../../src/core/mailbox/messageId.ts';
import { UNKNOWN_AUTHOR } from '../../../../src/protocol/author.ts';
import { MessageId } from '../../../../src/protocol/names.ts';
import { isTwin, messageOf, queueOf, shownMessages, type Box } from '../../../../src/ui/inbox/shownMessages.ts';
import { messageContent } from '../../../support/messageContent.ts';

const NOW = Date.parse('2026-01-10T12:00:00.000Z');
const HOUR = 60 * 60 * 1000;

function message(hoursAgo: number, state: StoredMessage['state'], name = ''): StoredMessage {
	const id = MessageId.parse(`${idTime(NOW - hoursAgo * HOUR)}-${name}`);
	return { id, state, file: '', content: messageContent(`${state} ${hoursAgo}`), author: UNKNOWN_AUTHOR };
}

function box(isOwn: boolean, ...messages: StoredMessage[]): Box {
	return { listing: { messages, problems: [] }, isOwn };
}

function shown(boxes: readonly Box[], filter: 'current' | 'toYou' | 'all', most = 100) {
	const { messages, more, moreOpen } = shownMessages(boxes, filter, most, NOW);
	return { texts: messages.map(each => each.message.content.text), more, moreOpen };
}

describe('the messages of the Inbox', () => {
	const boxes = [
		box(false, message(30, 'queued'), message(1, 'queued'), message(2, 'delivered'), message(40, 'delivered')),
		box(true, message(50, 'queued'), message(3, 'delivered'), message(60, 'delivered'), message(4, 'archived')),
		box(false, message(5, 'withdrawn'), message(6, 'claimed')),
	];

	it('are those of a day and those that are open, newest first whatever their states', () => {
		expect(shown(boxes, 'current').texts).toEqual([
			'queued 1',
			'delivered 2',
			'delivered 3',
			'claimed 6',
			'queued 30',
			'queued 50',
		]);
	});

	it('are those of the user of any age, but not filed ones', () => {
		expect(shown(boxes, 'toYou').texts).toEqual(['delivered 3', 'queued 50', 'delivered 60']);
	});

	it('are all of them', () => {
		expect(shown(boxes, 'all').texts).toHaveLength(10);
	});

	it('are the newest of all mailboxes, and the others are counted', () => {
		expect(shown(boxes, 'current', 3)).toEqual({
			texts: ['queued 1', 'delivered 2', 'delivered 3'],
			more: 3,
			moreOpen: 3,
		});
		const many = Array.from({ length: 500 }, (_, at) => message(at, 'delivered', String(at)));
		const few = message(250.5, 'delivered');
		const found = shown([box(false, ...many.toReversed()), box(false, few)], 'all', 252);
		expect(found.texts.slice(-2)).toEqual(['delivered 250', 'delivered 250.5']);
		expect(found.more).toBe(249);
	});
});

describe('a mailbox', () => {
	it('has two files of one name only in different states', () => {
		const [one, other] = [message(1, 'queued'), message(1, 'delivered')];
		const { listing } = box(false, one, other, message(2, 'queued'));
		expect(listing.messages.map(({ id }) => isTwin(listing, id))).toEqual([true, true, false]);
	});

	it('has twins, each by its state, and any other message in whatever state', () => {
		const [one, other, single] = [message(1, 'queued'), message(1, 'archived'), message(2, 'queued')];
		const { listing } = box(false, one, other, single);
		expect(messageOf(listing, one.id, 'queued')).toBe(one);
		expect(messageOf(listing, one.id, 'archived')).toBe(other);
		expect(messageOf(listing, one.id, 'delivered')).toBeUndefined();
		expect(messageOf(listing, single.id, 'delivered')).toBe(single);
	});

	it('is read in the order of its queue', () => {
		const [first, second] = [message(1, 'queued'), message(2, 'queued')];
		const listing: MailboxListing = box(false, first, second, message(0, 'delivered')).listing;
		expect(queueOf(listing)).toEqual([first.id, second.id]);
	});
});
