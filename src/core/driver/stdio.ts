import type { Choice, Field, Reply } from '../../protocol/question.ts';
import type { AcpAgent } from './acp.ts';

/**
 * How a CLI is talked with by lines of JSON of its own on its standard input and output. Its own hooks report what it does, hand messages over
 * and wake it, as in its own terminal.
 */
export interface StdioAgent extends Pick<AcpAgent, 'read' | 'noYes' | 'toolOf'> {
	/** The request that begins a conversation; {@link StdioLine} `begun` answers it. */
	begin(): string;
	/** A message of the user's: a turn, or words for the turn that runs. @param id comes back with `read` */
	prompt(text: string, id: string): string;
	/** Breaks the turn off. */
	interrupt(): string;
	/** Reads the lines of one conversation, one after the other. The result is `undefined` for a line that is no JSON. */
	reader(): (line: string) => readonly StdioLine[] | undefined;
	/** What a typed answer decides. */
	decisionOf(question: StdioQuestion, reply: Reply): Decision;
	/** What the guard has printed of a question that it held; `undefined` if that is no answer. */
	decisionIn(printed: string): Decision | undefined;
	/** The answer to a question. */
	reply(question: StdioQuestion, decision: Decision): string;
	/** The answer to a request that Nancy does not know. */
	refusal(id: string): string;
	/** The event that tells of an answer. */
	answered(question: StdioQuestion, answer: 'taken' | 'ended' | 'terminal'): { event: string; payload: object };
}

/** The CLI's own form of an answer. */
export interface Decision {
	readonly isYes: boolean;
	/** A No that ends the turn. */
	readonly isEnd: boolean;
	readonly said: object;
}

/** A permission question of the CLI. */
export interface StdioQuestion {
	/** Names it until it is answered or withdrawn. */
	readonly id: string;
	readonly session: string;
	/** As the Agent Client Protocol tells of a call. */
	readonly toolCall: {
		readonly toolCallId: string;
		readonly title?: string;
		readonly rawInput?: unknown;
		readonly content: ToolContent[];
		readonly _meta: Record<string, unknown>;
	};
	readonly choices: readonly Choice[];
	readonly fields: readonly Field[];
	readonly input: unknown;
	/** What the guard holds at the desk, and tells of it. */
	readonly payload: object;
	/** A subagent asks, which may run beside the turn. */
	readonly isBeside: boolean;
}

/** What a line of the CLI's says. */
export type StdioLine =
	| { readonly is: 'begun' }
	| { readonly is: 'session'; readonly session: string }
	/** A turn begins: that of a prompt, or one of the CLI's own. */
	| { readonly is: 'turn' }
	| { readonly is: 'update'; readonly update: TalkUpdate }
	/** A message of the user's has come to the model. */
	| { readonly is: 'read'; readonly id: string }
	| { readonly is: 'asked'; readonly question: StdioQuestion }
	/** A request that is none of these: the CLI waits until it is answered. */
	| { readonly is: 'unknown'; readonly id: string }
	/** Nobody has to answer this question any more. */
	| { readonly is: 'withdrawn'; readonly id: string }
	/** The turn is over. */
	| { readonly is: 'over'; readonly stopped: 'end_turn' | 'cancelled' | 'refusal' }
	| { readonly is: 'failed'; readonly reason: string }
	/** Something that its user should know. */
	| { readonly is: 'note'; readonly text: string };

type ToolContent =
	| { type: 'content'; content: { type: 'text'; text: string } }
	| { type: 'diff'; path: string; oldText: string | null; newText: string };

/** The updates of the Agent Client Protocol that a terminal shows. */
export type TalkUpdate =
	| { sessionUpdate: 'agent_message_chunk'; content: { type: 'text'; text: string } }
	| {
			sessionUpdate: 'tool_call';
			toolCallId: string;
			title: string;
			status: 'in_progress';
			rawInput: unknown;
			content: ToolContent[];
	  }
	| { sessionUpdate: 'tool_call_update'; toolCallId: string; status: 'completed' | 'failed' }
	| { sessionUpdate: 'usage_update'; used: number; size: number; cost?: { amount: number; currency: string } }
	| { sessionUpdate: 'available_commands_update'; availableCommands: { name: string; description: string }[] };

/**
 * Set for an agent that is talked with so: its hooks take it for a run without a person, and a person is there. The value is the pid of the
 * program that talks with it and has started it. What the agent starts inherits it.
 */
export const TALKED_WITH = 'NANCY_TALKED_WITH';
