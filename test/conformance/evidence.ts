import { readTraffic } from '../../src/core/traffic/store.ts';
import type { AgentEvent } from '../../src/protocol/traffic.ts';
import type { RecordedRequest } from '../double/modelDouble.ts';
import type { ConformanceLab, StartedWorker } from './lab.ts';

/** What was collected of a worker's current session, oldest first. */
export async function eventsOf(lab: ConformanceLab, worker: StartedWorker): Promise<AgentEvent[]> {
	const records = await readTraffic(lab.nancy.paths, await worker.session());
	return records.flatMap(record => (record.type === 'event' ? [record.event] : []));
}

/** How many requests of the conversation came before this one. */
export function placeOf(lab: ConformanceLab, request: RecordedRequest): number {
	return lab.requests().indexOf(request);
}

/** Whether the model had said these words when it was asked this. */
export function isAfter(request: RecordedRequest, words: string): boolean {
	return request.turns.some(turn => turn.speaker === 'model' && turn.text.includes(words));
}

/** How often a text stands in the conversation, tool output included. */
export function copiesOf(request: RecordedRequest, text: string): number {
	const conversation = request.turns.map(turn => (turn.toolOutput.includes(text) ? turn.toolOutput : turn.text));
	return conversation.join('\n').split(text).length - 1;
}
