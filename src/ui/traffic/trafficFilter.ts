import type { SessionTraffic } from '../../core/live/sessionView.ts';
import type { TrafficNode } from '../../core/traffic/turns.ts';

/** The filter of the Traffic view. A part that is `undefined` filters nothing. */
export interface TrafficFilter {
	task: string | undefined;
	event: string | undefined;
	/** A text in tools, inputs, prompts or session ids. Case does not count. */
	text: string | undefined;
}

export const NO_FILTER: TrafficFilter = { task: undefined, event: undefined, text: undefined };

export function isFiltering({ task, event, text }: TrafficFilter): boolean {
	return task !== undefined || event !== undefined || text !== undefined;
}

/** The sessions with the matching events. Turns and sessions without a match are left out. */
export function filterTraffic(sessions: readonly SessionTraffic[], filter: TrafficFilter): readonly SessionTraffic[] {
	if (!isFiltering(filter)) return sessions;
	return sessions
		.filter(({ address }) => filter.task === undefined || address?.task === filter.task)
		.map(session => ({ ...session, turns: matchingTurns(session, filter) }))
		.filter(({ turns }) => turns.length > 0 || (filter.event === undefined && filter.text === undefined));
}

function matchingTurns(session: SessionTraffic, filter: TrafficFilter): SessionTraffic['turns'] {
	if (filter.event === undefined && filter.text === undefined) return session.turns;
	return session.turns
		.map(turn => {
			const titleMatches = filter.event === undefined && contains([turn.title, session.session], filter.text);
			return { ...turn, nodes: titleMatches ? turn.nodes : turn.nodes.filter(node => matches(node, filter)) };
		})
		.filter(({ nodes }) => nodes.length > 0);
}

function matches({ event }: TrafficNode, filter: TrafficFilter): boolean {
	const isEvent = filter.event === undefined || event.event === filter.event;
	return isEvent && contains([event.event, event.tool, event.summary], filter.text);
}

function contains(places: readonly (string | undefined)[], text: string | undefined): boolean {
	if (text === undefined) return true;
	const wanted = text.toLowerCase();
	return places.some(place => place?.toLowerCase().includes(wanted));
}

/** Every event name that occurs, for the user to choose from. */
export function eventsIn(sessions: readonly SessionTraffic[]): string[] {
	const nodes = sessions.flatMap(session => session.turns.flatMap(turn => turn.nodes));
	return [...new Set(nodes.map(node => node.event.event))].toSorted();
}
