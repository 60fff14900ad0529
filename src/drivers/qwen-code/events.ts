import type { HookCall } from '../../core/driver/hooks.ts';
import type { AgentEvent, EventKind } from '../../protocol/traffic.ts';
import { isWake } from '../bell.ts';
import { beginsWithMessage } from '../messages.ts';
import { isOfAnotherSession } from '../payload.ts';
import { notificationDetails } from '../notification.ts';
import { promptDetails } from '../prompt.ts';
import { failedTurn, inputSummary, oneLine, withoutUndefined } from '../summary.ts';
import { BROKEN_OFF, parsePayload, type KnownPayload } from './payloads.ts';
import { program } from './program.ts';

export const ID = program.id;

const kindByEvent: Readonly<Record<KnownPayload['hook_event_name'], EventKind>> = {
	[BROKEN_OFF]: 'interrupted',
	SessionStart: 'session-start',
	SessionEnd: 'session-end',
	UserPromptSubmit: 'prompt',
	PreToolUse: 'tool-start',
	PostToolUse: 'tool-end',
	PostToolUseFailure: 'tool-failed',
	PostToolBatch: 'batch-end',
	PermissionRequest: 'permission-asked',
	PermissionDenied: 'permission-denied',
	Notification: 'notification',
	Stop: 'stop',
	StopFailure: 'stop-failed',
	SubagentStart: 'subagent-start',
	SubagentStop: 'subagent-stop',
	PreCompact: 'compact-start',
	PostCompact: 'compact-end',
};

/** Reads one hook payload. */
export function readEvent(call: HookCall): AgentEvent | 'silent' {
	// A caller that is not this CLI may inherit the variable, but its payload then contradicts it.
	if (isOfAnotherSession(call.env['QWEN_CODE_SESSION_ID'], call.payload)) return 'silent';
	const { payload, known } = parsePayload(call.event, call.payload);
	return withoutUndefined({
		driver: ID,
		session: payload.session_id,
		kind: known ? kindByEvent[known.hook_event_name] : 'other',
		event: payload.hook_event_name,
		subagent: payload.agent_id,
		turn: payload.prompt_id,
		cwd: payload.cwd,
		transcript: payload.transcript_path || undefined,
		permissionMode: payload.permission_mode,
		...(known && detailsOf(known)),
	});
}

function detailsOf(payload: KnownPayload): Partial<AgentEvent> {
	switch (payload.hook_event_name) {
		case 'SessionStart':
			return { cause: payload.source, model: payload.model };
		case 'SessionEnd':
			return { cause: payload.reason };
		case BROKEN_OFF:
			return failedTurn(payload.error);
		case 'UserPromptSubmit':
			// The results of tools go to the model through this event too, with an empty prompt. Feedback comes as a prompt that nobody
			// typed.
			return payload.prompt === ''
				? { kind: 'other' }
				: promptDetails(payload.prompt, isWake(payload.prompt) ? 'waiter' : beginsWithMessage(payload.prompt));
		case 'PreToolUse':
		case 'PostToolUse':
			return { ...toolOf(payload), summary: inputSummary(payload.tool_input) };
		case 'PostToolUseFailure': {
			const kind = payload.is_interrupt === true ? 'interrupted' : 'tool-failed';
			return { ...toolOf(payload), kind, summary: oneLine(payload.error) };
		}
		case 'PermissionRequest':
		case 'PermissionDenied':
			return { tool: payload.tool_name, summary: inputSummary(payload.tool_input) };
		case 'PostToolBatch':
			return { summary: oneLine(payload.tool_calls.map(call => call.tool_name).join(', ')) };
		case 'Notification':
			return notificationDetails(payload.notification_type, payload.message);
		case 'Stop':
			return { continuing: payload.stop_hook_active, summary: oneLine(payload.last_assistant_message) };
		case 'StopFailure':
			return { cause: payload.error, summary: oneLine(payload.error_details) };
		case 'SubagentStart':
		case 'SubagentStop':
			return { summary: oneLine(payload.agent_type) };
		case 'PreCompact':
		case 'PostCompact':
			return { cause: payload.trigger };
	}
}

type ToolPayload = Extract<KnownPayload, { hook_event_name: 'PreToolUse' | 'PostToolUse' | 'PostToolUseFailure' }>;

function toolOf({ tool_name, tool_use_id, duration_ms }: ToolPayload): Partial<AgentEvent> {
	return { tool: tool_name, toolUseId: tool_use_id, durationMs: duration_ms };
}
