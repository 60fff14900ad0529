import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import { SealedAuthor, UNKNOWN_AUTHOR, type Author } from '../../protocol/author.ts';
import type { MessageId, TaskName, WorkerName } from '../../protocol/names.ts';
import type { OwnFolder } from '../files/ownFolder.ts';

/** The folder of all seals in the user's records of a workspace; below it one folder for each task, and in that for each mailbox. */
export const SEALS = 'mail';

/** The author of a message, and every character of its file. */
const Seal = z.lazy(() => z.object({ version: z.literal(1), author: SealedAuthor, file: z.string() }));

type SealState = 'queued' | 'filed';

/** Nancy's own ids, and others that can name a record. A file that a person dropped may have any name. */
const SEALABLE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,150}$/;

/**
 * The seals of one mailbox. Each message that Nancy queues gets one in the user's data folder, which no file of the workspace can replace.
 * A seal holds for one mailbox, one id and one text. While its message waits, the seal is in `queued/`, and from then on in `filed/`. So a
 * message that was read or taken back cannot be queued again under its author's name.
 */
export class Seals {
	constructor(
		private readonly own: OwnFolder,
		private readonly task: TaskName,
		private readonly worker: WorkerName,
	) {}

	/**
	 * Seals a message before it is queued, in place of an earlier seal. The file comes after the seal: a kill in between queues nothing.
	 */
	async seal(id: MessageId, file: string, author: Author): Promise<void> {
		if (author.is === 'unknown' || !SEALABLE.test(id)) return;
		await this.own.write({ version: 1, author, file } satisfies z.infer<typeof Seal>, ...this.at('queued', id));
	}

	/**
	 * The author of a message that waits or is being handed over. Synchronous, as all file calls of a claim.
	 * @param file the text of the message's file
	 * @throws NancyError `bad-file` if the user's records cannot be trusted or read
	 */
	authorOfQueued(id: MessageId, file: string): Author {
		return this.read('queued', id, file) ?? UNKNOWN_AUTHOR;
	}

	/** The author of a message that was delivered, archived or withdrawn. After a kill its seal may still be among those of the queue. */
	authorOfFiled(id: MessageId, file: string): Author {
		return this.read('filed', id, file) ?? this.authorOfQueued(id, file);
	}

	/**
	 * The seal of a message that waits, if it has one: what it says, where it is, and where it goes when the message is filed. The folder
	 * there is made.
	 */
	async waiting(
		id: MessageId,
	): Promise<{ author: SealedAuthor; file: string; at: string; filedAt: string } | undefined> {
		if (!SEALABLE.test(id)) return undefined;
		const at = this.at('queued', id);
		const seal = await this.own.read(Seal, ...at);
		if (!seal) return undefined;
		const filed = this.at('filed', id);
		await this.own.makeFolder(...filed.slice(0, -1));
		return { author: seal.author, file: seal.file, at: this.own.path(...at), filedAt: this.own.path(...filed) };
	}

	/** The message does not wait any more, and has this id from now on. */
	file(queuedAs: MessageId, filedAs: MessageId = queuedAs): void {
		this.move('queued', queuedAs, 'filed', filedAs);
	}

	/** The message waits again. Its seal moves first, so after a kill in between no message waits without one. */
	unfile(id: MessageId): void {
		this.move('filed', id, 'queued', id);
	}

	/** Nancy has given a queued message another id. */
	rename(from: MessageId, to: MessageId): void {
		this.move('queued', from, 'queued', to);
	}

	private read(state: SealState, id: MessageId, file: string): SealedAuthor | undefined {
		if (!SEALABLE.test(id)) return undefined;
		const seal = this.own.readSync(Seal, ...this.at(state, id));
		return seal?.file === file ? seal.author : undefined;
	}

	private move(from: SealState, id: MessageId, to: SealState, toId: MessageId): void {
		if (!SEALABLE.test(id)) return;
		try {
			this.own.moveSync(this.at(from, id), this.at(to, toId));
		} catch (error) {
			// In a folder that is not the user's own, no seal proves anything, wherever it is.
			if (!(error instanceof NancyError && error.code === 'bad-file')) throw error;
		}
	}

	private at(state: SealState, id: MessageId): string[] {
		return [SEALS, this.task, this.worker, state, `${id}.json`];
	}
}
