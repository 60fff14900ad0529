import { renameSync, rmSync } from 'node:fs';
import { moveIfThereSync } from '../../base/atomicFile.ts';
import { sha256 } from '../../base/sha256.ts';
import { UNKNOWN_AUTHOR, type Author } from '../../protocol/author.ts';
import type { MessageContent } from '../../protocol/message.ts';
import type { MessageId } from '../../protocol/names.ts';
import type { HandedParts, Receipt } from '../../protocol/records.ts';
import { isSettled, type MailboxFiles, type StoredMessage } from './mailboxFiles.ts';
import type { MailboxPaths } from './mailboxPaths.ts';
import { newMessageId } from './messageId.ts';
import type { MessageReturns } from './messageReturns.ts';
import { parseFile, readMessageTextSync } from './messageText.ts';
import { readReceipt, type FiledAs, type Sealed } from './seal.ts';
import { PLAIN } from './sealReader.ts';
import type { Seals } from './seals.ts';

/** A deliverer's facts about a delivery. */
type DeliveryFacts = Pick<
	Receipt,
	'deliveredAt' | 'event' | 'driver' | 'session' | 'tool' | 'toolUseId' | 'rung' | 'parts'
> & {
	/** The agent's own record of the session, as its CLI named it at this event. Without it nobody looks whether the delivery was lost. */
	transcript?: string | undefined;
};

/** A message that this process has taken out of the inbox. Nobody else can take it, nor take it back. */
export interface Claim {
	id: MessageId;
	content: MessageContent;
	/** The author, as its seal says. */
	author: Author;
	earlierClaims: number;
	/** The agent has it: seals the delivery, writes the receipt and files the message. */
	deliver(facts: DeliveryFacts): void;
	/** The agent has these parts of it. The message goes back to the inbox until the rest is due. */
	keep(handed: Pick<HandedParts, 'session' | 'parts'>): void;
	/** The agent does not have it: back to the inbox. */
	release(): void;
}

/** A claimed message, as its file and its seal say. */
interface Taken {
	id: MessageId;
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

	/**
	 * Claims those of the chosen messages that are complete and that nobody else has, to hand them over. From then on nobody can take them
	 * back. The folders are there.
	 */
	all(chosen: readonly StoredMessage[]): Claim[] {
		const claims: Claim[] = [];
		try {
			const claimed = this.paths.claimedIds();
			for (const message of chosen) {
				const claim = isSettled(message) ? this.toHand(message.id, claimed) : undefined;
				if (claim) claims.push(claim);
			}
			return claims;
		} catch (error) {
			// A full disk, or a folder without write permission. The messages are left to the next hook.
			for (const claim of claims) claim.release();
			throw error;
		}
	}

	/**
	 * Undefined if the message is not queued any more, or is no message. Synchronous, as is {@link Claim.deliver}. The hook program claims
	 * and files up to fifty messages while its agent waits. A dozen trips through the thread pool for each would be most of that time.
	 */
	one(queuedAs: MessageId): Claim | undefined {
		const taken = this.take(queuedAs);
		return taken && this.handle(taken);
	}

	private toHand(queuedAs: MessageId, claimedIds: ReadonlySet<MessageId>): Claim | undefined {
		const taken = this.take(queuedAs, claimedIds);
		if (!taken) return undefined;
		const claim = this.handle(taken);
		const isHanded = this.decided(taken.id, () => this.seals.hand(taken.id, taken.sealed));
		return isHanded ? claim : undefined;
	}

	/** Ends the claim unless this process has ended the message's waiting. Somebody else may have, or the disk is full. */
	private decided(id: MessageId, decide: () => boolean): boolean {
		let isDecided = false;
		try {
			isDecided = decide();
			return isDecided;
		} finally {
			if (!isDecided) this.release(id);
		}
	}

	/**
	 * Takes a queued message out of the inbox for good, without a delivery. The folder is there.
	 * @returns the id that it has from now on; undefined as {@link one}
	 */
	file(queuedAs: MessageId, as: Exclude<FiledAs, 'delivered'>): MessageId | undefined {
		const taken = this.take(queuedAs);
		if (!taken) return undefined;
		const { id, sealed } = taken;
		if (this.decided(id, () => this.seals.file(id, as, sealed))) this.returns.finish(this.paths.claim(id), id, as);
		return id;
	}

	private take(queuedAs: MessageId, claimedIds = this.paths.claimedIds()): Taken | undefined {
		const claimed = this.paths.claim(queuedAs);
		this.paths.refuseLinks();
		if (!moveIfThereSync(this.paths.message('queued', queuedAs), claimed)) return undefined;
		const text = this.read(claimed, queuedAs);
		const sealed = this.files.sealedOf(queuedAs, text);
		if (!sealed && this.returns.isWithdrawn(claimed, queuedAs, text)) return undefined;
		const parsed = parseFile(claimed, text);
		if (!parsed.ok) {
			this.returns.giveBack(claimed, queuedAs);
			return undefined;
		}
		if (sealed) return { id: queuedAs, content: parsed.content, sealed };
		const id = this.nameUnsealed(queuedAs, claimedIds);
		return { id, content: parsed.content, sealed: { author: UNKNOWN_AUTHOR, sha256: sha256(text) } };
	}

	/**
	 * A sealed message keeps its id, whatever else has its name. A file with another text is a new message. It was saved again under the
	 * name of a filed one, or put in the place of a queued one. It gets a name that nobody has. So does one whose name could be read as words
	 * of Nancy's: the agent reads the id right before the author.
	 */
	private nameUnsealed(queuedAs: MessageId, claimedIds: ReadonlySet<MessageId>): MessageId {
		const isTaken =
			!PLAIN.test(queuedAs) ||
			this.seals.has(queuedAs) ||
			claimedIds.has(queuedAs) ||
			this.paths.isFiled(queuedAs);
		if (!isTaken) return queuedAs;
		const id = newMessageId();
		renameSync(this.paths.claim(queuedAs), this.paths.claim(id));
		rmSync(this.paths.held(queuedAs), { force: true });
		return id;
	}

	private handle({ id, content, sealed }: Taken): Claim {
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
				this.seals.deliver(id, { ...sealed, receipt, transcript });
				this.paths.holding(() => {
					this.returns.finish(this.paths.claim(id), id, 'delivered', receipt);
					if (earlierClaims > 0) rmSync(this.paths.returns(id), { force: true });
				});
				if (facts.parts) this.seals.forgetParts(id);
			},
			keep: handed => {
				this.seals.keepParts(id, content.text, handed);
				this.paths.holding(() => this.release(id));
			},
			release: () => this.paths.holding(() => this.release(id)),
		};
	}

	private release(id: MessageId): void {
		this.returns.release(this.paths.claim(id), id);
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
