import type { HookCall } from '../../core/driver/hooks.ts';
import type { AgentEvent, EventKind } from '../../protocol/traffic.ts';
import { promptDetails } from '../prompt.ts';
import { inputSummary, isObject, oneLine, withoutUndefined } from '../summary.ts';
import { parsePayload, type KnownPayload, type UnknownPayload } from './payloads.ts';
import { isQueued } from './wake.ts';
import { program } from './program.ts';

export const ID = program.id;

const kindByEvent: Partial<Record<KnownPayload['hook_event_name'], EventKind>> = {
	SessionStart: 'session-start',
	SessionEnd: 'session-end',
	UserPromptSubmit: 'prompt',
	// The results of the step's tools go to the model now, even if their ends were not reported.
	PreModelRequest: 'batch-end',
	PreToolUse: 'tool-start',
	PermissionRequest: 'permission-asked',
	PostToolUse: 'tool-end',
	Stop: 'stop',
	Interrupt: 'interrupted',
	SubagentStart: 'subagent-start',
	SubagentStop: 'subagent-stop',
	PreCompact: 'compact-start',
	PostCompact: 'compact-end',
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
		subagent: subagentOf(payload),
		turn: payload.turn_id ?? undefined,
		cwd: payload.cwd ?? undefined,
		model: payload.model ?? undefined,
		transcript: payload.transcript_path ?? undefined,
		permissionMode: payload.permission_mode ?? undefined,
		...(known && detailsOf(known)),
	});
}

/**
 * A CLI inside one of our tools inherits the tool's thread id, but its own payload then contradicts that id. A hook's own environment has
 * none. Any other program that runs this file keeps its records elsewhere.
 */
function isForeign({ env, payload }: HookCall): boolean {
	if (!isObject(payload)) return false;
	const outer = env['CODEX_THREAD_ID'];
	if (outer !== undefined && outer !== '' && outer !== payload['session_id']) return true;
	const transcript = payload['transcript_path'];
	return typeof transcript === 'string' && threadOf(transcript) === undefined;
}

/** A model request names no thread, but names the record of its thread. */
function subagentOf(payload: KnownPayload | UnknownPayload): string | undefined {
	if (payload.agent_id) return payload.agent_id;
	if (!payload.hook_event_name.endsWith('ModelRequest') || !payload.transcript_path) return undefined;
	const thread = threadOf(payload.transcript_path);
	return thread === payload.session_id ? undefined : thread;
}

/** `rollout-<local time>-<thread>.jsonl`, or compressed. */
function threadOf(transcript: string): string | undefined {
	return /rollout-[\dT-]+?-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl(?:\.\w+)?$/.exec(transcript)?.[1];
}

function detailsOf(payload: KnownPayload): Partial<AgentEvent> {
	switch (payload.hook_event_name) {
		case 'PreToolUse':
		case 'PermissionRequest':
		case 'PostToolUse':
			return {
				tool: payload.tool_name,
				toolUseId: payload.tool_use_id ?? undefined,
				summary: inputSummary(payload.tool_input),
			};
		case 'UserPromptSubmit':
			return promptDetails(payload.prompt, isQueued(payload.prompt) && 'queue');
		case 'SessionStart':
			return { cause: payload.source ?? undefined };
		case 'SessionEnd':
			return { cause: payload.reason ?? undefined };
		case 'Stop':
			return { continuing: payload.stop_hook_active, summary: oneLine(payload.last_assistant_message) };
		case 'SubagentStart':
		case 'SubagentStop':
			return { summary: oneLine(payload.agent_type) };
		case 'PreCompact':
		case 'PostCompact':
			return { cause: payload.trigger ?? undefined };
		default:
			return {};
	}
}
