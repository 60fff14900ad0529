import type { HookCall } from '../../core/driver/hooks.ts';
import type { AgentEvent, EventKind } from '../../protocol/traffic.ts';
import { isWake } from '../bell.ts';
import { beginsWithMessage } from '../messages.ts';
import { isOfAnotherSession } from '../payload.ts';
import { promptDetails } from '../prompt.ts';
import { failedTurn, inputSummary, oneLine, withoutUndefined } from '../summary.ts';
import { isBrokenOff, isSubagentAtWork } from './moment.ts';
import { BROKEN_OFF, parsePayload, type KnownPayload } from './payloads.ts';
import { program } from './program.ts';

export const ID = program.id;

/** The tool that hands a task to a subagent. */
const SEND_SUBAGENT = 'invoke_agent';

/** The placeholder for the answer of a turn that failed or was broken off. The CLI would drop a text that keeps it going. */
const NOTHING_SAID = '[no response text]';

/** Part of the result of a command that the user broke off. A command's own output comes behind a label. */
const CANCELLED = /^(?:<untrusted_context>\s*)?Command was cancelled by user before it could/;

const kindByEvent: Readonly<Record<KnownPayload['hook_event_name'], EventKind>> = {
	[BROKEN_OFF]: 'interrupted',
	SessionStart: 'session-start',
	SessionEnd: 'session-end',
	BeforeAgent: 'prompt',
	BeforeTool: 'tool-start',
	AfterTool: 'tool-end',
	AfterAgent: 'stop',
	// No event tells the end, and the agent would seem to compact for ever.
	PreCompress: 'other',
	Notification: 'notification',
};

/** Reads one hook payload. */
export function readEvent(call: HookCall): AgentEvent | 'silent' {
	if (isForeign(call)) return 'silent';
	const { payload, known } = parsePayload(call.event, call.payload);
	const event: AgentEvent = withoutUndefined({
		driver: ID,
		session: payload.session_id,
		kind: known ? kindByEvent[known.hook_event_name] : 'other',
		event: payload.hook_event_name,
		cwd: payload.cwd,
		transcript: payload.transcript_path || undefined,
		...(known && detailsOf(known)),
	});
	const isInHook = Boolean(call.env['GEMINI_SESSION_ID']);
	return isInHook && event.transcript !== undefined ? { ...event, ...atThisMoment(event, event.transcript) } : event;
}

function atThisMoment({ kind, event, session, tool }: AgentEvent, record: string): Partial<AgentEvent> {
	if (kind === 'stop' && isBrokenOff(record)) return { kind: 'stop-failed' };
	// Subagents send no other events, and no subagents of their own.
	const isTool = (event === 'BeforeTool' || event === 'AfterTool') && tool !== SEND_SUBAGENT;
	return isTool && isSubagentAtWork(record, session) ? { subagent: 'subagent' } : {};
}

/** A caller that is not this CLI may inherit the variable, but its payload then contradicts it. */
function isForeign({ env, payload }: HookCall): boolean {
	return isOfAnotherSession(env['GEMINI_SESSION_ID'], payload);
}

function detailsOf(payload: KnownPayload): Partial<AgentEvent> {
	switch (payload.hook_event_name) {
		case BROKEN_OFF:
			return failedTurn(payload.error);
		case 'SessionStart':
			return { cause: payload.source };
		case 'SessionEnd':
			return { cause: payload.reason };
		case 'BeforeAgent':
			// Feedback that keeps the agent going comes as a prompt that nobody typed.
			return promptDetails(payload.prompt, isWake(payload.prompt) ? 'waiter' : beginsWithMessage(payload.prompt));
		case 'BeforeTool':
			return { tool: payload.tool_name, summary: inputSummary(payload.tool_input) };
		case 'AfterTool': {
			const { error, llmContent } = payload.tool_response ?? {};
			// The turn ends here, and the CLI forgets everything after the prompt. So nothing may be handed over.
			const isBrokenOff = typeof llmContent === 'string' && CANCELLED.test(llmContent);
			const kind = isBrokenOff ? 'interrupted' : error ? 'tool-failed' : 'tool-end';
			const summary = oneLine(error?.message) ?? inputSummary(payload.tool_input);
			return { kind, tool: payload.tool_name, summary };
		}
		case 'AfterAgent':
			return payload.prompt_response === NOTHING_SAID
				? { kind: 'stop-failed' }
				: { continuing: payload.stop_hook_active, summary: oneLine(payload.prompt_response) };
		case 'PreCompress':
			return { cause: payload.trigger, forgets: true };
		case 'Notification':
			return payload.notification_type === 'ToolPermission'
				? { kind: 'permission-asked', summary: askedFor(payload) }
				: { notification: payload.notification_type, tells: 'alert', summary: oneLine(payload.message) };
	}
}

/** The subject of the question: a command, a file, or the CLI's own words for it. */
function askedFor({
	details,
	message,
}: Extract<KnownPayload, { hook_event_name: 'Notification' }>): string | undefined {
	return inputSummary(details) ?? oneLine(details?.filePath) ?? oneLine(message);
}
