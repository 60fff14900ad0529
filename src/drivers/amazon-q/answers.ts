import { SILENT, type Delivery, type HookAnswer } from '../../core/driver/hooks.ts';
import type { AgentEvent } from '../../protocol/traffic.ts';
import { wordsWithPause } from '../answers.ts';

/**
 * Plain words. At a prompt the CLI adds what a hook prints to the context. Before a tool the hook's line makes them the reason of a denial: see
 * hooks.ts. No other answer of a hook reaches the model.
 */
export function deliveryAnswer(event: AgentEvent, delivery: Delivery): HookAnswer {
	return { ...SILENT, stdout: `${wordsWithPause(delivery)}\n`, rung: event.wakeRung ?? 'hook' };
}
