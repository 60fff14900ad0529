import * as z from 'zod/mini';
import { SessionId } from '../../protocol/names.ts';
import { eventName, payloadParser, type PayloadOf } from '../payload.ts';

const text = () => z.string();
const maybeText = () => z.optional(z.nullable(z.string()));

/** What every event carries. Loose: a newer CLI adds fields, and they are kept in the traffic. */
const common = () => ({
	/** The main thread's, in the events of its subagents too. */
	session_id: SessionId,
	/** `null` for a session that keeps no record. */
	transcript_path: maybeText(),
	cwd: maybeText(),
	turn_id: maybeText(),
	model: maybeText(),
	permission_mode: maybeText(),
	/** Only in a subagent's events. */
	agent_id: maybeText(),
	agent_type: maybeText(),
});

const tool = () => ({ tool_name: text(), tool_input: z.unknown(), tool_use_id: maybeText() });
const last = () => ({ last_assistant_message: maybeText() });

function event<Name extends string, Fields extends z.core.$ZodShape>(name: Name, fields: Fields) {
	return z.looseObject({ ...common(), hook_event_name: eventName(name), ...fields });
}

/** The events of Codex 0.169.0. */
const schemas = {
	SessionStart: () => event('SessionStart', { source: maybeText() }),
	SessionEnd: () => event('SessionEnd', { reason: maybeText() }),
	UserPromptSubmit: () => event('UserPromptSubmit', { prompt: text() }),
	PreModelRequest: () => event('PreModelRequest', {}),
	PostModelRequest: () => event('PostModelRequest', {}),
	PreToolUse: () => event('PreToolUse', tool()),
	PermissionRequest: () => event('PermissionRequest', tool()),
	PostToolUse: () => event('PostToolUse', tool()),
	Stop: () => event('Stop', { stop_hook_active: z.optional(z.boolean()), ...last() }),
	Interrupt: () => event('Interrupt', {}),
	SubagentStart: () => event('SubagentStart', {}),
	SubagentStop: () => event('SubagentStop', last()),
	PreCompact: () => event('PreCompact', { trigger: maybeText() }),
	PostCompact: () => event('PostCompact', { trigger: maybeText() }),
};

export type KnownPayload = PayloadOf<typeof schemas>;

const unknownEvent = (name: string) => event(name, {});
export type UnknownPayload = z.infer<ReturnType<typeof unknownEvent>>;

export const parsePayload = payloadParser<KnownPayload, UnknownPayload>(schemas, unknownEvent);
