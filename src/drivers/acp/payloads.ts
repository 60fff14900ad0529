import * as z from 'zod/mini';
import { SessionId } from '../../protocol/names.ts';
import { payloadParser, type PayloadOf } from '../payload.ts';

const maybeText = () => z.optional(z.string());

const tool = () => ({ call: z.string(), tool: z.string(), input: z.unknown() });

function event<Name extends string, Fields extends z.core.$ZodShape>(name: Name, fields: Fields) {
	return z.looseObject({
		session: SessionId,
		cwd: z.string(),
		/** Nancy's own record of the conversation. */
		record: maybeText(),
		event: z.literal(name),
		...fields,
	});
}

/** What Nancy's own program tells of a conversation. Such an agent runs no hook. A payload does not name its event; the guard's arguments do. */
const schemas = {
	'session-start': () => event('session-start', { source: maybeText() }),
	'session-end': () => event('session-end', {}),
	prompt: () => event('prompt', { text: z.string() }),
	'tool-start': () => event('tool-start', tool()),
	'tool-end': () => event('tool-end', tool()),
	'tool-failed': () => event('tool-failed', tool()),
	'permission-asked': () => event('permission-asked', tool()),
	'permission-denied': () => event('permission-denied', tool()),
	stop: () => event('stop', { isContinued: z.boolean(), said: maybeText() }),
	interrupted: () => event('interrupted', { error: maybeText() }),
};

export type KnownPayload = PayloadOf<typeof schemas>;
export type EventName = KnownPayload['event'];

const unknownEvent = (name: string) => event(name, {});
export type UnknownPayload = z.infer<ReturnType<typeof unknownEvent>>;

export const parsePayload = payloadParser<KnownPayload, UnknownPayload>(schemas, unknownEvent);
