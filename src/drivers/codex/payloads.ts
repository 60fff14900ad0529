import * as z from 'zod/mini';
import { SessionId } from '../../protocol/names.ts';

// Building a schema costs the hook more than using it, so each is built when its event comes.

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
	return z.looseObject({ ...common(), hook_event_name: z.literal(name), ...fields });
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

type EventName = keyof typeof schemas;
export type KnownPayload = { [Name in EventName]: z.infer<ReturnType<(typeof schemas)[Name]>> }[EventName];

const unknownEvent = () => z.looseObject({ ...common(), hook_event_name: text() });
export type UnknownPayload = z.infer<ReturnType<typeof unknownEvent>>;

/** Parses one hook payload; throws when a known event does not look like itself. */
export function parsePayload(name: string, value: unknown): { known: KnownPayload } | { unknown: UnknownPayload } {
	return isKnown(name) ? { known: schemas[name]().parse(value) } : { unknown: unknownEvent().parse(value) };
}

function isKnown(name: string): name is EventName {
	return Object.hasOwn(schemas, name);
}
