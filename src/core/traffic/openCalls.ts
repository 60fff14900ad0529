import type { AgentEvent } from '../../protocol/traffic.ts';
import type { Outcome, TrafficNode } from './node.ts';

/** How many calls with a concluded end are remembered. The event of the real end comes within a second, if at all. */
const MOST_CONCLUDED = 100;

interface End {
	id: string;
	at: string;
	event: AgentEvent;
}

/** The tool calls and questions of a session that have no end yet. Gives each its outcome as events tell it. */
export class OpenCalls {
	/** By the call's id, or by tool if the CLI gives none. */
	private readonly open = new Map<string, TrafficNode>();
	/** Calls whose end was concluded from a later event. Hooks run side by side, so their own end may come after that event. */
	private readonly concluded = new Map<string, TrafficNode>();
	/** Calls that an event has told denied. Some CLIs report them as failed after that. */
	private readonly refused = new Set<string>();
	/** Questions without an answer, each with the call that it is about, if that is known. */
	private readonly questions = new Map<TrafficNode, TrafficNode | undefined>();
	/** The call about which the user may be asked next. */
	private checked: TrafficNode | undefined;
	/** Subagents that have started and not stopped. They may go on after the agent's own turn. */
	private readonly subagents = new Set<string>();

	/** @param reportsEveryEnd whether this event's CLI reports the end of every call that ran */
	constructor(private readonly reportsEveryEnd: (event: AgentEvent) => boolean) {}

	/** A row begins: a call, or a question. */
	begin(node: TrafficNode): void {
		const { event } = node;
		if (event.kind === 'tool-start') {
			node.outcome = 'running';
			this.open.set(callOf(event), node);
		} else if (event.kind === 'permission-asked') {
			this.ask(node, this.find(event));
		} else if (event.kind === 'notification' && event.tells === 'asked' && this.questions.size === 0) {
			// Where the question itself was reported, this only repeats it.
			this.ask(node, this.checked?.endId === undefined ? this.checked : undefined);
		}
	}

	/** Takes in an event. True if it only completes a row that is there. */
	settle(id: string, at: string, event: AgentEvent): boolean {
		const end = { id, at, event };
		switch (event.kind) {
			case 'tool-end':
				return this.endCall(end, 'ok');
			case 'tool-failed':
				return this.endCall(end, 'failed');
			case 'permission-check':
				this.checked = this.find(event);
				return false;
			case 'permission-answered':
				this.allow();
				return false;
			case 'permission-denied':
				this.deny(end);
				return false;
			case 'notification':
				if (event.tells === 'answered') this.allow();
				return false;
			case 'subagent-start':
				if (event.subagent !== undefined) this.subagents.add(event.subagent);
				return false;
			default:
				this.closeAfter(end);
				return false;
		}
	}

	private ask(question: TrafficNode, call: TrafficNode | undefined): void {
		question.outcome = 'waiting';
		if (call?.outcome === 'running') call.outcome = 'waiting';
		this.questions.set(question, call);
	}

	private allow(): void {
		for (const call of this.open.values()) if (call.outcome === 'waiting') call.outcome = 'running';
		this.answer('ok');
	}

	/** An end that names no call is that of every call that waits. */
	private deny(end: End): void {
		const isNamed = end.event.tool !== undefined || end.event.toolUseId !== undefined;
		const named = isNamed ? [this.find(end.event)] : [...this.open.values()].filter(isWaiting);
		for (const call of named) {
			if (!call) continue;
			this.close(call, end, 'denied');
			if (call.event.toolUseId !== undefined) this.refused.add(call.event.toolUseId);
		}
		if (!isNamed) this.answer('denied');
	}

	private endCall(end: End, outcome: 'ok' | 'failed'): boolean {
		const key = callOf(end.event);
		if (outcome === 'failed' && this.refused.delete(key)) return true;
		const call = this.find(end.event) ?? this.concluded.get(key);
		this.concluded.delete(key);
		if (!call) return false;
		this.close(call, end, outcome, end.event.durationMs);
		return true;
	}

	/** Closes what cannot go on after this event. No event tells that a user broke off or said no; the next turn does. */
	private closeAfter(end: End): void {
		const { kind, subagent, cause, isWake } = end.event;
		const over = this.reportsEveryEnd(end.event) ? 'denied' : 'unreported';
		switch (kind) {
			case 'batch-end':
				return this.closeAll(end, over, call => call.event.subagent === subagent);
			case 'subagent-stop':
				if (subagent !== undefined) this.subagents.delete(subagent);
				return this.closeAll(end, over, call => subagent !== undefined && call.event.subagent === subagent);
			case 'stop':
				return this.closeAll(end, over, call => this.endsWith(subagent, call));
			case 'prompt':
				return this.closeAll(end, 'interrupted', call =>
					isWake === true || subagent !== undefined ? this.endsWith(subagent, call) : true,
				);
			case 'session-start':
				// Compaction goes on in the middle of a turn.
				if (cause === 'compact') return undefined;
				return this.closeAll(end, 'interrupted', call => belongsTo(subagent, call));
			case 'stop-failed':
			case 'interrupted':
			case 'session-end':
				return this.closeAll(end, 'interrupted', call => belongsTo(subagent, call));
			default:
				return undefined;
		}
	}

	/** Whether a call ends with the turn of its agent. A subagent that was started may still be at work. */
	private endsWith(subagent: string | undefined, { event }: TrafficNode): boolean {
		if (subagent !== undefined || event.subagent === undefined) return event.subagent === subagent;
		return !this.subagents.has(event.subagent);
	}

	private closeAll(end: End, outcome: Outcome, isOver: (call: TrafficNode) => boolean): void {
		for (const call of this.open.values()) {
			if (!isOver(call)) continue;
			this.close(call, end, outcome);
			// Without an id, a later call of the same tool would be taken for this one.
			if (call.event.toolUseId !== undefined) this.concluded.set(call.event.toolUseId, call);
		}
		for (const [question, call] of this.questions) if (!call && isOver(question)) this.reply(question, outcome);
		for (const key of this.concluded.keys()) {
			if (this.concluded.size <= MOST_CONCLUDED) break;
			this.concluded.delete(key);
		}
	}

	private close(call: TrafficNode, { id, at }: End, outcome: Outcome, durationMs?: number): void {
		call.outcome = outcome;
		call.endId = id;
		// The time until it was clear that a call was not run is no duration.
		if (outcome !== 'denied' && outcome !== 'unreported')
			call.durationMs = durationMs ?? Math.max(0, Date.parse(at) - Date.parse(call.at));
		this.open.delete(callOf(call.event));
		for (const [question, about] of this.questions)
			if (about === call) this.reply(question, outcome === 'failed' ? 'ok' : outcome);
	}

	private answer(outcome: Outcome): void {
		for (const question of this.questions.keys()) this.reply(question, outcome);
	}

	private reply(question: TrafficNode, outcome: Outcome): void {
		question.outcome = outcome;
		this.questions.delete(question);
	}

	private find(event: AgentEvent): TrafficNode | undefined {
		const exact = this.open.get(callOf(event));
		if (exact || event.toolUseId !== undefined || event.tool === undefined) return exact;
		return [...this.open.values()].findLast(
			node => node.event.tool === event.tool && node.event.subagent === event.subagent,
		);
	}
}

function isWaiting({ outcome }: TrafficNode): boolean {
	return outcome === 'waiting';
}

/** Everything belongs to the main agent. */
function belongsTo(subagent: string | undefined, { event }: TrafficNode): boolean {
	return subagent === undefined || event.subagent === subagent;
}

function callOf(event: AgentEvent): string {
	return event.toolUseId ?? `${event.subagent ?? ''}/${event.tool ?? ''}`;
}
