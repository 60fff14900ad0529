import { uniqueHex } from '../../base/unique.ts';
import { MessageId } from '../../protocol/names.ts';

let lastMs = 0;

/** The beginning of a message in the agent's context. It identifies the message in the agent's transcript. */
export function messageMark(id: MessageId): string {
	return `[Nancy message ${id}:`;
}

/** A fresh id: sorts by time, and within this process never before an earlier one. */
export function newMessageId(nowMs: number = Date.now()): MessageId {
	lastMs = Math.max(nowMs, lastMs + 1);
	const time = new Date(lastMs).toISOString().replace(/[-:.]/g, '');
	return MessageId.parse(`${time}-${uniqueHex(8)}`);
}
