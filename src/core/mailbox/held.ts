import * as z from 'zod/mini';
import { phrase, type Phrase } from '../../base/phrase.ts';
import { DriverId } from '../../protocol/names.ts';
import { CAPABILITIES } from '../driver/abilities.ts';
import type { Driver } from '../driver/driver.ts';

/** The reasons that say all by their code. */
export const PLAIN = [
	'ended',
	'ended-unread',
	'waiting',
	'resting',
	'unheard',
	'unanswered',
	'brought',
	'unprompted',
	'no-hooks',
] as const;

const fixed: Readonly<Record<(typeof PLAIN)[number], Phrase>> = {
	ended: phrase`the agent has ended; resume it to deliver`,
	/** The delegate's result names the messages that it did not read. */
	'ended-unread': phrase`the delegate ended without reading it`,
	waiting: phrase`the agent waits for an answer in its terminal`,
	/** A pause: the agent rests already. */
	resting: phrase`the agent is idle already; the pause waits for the next prompt`,
	unheard: phrase`the agent is idle and did not answer its bell; it gets the message at its next prompt`,
	unanswered: phrase`the agent was handed it several times and never answered; it comes again by itself after a turn that ends well, unless you take it back`,
	brought: phrase`the message may have come with the repository: git tracks files of .nancy, or does not say. Look at what is in it, then run
		"git rm -r --cached .nancy"; "nancy setup" says what else is in the way`,
	unprompted: phrase`the agent waits for its first prompt, and hears nothing before; prompt it in its terminal, or use "Nancy: Wake by Typing"`,
	'no-hooks': phrase`the agent was started without hooks and hears nothing; tell it in its terminal, or resume it with hooks`,
};

/** Why a queued message still waits, as `<id>.held` beside it says in JSON. */
export const Held = z.discriminatedUnion('code', [
	z.object({ code: z.enum(PLAIN) }),
	/** The agent lacks an ability, or has it only in part. */
	z.object({ code: z.literal('limit'), agent: DriverId, capability: z.enum(CAPABILITIES) }),
]);
export type Held = z.infer<typeof Held>;

/** What a `.held` file may say: also a text, which earlier versions wrote. It is shown as it is and replaced like a code. */
export type ReadHeld = Held | { code: 'text'; text: string };

/** What a driver says of an ability that its agent lacks, or has only in part. */
export type LimitOf = (limit: Extract<Held, { code: 'limit' }>) => Phrase | string | undefined;

export function parseHeld(text: string): ReadHeld {
	try {
		return Held.parse(JSON.parse(text));
	} catch {
		return { code: 'text', text: text.trim() };
	}
}

/** The reason as a clause for a person. A text of a file stays as it is. */
export function heldText(held: ReadHeld, limitOf: LimitOf): Phrase | string {
	switch (held.code) {
		case 'text':
			return held.text;
		case 'limit':
			return (
				limitOf(held) ??
				phrase`this version of the agent cannot be woken when idle; it gets the message at its next prompt, or by "Nancy: Wake by Typing"`
			);
		default:
			return fixed[held.code];
	}
}

/** Nothing wakes this agent when it is idle, or something does only in part. */
export function wakeLimit({ id }: Pick<Driver, 'id'>): Held {
	return { code: 'limit', agent: id, capability: 'wake' };
}
