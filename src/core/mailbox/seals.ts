import { ownIdentity, processWord, type ProcessIdentity } from '../../base/liveness.ts';
import { uniqueHex } from '../../base/unique.ts';
import type { Author } from '../../protocol/author.ts';
import type { MessageId } from '../../protocol/names.ts';
import { sha256 } from '../../base/sha256.ts';
import type { HandedParts, Receipt } from '../../protocol/records.ts';
import { ifOwn } from '../files/ownFolder.ts';
import { readReceipt, Seal, type FiledAs, type Sealed } from './seal.ts';
import { SealReader, SEALS, type SealPlace } from './sealReader.ts';

/**
 * The seals of one mailbox and the steps that change them, in the user's data folder. Only an isolated agent can write those of its own mailbox,
 * and nothing there counts as another's words. A seal holds for one mailbox, one id and one text. It says whose words they are, and in which
 * state the message is. Nothing below the workspace decides that.
 *
 * Each change of state is one write. Before it the message is as it was, and after it as it will be. Everything else follows, and
 * {@link MessageReturns.recover} completes it after a kill. The seal in `filed/` holds, and without one that in `queued/`. If several
 * processes end the waiting of a message, one of them makes the seal in `filed/`. So a message is either handed over or taken back.
 *
 * 1. Queued: the seal, then the file in `inbox/`.
 * 2. Claimed: the file alone.
 * 3. Edited: the seal knows both texts, then the file, then the seal knows the new text alone.
 * 4. Handed over: a seal in `filed/` names the hook. The hook prints the message. The seal gets its state and the receipt. Then the receipt
 *    for people is written, and the file moves to `delivered/`. If the hook dies before the seal says `delivered`, nobody knows whether the
 *    agent has the message. It waits again, and says so.
 * 5. Taken back, or read or put away by the human: the seal in `filed/`, then the file moves.
 * 6. Queued again: the seal moves to `queued/` and is queued again, then the file moves to `inbox/`.
 *
 * A delivered message that is archived needs no claim. Its seal comes first too.
 *
 * The seal in `queued/` goes last, so that whoever recovers need not look into all of `filed/`. One that says `delivered` is that of a
 * delivered message.
 */
export class Seals extends SealReader {
	/** Makes the folders of the seals. To be called before a message is queued. */
	async prepare(): Promise<void> {
		for (const place of ['queued', 'filed'] as const)
			await this.own.makeFolder(SEALS, this.task, this.worker, place);
		await this.own.note();
	}

	/** Seals a message before it is queued, in place of an earlier seal. */
	seal(id: MessageId, text: string, author: Author): void {
		if (author.is !== 'unknown') this.write('queued', id, { state: 'queued', author, sha256: this.hashOf(text) });
	}

	/**
	 * Makes the id free for a message that is to be queued, if a file of an unknown author was filed under it.
	 * @returns false if there was another message of that id, or a hook hands the file over
	 */
	forgetUnknown(id: MessageId): boolean {
		if (!this.isFiled(id)) return true;
		const filed = this.read('filed', id);
		if (filed?.author.is !== 'unknown' || filed.state === 'handing') return false;
		this.own.removeSync(...this.at('filed', id));
		return true;
	}

	/** A queued message will get another text. Until {@link settle} its seal knows both. */
	beginEdit(id: MessageId, text: string, author: Author): void {
		if (author.is === 'unknown') return;
		const present = this.read('queued', id);
		if (!present) this.seal(id, text, author);
		else this.write('queued', id, { ...present, next: { author, sha256: this.hashOf(text) } });
	}

	/** The edit of a queued message is over, and its file holds this text. */
	settle(id: MessageId, text: string): void {
		ifOwn(() => {
			const held = this.read('queued', id)?.next && this.ofQueued(id, text);
			if (held) this.write('queued', id, { ...held, state: 'queued' });
		});
	}

	/**
	 * Takes back a message that waits, wherever its file is. If it is edited at this moment, both its texts are taken back. False if none of
	 * this id waits. {@link tidy} is to follow.
	 */
	withdraw(id: MessageId): boolean {
		const seal = ifOwn(() => this.readWaiting(id));
		if (!seal || !this.decide(id, { ...seal, state: 'withdrawn' })) return false;
		// An edit may have begun in between. From here on none begins: see Mailbox.edit.
		const present = ifOwn(() => this.read('queued', id));
		if (present && (present.next ?? present).sha256 !== (seal.next ?? seal).sha256)
			ifOwn(() => this.write('filed', id, { ...present, state: 'withdrawn' }));
		return true;
	}

	/**
	 * From now on the message does not wait. Its file has not been moved yet; {@link tidy} is to follow that.
	 * @returns false if somebody else has ended its waiting
	 */
	file(id: MessageId, as: Exclude<FiledAs, 'delivered'>, about: Sealed): boolean {
		return this.decide(id, { ...about, state: as });
	}

	/**
	 * From now on this process hands the message over, and nobody can take it back. To be called before the agent can read it.
	 * @returns false if somebody else has ended its waiting
	 */
	hand(id: MessageId, about: Sealed): boolean {
		return this.decide(id, { ...about, state: 'handing', by: processWord(ownIdentity()) });
	}

	/** The agent has the message that this process handed over. Its file has not been moved yet; {@link tidy} is to follow that. */
	deliver(id: MessageId, about: Sealed): void {
		ifOwn(() => this.write('filed', id, { ...about, state: 'delivered' }));
	}

	/**
	 * The message that this process was to hand over waits again: the agent does not have it, or nobody knows. Removed by its name, the seal
	 * could be that of a hook to whom somebody else has given the message meanwhile.
	 */
	keepQueued(id: MessageId, by: ProcessIdentity = ownIdentity()): void {
		const isIts = (seal: Seal | undefined) => seal?.state === 'handing' && seal.by === processWord(by);
		ifOwn(() => {
			if (!isIts(this.read('filed', id))) return;
			const taken = this.at('filed', `ended-${uniqueHex(12)}`);
			this.own.moveSync(this.at('filed', id), taken);
			const seal = this.own.readSync(Seal, ...taken);
			if (seal && !isIts(seal)) this.own.createSync(seal, ...this.at('filed', id));
			this.own.removeSync(...taken);
		});
	}

	/** Whoever could write this would decide which of a person's words an agent reads. */
	keepParts(id: MessageId, text: string, handed: Pick<HandedParts, 'session' | 'parts'>): void {
		ifOwn(() => this.own.writeSync({ ...handed, sha256: sha256(text) }, ...this.at('parts', id)));
	}

	/** Makes a long message begin anew, or all of them. */
	forgetParts(id?: MessageId): void {
		ifOwn(() => {
			const folder = [SEALS, this.task, this.worker, 'parts'];
			const files =
				id === undefined
					? this.own.namesSync(...folder).map(name => [...folder, name])
					: [this.at('parts', id)];
			for (const file of files) this.own.removeSync(...file);
		});
	}

	/** Moves the seal of a message that does not wait out of `queued/`. */
	tidy(id: MessageId): void {
		ifOwn(() => {
			if (this.readUnmoved(id)) return this.own.moveSync(this.at('queued', id), this.at('filed', id));
			const filed = this.read('filed', id);
			if (filed && filed.state !== 'handing') this.own.removeSync(...this.at('queued', id));
		});
	}

	/** From now on the message waits again. Its file has not been moved yet. */
	unfile(id: MessageId, about: Sealed): void {
		ifOwn(() => {
			this.own.moveSync(this.at('filed', id), this.at('queued', id));
			this.write('queued', id, { ...about, state: 'queued' });
		});
	}

	/** From now on a message that does not wait is archived. Does nothing if an earlier version filed it, or nothing is sealed. */
	archive(id: MessageId): void {
		ifOwn(() => {
			const seal = this.readFiled(id);
			if (seal) this.write('filed', id, { ...seal, state: 'archived' });
		});
	}

	/**
	 * The agent's own record shows the whole text of a delivered message.
	 * @param inContextAt since when Nancy knows (UTC, ISO 8601)
	 * @returns the receipt that says so; `undefined` if the delivery is not sealed
	 */
	noteInContext(id: MessageId, inContextAt: string): Receipt | undefined {
		return ifOwn(() => {
			const seal = this.readFiled(id);
			const receipt = seal && readReceipt(seal.receipt);
			if (!receipt) return undefined;
			const proven = { ...receipt, inContextAt };
			this.write('filed', id, { ...seal, receipt: proven });
			return proven;
		});
	}

	/** Undefined also for one that an earlier version filed. */
	private readFiled(id: MessageId): Seal | undefined {
		this.tidy(id);
		const seal = this.read('filed', id);
		return seal?.state === 'queued' || seal?.state === 'handing' ? undefined : seal;
	}

	/**
	 * Whoever makes the seal in `filed/` has ended the waiting. In a folder that is not the user's own, the claim of the file alone decides.
	 */
	private decide(id: MessageId, seal: Omit<Seal, 'version'>): boolean {
		return (
			ifOwn(() => this.own.createSync({ ...seal, version: 2 } satisfies Seal, ...this.at('filed', id))) ?? true
		);
	}

	private write(place: SealPlace, id: MessageId, seal: Omit<Seal, 'version'>): void {
		this.own.writeSync({ ...seal, version: 2 } satisfies Seal, ...this.at(place, id));
	}
}
