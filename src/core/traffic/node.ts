import type { AgentEvent, DeliveryNote, TroubleNote } from '../../protocol/traffic.ts';

/**
 * The outcome of a tool call, `running` until an event tells. For a question to the user it is the answer: `ok` if the call ran.
 * `denied`: it was not run. `interrupted`: the turn was broken off before its end. `unreported`: the step is over, and the CLI has not said
 * how the call ended.
 */
export type Outcome = 'running' | 'waiting' | 'ok' | 'failed' | 'denied' | 'unreported' | 'interrupted';

/** One event as shown: a tool call with its beginning and end in one, or anything else that happened. */
export interface TrafficNode {
	/** The id of the record that began the event: the payload is found by it. */
	id: string;
	/** The id of the record that ended the event. */
	endId?: string;
	at: string;
	event: AgentEvent;
	/** The common name of its tool, over all CLIs. */
	tool?: string;
	/** Its summary is the path of a file that the tool works on. */
	isOnFile?: true;
	/** For tool calls, and for questions to the user. */
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
