import type { HookAnswer } from '../core/driver/hooks.ts';
import { waking } from './answers.ts';

/** To an idle agent; the messages are in the context of the same prompt. No person types these words, so the receipt can name the rung. */
export const WAKE_WORDS = 'Nancy has a message for you. It is in the context of this prompt.';

/** For a program of Nancy's beside the agent: to wake it with these words. */
export function wakeAnswer(rung: 'wake' | 'waiter'): HookAnswer {
	return waking(WAKE_WORDS, rung);
}

export function isWake(prompt: string): boolean {
	return prompt.trim() === WAKE_WORDS;
}
