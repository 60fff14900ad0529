import type { DeliveryNote } from '../../protocol/traffic.ts';
import type { TrafficNode, Turn } from './node.ts';

/** What a turn is about. */
export type TurnSubject =
	| { from: 'prompt'; text: string }
	/** These messages woke the agent, or kept it going. */
	| { from: 'messages'; delivery: DeliveryNote }
	/** A prompt that nobody typed, and that is not Nancy's: the end of a job in the background. */
	| { from: 'agent' }
	/** Its session has just begun. */
	| { from: 'start' }
	/** Its prompt is not known. */
	| { from: 'unknown' };

/** @param before the turn before it in the same session */
export function turnSubject(turn: Turn, before: Turn | undefined): TurnSubject {
	const prompt = turn.nodes.find(({ event }) => event.kind === 'prompt' && event.subagent === undefined);
	const isWake = prompt?.event.isWake === true || prompt?.event.wakeRung !== undefined;
	const delivery = isWake ? (prompt.deliveries[0] ?? lastWords(before)) : undefined;
	if (delivery) return { from: 'messages', delivery };
	if (turn.title !== undefined) return { from: 'prompt', text: turn.title };
	if (isWake) return { from: 'agent' };
	const begins = turn.nodes[0]?.event.kind === 'session-start';
	return { from: prompt === undefined && before === undefined && begins ? 'start' : 'unknown' };
}

/** What was handed over when the turn before would have ended, or after that. The next prompt then carries it. */
function lastWords(before: Turn | undefined): DeliveryNote | undefined {
	const nodes = before?.nodes ?? [];
	const end = nodes.findLastIndex(({ event }) => event.kind === 'stop' && event.subagent === undefined);
	return end === -1 ? undefined : nodes.slice(end).findLast(hasDelivery)?.deliveries[0];
}

function hasDelivery({ deliveries }: TrafficNode): boolean {
	return deliveries.length > 0;
}
