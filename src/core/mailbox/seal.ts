import * as z from 'zod/mini';
import { Author, SealedAuthor } from '../../protocol/author.ts';
import { Receipt } from '../../protocol/records.ts';
import { jsonText } from '../files/jsonFile.ts';

/** Whose words, and which: the hash of the whole text of the message's file. */
const words = { author: Author, sha256: z.string() };

/** How a message was filed. `read`: by the human, in the human's own inbox. */
const FILED = ['delivered', 'read', 'archived', 'withdrawn'] as const;
export type FiledAs = (typeof FILED)[number];

/** The record of one message: see `Seals`. */
export const Seal = z.lazy(() =>
	z.object({
		version: z.literal(2),
		state: z.enum(['queued', 'handing', ...FILED]),
		/** Who hands the message over: a `processWord`. */
		by: z.optional(z.string()),
		...words,
		/** Set while a message is edited, and if it was taken back meanwhile: the file holds these words now, or those above still. */
		next: z.optional(z.object(words)),
		/** The last delivery, a {@link Receipt}. Parsed where it is needed: most calls of a hook need none. */
		receipt: z.optional(z.unknown()),
		/** The agent's own record of the session that got it, as its CLI named it then. */
		transcript: z.optional(z.string()),
	}),
);
export type Seal = z.infer<typeof Seal>;

/** A seal of an earlier version. It says whose words the text is, and nothing of a delivery. */
const TextSeal = z.lazy(() => z.object({ version: z.literal(1), author: SealedAuthor, file: z.string() }));

export const AnySeal = z.lazy(() => z.union([Seal, TextSeal]));

/** What is sealed about a message. */
export type Sealed = Pick<Seal, 'author' | 'sha256' | 'receipt' | 'transcript'>;

/**
 * What is sealed about a message that does not wait. `handing`: a hook hands it over at this moment, or has died while it did. `as` is
 * missing if an earlier version filed it: then nothing is known of it.
 */
export interface Filed extends Sealed {
	as: FiledAs | 'handing' | undefined;
}

/** The whole text of the seal of a delivered message, as `Seals.deliver` writes it. */
export function textOfDelivered(about: Sealed): string {
	return jsonText({ ...about, state: 'delivered', version: 2 } satisfies Seal);
}

/** The whole text of the seal of a message that is handed over by a process. That stands before anything that others have chosen. */
export function textOfHanding(about: Sealed, by: string): string {
	return jsonText({ version: 2, state: 'handing', by, ...about } satisfies Seal);
}

/** The receipt in a seal or a file. Undefined for what is no receipt. */
export function readReceipt(value: unknown): Receipt | undefined {
	const receipt = Receipt.safeParse(value);
	return receipt.success ? receipt.data : undefined;
}

/** What a seal says about the text of this hash. Undefined if the seal does not know that text. */
export function wordsIn(seal: Seal, hash: string): Sealed | undefined {
	const held = [seal, seal.next].find(each => each?.sha256 === hash);
	return held && { ...about(seal), author: held.author, sha256: hash };
}

function about({ author, sha256: hash, receipt, transcript }: Seal): Sealed {
	return { author, sha256: hash, receipt, transcript };
}
