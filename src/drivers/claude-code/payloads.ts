import * as z from 'zod/mini';
import { SessionId } from '../../protocol/names.ts';
import { eventName, payloadParser, type PayloadOf } from '../payload.ts';
import { ANSWERED } from './ownEvents.ts';

const text = () => z.string();
const maybeText = () => z.optional(z.string());
const maybeNumber = () => z.optional(z.number());
const maybeBoolean = () => z.optional(z.boolean());

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
const call = () => ({ ...tool(), tool_use_id: maybeText() });
const modelSwitch = () => ({ from_model: maybeText(), to_model: maybeText(), source: maybeText() });

function event<Name extends string, Fields extends z.core.$ZodShape>(name: Name, fields: Fields) {
	return z.looseObject({ ...common(), hook_event_name: eventName(name), ...fields });
}

/** The 33 events of Claude Code 2.1.329, and Nancy's own. Optional is what one recorded payload or another lacks. */
const schemas = {
	PreToolUse: () => event('PreToolUse', call()),
	PostToolUse: () => event('PostToolUse', { ...call(), tool_response: z.unknown(), duration_ms: maybeNumber() }),
	PostToolUseFailure: () =>
		event('PostToolUseFailure', {
			...call(),
			error: maybeText(),
			is_interrupt: maybeBoolean(),
			duration_ms: maybeNumber(),
		}),
	PostToolBatch: () => event('PostToolBatch', { tool_calls: z._default(z.array(z.looseObject(call())), []) }),
	Notification: () => event('Notification', { message: maybeText(), notification_type: maybeText() }),
	UserPromptSubmit: () => event('UserPromptSubmit', { prompt: text() }),
	UserPromptExpansion: () =>
		event('UserPromptExpansion', { command_name: maybeText(), command_args: maybeText(), prompt: maybeText() }),
	SessionStart: () => event('SessionStart', { source: maybeText(), model: maybeText() }),
	SessionEnd: () => event('SessionEnd', { reason: maybeText() }),
	Stop: () => event('Stop', { stop_hook_active: maybeBoolean(), last_assistant_message: maybeText() }),
	StopFailure: () => event('StopFailure', { error: maybeText(), last_assistant_message: maybeText() }),
	SubagentStart: () => event('SubagentStart', {}),
	SubagentStop: () => event('SubagentStop', { last_assistant_message: maybeText() }),
	PreCompact: () => event('PreCompact', { trigger: maybeText() }),
	PostCompact: () => event('PostCompact', { trigger: maybeText(), compact_summary: maybeText() }),
	PreModelSwitch: () => event('PreModelSwitch', modelSwitch()),
	PostModelSwitch: () => event('PostModelSwitch', modelSwitch()),
	PermissionRequest: () =>
		event('PermissionRequest', { ...call(), permission_suggestions: z.optional(z.array(z.unknown())) }),
	[ANSWERED]: () => event(ANSWERED, { tool_use_id: text(), cause: z.enum(['taken', 'ended', 'terminal']) }),
	PermissionDenied: () => event('PermissionDenied', { ...call(), reason: maybeText() }),
	Setup: () => event('Setup', { trigger: maybeText() }),
	TeammateIdle: () => event('TeammateIdle', {}),
	TaskCreated: () => event('TaskCreated', {}),
	TaskCompleted: () => event('TaskCompleted', {}),
	Elicitation: () => event('Elicitation', { mcp_server_name: maybeText(), message: maybeText() }),
	ElicitationResult: () => event('ElicitationResult', { mcp_server_name: maybeText(), action: maybeText() }),
	ConfigChange: () => event('ConfigChange', { source: maybeText(), file_path: maybeText() }),
	WorktreeCreate: () => event('WorktreeCreate', { name: maybeText() }),
	WorktreeRemove: () => event('WorktreeRemove', {}),
	InstructionsLoaded: () => event('InstructionsLoaded', { file_path: maybeText(), load_reason: maybeText() }),
	CwdChanged: () => event('CwdChanged', { old_cwd: maybeText(), new_cwd: maybeText() }),
	FileChanged: () => event('FileChanged', { file_path: text(), event: maybeText() }),
	DirectoryAdded: () => event('DirectoryAdded', {}),
	MessageDisplay: () => event('MessageDisplay', { delta: maybeText() }),
};

export type KnownPayload = PayloadOf<typeof schemas>;

const unknownEvent = (name: string) => event(name, {});
export type UnknownPayload = z.infer<ReturnType<typeof unknownEvent>>;

export const parsePayload = payloadParser<KnownPayload, UnknownPayload>(schemas, unknownEvent);
