import type { AgentEvent, DeliveryNote, TrafficRecord, TroubleNote } from '../../protocol/traffic.ts';
import type { DriverId } from '../../protocol/names.ts';
import type { EventWords } from '../driver/eventWords.ts';
import type { TrafficNode, Turn } from './node.ts';
import { OpenCalls } from './openCalls.ts';

/** Arranges a session's records (oldest first) into turns, one by one: a live view does not rearrange everything at each event. */
export class TurnArranger {
	readonly turns: Turn[] = [];
	private count = 0;
	private readonly calls = new OpenCalls(event => this.wordsOf(event.driver)?.reportsEveryEnd ?? true);
	/** Notes whose event has not been seen yet: hook and collector run side by side. */
	private early: (DeliveryNote | TroubleNote)[] = [];

	/**
	 * @param wordsOf how a CLI's events are read
	 * @param mostNodes older ones go if there are more, so that a session of days stays small in memory
	 */
	constructor(
		private readonly wordsOf: (driver: DriverId) => EventWords | undefined,
		private readonly mostNodes = Infinity,
	) {}

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
				return;
			case 'status':
			// The call that brought it has a row of its own.
		}
	}

	private addEvent(id: string, at: string, event: AgentEvent): void {
		if (event.kind === 'message-shown') return;
		const turn = this.turnFor(id, at, event);
		if (this.calls.settle(id, at, event)) return;
		const node: TrafficNode = { id, at, event, deliveries: [], troubles: [] };
		if (event.durationMs !== undefined) node.durationMs = event.durationMs;
		const words = this.wordsOf(event.driver);
		if (event.tool !== undefined) node.tool = commonName(words?.tools, event.tool);
		if (event.tool !== undefined && words?.files.includes(event.tool)) node.isOnFile = true;
		this.calls.begin(node);
		turn.nodes.push(node);
		if (++this.count > this.mostNodes) this.forgetOldest();
		this.early = this.early.filter(note => !attach([node], note));
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
			isAt(event, note) &&
			(toolUseId === undefined || event.toolUseId === toolUseId) &&
			event.subagent === undefined,
	);
	if (!node) return false;
	if (note.nancy === 'delivery') node.deliveries.push(note);
	else node.troubles.push(note);
	return true;
}

/** What an agent asked for, it got at the call of that tool, which each CLI names in its own way. */
function isAt(event: AgentEvent, note: DeliveryNote | TroubleNote): boolean {
	if (note.nancy === 'delivery' && note.rung === 'tool') return event.tool?.endsWith(note.event) === true;
	return event.event === note.event;
}

/** The name that all CLIs share. A model may call a tool anything, `constructor` too. */
function commonName(tools: Readonly<Record<string, string>> = {}, tool: string): string {
	return (Object.hasOwn(tools, tool) ? tools[tool] : undefined) ?? tool;
}
