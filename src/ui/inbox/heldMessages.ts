import type { MessageId } from '../../protocol/names.ts';
import { inOrder, messageOf, type Box, type ShownMessages } from './shownMessages.ts';

interface Held {
	readonly box: string;
	readonly id: MessageId;
}

/**
 * The messages that the Inbox has shown. While the user may look at it, each keeps its row, also once it is read, delivered, filed by an
 * agent or a day old. VS Code does not tell where the pointer is, and a row that leaves puts the next one under it.
 */
export class HeldMessages<B extends Box> {
	private shown = new Map<string, Held>();

	/** @param nameOf names a mailbox, the same after each reading */
	constructor(private readonly nameOf: (box: B) => string) {}

	/** Adds the messages that have their rows, and pass the filter no more. */
	with(boxes: readonly B[], found: ShownMessages<B>): ShownMessages<B> {
		const messages = [...found.messages];
		const keys = new Set(messages.map(({ box, message }) => this.keyOf(box, message.id)));
		// Older ones have left the page at its end, where no row moves.
		const oldest = found.more > 0 ? (messages.at(-1)?.message.id ?? '') : '';
		const left = [...this.shown].filter(([key, { id }]) => !keys.has(key) && id > oldest);
		const byName = new Map(left.length > 0 ? boxes.map(box => [this.nameOf(box), box]) : []);
		for (const [, { box: name, id }] of left) {
			const box = byName.get(name);
			const message = box && messageOf(box.listing, id);
			if (message) messages.push({ box, message });
		}
		this.shown = new Map(
			messages.map(({ box, message: { id } }) => [this.keyOf(box, id), { box: this.nameOf(box), id }]),
		);
		return { ...found, messages: left.length > 0 ? inOrder(messages) : messages };
	}

	/** The user has filed this message. */
	letGo(box: string, id: MessageId): void {
		this.shown.delete(`${box}/${id}`);
	}

	/** The user looks elsewhere, or wants to see others. */
	letAllGo(): void {
		this.shown.clear();
	}

	private keyOf(box: B, id: MessageId): string {
		return `${this.nameOf(box)}/${id}`;
	}
}
