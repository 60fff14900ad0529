import { SILENT, type Beginning, type HookAnswer } from '../../core/driver/hooks.ts';
import type { AgentEvent } from '../../protocol/traffic.ts';
import { printed, waking } from '../answers.ts';

/** The plugin's own event: a session's bell has rung. */
export const DOORBELL = 'doorbell';

/** The plugin's own event: the guard gave a session no bell at its start. */
export const BELL_ASKED = 'bell-asked';

/** The plugin's text to an idle agent; the messages are in the same prompt. No person types this text, so the receipt can name the rung. */
export const WAKE_WORDS = 'Nancy has a message for you. It is in the context of this prompt.';

/** For the plugin: to wake the agent with these words. */
export function wakeAnswer(rung: 'wake' | 'waiter'): HookAnswer {
	return waking(WAKE_WORDS, rung);
}

/** For the plugin: the file to watch. It has no place for words. */
export function beginAnswer({ kind }: AgentEvent, { bell }: Beginning): HookAnswer {
	if (kind !== 'session-start' && kind !== 'watch-asked') return SILENT;
	return { ...printed({ bell }), watches: true };
}

export function isWake(prompt: string): boolean {
	return prompt.trim() === WAKE_WORDS;
}
