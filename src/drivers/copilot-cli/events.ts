import { join } from 'node:path';
import type { HookCall } from '../../core/driver/hooks.ts';
import { type SessionId } from '../../protocol/names.ts';
import type { AgentEvent, EventKind } from '../../protocol/traffic.ts';
import { beginsWithMessage } from '../messages.ts';
import { namedPayload } from '../payload.ts';
import { notificationDetails } from '../notification.ts';
import { promptDetails } from '../prompt.ts';
import { inputSummary, isObject, oneLine, textIn, withoutUndefined } from '../summary.ts';
import { parsePayload, type KnownPayload, type UnknownPayload } from './payloads.ts';
import { ANSWERED, BELL, JOINED } from './ownEvents.ts';
import { isWake } from '../bell.ts';
import { program } from './program.ts';

export const ID = program.id;

const kindByEvent: Readonly<Record<KnownPayload['event'], EventKind>> = {
	sessionStart: 'session-start',
	sessionEnd: 'session-end',
	userPromptSubmitted: 'prompt',
	preToolUse: 'tool-start',
	// This event comes before the CLI knows whether it will ask anybody. `notification` tells when it does.
	permissionRequest: 'permission-check',
	postToolUse: 'tool-end',
	postToolUseFailure: 'tool-failed',
	agentStop: 'stop',
	subagentStart: 'subagent-start',
	subagentStop: 'subagent-stop',
	notification: 'notification',
	// One of several attempts: the CLI retries. Only its record shows that a turn has failed.
	errorOccurred: 'other',
	// No event tells the end, and the agent would seem to compact for ever.
	preCompact: 'other',
	// The CLI reports a session's start only at its first prompt.
	[JOINED]: 'session-start',
	[BELL]: 'doorbell',
	[ANSWERED]: 'permission-answered',
};

/** Reads one hook payload. */
export function readEvent(call: HookCall): AgentEvent | 'silent' {
	if (isForeign(call.payload)) return 'silent';
	const { payload, known } = parsePayload(call.event, namedPayload(call));
	// A subagent's own events have the subagent's session. The worker's session is that of the agent that started it.
	const session = payload.parentAgentId ?? payload.sessionId;
	return withoutUndefined({
		driver: ID,
		session,
		kind: known ? kindByEvent[known.event] : 'other',
		event: call.event,
		subagent: payload.agentId,
		cwd: payload.cwd,
		transcript: transcriptOf(payload, session, call.env),
		...(known && detailsOf(known)),
	});
}

/** VS Code's own agent runs the hooks of `.github/hooks` too. Its payloads are those of Claude Code. */
function isForeign(payload: unknown): boolean {
	return isObject(payload) && payload['sessionId'] === undefined && payload['session_id'] !== undefined;
}

/** Few events name the record, but its path is fixed. A turn may be broken off before any of them. */
function transcriptOf(
	{ transcriptPath }: KnownPayload | UnknownPayload,
	session: SessionId,
	env: HookCall['env'],
): string | undefined {
	if (transcriptPath !== undefined) return transcriptPath;
	const own = env['COPILOT_HOME'] || (env['HOME'] && join(env['HOME'], '.copilot'));
	return own ? join(own, 'session-state', session, 'events.jsonl') : undefined;
}

function detailsOf(payload: KnownPayload): Partial<AgentEvent> {
	switch (payload.event) {
		case 'sessionStart':
			return { cause: payload.source === 'new' ? 'startup' : payload.source };
		case 'sessionEnd':
			return { cause: payload.reason };
		case 'userPromptSubmitted':
			return promptDetails(payload.prompt, wakeIn(payload.prompt));
		case 'preToolUse':
		case 'postToolUse':
			return { tool: payload.toolName, summary: toolSummary(payload.toolArgs) };
		case 'permissionRequest':
			return { tool: payload.toolName, summary: toolSummary(payload.toolInput) };
		case 'postToolUseFailure':
			return { tool: payload.toolName, summary: oneLine(payload.error) };
		case 'agentStop':
			return { continuing: payload.stop_hook_active };
		case 'subagentStart':
		case 'subagentStop':
			return { summary: oneLine(payload.agentName) };
		case 'notification':
			return notificationDetails(payload.notification_type, payload.message);
		case 'errorOccurred':
			return { cause: payload.errorContext, summary: oneLine(payload.error?.message) };
		case 'preCompact':
			return { cause: payload.trigger, forgets: true };
		case ANSWERED:
			return { toolUseId: payload.toolCallId, cause: causes[payload.by] };
		case JOINED:
		case BELL:
			return {};
	}
}

const causes = { yes: 'terminal', nancy: 'taken', ended: 'ended', late: 'late' } as const;

function toolSummary(input: unknown): string | undefined {
	return inputSummary(input) ?? oneLine(textIn(input, 'path'));
}

/** Feedback that keeps the agent going, and the end of a background job, come as prompts that nobody typed. */
function wakeIn(prompt: string): 'wake' | boolean {
	return isWake(prompt) ? 'wake' : beginsWithMessage(prompt) || /^\s*<system_notification>/.test(prompt);
}
