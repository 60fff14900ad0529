import type { SessionTraffic } from '../../core/live/sessionView.ts';
import type { TrafficNode } from '../../core/traffic/node.ts';
import type { TaskName } from '../../protocol/names.ts';
import { eventLabel } from './trafficWords.ts';

/** The filter of the Traffic view. A part that is `undefined` filters nothing. */
export interface TrafficFilter {
	task: { name: TaskName; title: string } | undefined;
	/** As rows are labelled. */
	event: string | undefined;
	/** A text in tools, inputs, prompts or session ids. Case does not count. */
	text: string | undefined;
}

export const NO_FILTER: TrafficFilter = { task: undefined, event: undefined, text: undefined };

export function isFiltering({ task, event, text }: TrafficFilter): boolean {
	return task !== undefined || event !== undefined || text !== undefined;
}

/** A session with its matching events, without the turns that have none. `undefined` if nothing of it matches. */
export function filterSession(session: SessionTraffic, filter: TrafficFilter): SessionTraffic | undefined {
	if (filter.task !== undefined && session.address?.task !== filter.task.name) return undefined;
	const turns = matchingTurns(session, filter);
	const isTaskAlone = filter.event === undefined && filter.text === undefined;
	return turns.length > 0 || isTaskAlone ? { ...session, turns } : undefined;
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

function matches(node: TrafficNode, filter: TrafficFilter): boolean {
	const label = eventLabel(node);
	const { event } = node;
	const isEvent = filter.event === undefined || label === filter.event;
	return isEvent && contains([label, event.event, event.tool, event.summary], filter.text);
}

function contains(places: readonly (string | undefined)[], text: string | undefined): boolean {
	if (text === undefined) return true;
	const wanted = text.toLowerCase();
	return places.some(place => place?.toLowerCase().includes(wanted));
}
