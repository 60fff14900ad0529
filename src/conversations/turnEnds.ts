import type { StopReason } from '@agentclientprotocol/sdk';

/** How a turn ended, or the agent's words for why it did not. */
export type Stopped = StopReason | { error: string };

/** What a terminal says of how a turn ended; nothing of one that ended by itself. */
export const STOPPED: Readonly<Record<string, string>> = {
	cancelled: 'interrupted',
	max_tokens: 'the answer reached its limit of tokens',
	max_turn_requests: 'the turn reached its limit of requests',
	refusal: 'the model refused',
};

/** Why a turn failed; `undefined` for one that ended by itself. */
export function failureOf(stopped: Stopped): string | undefined {
	return typeof stopped === 'string' ? STOPPED[stopped] : stopped.error;
}

/** How a turn ends whose prompt is in the conversation. What a model refuses, the agent may drop. */
export const READ: ReadonlySet<string> = new Set([
	'end_turn',
	'max_tokens',
	'max_turn_requests',
] satisfies StopReason[]);
