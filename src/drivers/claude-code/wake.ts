import type { HookAnswer } from '../../core/driver/hooks.ts';
import { waking } from '../answers.ts';

/** Shown to the user as `● …`, and the model's title of the notification. @internal in the CLI: it may go. */
export const WAKE_SUMMARY = 'Nancy: a message for you';

/** Put before the doorbell line by the CLI. */
export const WAKE_MESSAGE = 'Nancy:';

type WakeRung = 'wake' | 'waiter';

/**
 * The doorbell's text. The message itself is in the context of the following prompt, outside the wrapper that calls a wake "not user
 * input". The two rungs have different texts, so that the receipt can name the rung.
 */
const bellLines: Readonly<Record<WakeRung, string>> = {
	wake: 'The message is in the context of this prompt.',
	waiter: 'The context of this prompt has the message.',
};

export function wakeAnswer(rung: WakeRung): HookAnswer {
	return waking(bellLines[rung], rung);
}

/** Which of Nancy's rungs caused this prompt; undefined for another tool's notification. */
export function rungOfWake(prompt: string): WakeRung | undefined {
	if (prompt.includes(bellLines.wake)) return 'wake';
	return prompt.includes(bellLines.waiter) ? 'waiter' : undefined;
}
