/** A call of a tool that the agent offers. */
export interface BoundCall {
	name: string;
	input: Record<string, unknown>;
	isFreeform: boolean;
	namespace?: string | undefined;
}

/** What every request is said to have had, in tokens, unless a script says otherwise. */
export const PROMPT_TOKENS = 100;

/** A reply whose calls are calls of tools that the agent offers. */
export interface BoundReply {
	text: string;
	calls: BoundCall[];
	/** Milliseconds over which the text trickles out, word by word. */
	slowMs: number;
	/** Tokens that the request is said to have had. */
	promptTokens: number;
}
