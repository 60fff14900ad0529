import { existsSync } from 'node:fs';
import { ownIdentity, PROCESS_WORD, processOf, processWord, type ProcessIdentity } from '../../base/liveness.ts';
import { sha256 } from '../../base/sha256.ts';
import { uniqueHex } from '../../base/unique.ts';
import type { Author } from '../../protocol/author.ts';
import { MessageId, type TaskName, type WorkerName } from '../../protocol/names.ts';
import type { Receipt } from '../../protocol/records.ts';
import { jsonText } from '../files/jsonFile.ts';
import { ifOwn, type OwnFolder } from '../files/ownFolder.ts';
import { AnySeal, readReceipt, Seal, wordsIn, type Filed, type FiledAs, type Sealed } from './seal.ts';

/** The folder of all seals in the user's records of a workspace; below it one folder for each task, and in that for each mailbox. */
export const SEALS = 'mail';

type Place = 'queued' | 'filed';

const WORD = new RegExp(`^${PROCESS_WORD}$`);

/** Ids that can name a record. A file that a person dropped may have any name; a hash names its seal. */
const PLAIN = /^(?!sha256-)[A-Za-z0-9][A-Za-z0-9._-]{0,150}$/;

/**
 * The seals of one mailbox, in the user's data folder, where no agent writes. A seal holds for one mailbox, one id and one text. It says
 * whose words they are, and in which state the message is. Nothing below the workspace decides that.
 *
 * Each change of state is one write. Before it the message is as it was, and after it as it will be. Everything else follows, and
 * {@link MessageReturns.recover} completes it after a kill. The seal in `filed/` holds, and without one that in `queued/`. Of several who
 * end the waiting of a message, one makes the seal in `filed/`. So a message is either handed over or taken back.
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
export class Seals {
	/** By text: a claim reads each message again that was listed before. */
	private readonly hashes = new Map<string, string>();

	constructor(
		private readonly own: OwnFolder,
		private readonly task: TaskName,
		private readonly worker: WorkerName,
	) {}

	/** Makes the folders of the seals. To be called before a message is queued. */
	async prepare(): Promise<void> {
		for (const place of ['queued', 'filed'] as const)
			await this.own.makeFolder(SEALS, this.task, this.worker, place);
		await this.own.note();
	}

	/** The files of a message's seal: while it waits, and afterwards. Absolute paths. */
	filesOf(id: MessageId): Readonly<Record<Place, string>> {
		return { queued: this.own.path(...this.at('queued', id)), filed: this.own.path(...this.at('filed', id)) };
	}

	/** The whole text of the seal of a delivered message, as {@link deliver} writes it. */
	textOfDelivered(about: Sealed): string {
		return jsonText({ ...about, state: 'delivered', version: 2 } satisfies Seal);
	}

	/** The whole text of the seal of a message that is handed over by a process. That stands before anything that others have chosen. */
	textOfHanding(about: Sealed, by: string): string {
		return jsonText({ version: 2, state: 'handing', by, ...about } satisfies Seal);
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
	 * What is sealed about a message that waits or is being handed over; `undefined` if its text is not sealed. Synchronous, as all file
	 * calls of a claim.
	 * @param text of the message's file
	 * @throws NancyError `bad-file` if the user's records cannot be trusted or read
	 */
	ofQueued(id: MessageId, text: string): Sealed | undefined {
		const seal = this.readWaiting(id);
		return seal && wordsIn(seal, this.hashOf(text));
	}

	/** {@link ofQueued} for a message that does not wait. */
	ofFiled(id: MessageId, text: string): Filed | undefined {
		const seals = [this.read('filed', id), this.readUnmoved(id)].filter(seal => seal !== undefined);
		if (seals.length === 0) return undefined;
		const hash = this.hashOf(text);
		for (const seal of seals) {
			const held = wordsIn(seal, hash);
			if (held) return { ...held, as: seal.state === 'queued' ? undefined : seal.state };
		}
		return undefined;
	}

	/** Whether a message of this id waits, whatever its text. */
	isQueued(id: MessageId): boolean {
		return this.readWaiting(id) !== undefined;
	}

	/** Whether a message of this id waits no more. */
	isFiled(id: MessageId): boolean {
		return existsSync(this.filesOf(id).filed);
	}

	/** Whether anything is sealed about this id. */
	has(id: MessageId): boolean {
		return Object.values(this.filesOf(id)).some(file => existsSync(file));
	}

	/** Who wrote a message, and how it stands, whatever its text and wherever its file is. Undefined if nothing is sealed about that. */
	standing(id: MessageId): { author: Author; state: Seal['state'] } | undefined {
		return ifOwn(() => {
			const filed = this.read('filed', id);
			return filed?.state === 'queued' ? undefined : (filed ?? this.read('queued', id));
		});
	}

	/** The process that hands a message over, or died while it did. */
	handedBy(id: MessageId): ProcessIdentity | undefined {
		const seal = this.isFiled(id) ? ifOwn(() => this.read('filed', id)) : undefined;
		if (seal?.state !== 'handing') return undefined;
		return processOf(WORD.exec(seal.by ?? '')?.groups ?? {});
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

	/** The ids of the seals that have not been moved to `filed/`. */
	unfiledIds(): MessageId[] {
		const names = ifOwn(() => this.own.namesSync(SEALS, this.task, this.worker, 'queued')) ?? [];
		return names.flatMap(name => {
			const id = MessageId.safeParse(name.replace(/\.json$/, ''));
			return id.success && PLAIN.test(id.data) ? [id.data] : [];
		});
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

	private readWaiting(id: MessageId): Seal | undefined {
		if (this.isFiled(id)) return undefined;
		const seal = this.read('queued', id);
		return seal?.state === 'queued' ? seal : undefined;
	}

	/**
	 * Whoever makes the seal in `filed/` has ended the waiting. In a folder that is not the user's own, the claim of the file alone decides.
	 */
	private decide(id: MessageId, seal: Omit<Seal, 'version'>): boolean {
		return (
			ifOwn(() => this.own.createSync({ ...seal, version: 2 } satisfies Seal, ...this.at('filed', id))) ?? true
		);
	}

	private hashOf(text: string): string {
		const hash = this.hashes.get(text) ?? sha256(text);
		this.hashes.set(text, hash);
		return hash;
	}

	/** The seal of a message that does not wait, if it has not been moved yet. */
	private readUnmoved(id: MessageId): Seal | undefined {
		const seal = this.read('queued', id);
		return seal?.state === 'queued' ? undefined : seal;
	}

	private read(place: Place, id: MessageId): Seal | undefined {
		const seal = this.own.readSync(AnySeal, ...this.at(place, id));
		if (seal?.version !== 1) return seal;
		return { version: 2, state: 'queued', author: seal.author, sha256: sha256(seal.file) };
	}

	private write(place: Place, id: MessageId, seal: Omit<Seal, 'version'>): void {
		this.own.writeSync({ ...seal, version: 2 } satisfies Seal, ...this.at(place, id));
	}

	private at(place: Place, id: string): string[] {
		return [SEALS, this.task, this.worker, place, `${PLAIN.test(id) ? id : `sha256-${sha256(id)}`}.json`];
	}
}
