import type { Delivery, HookAnswer } from '../../core/driver.ts';
import type { AgentEvent } from '../../protocol/traffic.ts';

/** The CLI ends no turn at a hook's word: an answer with `continue: false` is thrown away as a whole, denial included. */
const PAUSE =
	'\n\n[Nancy] This is a pause: end your turn now, without another tool call, and wait for the next prompt.';

/**
 * The answer that hands a delivery over. Context alone never decides about a permission; the only decisions ever made are the
 * denial of a halt or a pause, and the block that keeps the agent going at Stop. One unknown key, and the CLI throws the whole
 * answer away and goes on.
 */
export function deliveryAnswer(event: AgentEvent, { text, effect }: Delivery): HookAnswer {
	const words = effect === 'pause' ? text + PAUSE : text;
	const rung = event.wakeRung ?? 'hook';
	if (event.kind === 'stop') return answer(rung, { decision: 'block', reason: text });
	if (event.kind === 'tool-start' && effect !== 'none') {
		return answer(rung, {
			hookSpecificOutput: {
				hookEventName: event.event,
				permissionDecision: 'deny',
				permissionDecisionReason: words,
			},
		});
	}
	return answer(rung, { hookSpecificOutput: { hookEventName: event.event, additionalContext: words } });
}

function answer(rung: NonNullable<HookAnswer['rung']>, output: object): HookAnswer {
	return { stdout: `${JSON.stringify(output)}\n`, stderr: '', exitCode: 0, rung };
}
