import type { MailboxListing, StoredMessage } from '../../core/mailbox/mailboxFiles.ts';
import { writer, type Author } from '../../protocol/author.ts';

/** Somebody who writes or reads: `you`, a worker's mailbox (`<task>/<worker>`), `nancy` or `unknown`. */
export type Party = string;

export const YOU: Party = 'you';

/** A mailbox with its owner. A person has one for each task. */
export interface Owned {
	readonly owner: Party;
	readonly listing: MailboxListing;
}

export function partyOf(author: Author): Party {
	return author.is === 'human' ? YOU : (writer(author) ?? author.is);
}

/** All messages from one to the other and back, oldest first. */
export function between<B extends Owned>(
	boxes: readonly B[],
	one: Party,
	other: Party,
): { box: B; message: StoredMessage }[] {
	const found = boxes.flatMap(box => {
		const from = box.owner === one ? other : box.owner === other ? one : undefined;
		return box.listing.messages
			.filter(({ author }) => from !== undefined && partyOf(author) === from)
			.map(message => ({ box, message }));
	});
	return found.toSorted((a, b) => (a.message.id < b.message.id ? -1 : 1));
}
