import type { Delivery, HookAnswer } from '../../core/driver/hooks.ts';
import type { AgentEvent } from '../../protocol/traffic.ts';
import { handedOver, wordsWithPause } from '../answers.ts';

/**
 * The answer that hands a delivery over. Context alone never decides about a permission. The only decisions are the denial of a halt or a
 * pause, and the block that keeps the agent going at Stop. If one key is unknown, the CLI drops the whole answer and goes on. It does the
 * same for `continue: false`, so a hook cannot end a turn.
 */
export function deliveryAnswer(event: AgentEvent, delivery: Delivery): HookAnswer {
	const words = wordsWithPause(delivery);
	if (event.kind === 'stop') return handedOver(event, { decision: 'block', reason: delivery.text });
	if (event.kind === 'tool-start' && delivery.effect !== 'none') {
		return handedOver(event, {
			hookSpecificOutput: {
				hookEventName: event.event,
				permissionDecision: 'deny',
				permissionDecisionReason: words,
			},
		});
	}
	return handedOver(event, { hookSpecificOutput: { hookEventName: event.event, additionalContext: words } });
}
