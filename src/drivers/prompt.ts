import { WAKE_PROMPT } from '../core/driver/hooks.ts';
import type { AgentEvent } from '../protocol/traffic.ts';
import { oneLine } from './summary.ts';

type Rung = NonNullable<AgentEvent['wakeRung']>;

/**
 * The meaning of a prompt.
 * @param wake Nancy's rung that woke the agent with it; `true` for another prompt that nobody typed
 */
export function promptDetails(prompt: string, wake: Rung | boolean): Partial<AgentEvent> {
	const isWake = wake !== false;
	const typed = prompt.trim() === WAKE_PROMPT ? 'keys' : undefined;
	return {
		isWake,
		wakeRung: typeof wake === 'string' ? wake : typed,
		summary: isWake ? undefined : oneLine(prompt),
	};
}
