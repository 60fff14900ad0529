import * as z from 'zod/mini';
import { SessionId } from '../../protocol/names.ts';
import { payloadParser, type PayloadOf } from '../payload.ts';
import { BELL_ASKED, DOORBELL } from './wake.ts';

const maybeText = () => z.optional(z.nullable(z.string()));

/** What every event of the plugin carries. */
const common = () => ({
	/** The agent's own, in the events of its subagents too. */
	sessionID: SessionId,
	directory: maybeText(),
	/** The subagent's session, only in its events. */
	subagent: maybeText(),
});

const tool = () => ({ tool: z.string(), callID: maybeText() });
const input = () => ({ ...tool(), args: z.optional(z.unknown()) });

function event<Name extends string, Fields extends z.core.$ZodShape>(name: Name, fields: Fields) {
	return z.looseObject({ ...common(), event: z.literal(name), ...fields });
}

/** The events that Nancy's plugin reports (plugin.ts). A payload does not name its event; the guard's arguments do. */
const schemas = {
	'session-start': () => event('session-start', { source: maybeText() }),
	'session-end': () => event('session-end', {}),
	prompt: () => event('prompt', { text: z._default(z.string(), ''), model: maybeText() }),
	'tool-start': () => event('tool-start', input()),
	'tool-end': () => event('tool-end', input()),
	'tool-failed': () => event('tool-failed', { ...tool(), error: maybeText() }),
	'permission-asked': () => event('permission-asked', { ...tool(), text: maybeText() }),
	'permission-replied': () => event('permission-replied', { reply: maybeText() }),
	'answer-late': () => event('answer-late', { callID: maybeText() }),
	stop: () => event('stop', { isContinued: z._default(z.boolean(), false), text: maybeText() }),
	'stop-failed': () => event('stop-failed', { text: maybeText() }),
	interrupted: () => event('interrupted', {}),
	'subagent-start': () => event('subagent-start', { text: maybeText() }),
	'subagent-stop': () => event('subagent-stop', {}),
	compacting: () => event('compacting', {}),
	compacted: () => event('compacted', {}),
	[BELL_ASKED]: () => event(BELL_ASKED, {}),
	[DOORBELL]: () => event(DOORBELL, {}),
};

export type KnownPayload = PayloadOf<typeof schemas>;

const unknownEvent = (name: string) => event(name, {});
export type UnknownPayload = z.infer<ReturnType<typeof unknownEvent>>;

export const parsePayload = payloadParser<KnownPayload, UnknownPayload>(schemas, unknownEvent);

export const eventNames: readonly string[] = Object.keys(schemas);
