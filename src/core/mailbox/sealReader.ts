import { existsSync } from 'node:fs';
import { PROCESS_WORD, processOf, type ProcessIdentity } from '../../base/liveness.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Author } from '../../protocol/author.ts';
import { MessageId, type SessionId, type TaskName, type WorkerName } from '../../protocol/names.ts';
import { HandedParts } from '../../protocol/records.ts';
import { ifOwn, type OwnFolder } from '../files/ownFolder.ts';
import { AnySeal, wordsIn, type Filed, type Seal, type Sealed } from './seal.ts';

/** The folder of all seals in the user's records of a workspace; below it one folder for each task, and in that for each mailbox. */
export const SEALS = 'mail';

export type SealPlace = 'queued' | 'filed';

const WORD = new RegExp(`^${PROCESS_WORD}$`);

/** Ids that can name a record. A file that a person dropped may have any name; a hash names its seal. */
export const PLAIN = /^(?!sha256-)[A-Za-z0-9][A-Za-z0-9._-]{0,150}$/;

/** What the seals of one mailbox say. `Seals` changes them. */
export class SealReader {
	/** By text: a claim reads each message again that was listed before. */
	private readonly hashes = new Map<string, string>();

	constructor(
		protected readonly own: OwnFolder,
		protected readonly task: TaskName,
		protected readonly worker: WorkerName,
	) {}

	/** The files of a message's seal: while it waits, and afterwards. Absolute paths. */
	filesOf(id: MessageId): Readonly<Record<SealPlace, string>> {
		return { queued: this.own.path(...this.at('queued', id)), filed: this.own.path(...this.at('filed', id)) };
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

	/** The parts of a queued message that a session has been handed. None if they were of another text, so it begins anew. */
	partsOf(id: MessageId, text: string, session: SessionId): readonly number[] {
		const handed = ifOwn(() => this.own.readSync(HandedParts, ...this.at('parts', id)));
		return handed?.session === session && handed.sha256 === sha256(text) ? handed.parts : [];
	}

	/** Whether a session has been handed a part of it. */
	isInParts(id: MessageId): boolean {
		return existsSync(this.own.path(...this.at('parts', id)));
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

	/** The ids of the seals that have not been moved to `filed/`. */
	unfiledIds(): MessageId[] {
		const names = ifOwn(() => this.own.namesSync(SEALS, this.task, this.worker, 'queued')) ?? [];
		return names.flatMap(name => {
			const id = MessageId.safeParse(name.replace(/\.json$/, ''));
			return id.success && PLAIN.test(id.data) ? [id.data] : [];
		});
	}

	protected readWaiting(id: MessageId): Seal | undefined {
		if (this.isFiled(id)) return undefined;
		const seal = this.read('queued', id);
		return seal?.state === 'queued' ? seal : undefined;
	}

	protected hashOf(text: string): string {
		const hash = this.hashes.get(text) ?? sha256(text);
		this.hashes.set(text, hash);
		return hash;
	}

	/** The seal of a message that does not wait, if it has not been moved yet. */
	protected readUnmoved(id: MessageId): Seal | undefined {
		const seal = this.read('queued', id);
		return seal?.state === 'queued' ? undefined : seal;
	}

	protected read(place: SealPlace, id: MessageId): Seal | undefined {
		const seal = this.own.readSync(AnySeal, ...this.at(place, id));
		if (seal?.version !== 1) return seal;
		return { version: 2, state: 'queued', author: seal.author, sha256: sha256(seal.file) };
	}

	protected at(place: SealPlace | 'parts', id: string): string[] {
		return [SEALS, this.task, this.worker, place, `${PLAIN.test(id) ? id : `sha256-${sha256(id)}`}.json`];
	}
}
