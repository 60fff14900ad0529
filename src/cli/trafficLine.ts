import { whatHappened } from '../core/traffic/whatHappened.ts';
import type { TrafficRecord } from '../protocol/traffic.ts';

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
		case 'status':
			return record.status.session;
		case 'trouble':
			return record.trouble.session ?? 'no-session';
	}
}

function clock(at: string): string {
	const moment = new Date(at);
	return Number.isNaN(moment.getTime()) ? '--:--:--' : moment.toTimeString().slice(0, 8);
}
