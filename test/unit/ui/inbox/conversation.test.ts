import { expect, it } from 'vitest';
import type { StoredMessage } from '../../../../src/core/mailbox/mailboxFiles.ts';
import type { Author } from '../../../../src/protocol/author.ts';
import { MessageId } from '../../../../src/protocol/names.ts';
import { between, partyOf, YOU, type Owned } from '../../../../src/ui/inbox/conversation.ts';
import { BY_USER, messageContent } from '../../../support/messageContent.ts';

const BY_A: Author = { is: 'agent', worker: 'a/worker' };
const BY_B: Author = { is: 'delegate', id: 'd1', worker: 'b/delegate-1' };

function message(at: number, author: Author): StoredMessage {
	const id = MessageId.parse(`2026010${at}`);
	return { id, state: 'delivered', file: '', content: messageContent(String(at)), author };
}

function box(owner: string, ...messages: StoredMessage[]): Owned {
	return { owner, listing: { messages, problems: [] } };
}

const boxes = [
	box(YOU, message(6, BY_A), message(2, BY_B)),
	box('a/worker', message(5, BY_USER), message(1, BY_USER), message(4, BY_B), message(9, { is: 'nancy' })),
	box(YOU, message(3, BY_A)),
	box('b/delegate-1', message(7, BY_A), message(8, BY_USER)),
];

it('has what both have written to each other, in all mailboxes, oldest first', () => {
	const texts = (one: string, other: string) => between(boxes, one, other).map(each => each.message.content.text);
	expect(texts(YOU, 'a/worker')).toEqual(['1', '3', '5', '6']);
	expect(texts('a/worker', YOU)).toEqual(['1', '3', '5', '6']);
	expect(texts('a/worker', 'b/delegate-1')).toEqual(['4', '7']);
	expect(texts('nancy', 'a/worker')).toEqual(['9']);
});

it('knows writers by their seals', () => {
	expect([BY_USER, BY_A, BY_B, { is: 'unknown' } as const].map(partyOf)).toEqual([
		YOU,
		'a/worker',
		'b/delegate-1',
		'unknown',
	]);
});
