/** A call of a tool that the agent offers. */
export interface BoundCall {
	name: string;
	input: Record<string, unknown>;
	isFreeform: boolean;
	namespace?: string | undefined;
}

/** A reply whose calls are calls of tools that the agent offers. */
export interface BoundReply {
	text: string;
	calls: BoundCall[];
	/** Milliseconds over which the text trickles out, word by word. */
	slowMs: number;
}
