import type { InitializeResponse } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import { isAtLeast, parseVersion } from '../base/version.ts';
import { steeredByPrompt } from '../drivers/acp.ts';
import { promptOf } from './acpPrompt.ts';

/** Not of the protocol itself. Seen in the adapters of Claude (0.100.0) and Codex (2.6.0). */
export const STEER = '_session/steering';

const Meta = z.object({ steering: z.object({ supported: z.literal(true) }) });

/** How an agent takes words in the middle of a turn: by a request of its own, or as a second prompt. `none` where it has not said so. */
export function steeringBy({
	_meta,
	agentInfo,
}: Pick<InitializeResponse, '_meta' | 'agentInfo'>): 'request' | 'prompt' | 'none' {
	if (Meta.safeParse(_meta).success) return 'request';
	const version = parseVersion(agentInfo?.version ?? '');
	const isKnown = steeredByPrompt.some(
		({ name, oldestVersion }) => name === agentInfo?.name && version && isAtLeast(version, oldestVersion),
	);
	return isKnown ? 'prompt' : 'none';
}

/** Words for the turn that runs. Where there is none they remain with who has sent them. */
export function steeringOf(sessionId: string, text: string): object {
	return {
		sessionId,
		prompt: promptOf(text),
		_meta: { steering: { idleBehavior: 'promptRequired' } },
	};
}

const Answer = z.object({ outcome: z.enum(['injected', 'startedNewTurn', 'promptRequired']) });

/** Whether the agent has the words. It may have begun a turn with them, although it was asked not to. */
export function hasTaken(answer: unknown): boolean {
	return Answer.parse(answer).outcome !== 'promptRequired';
}
