import type { InitializeResponse } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';

/** Not of the protocol itself. Seen in the adapters of Claude (0.100.0) and Codex (2.6.0). */
export const STEER = '_session/steering';

const Meta = z.object({ steering: z.object({ supported: z.literal(true) }) });

/** Whether an agent has said that it takes words in the middle of a turn. */
export function takesSteering({ _meta }: Pick<InitializeResponse, '_meta'>): boolean {
	return Meta.safeParse(_meta).success;
}

/** Words for the turn that runs. Where there is none they remain with who has sent them. */
export function steeringOf(sessionId: string, text: string): object {
	return {
		sessionId,
		prompt: [{ type: 'text', text }],
		_meta: { steering: { idleBehavior: 'promptRequired' } },
	};
}

const Answer = z.object({ outcome: z.enum(['injected', 'startedNewTurn', 'promptRequired']) });

/** Whether the agent has the words. It may have begun a turn with them, although it was asked not to. */
export function hasTaken(answer: unknown): boolean {
	return Answer.parse(answer).outcome !== 'promptRequired';
}
