import { beforeEach, describe, expect, it } from 'vitest';
import type { StoredMessage } from '../../../../src/core/mailbox/mailboxFiles.ts';
import { idTime } from '../../../../src/core/mailbox/messageId.ts';
import { UNKNOWN_AUTHOR } from '../../../../src/protocol/author.ts';
import { MessageId } from '../../../../src/protocol/names.ts';
import { HeldMessages } from '../../../../src/ui/inbox/heldMessages.ts';
import { shownMessages, type Box } from '../../../../src/ui/inbox/shownMessages.ts';
import { messageContent } from '../../../support/messageContent.ts';

interface Named extends Box {
	name: string;
}

const NOW = Date.parse('2026-01-10T12:00:00.000Z');
const idOf = (hoursAgo: number) => MessageId.parse(idTime(NOW - hoursAgo * 60 * 60 * 1000));

function message(hoursAgo: number, state: StoredMessage['state']): StoredMessage {
	const content = messageContent(`${state} ${hoursAgo}`);
	return { id: idOf(hoursAgo), state, file: '', content, author: UNKNOWN_AUTHOR };
}

/** A mailbox as read anew. */
const box = (...messages: StoredMessage[]): Named => ({
	name: 'a/worker',
	listing: { messages, problems: [] },
	isOwn: true,
});

let held: HeldMessages<Named>;
beforeEach(() => {
	held = new HeldMessages<Named>(({ name }) => name);
});

function shown(boxes: Named[], most = 100, nowMs = NOW) {
	const { messages, more } = held.with(boxes, shownMessages(boxes, 'current', most, nowMs));
	return { texts: messages.map(each => each.message.content.text), more };
}

describe('a row of the Inbox', () => {
	it('stays in its place when its message is read, filed by an agent, or a day old', () => {
		expect(shown([box(message(1, 'queued'), message(30, 'queued'), message(40, 'queued'))]).texts).toHaveLength(3);
		const read = [box(message(1, 'archived'), message(30, 'delivered'), message(40, 'queued'))];
		expect(shown(read).texts).toEqual(['archived 1', 'delivered 30', 'queued 40']);
		expect(shown(read, 100, NOW + 100 * 60 * 60 * 1000).texts).toHaveLength(3);
	});

	it('goes when the user looks elsewhere, or has filed its message', () => {
		const before = [box(message(1, 'queued'), message(2, 'queued'), message(30, 'queued'))];
		const after = [box(message(1, 'archived'), message(2, 'archived'), message(30, 'delivered'))];
		shown(before);
		held.letGo('a/worker', idOf(1));
		expect(shown(after).texts).toEqual(['archived 2', 'delivered 30']);
		held.letAllGo();
		expect(shown(after).texts).toEqual([]);
	});

	it('goes with its message and with its mailbox', () => {
		shown([box(message(30, 'queued'))]);
		expect(shown([box()]).texts).toEqual([]);
		shown([box(message(30, 'queued'))]);
		expect(shown([]).texts).toEqual([]);
	});

	it('leaves at the end of a full page, and is counted there', () => {
		const old = [message(2, 'queued'), message(3, 'queued')];
		expect(shown([box(...old)], 2)).toEqual({ texts: ['queued 2', 'queued 3'], more: 0 });
		expect(shown([box(message(1, 'queued'), ...old)], 2)).toEqual({ texts: ['queued 1', 'queued 2'], more: 1 });
	});
});
