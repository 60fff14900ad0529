import * as z from 'zod/mini';
import { SessionId } from '../../protocol/names.ts';
import { eventName, payloadParser, type PayloadOf } from '../payload.ts';

const text = () => z.string();
const maybeText = () => z.optional(z.string());

/** What every event carries. Loose: a newer CLI adds fields, and they are kept in the traffic. */
const common = () => ({
	session_id: SessionId,
	/** Empty before the session has a record. */
	transcript_path: maybeText(),
	cwd: maybeText(),
});

const tool = () => ({ tool_name: text(), tool_input: z.unknown() });

function event<Name extends string, Fields extends z.core.$ZodShape>(name: Name, fields: Fields) {
	return z.looseObject({ ...common(), hook_event_name: eventName(name), ...fields });
}

/** An event of Nancy's own: no hook tells of a turn that is broken off in a conversation. */
export const BROKEN_OFF = 'NancyBrokenOff';

/** The events of Gemini CLI 0.61.0 that Nancy deploys, and Nancy's own. */
const schemas = {
	[BROKEN_OFF]: () => event(BROKEN_OFF, { error: maybeText() }),
	SessionStart: () => event('SessionStart', { source: maybeText() }),
	SessionEnd: () => event('SessionEnd', { reason: maybeText() }),
	BeforeAgent: () => event('BeforeAgent', { prompt: text() }),
	BeforeTool: () => event('BeforeTool', tool()),
	AfterTool: () =>
		event('AfterTool', {
			...tool(),
			tool_response: z.optional(
				z.looseObject({
					llmContent: z.unknown(),
					error: z.optional(z.nullable(z.looseObject({ message: maybeText() }))),
				}),
			),
		}),
	AfterAgent: () => event('AfterAgent', { prompt_response: maybeText(), stop_hook_active: z.optional(z.boolean()) }),
	PreCompress: () => event('PreCompress', { trigger: maybeText() }),
	Notification: () =>
		event('Notification', {
			notification_type: maybeText(),
			message: maybeText(),
			details: z.optional(z.looseObject({ filePath: z.optional(z.unknown()) })),
		}),
};

export type KnownPayload = PayloadOf<typeof schemas>;

const unknownEvent = (name: string) => event(name, {});
export type UnknownPayload = z.infer<ReturnType<typeof unknownEvent>>;

export const parsePayload = payloadParser<KnownPayload, UnknownPayload>(schemas, unknownEvent);
