import type { Delivery, HookAnswer } from '../../core/driver/driver.ts';
import type { AgentEvent } from '../../protocol/traffic.ts';
import { handedOver, wordsWithPause } from '../answers.ts';

/**
 * The answer that hands a delivery over. Context alone never decides about a permission; the only decisions ever made are the denial
 * of a halt or a pause, and that of an end, which keeps the agent going. The CLI can end a turn at a hook's word (`continue: false`),
 * but then drops what the hook said: the model never reads it.
 */
export function deliveryAnswer(event: AgentEvent, delivery: Delivery): HookAnswer {
	return handedOver(event, output(event, wordsWithPause(delivery)));
}

function output({ kind, event }: AgentEvent, words: string): object {
	if (kind === 'tool-start' || kind === 'stop') return { decision: 'deny', reason: words };
	return { hookSpecificOutput: { hookEventName: event, additionalContext: words } };
}
