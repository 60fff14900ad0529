import { counted } from '../../base/counted.ts';
import { visibleLine } from '../../base/visible.ts';
import type { AgentEvent, TrafficRecord } from '../../protocol/traffic.ts';

/** What a record says, as one line of plain text. */
export function whatHappened(record: TrafficRecord): string {
	switch (record.type) {
		case 'event':
			return eventWords(record.event);
		case 'delivery': {
			const { messages, event, tool, effect } = record.delivery;
			const where = [event, tool ?? ''].filter(Boolean).join(' ');
			const how = effect === 'none' ? '' : `, ${effect}`;
			return `delivered ${counted(messages.length, 'message')} at ${visibleLine(where)}${how}: ${visibleLine(messages.join(', '), 200)}`;
		}
		case 'status': {
			const { text, state } = record.status;
			return `${state === undefined ? 'says' : `says ${state}`}: ${visibleLine(text)}`;
		}
		case 'trouble':
			return `trouble at ${visibleLine(record.trouble.event)}: ${visibleLine(record.trouble.reason, 200)}`;
	}
}

function eventWords({ event, tool, summary, cause, notification, durationMs, subagent }: AgentEvent): string {
	const said = [tool, cause ?? notification].filter(word => word !== undefined).join(' ');
	const took = durationMs === undefined ? '' : ` (${durationMs} ms)`;
	const where = subagent === undefined ? '' : ' [subagent]';
	const about = summary ? `: ${visibleLine(summary)}` : '';
	return `${visibleLine(event)}${said ? ` ${visibleLine(said)}` : ''}${where}${about}${took}`;
}
