import type { Receipt } from '../../protocol/records.ts';

/** How to read a CLI's own record of a session: a file of JSON lines. */
export interface TranscriptFormat {
	/** Folds one line into what is known so far. Lines it does not know leave it unchanged. */
	fold(known: TranscriptFacts, line: unknown): TranscriptFacts;
	/**
	 * Whether a delivery at such an event is in the record at the latest when its turn is over, and stays in it. If so, a text that is not
	 * there never reached the model.
	 */
	keepsDelivery(receipt: Pick<Receipt, 'event' | 'parts'>): boolean;
	/** A record of Nancy's own: what it lacks was not read, however often that was found. */
	readonly isNancys: boolean;
	/** The agent's own words in a line, without a subagent's. `none` for a CLI whose event at the end of a turn has them. */
	readonly words: ((line: unknown) => AgentWords | undefined) | 'none';
}

export interface AgentWords {
	/** UTC, ISO 8601. */
	readonly at: string;
	readonly text: string;
}

/** One of the limits of the user's account with the agent's service. */
export interface RateLimit {
	/** The length of the time that it is for. */
	minutes: number | undefined;
	usedPercent: number;
	/** UTC, ISO 8601. */
	resetsAt: string | undefined;
}

/**
 * Who answered when a CLI asked about a call. `hook`: one of the CLI's hooks, as Nancy's answers do. `other`: the person at the CLI, or a rule.
 * `nobody`: the turn was broken off before the call ran. `unknown`: it was broken off while the call ran.
 */
export type Decider = 'hook' | 'other' | 'nobody' | 'unknown';

export interface TranscriptFacts {
	model: string | undefined;
	/** Tokens in the context window after the last reply. */
	contextTokens: number | undefined;
	contextWindow: number | undefined;
	inputTokens: number;
	outputTokens: number;
	costUsd: number | undefined;
	/** As the service last reported them. Empty for a CLI that records none. */
	limits: readonly RateLimit[];
	/** Texts that hooks put into the conversation, to match against what was delivered. */
	deliveredTexts: readonly string[];
	/** Texts that the model has not answered yet, if the CLI may take them back with a prompt that is broken off. */
	unansweredTexts: readonly string[];
	/** The newest call that is over, if the record says who answered when the CLI asked about it. */
	decided: { readonly call: string; readonly by: Decider } | undefined;
	/** Nothing before this time can be in the record; `undefined` if all of the session can. UTC, ISO 8601. */
	beginsAt: string | undefined;
	/** When the user broke off the turn (no hook tells). */
	interruptedAt: string | undefined;
	/** When a turn was last seen to be over: broken off by the user, or followed by another prompt. UTC, ISO 8601. */
	turnOverAt: string | undefined;
	/** The parent of the newest prompt, if the record is a tree. Another prompt with the same parent replaces it. */
	promptParent: string | undefined;
	/** Id of the last reply counted, so that records repeating it are not counted twice. */
	lastReply: string | undefined;
}

export const NO_FACTS: TranscriptFacts = {
	model: undefined,
	contextTokens: undefined,
	contextWindow: undefined,
	inputTokens: 0,
	outputTokens: 0,
	costUsd: undefined,
	limits: [],
	deliveredTexts: [],
	unansweredTexts: [],
	promptParent: undefined,
	decided: undefined,
	beginsAt: undefined,
	interruptedAt: undefined,
	turnOverAt: undefined,
	lastReply: undefined,
};
