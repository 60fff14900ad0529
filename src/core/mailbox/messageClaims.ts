import { existsSync, renameSync, rmSync } from 'node:fs';
import { moveIfThereSync, writeFileAtomicSync } from '../../base/atomicFile.ts';
import type { Author } from '../../protocol/author.ts';
import type { MessageContent } from '../../protocol/message.ts';
import type { MessageId } from '../../protocol/names.ts';
import type { HandedParts, Receipt } from '../../protocol/records.ts';
import { jsonText } from '../files/jsonFile.ts';
import { isSettled, type MailboxFiles, type StoredMessage } from './mailboxFiles.ts';
import type { MailboxPaths } from './mailboxPaths.ts';
import type { MessageReturns } from './messageReturns.ts';
import { parseFile, readMessageTextSync } from './messageText.ts';
import type { Seals } from './seals.ts';

/** A deliverer's facts about a delivery. */
type DeliveryFacts = Pick<
	Receipt,
	'deliveredAt' | 'event' | 'driver' | 'session' | 'tool' | 'toolUseId' | 'rung' | 'parts'
>;

/** A message that this process has taken out of the inbox. Nobody else can take it. */
export interface Claim {
	id: MessageId;
	content: MessageContent;
	/** The author, as its seal says. */
	author: Author;
	earlierClaims: number;
	/** The agent has it: writes the receipt, then files the message. */
	deliver(facts: DeliveryFacts): void;
	/** The agent has these parts of it. The message goes back to the inbox until the rest is due. */
	keep(handed: HandedParts): void;
	/** The agent does not have it: back to the inbox. */
	release(): void;
}

/** Takes messages out of the inbox, by a rename that one process wins. */
export class MessageClaims {
	constructor(
		private readonly paths: MailboxPaths,
		private readonly files: MailboxFiles,
		private readonly seals: Seals,
		private readonly returns: MessageReturns,
	) {}

	/** Claims those of the chosen messages that are complete and that nobody else has. The folders are there. */
	all(chosen: readonly StoredMessage[]): Claim[] {
		const claims: Claim[] = [];
		try {
			const claimed = this.paths.claimedIds();
			for (const message of chosen) {
				const claim = isSettled(message) ? this.one(message.id, claimed) : undefined;
				if (claim) claims.push(claim);
			}
			return claims;
		} catch (error) {
			// A full disk, or a folder without write permission. The claimed messages are left to the next hook.
			for (const claim of claims) claim.release();
			throw error;
		}
	}

	/**
	 * Undefined if the message is not queued any more, or is no message. Synchronous, as is {@link Claim.deliver}. The hook program claims
	 * and files up to fifty messages while its agent waits, and a dozen trips through the thread pool for each would be most of that time.
	 */
	one(queuedAs: MessageId, claimedIds?: ReadonlySet<MessageId>): Claim | undefined {
		// Decided before the claim and part of its name, so a receipt of this id can only be this message's.
		const id = this.paths.freeId(queuedAs, claimedIds);
		const claimed = this.paths.claim(id);
		if (!moveIfThereSync(this.paths.message('queued', queuedAs), claimed)) return undefined;
		const text = this.read(claimed, id);
		const parsed = parseFile(claimed, text);
		if (!parsed.ok) {
			this.returns.giveBack(claimed, id);
			return undefined;
		}
		const author = this.files.authorOf('claimed', queuedAs, text);
		if (id !== queuedAs && author.is !== 'unknown') this.seals.rename(queuedAs, id);
		const { content } = parsed;
		return this.handle({ id, content, author, earlierClaims: this.returns.count(id) }, queuedAs);
	}

	private handle(message: Pick<Claim, 'id' | 'content' | 'author' | 'earlierClaims'>, queuedAs: MessageId): Claim {
		const { id, author, earlierClaims } = message;
		const claimed = this.paths.claim(id);
		const deliveredFile = this.paths.message('delivered', id);
		const lost = earlierClaims > 0 ? this.returns.receiptOf(id)?.lost : undefined;
		return {
			...message,
			deliver: facts => {
				const told = { ...facts, author, ...(lost && { lost }) };
				const receipt = { ...told, version: 1, id, earlierClaims } satisfies Receipt;
				writeFileAtomicSync(this.paths.receipt('delivered', id), jsonText(receipt));
				renameSync(claimed, deliveredFile);
				this.seals.file(id);
				const held = this.paths.held(queuedAs);
				if (existsSync(held)) rmSync(held, { force: true });
				if (earlierClaims > 0) rmSync(this.paths.returns(id), { force: true });
				if (facts.parts) rmSync(this.paths.parts(id), { force: true });
			},
			keep: handed => {
				writeFileAtomicSync(this.paths.parts(id), jsonText(handed));
				this.returns.giveBack(claimed, id);
			},
			release: () => {
				this.returns.giveBack(claimed, id);
			},
		};
	}

	/** An unreadable claim is left to the next hook, and the caller learns the reason. */
	private read(claimed: string, id: MessageId): string {
		try {
			return readMessageTextSync(claimed) ?? '';
		} catch (error) {
			this.returns.giveBack(claimed, id);
			throw error;
		}
	}
}
