import * as z from 'zod/mini';
import { SessionId } from '../../protocol/names.ts';
import { eventName, payloadParser, type PayloadOf } from '../payload.ts';

/** The CLI names no session. The hook's own line adds the one of Nancy's start: see hooks.ts. */
const common = () => ({ nancy_session: SessionId, cwd: z.optional(z.string()) });

const call = () => ({ tool_name: z.string(), tool_input: z.optional(z.unknown()) });

function event<Name extends string, Fields extends z.core.$ZodShape>(name: Name, fields: Fields) {
	return z.looseObject({ ...common(), hook_event_name: eventName(name), ...fields });
}

/** The hooks of Amazon Q CLI 1.19.7, by its source: chat-cli, cli/chat/cli/hooks.rs. */
const schemas = {
	agentSpawn: () => event('agentSpawn', {}),
	userPromptSubmit: () => event('userPromptSubmit', { prompt: z._default(z.string(), '') }),
	preToolUse: () => event('preToolUse', call()),
	postToolUse: () =>
		event('postToolUse', {
			...call(),
			tool_response: z.optional(z.looseObject({ success: z.optional(z.boolean()) })),
		}),
	stop: () => event('stop', {}),
};

export type KnownPayload = PayloadOf<typeof schemas>;
export type EventName = KnownPayload['hook_event_name'];

const unknownEvent = (name: string) => event(name, {});
export type UnknownPayload = z.infer<ReturnType<typeof unknownEvent>>;

export const parsePayload = payloadParser<KnownPayload, UnknownPayload>(schemas, unknownEvent);
