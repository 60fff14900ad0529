import type { Delivery, HookAnswer } from '../../core/driver/hooks.ts';
import type { AgentEvent } from '../../protocol/traffic.ts';
import { handedOver } from '../answers.ts';

/**
 * The answer that hands a delivery over, in the protocol of Nancy's own plugin (plugin.ts). Context alone never decides about a permission.
 * The only decision is the denial of a halt or a pause.
 */
export function deliveryAnswer(event: AgentEvent, { text, effect }: Delivery): HookAnswer {
	return handedOver(event, output(event, text, effect));
}

function output({ kind }: AgentEvent, text: string, effect: Delivery['effect']): object {
	switch (kind) {
		case 'tool-start':
			return { deny: text, pause: effect === 'pause' };
		case 'stop':
			return { prompt: text };
		default:
			return { context: text, pause: effect === 'pause' };
	}
}
