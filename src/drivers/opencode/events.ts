import type { HookCall } from '../../core/driver/hooks.ts';
import type { AgentEvent, EventKind } from '../../protocol/traffic.ts';
import { namedPayload } from '../payload.ts';
import { promptDetails } from '../prompt.ts';
import { inputSummary, oneLine, textIn, withoutUndefined } from '../summary.ts';
import { parsePayload, type KnownPayload } from './payloads.ts';
import { isWake } from '../bell.ts';
import { BELL_ASKED, DOORBELL } from './wake.ts';
import { program } from './program.ts';

export const ID = program.id;

const kindByEvent: Readonly<Record<KnownPayload['event'], EventKind>> = {
	'session-start': 'session-start',
	'session-end': 'session-end',
	prompt: 'prompt',
	'tool-start': 'tool-start',
	'tool-end': 'tool-end',
	'tool-failed': 'tool-failed',
	'permission-asked': 'permission-asked',
	'permission-replied': 'permission-answered',
	'answer-late': 'permission-answered',
	stop: 'stop',
	'stop-failed': 'stop-failed',
	interrupted: 'interrupted',
	'subagent-start': 'subagent-start',
	'subagent-stop': 'subagent-stop',
	compacting: 'compact-start',
	compacted: 'compact-end',
	[BELL_ASKED]: 'watch-asked',
	[DOORBELL]: 'doorbell',
};

/** Reads one payload of Nancy's plugin. */
export function readEvent(call: HookCall): AgentEvent {
	const { payload, known } = parsePayload(call.event, namedPayload(call));
	return withoutUndefined({
		driver: ID,
		session: payload.sessionID,
		kind: known ? kindByEvent[known.event] : 'other',
		event: call.event,
		subagent: payload.subagent ?? undefined,
		cwd: payload.directory ?? undefined,
		...(known && detailsOf(known)),
	});
}

function detailsOf(payload: KnownPayload): Partial<AgentEvent> {
	switch (payload.event) {
		case 'session-start':
			return { cause: payload.source ?? undefined };
		case 'prompt':
			return {
				...promptDetails(payload.text, isWake(payload.text) && 'wake'),
				model: payload.model ?? undefined,
			};
		case 'tool-start':
		case 'tool-end':
			return { ...toolOf(payload), summary: toolSummary(payload.args) };
		case 'tool-failed':
			return { ...toolOf(payload), summary: oneLine(payload.error) };
		case 'permission-asked':
			return { ...toolOf(payload), summary: oneLine(payload.text) };
		case 'permission-replied':
			return {
				cause: payload.reply ?? undefined,
				...(payload.reply === 'reject' && { kind: 'permission-denied' }),
			};
		case 'answer-late':
			return { toolUseId: payload.callID ?? undefined, cause: 'late' };
		case 'stop':
			return { continuing: payload.isContinued, summary: oneLine(payload.text) };
		case 'stop-failed':
		case 'subagent-start':
			return { summary: oneLine(payload.text) };
		default:
			return {};
	}
}

function toolOf({ tool, callID }: { tool: string; callID?: string | null | undefined }): Partial<AgentEvent> {
	return { tool, toolUseId: callID ?? undefined };
}

function toolSummary(args: unknown): string | undefined {
	return inputSummary(args) ?? oneLine(textIn(args, 'filePath'));
}
