import type { HookCall } from '../../core/driver/hooks.ts';
import { ASKS_ON_SCREEN, AskedOnScreen } from '../../core/driver/screenStates.ts';
import type { AgentEvent, EventKind } from '../../protocol/traffic.ts';
import { promptDetails } from '../prompt.ts';
import { inputSummary, oneLine, textIn, withoutUndefined } from '../summary.ts';
import { parsePayload, type EventName, type KnownPayload } from './payloads.ts';
import { program } from './program.ts';

const kindByEvent: Readonly<Record<EventName, EventKind>> = {
	agentSpawn: 'session-start',
	userPromptSubmit: 'prompt',
	preToolUse: 'tool-start',
	postToolUse: 'tool-end',
	stop: 'stop',
};

/** Reads one hook payload, to which the hook's line has added the session. */
export function readEvent(call: HookCall): AgentEvent {
	if (call.event === ASKS_ON_SCREEN) return askedOf(AskedOnScreen.parse(call.payload));
	const { payload, known } = parsePayload(call.event, call.payload);
	return withoutUndefined({
		driver: program.id,
		session: payload.nancy_session,
		kind: known ? kindByEvent[known.hook_event_name] : 'other',
		event: payload.hook_event_name,
		cwd: payload.cwd,
		...(known && detailsOf(known)),
	});
}

/** Nancy itself tells what stands on the screen. */
function askedOf({ session, cwd, tool, what }: AskedOnScreen): AgentEvent {
	return withoutUndefined({
		driver: program.id,
		session,
		kind: 'permission-asked',
		event: ASKS_ON_SCREEN,
		cwd,
		tool,
		summary: oneLine(what),
	});
}

function detailsOf(payload: KnownPayload): Partial<AgentEvent> {
	switch (payload.hook_event_name) {
		case 'agentSpawn':
			return { cause: 'startup' };
		case 'userPromptSubmit':
			return promptDetails(payload.prompt, false);
		case 'preToolUse':
			return toolOf(payload);
		case 'postToolUse':
			return { ...toolOf(payload), ...(payload.tool_response?.success === false && { kind: 'tool-failed' }) };
		case 'stop':
			return {};
	}
}

/** `command` is a shell's in one tool, and what to do with a file in another. */
function toolOf({ tool_name: tool, tool_input: input }: { tool_name: string; tool_input?: unknown }) {
	return { tool, summary: oneLine(textIn(input, 'path')) ?? inputSummary(input) };
}
