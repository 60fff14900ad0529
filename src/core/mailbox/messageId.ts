import { uniqueHex } from '../../base/unique.ts';
import { MessageId } from '../../protocol/names.ts';

let lastMs = 0;

/** The beginning of a message in the agent's context. It identifies the message in the agent's transcript. */
export function messageMark(id: MessageId): string {
	return `[Nancy message ${id}:`;
}

/** How an id begins that is made at this time: ids sort by time. */
export function idTime(ms: number): string {
	return new Date(ms).toISOString().replace(/[-:.]/g, '');
}

/** A fresh id: sorts by time, and within this process never before an earlier one. */
export function newId(nowMs: number = Date.now()): string {
	lastMs = Math.max(nowMs, lastMs + 1);
	return `${idTime(lastMs)}-${uniqueHex(8)}`;
}

export function newMessageId(nowMs?: number): MessageId {
	return MessageId.parse(newId(nowMs));
}

/** When a message was made, where its id tells: one that a person drops by hand may be called anything. UTC, ISO 8601. */
export function messageTime(id: MessageId): string | undefined {
	const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/.exec(id);
	if (!match) return undefined;
	const [, year, month, day, hour, minute, second] = match;
	return `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
}
