import { existsSync, renameSync, rmSync } from 'node:fs';
import { moveIfThereSync, writeFileAtomicSync } from '../../base/atomicFile.ts';
import { sha256 } from '../../base/sha256.ts';
import { UNKNOWN_AUTHOR, type Author } from '../../protocol/author.ts';
import type { MessageContent } from '../../protocol/message.ts';
import type { MessageId } from '../../protocol/names.ts';
import type { HandedParts, Receipt } from '../../protocol/records.ts';
import { jsonText } from '../files/jsonFile.ts';
import { isSettled, type MailboxFiles, type StoredMessage } from './mailboxFiles.ts';
import { stateOf, type MailboxPaths } from './mailboxPaths.ts';
import type { MessageReturns } from './messageReturns.ts';
import { parseFile, readMessageTextSync } from './messageText.ts';
import { readReceipt, type FiledAs, type Sealed, type Seals } from './seals.ts';

/** A deliverer's facts about a delivery. */
type DeliveryFacts = Pick<
	Receipt,
	'deliveredAt' | 'event' | 'driver' | 'session' | 'tool' | 'toolUseId' | 'rung' | 'parts'
> & {
	/** The agent's own record of the session, as its CLI named it at this event. Without it nobody looks whether the delivery was lost. */
	transcript?: string | undefined;
};

/** A message that this process has taken out of the inbox. Nobody else can take it. */
export interface Claim {
	id: MessageId;
	content: MessageContent;
	/** The author, as its seal says. */
	author: Author;
	earlierClaims: number;
	/** The agent has it: seals the delivery, writes the receipt and files the message. */
	deliver(facts: DeliveryFacts): void;
	/** The agent has these parts of it. The message goes back to the inbox until the rest is due. */
	keep(handed: HandedParts): void;
	/** The agent does not have it: back to the inbox, unless it was taken back meanwhile. */
	release(): void;
}

/** A claimed message, as its file and its seal say. */
interface Taken {
	id: MessageId;
	queuedAs: MessageId;
	content: MessageContent;
	sealed: Sealed;
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
		const taken = this.take(queuedAs, claimedIds);
		return taken && this.handle(taken);
	}

	/**
	 * Takes a queued message out of the inbox for good, without a delivery. The folder is there.
	 * @returns the id that it has from now on; undefined as {@link one}
	 */
	file(queuedAs: MessageId, as: Exclude<FiledAs, 'delivered'>): MessageId | undefined {
		const taken = this.take(queuedAs);
		if (!taken) return undefined;
		this.seals.file(taken.id, as, taken.sealed);
		renameSync(this.paths.claim(taken.id), this.paths.message(stateOf(as), taken.id));
		rmSync(this.paths.held(queuedAs), { force: true });
		return taken.id;
	}

	private take(queuedAs: MessageId, claimedIds?: ReadonlySet<MessageId>): Taken | undefined {
		// Decided before the claim and part of its name, so what is filed under this id can only be this message.
		const id = this.paths.freeId(queuedAs, claimedIds);
		const claimed = this.paths.claim(id);
		if (!moveIfThereSync(this.paths.message('queued', queuedAs), claimed)) return undefined;
		const text = this.read(claimed, id);
		const parsed = parseFile(claimed, text);
		if (!parsed.ok) {
			this.returns.giveBack(claimed, id);
			return undefined;
		}
		const sealed = this.files.sealedOf(queuedAs, text);
		if (id !== queuedAs && sealed) this.seals.rename(queuedAs, id);
		return {
			id,
			queuedAs,
			content: parsed.content,
			sealed: sealed ?? { author: UNKNOWN_AUTHOR, sha256: sha256(text) },
		};
	}

	private handle({ id, queuedAs, content, sealed }: Taken): Claim {
		const claimed = this.paths.claim(id);
		const earlierClaims = this.returns.count(id);
		const lost = sealed.receipt === undefined ? undefined : readReceipt(sealed.receipt)?.lost;
		return {
			id,
			content,
			author: sealed.author,
			earlierClaims,
			deliver: ({ transcript, ...facts }) => {
				const told = { ...facts, author: sealed.author, ...(lost && { lost }) };
				const receipt = { ...told, version: 1, id, earlierClaims } satisfies Receipt;
				this.seals.file(id, 'delivered', { ...sealed, receipt, transcript });
				writeFileAtomicSync(this.paths.receipt('delivered', id), jsonText(receipt));
				renameSync(claimed, this.paths.message('delivered', id));
				const held = this.paths.held(queuedAs);
				if (existsSync(held)) rmSync(held, { force: true });
				if (earlierClaims > 0) rmSync(this.paths.returns(id), { force: true });
				if (facts.parts) rmSync(this.paths.parts(id), { force: true });
			},
			keep: handed => {
				writeFileAtomicSync(this.paths.parts(id), jsonText(handed));
				this.returns.release(claimed, id);
			},
			release: () => this.returns.release(claimed, id),
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
