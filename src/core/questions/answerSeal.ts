import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { Answer } from '../../protocol/question.ts';
import type { OwnFolder } from '../files/ownFolder.ts';
import { sortedJson } from './digest.ts';

/** 256 bits: as many as the hash has (RFC 2104, section 3). */
const KEY_BYTES = 32;

const Key = z.object({ version: z.literal(1), key: z.string().check(z.regex(/^[0-9a-f]{64}$/)) });

/**
 * Seals answers with a key of the workspace's records: no other file counts as one. It does not defend the data folder, whose writer can change
 * Nancy's programs there. Node's cryptography is loaded at its first use: a program that waits for an answer needs none of its memory.
 */
export class AnswerSeal {
	constructor(
		private readonly own: OwnFolder,
		private readonly segments: readonly string[],
	) {}

	/** Makes the key, if there is none. */
	async prepare(): Promise<void> {
		if (await this.own.read(Key, ...this.segments)) return;
		const { randomBytes } = await import('node:crypto');
		await this.own.create({ version: 1, key: randomBytes(KEY_BYTES).toString('hex') }, ...this.segments);
	}

	/** HMAC-SHA256 of everything that an answer says. @throws NancyError `bad-file` without a key */
	async of(answer: Omit<Answer, 'seal'>): Promise<string> {
		const found = await this.own.read(Key, ...this.segments);
		if (!found) throw new NancyError('bad-file', phrase`${this.own.path(...this.segments)} is missing`);
		const { createHmac } = await import('node:crypto');
		return createHmac('sha256', Buffer.from(found.key, 'hex'))
			.update(sortedJson({ ...answer, seal: undefined }))
			.digest('hex');
	}

	async isOf({ seal, ...answer }: Answer): Promise<boolean> {
		const [given, right] = [Buffer.from(seal), Buffer.from(await this.of(answer))];
		const { timingSafeEqual } = await import('node:crypto');
		return given.length === right.length && timingSafeEqual(given, right);
	}
}
