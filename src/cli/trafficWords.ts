import type { AgentEvent, TrafficRecord } from '../protocol/traffic.ts';
import { counted, printableLine } from './words.ts';

/** One line for a person: time, worker or session, what happened. */
export function trafficLine(record: TrafficRecord): string {
	const who = record.task && record.worker ? `${record.task}/${record.worker}` : sessionOf(record).slice(0, 8);
	return `${clock(record.at)}  ${who}  ${whatHappened(record)}`;
}

function sessionOf(record: TrafficRecord): string {
	switch (record.type) {
		case 'event':
			return record.event.session;
		case 'delivery':
			return record.delivery.session;
		case 'trouble':
			return record.trouble.session ?? 'no-session';
	}
}

export function whatHappened(record: TrafficRecord): string {
	switch (record.type) {
		case 'event':
			return eventWords(record.event);
		case 'delivery': {
			const { messages, event, tool, effect } = record.delivery;
			const where = [event, tool ?? ''].filter(Boolean).join(' ');
			const how = effect === 'none' ? '' : `, ${effect}`;
			return `delivered ${counted(messages.length, 'message')} at ${where}${how}: ${printableLine(messages.join(', '), 200)}`;
		}
		case 'trouble':
			return `trouble at ${record.trouble.event}: ${printableLine(record.trouble.reason, 200)}`;
	}
}

function eventWords({ event, tool, summary, cause, notification, durationMs, subagent }: AgentEvent): string {
	const said = [tool, cause ?? notification].filter(word => word !== undefined).join(' ');
	const took = durationMs === undefined ? '' : ` (${durationMs} ms)`;
	const where = subagent === undefined ? '' : ' [subagent]';
	const about = summary ? `: ${printableLine(summary)}` : '';
	return `${event}${said ? ` ${printableLine(said)}` : ''}${where}${about}${took}`;
}

function clock(at: string): string {
	const moment = new Date(at);
	return Number.isNaN(moment.getTime()) ? '--:--:--' : moment.toTimeString().slice(0, 8);
}
