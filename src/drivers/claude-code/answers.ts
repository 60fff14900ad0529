import { SILENT, type Beginning, type Delivery, type HookAnswer } from '../../core/driver/hooks.ts';
import type { AgentEvent } from '../../protocol/traffic.ts';
import { handedOver, printed } from '../answers.ts';
import { hasQuietStop } from './versions.ts';

/** Shown in the agent's terminal when a message ends its turn. */
const PAUSED = 'Paused by a message from Nancy. It goes on with your next prompt.';

/**
 * The answer that hands a delivery over. Context alone never decides about a permission; the only decision ever made is the
 * denial of a halt or a pause.
 */
export function deliveryAnswer(event: AgentEvent, delivery: Delivery): HookAnswer {
	const { text, effect } = delivery;
	switch (event.kind) {
		case 'tool-start':
			if (effect === 'none') break;
			return handedOver(event, {
				...(effect === 'pause' && { continue: false, stopReason: PAUSED }),
				hookSpecificOutput: {
					hookEventName: event.event,
					permissionDecision: 'deny',
					permissionDecisionReason: text,
				},
			});
		case 'batch-end':
			if (effect !== 'pause') break;
			return handedOver(event, {
				continue: false,
				stopReason: PAUSED,
				hookSpecificOutput: { hookEventName: event.event, additionalContext: text },
			});
		case 'stop':
			if (hasQuietStop(delivery.version)) break;
			return handedOver(event, { decision: 'block', reason: text });
		default:
			break;
	}
	return handedOver(event, { hookSpecificOutput: { hookEventName: event.event, additionalContext: text } });
}

/** A session watches its doorbell from its start on, and loses the watch whenever it changes its folder. */
export function beginAnswer(event: AgentEvent, { bell, words }: Beginning): HookAnswer {
	if (event.kind !== 'session-start' && event.kind !== 'folder-changed') return SILENT;
	const context = words === '' ? {} : { additionalContext: words };
	const output = { hookEventName: event.event, watchPaths: [bell], ...context };
	return { ...printed({ hookSpecificOutput: output }), watches: true };
}
