import type { Delivery, HookAnswer } from '../../core/driver/hooks.ts';
import type { AgentEvent } from '../../protocol/traffic.ts';
import { handedOver, wordsWithPause } from '../answers.ts';

/**
 * The answer that hands a delivery over. Context alone never decides about a permission. The only decisions are the denial of a halt or a
 * pause, and the denial of an end, which keeps the agent going. A hook can end the turn (`continue: false`), but the CLI then drops the
 * hook's text, and the model never reads it.
 */
export function deliveryAnswer(event: AgentEvent, delivery: Delivery): HookAnswer {
	return handedOver(event, output(event, wordsWithPause(delivery)));
}

function output({ kind, event }: AgentEvent, words: string): object {
	if (kind === 'tool-start' || kind === 'stop') return { decision: 'deny', reason: words };
	return { hookSpecificOutput: { hookEventName: event, additionalContext: words } };
}
