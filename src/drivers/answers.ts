import { SILENT, type Delivery, type HookAnswer } from '../core/driver/driver.ts';
import type { AgentEvent } from '../protocol/traffic.ts';

/** What a hook says to its CLI: one line of JSON. It hands nothing over. */
export function printed(output: object): HookAnswer {
	return { ...SILENT, stdout: `${JSON.stringify(output)}\n` };
}

/** Words handed over, by the rung that brought the event about. */
export function handedOver(event: AgentEvent, output: object): HookAnswer {
	return { ...printed(output), rung: event.wakeRung ?? 'hook' };
}

/** The end of a hook that wakes an idle agent with these words. */
export function waking(words: string, rung: 'wake' | 'waiter'): HookAnswer {
	return { stdout: '', stderr: `${words}\n`, exitCode: 2, rung };
}

/** The words of a delivery to a CLI that ends no turn at a hook's word, or not with words that the agent reads. */
export function wordsWithPause({ text, effect }: Delivery): string {
	return effect === 'pause' ? text + PAUSE : text;
}

const PAUSE =
	'\n\n[Nancy] This is a pause: end your turn now, without another tool call, and wait for the next prompt.';
