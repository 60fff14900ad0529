import type { AgentEvent, DeliveryNote, TrafficRecord, TroubleNote } from '../../protocol/traffic.ts';

/** The outcome of a tool call. `running` until an event tells. */
export type Outcome = 'running' | 'waiting' | 'ok' | 'failed' | 'denied' | 'interrupted';

/** One event as shown: a tool call with its beginning and end in one, or anything else that happened. */
export interface TrafficNode {
	/** Of the record that began it: the payload is found by it. */
	id: string;
	/** Of the record that ended it. */
	endId?: string;
	at: string;
	event: AgentEvent;
	/** For tool calls. */
	outcome?: Outcome;
	/** In milliseconds; from the CLI if it reports that, else between the two events. */
	durationMs?: number;
	/** Nancy's delivery here. */
	deliveries: DeliveryNote[];
	troubles: TroubleNote[];
}

/** The events from one prompt to the next. */
export interface Turn {
	/** The CLI's id of the turn, or the id of its first record. */
	id: string;
	at: string;
	/** Its beginning: the prompt's summary, if there is one. */
	title?: string;
	nodes: TrafficNode[];
}

/** How many calls with a concluded end are remembered. The event of the real end comes within a second, if at all. */
const MOST_CONCLUDED = 100;

/** Arranges a session's records (oldest first) into turns, one by one: a live view does not rearrange everything at each event. */
export class TurnArranger {
	readonly turns: Turn[] = [];
	private count = 0;
	/** Tool calls that have not ended, by the call's id, or by tool if the CLI gives none. */
	private readonly open = new Map<string, TrafficNode>();
	/** Calls whose end was concluded from a later event. Hooks run side by side, so their own end may come after that event. */
	private readonly concluded = new Map<string, TrafficNode>();
	/** Notes whose event has not been seen yet: hook and collector run side by side. */
	private early: (DeliveryNote | TroubleNote)[] = [];

	/** @param mostNodes older ones go if there are more, so that a session of days stays small in memory */
	constructor(private readonly mostNodes = Infinity) {}

	add(record: TrafficRecord): void {
		switch (record.type) {
			case 'event':
				this.addEvent(record.id, record.at, record.event);
				return;
			case 'delivery':
				this.addNote(record.delivery);
				return;
			case 'trouble':
				this.addNote(record.trouble);
		}
	}

	private addEvent(id: string, at: string, event: AgentEvent): void {
		if (event.kind === 'message-shown') return;
		const turn = this.turnFor(id, at, event);
		if (this.settleTool(id, at, event)) return;
		const node: TrafficNode = { id, at, event, deliveries: [], troubles: [] };
		if (event.durationMs !== undefined) node.durationMs = event.durationMs;
		if (event.kind === 'tool-start') {
			node.outcome = 'running';
			this.open.set(callOf(event), node);
		}
		turn.nodes.push(node);
		if (++this.count > this.mostNodes) this.forgetOldest();
		this.early = this.early.filter(note => !attach([node], note));
	}

	/** An event of a tool call under way changes that call's node; true if nothing else must be shown. */
	private settleTool(id: string, at: string, event: AgentEvent): boolean {
		const node = this.openCall(event);
		switch (event.kind) {
			case 'permission-asked':
				if (node) node.outcome = 'waiting';
				return false;
			case 'permission-answered':
				for (const each of this.open.values()) if (each.outcome === 'waiting') each.outcome = 'running';
				return false;
			case 'permission-denied':
				if (node) this.close(node, id, at, 'denied', event);
				return false;
			case 'tool-end':
			case 'tool-failed': {
				const ended = node ?? this.concluded.get(callOf(event));
				if (!ended) return false;
				this.close(ended, id, at, event.kind === 'tool-end' ? 'ok' : 'failed', event);
				this.concluded.delete(callOf(event));
				return true;
			}
			case 'batch-end':
				// A call without its own end was not run: the user said no, or a rule did.
				if (event.subagent === undefined) this.closeAll(id, at, 'denied');
				return false;
			case 'prompt':
			case 'stop':
			case 'stop-failed':
			case 'interrupted':
			case 'session-start':
			case 'session-end':
				// No event tells that a user broke off; the next turn does.
				if (event.subagent === undefined) this.closeAll(id, at, 'interrupted');
				return false;
			default:
				return false;
		}
	}

	private openCall(event: AgentEvent): TrafficNode | undefined {
		const exact = this.open.get(callOf(event));
		if (exact || event.toolUseId !== undefined || event.tool === undefined) return exact;
		return [...this.open.values()].findLast(
			node => node.event.tool === event.tool && node.event.subagent === event.subagent,
		);
	}

	private close(node: TrafficNode, endId: string, at: string, outcome: Outcome, event?: AgentEvent): void {
		node.outcome = outcome;
		node.endId = endId;
		node.durationMs = event?.durationMs ?? Math.max(0, Date.parse(at) - Date.parse(node.at));
		this.open.delete(callOf(node.event));
	}

	private closeAll(id: string, at: string, outcome: Outcome): void {
		for (const node of this.open.values()) {
			if (node.event.subagent !== undefined) continue;
			this.close(node, id, at, outcome);
			// Without an id, a later call of the same tool would be taken for this one.
			if (node.event.toolUseId !== undefined) this.concluded.set(node.event.toolUseId, node);
		}
		for (const call of this.concluded.keys()) {
			if (this.concluded.size <= MOST_CONCLUDED) return;
			this.concluded.delete(call);
		}
	}

	private turnFor(id: string, at: string, event: AgentEvent): Turn {
		const current = this.turns.at(-1);
		const isPrompt = event.kind === 'prompt' && event.subagent === undefined;
		const isOther = event.turn !== undefined && current !== undefined && event.turn !== current.id;
		// An event that comes late still belongs to its own turn.
		const own = event.turn === undefined ? undefined : this.turns.findLast(turn => turn.id === event.turn);
		if (own) {
			if (isPrompt && own.title === undefined && event.summary !== undefined) own.title = event.summary;
			return own;
		}
		if (current && !isOther && !(isPrompt && event.turn === undefined)) return current;
		const turn: Turn = { id: event.turn ?? id, at, nodes: [] };
		if (isPrompt && event.summary !== undefined) turn.title = event.summary;
		this.turns.push(turn);
		return turn;
	}

	private forgetOldest(): void {
		const oldest = this.turns[0];
		if (!oldest) return;
		// A whole turn at a time; if only one turn is left, its older half.
		const gone =
			this.turns.length > 1
				? this.turns.shift()?.nodes
				: oldest.nodes.splice(0, Math.ceil(oldest.nodes.length / 2));
		this.count -= gone?.length ?? 0;
	}

	private addNote(note: DeliveryNote | TroubleNote): void {
		const recent = [...(this.turns.at(-2)?.nodes ?? []), ...(this.turns.at(-1)?.nodes ?? [])].toReversed();
		if (!attach(recent, note)) this.early.push(note);
	}
}

/** Attaches a note to the newest of its nodes. */
function attach(nodes: readonly TrafficNode[], note: DeliveryNote | TroubleNote): boolean {
	const toolUseId = note.nancy === 'delivery' ? note.toolUseId : undefined;
	const node = nodes.find(
		({ event }) =>
			event.event === note.event &&
			(toolUseId === undefined || event.toolUseId === toolUseId) &&
			event.subagent === undefined,
	);
	if (!node) return false;
	if (note.nancy === 'delivery') node.deliveries.push(note);
	else node.troubles.push(note);
	return true;
}

function callOf(event: AgentEvent): string {
	return event.toolUseId ?? `${event.subagent ?? ''}/${event.tool ?? ''}`;
}
