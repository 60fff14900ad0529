import * as z from 'zod/mini';
import { SessionId } from '../../protocol/names.ts';

const text = z.string();
const maybeText = z.optional(z.string());
const maybeNumber = z.optional(z.number());

/** What every event carries. Loose: a newer CLI adds fields, and they are kept in the traffic. */
const common = {
	session_id: SessionId,
	transcript_path: maybeText,
	cwd: maybeText,
	prompt_id: maybeText,
	permission_mode: maybeText,
	/** Only in a subagent's events. */
	agent_id: maybeText,
	agent_type: maybeText,
};

const tool = { tool_name: text, tool_input: z.unknown() };
const call = { ...tool, tool_use_id: maybeText };
const modelSwitch = { from_model: maybeText, to_model: maybeText, source: maybeText };

function event<Name extends string, Fields extends z.core.$ZodShape>(name: Name, fields: Fields) {
	return z.looseObject({ ...common, hook_event_name: z.literal(name), ...fields });
}

/** The 33 events of Claude Code 2.1.329. Optional is what one recorded payload or another lacks. */
const Known = z.discriminatedUnion('hook_event_name', [
	event('PreToolUse', call),
	event('PostToolUse', { ...call, tool_response: z.unknown(), duration_ms: maybeNumber }),
	event('PostToolUseFailure', {
		...call,
		error: maybeText,
		is_interrupt: z.optional(z.boolean()),
		duration_ms: maybeNumber,
	}),
	event('PostToolBatch', { tool_calls: z._default(z.array(z.looseObject(call)), []) }),
	event('Notification', { message: maybeText, notification_type: maybeText }),
	event('UserPromptSubmit', { prompt: text }),
	event('UserPromptExpansion', { command_name: maybeText, command_args: maybeText, prompt: maybeText }),
	event('SessionStart', { source: maybeText, model: maybeText }),
	event('SessionEnd', { reason: maybeText }),
	event('Stop', { stop_hook_active: z.optional(z.boolean()), last_assistant_message: maybeText }),
	event('StopFailure', { error: maybeText, last_assistant_message: maybeText }),
	event('SubagentStart', {}),
	event('SubagentStop', { last_assistant_message: maybeText }),
	event('PreCompact', { trigger: maybeText }),
	event('PostCompact', { trigger: maybeText, compact_summary: maybeText }),
	event('PreModelSwitch', modelSwitch),
	event('PostModelSwitch', modelSwitch),
	event('PermissionRequest', { ...tool, permission_suggestions: z.optional(z.array(z.unknown())) }),
	event('PermissionDenied', { ...call, reason: maybeText }),
	event('Setup', { trigger: maybeText }),
	event('TeammateIdle', {}),
	event('TaskCreated', {}),
	event('TaskCompleted', {}),
	event('Elicitation', { mcp_server_name: maybeText, message: maybeText }),
	event('ElicitationResult', { mcp_server_name: maybeText, action: maybeText }),
	event('ConfigChange', { source: maybeText, file_path: maybeText }),
	event('WorktreeCreate', { name: maybeText }),
	event('WorktreeRemove', {}),
	event('InstructionsLoaded', { file_path: maybeText, load_reason: maybeText }),
	event('CwdChanged', { old_cwd: maybeText, new_cwd: maybeText }),
	event('FileChanged', { file_path: text, event: maybeText }),
	event('DirectoryAdded', {}),
	event('MessageDisplay', { delta: maybeText }),
]);
export type KnownPayload = z.infer<typeof Known>;

const Unknown = z.looseObject({ ...common, hook_event_name: text });
export type Payload = z.infer<typeof Unknown>;

const names = new Set<string>(Known.def.options.flatMap(option => [...option.shape.hook_event_name.def.values]));

/** Parses one hook payload; throws when a known event does not look like itself. */
export function parsePayload(value: unknown): { known: KnownPayload } | { unknown: Payload } {
	const payload = Unknown.parse(value);
	return names.has(payload.hook_event_name) ? { known: Known.parse(value) } : { unknown: payload };
}
