import type { HookCall } from '../../core/driver/hooks.ts';
import type { DriverId } from '../../protocol/names.ts';
import type { AgentEvent } from '../../protocol/traffic.ts';
import { isWake } from '../bell.ts';
import { namedPayload } from '../payload.ts';
import { promptDetails } from '../prompt.ts';
import { failedTurn, inputSummary, oneLine, withoutUndefined } from '../summary.ts';
import { parsePayload, type KnownPayload } from './payloads.ts';

/** Reads one payload of Nancy's own program. The names of its events are Nancy's words. @param driver the agent's */
export function readEvent(driver: DriverId, call: HookCall): AgentEvent {
	const { payload, known } = parsePayload(call.event, namedPayload(call));
	return withoutUndefined({
		driver,
		session: payload.session,
		kind: known ? known.event : 'other',
		event: call.event,
		cwd: payload.cwd,
		transcript: payload.record,
		...(known && detailsOf(known)),
	});
}

function detailsOf(payload: KnownPayload): Partial<AgentEvent> {
	switch (payload.event) {
		case 'session-start':
			return { cause: payload.source };
		case 'prompt':
			return promptDetails(payload.text, isWake(payload.text) ? 'waiter' : false);
		case 'stop':
			return { continuing: payload.isContinued, summary: oneLine(payload.said) };
		case 'session-end':
			return {};
		case 'interrupted':
			return failedTurn(payload.error);
		default:
			return { tool: payload.tool, toolUseId: payload.call, summary: inputSummary(payload.input) };
	}
}
