import { SILENT, type Beginning, type Delivery, type HookAnswer } from '../core/driver/hooks.ts';
import type { AgentEvent } from '../protocol/traffic.ts';

/** The answer of a hook to its CLI, as one line of JSON. It hands nothing over. */
export function printed(output: object): HookAnswer {
	return { ...SILENT, stdout: `${JSON.stringify(output)}\n` };
}

/** The answer to a session's start, of the CLIs that read context in this form and watch nothing. */
export function introduced(event: AgentEvent, { words }: Beginning): HookAnswer {
	if (event.kind !== 'session-start' || words === '') return SILENT;
	return printed({ hookSpecificOutput: { hookEventName: event.event, additionalContext: words } });
}

/** A delivery, by the rung that caused the event. */
export function handedOver(event: AgentEvent, output: object): HookAnswer {
	return { ...printed(output), rung: event.wakeRung ?? 'hook' };
}

/** The end of a hook that wakes an idle agent with these words. */
export function waking(words: string, rung: 'wake' | 'waiter'): HookAnswer {
	return { stdout: '', stderr: `${words}\n`, exitCode: 2, rung };
}

/** The text of a delivery for a CLI that cannot end a turn by a hook, or whose agent would then not read the text. */
export function wordsWithPause({ text, effect }: Delivery): string {
	return effect === 'pause' ? text + PAUSE : text;
}

const PAUSE =
	'\n\n[Nancy] This is a pause: end your turn now, without another tool call, and wait for the next prompt.';
