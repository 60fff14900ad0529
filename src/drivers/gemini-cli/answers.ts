import type { Delivery, HookAnswer } from '../../core/driver.ts';
import type { AgentEvent } from '../../protocol/traffic.ts';

/**
 * The answer that hands a delivery over. Context alone never decides about a permission; the only decisions ever made are the denial
 * of a halt or a pause, and that of an end, which keeps the agent going.
 */
export function deliveryAnswer(event: AgentEvent, { text, effect }: Delivery): HookAnswer {
	return {
		stdout: `${JSON.stringify(output(event, text, effect))}\n`,
		stderr: '',
		exitCode: 0,
		rung: event.wakeRung ?? 'hook',
	};
}

function output({ kind, event }: AgentEvent, text: string, effect: Delivery['effect']): object {
	const words = effect === 'pause' ? text + PAUSE : text;
	if (kind === 'tool-start' || kind === 'stop') return { decision: 'deny', reason: words };
	return { hookSpecificOutput: { hookEventName: event, additionalContext: words } };
}

/** The CLI can end a turn at a hook's word (`continue: false`), but then drops what the hook said: the model never reads it. */
const PAUSE =
	'\n\n[Nancy] This is a pause: end your turn now, without another tool call, and wait for the next prompt.';
