import * as z from 'zod/mini';
import { SessionId } from '../../protocol/names.ts';
import { eventName, payloadParser, type PayloadOf } from '../payload.ts';

const text = () => z.string();
const maybeText = () => z.optional(z.string());

/** What every event carries. Loose: a newer CLI adds fields, and they are kept in the traffic. */
const common = () => ({
	session_id: SessionId,
	transcript_path: maybeText(),
	cwd: maybeText(),
	prompt_id: maybeText(),
	permission_mode: maybeText(),
	/** Only in a subagent's events. */
	agent_id: maybeText(),
	agent_type: maybeText(),
});

const tool = () => ({ tool_name: text(), tool_input: z.unknown() });
const call = () => ({ ...tool(), tool_use_id: maybeText(), duration_ms: z.optional(z.number()) });

function event<Name extends string, Fields extends z.core.$ZodShape>(name: Name, fields: Fields) {
	return z.looseObject({ ...common(), hook_event_name: eventName(name), ...fields });
}

/** An event of Nancy's own: no hook tells of a turn that is broken off in a conversation. */
export const BROKEN_OFF = 'NancyBrokenOff';

/** The events of Qwen Code 0.24.4 that Nancy deploys, and Nancy's own. */
const schemas = {
	[BROKEN_OFF]: () => event(BROKEN_OFF, { error: maybeText() }),
	SessionStart: () => event('SessionStart', { source: maybeText(), model: maybeText() }),
	SessionEnd: () => event('SessionEnd', { reason: maybeText() }),
	UserPromptSubmit: () => event('UserPromptSubmit', { prompt: text() }),
	PreToolUse: () => event('PreToolUse', call()),
	PostToolUse: () => event('PostToolUse', call()),
	PostToolUseFailure: () =>
		event('PostToolUseFailure', { ...call(), error: maybeText(), is_interrupt: z.optional(z.boolean()) }),
	PostToolBatch: () => event('PostToolBatch', { tool_calls: z._default(z.array(z.looseObject(tool())), []) }),
	PermissionRequest: () => event('PermissionRequest', tool()),
	PermissionDenied: () => event('PermissionDenied', tool()),
	Notification: () => event('Notification', { notification_type: maybeText(), message: maybeText() }),
	Stop: () => event('Stop', { stop_hook_active: z.optional(z.boolean()), last_assistant_message: maybeText() }),
	StopFailure: () => event('StopFailure', { error: maybeText(), error_details: maybeText() }),
	SubagentStart: () => event('SubagentStart', {}),
	SubagentStop: () => event('SubagentStop', {}),
	PreCompact: () => event('PreCompact', { trigger: maybeText() }),
	PostCompact: () => event('PostCompact', { trigger: maybeText() }),
};

export type KnownPayload = PayloadOf<typeof schemas>;

const unknownEvent = (name: string) => event(name, {});
export type UnknownPayload = z.infer<ReturnType<typeof unknownEvent>>;

export const parsePayload = payloadParser<KnownPayload, UnknownPayload>(schemas, unknownEvent);
