import type { Delivery, HookAnswer } from '../../core/driver/hooks.ts';
import type { AgentEvent } from '../../protocol/traffic.ts';
import { handedOver, wordsWithPause } from '../answers.ts';

/**
 * The answer that hands a delivery over. Context alone never decides about a permission. The only decisions are the denial of a halt or a
 * pause, and the block that keeps the agent going at Stop. `continue: false` makes an error of the last result, and the turn goes on all
 * the same.
 */
export function deliveryAnswer(event: AgentEvent, delivery: Delivery): HookAnswer {
	const words = wordsWithPause(delivery);
	if (event.kind === 'stop') return handedOver(event, { decision: 'block', reason: words });
	const output =
		event.kind === 'tool-start'
			? { permissionDecision: 'deny', permissionDecisionReason: words }
			: { additionalContext: words };
	return handedOver(event, { hookSpecificOutput: { hookEventName: event.event, ...output } });
}
