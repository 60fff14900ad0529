import type { Delivery, HookAnswer } from '../../core/driver/hooks.ts';
import type { AgentEvent } from '../../protocol/traffic.ts';
import { handedOver } from '../answers.ts';

/**
 * The answer that hands a delivery over. Context alone never decides about a permission. The only decisions are the denial of a halt or a
 * pause, and the block that keeps the agent going at its stop.
 */
export function deliveryAnswer(event: AgentEvent, { text, effect }: Delivery): HookAnswer {
	return handedOver(event, output(event, text, effect));
}

function output({ kind }: AgentEvent, text: string, effect: Delivery['effect']): object {
	switch (kind) {
		case 'tool-start':
			return { permissionDecision: 'deny', permissionDecisionReason: text };
		case 'permission-check':
			// Only here can a hook end the turn. The text is in the tool's result, which the model reads with the next prompt.
			return { behavior: 'deny', message: text, interrupt: effect === 'pause' };
		case 'stop':
			return { decision: 'block', reason: text };
		default:
			return { additionalContext: text };
	}
}
