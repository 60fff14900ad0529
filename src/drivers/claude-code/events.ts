import type { HookCall } from '../../core/driver/hooks.ts';
import type { AgentEvent, EventKind } from '../../protocol/traffic.ts';
import { isOfAnotherSession } from '../payload.ts';
import { notificationDetails } from '../notification.ts';
import { promptDetails } from '../prompt.ts';
import { inputSummary, oneLine, withoutUndefined } from '../summary.ts';
import { ANSWERED } from './ownEvents.ts';
import { parsePayload, type KnownPayload } from './payloads.ts';
import { rungOfWake } from './wake.ts';
import { program } from './program.ts';

export const ID = program.id;

const kindByEvent: Partial<Record<KnownPayload['hook_event_name'], EventKind>> = {
	SessionStart: 'session-start',
	SessionEnd: 'session-end',
	UserPromptSubmit: 'prompt',
	PreToolUse: 'tool-start',
	PostToolUse: 'tool-end',
	PostToolUseFailure: 'tool-failed',
	PostToolBatch: 'batch-end',
	PermissionRequest: 'permission-asked',
	[ANSWERED]: 'permission-answered',
	PermissionDenied: 'permission-denied',
	Notification: 'notification',
	Stop: 'stop',
	StopFailure: 'stop-failed',
	SubagentStart: 'subagent-start',
	SubagentStop: 'subagent-stop',
	PreCompact: 'compact-start',
	PostCompact: 'compact-end',
	CwdChanged: 'folder-changed',
	PostModelSwitch: 'model-changed',
	ConfigChange: 'settings-changed',
	MessageDisplay: 'message-shown',
};

/** Reads one hook payload. */
export function readEvent(call: HookCall): AgentEvent | 'silent' {
	if (isForeign(call)) return 'silent';
	const { payload, known } = parsePayload(call.event, call.payload);
	return withoutUndefined({
		driver: ID,
		session: payload.session_id,
		kind: (known && kindByEvent[known.hook_event_name]) ?? 'other',
		event: payload.hook_event_name,
		subagent: payload.agent_id,
		turn: payload.prompt_id,
		cwd: payload.cwd,
		transcript: payload.transcript_path,
		permissionMode: payload.permission_mode,
		...(known && detailsOf(known)),
	});
}

/**
 * Other CLIs run the hooks of `.claude/settings*.json` too. One of them leaves its own mark in a hook's environment. A caller inside one of
 * our tools inherits our session's id, but its own payload then contradicts that id.
 */
export function isForeign({ env, payload }: HookCall): boolean {
	return env['COPILOT_PROJECT_DIR'] !== undefined || isOfAnotherSession(env['CLAUDE_CODE_SESSION_ID'], payload);
}

function detailsOf(payload: KnownPayload): Partial<AgentEvent> {
	switch (payload.hook_event_name) {
		case 'PreToolUse':
		case 'PermissionDenied':
			return {
				tool: payload.tool_name,
				toolUseId: payload.tool_use_id,
				summary: inputSummary(payload.tool_input),
			};
		case 'PostToolUse':
			return {
				tool: payload.tool_name,
				toolUseId: payload.tool_use_id,
				durationMs: payload.duration_ms,
				summary: inputSummary(payload.tool_input),
			};
		case 'PostToolUseFailure':
			return {
				tool: payload.tool_name,
				toolUseId: payload.tool_use_id,
				durationMs: payload.duration_ms,
				summary: oneLine(payload.error),
			};
		case 'PermissionRequest':
			return { tool: payload.tool_name, summary: inputSummary(payload.tool_input) };
		case ANSWERED:
			return { toolUseId: payload.tool_use_id, cause: payload.cause };
		case 'PostToolBatch':
			return { summary: oneLine(payload.tool_calls.map(call => call.tool_name).join(', ')) };
		case 'Notification':
			return notificationDetails(payload.notification_type, payload.message);
		case 'UserPromptSubmit':
			return promptDetails(payload.prompt, wakeIn(payload.prompt));
		case 'SessionStart':
			return { cause: payload.source, model: payload.model };
		case 'SessionEnd':
			return { cause: payload.reason };
		case 'Stop':
			return { continuing: payload.stop_hook_active, summary: oneLine(payload.last_assistant_message) };
		case 'StopFailure':
			return { cause: payload.error, summary: oneLine(payload.last_assistant_message) };
		case 'SubagentStart':
		case 'SubagentStop':
			return { summary: oneLine(payload.agent_type) };
		case 'PreCompact':
		case 'PostCompact':
			return { cause: payload.trigger };
		case 'CwdChanged':
			return { summary: oneLine(payload.new_cwd) };
		case 'PostModelSwitch':
			return { model: payload.to_model, summary: oneLine(payload.to_model) };
		case 'ConfigChange':
			return { summary: oneLine(payload.file_path) };
		case 'FileChanged':
			return { kind: isBell(payload) ? 'doorbell' : 'other', summary: oneLine(payload.file_path) };
		default:
			return {};
	}
}

/** A wake is one notification of the CLI among those of other tools. */
function wakeIn(prompt: string): 'wake' | 'waiter' | boolean {
	return /^\s*<(task-notification|cross-session-message)\b/.test(prompt) && (rungOfWake(prompt) ?? true);
}

/** The session's own doorbell has changed: `.nancy/bells/<session>`. Its removal does not count. */
function isBell(payload: { file_path: string; event?: string | undefined; session_id: string }): boolean {
	const file = payload.file_path.replaceAll('\\', '/');
	return payload.event !== 'unlink' && file.endsWith(`/.nancy/bells/${payload.session_id}`);
}
