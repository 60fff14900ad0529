import { SILENT, type Beginning, type HookAnswer } from '../../core/driver/hooks.ts';
import type { AgentEvent } from '../../protocol/traffic.ts';
import { waking } from '../answers.ts';
import { JOINED } from './ownEvents.ts';

/**
 * The extension's text to an idle agent; the messages are in the context of the prompt. No person types this text, so the receipt can name
 * the rung.
 */
const BELL_PROMPT = 'Nancy has a message for you. It is in the context of this prompt.';

/** For the extension: to wake the agent with these words. */
export function wakeAnswer(rung: 'wake' | 'waiter'): HookAnswer {
	return waking(BELL_PROMPT, rung);
}

/** For the extension: the file to watch. The CLI itself watches nothing. */
export function beginAnswer(event: AgentEvent, { bell }: Beginning): HookAnswer {
	return event.event === JOINED ? { ...SILENT, stdout: `${bell}\n`, watches: true } : SILENT;
}

export function isWake(prompt: string): boolean {
	return prompt.trim() === BELL_PROMPT;
}
