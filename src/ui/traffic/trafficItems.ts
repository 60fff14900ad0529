import type { SessionTraffic } from '../../core/live/sessionView.ts';
import type { TrafficNode, Turn } from '../../core/traffic/node.ts';
import type { SessionId } from '../../protocol/names.ts';
import type { DeliveryNote, TroubleNote } from '../../protocol/traffic.ts';
import type { Folder } from '../ports.ts';

/** What stands behind the rows of the Traffic view. */

export class SessionItem {
	constructor(
		readonly folder: Folder,
		/** What the filter leaves of it. */
		readonly traffic: SessionTraffic,
		/** All of its turns. */
		readonly turns: readonly Turn[],
		/** It is the first row. */
		readonly isFirst: boolean,
		/** Its worker has other rows. */
		readonly isOneOfSeveral: boolean,
	) {}

	get session(): SessionId {
		return this.traffic.session;
	}
}

export class TurnItem {
	constructor(
		readonly session: SessionItem,
		/** What is shown of it. */
		readonly turn: Turn,
		/** The whole turn, and the one before it. */
		readonly whole: Turn,
		readonly before: Turn | undefined,
		readonly isLast: boolean,
	) {}
}

export class NodeItem {
	constructor(
		readonly turn: TurnItem,
		readonly node: TrafficNode,
	) {}
}

/** A message that was delivered at an event, or the reason why a hook failed. */
export class NoteItem {
	constructor(
		readonly parent: NodeItem,
		readonly note: DeliveryNote | TroubleNote,
		readonly at: number,
	) {}
}

export type TrafficElement = SessionItem | TurnItem | NodeItem | NoteItem;

export function notesOf(node: TrafficNode): (DeliveryNote | TroubleNote)[] {
	return [...node.deliveries, ...node.troubles];
}
