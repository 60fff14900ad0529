import type { WakeCommand } from '../../core/driver/hooks.ts';
import type { SessionId } from '../../protocol/names.ts';

/** The text that `codex queue` brings. No person types this text, so the receipt can name the rung. */
const QUEUED_PROMPT = 'Read the messages that Nancy has queued for you.';

/** Starts a turn of an idle session within four seconds, or the next turn of a busy one. The queue is the CLI's own and outlives it. */
export function queueCommand(session: SessionId): WakeCommand {
	return { args: ['queue', '--thread', session, '--message', QUEUED_PROMPT], timeoutMs: 10_000 };
}

export function isQueued(prompt: string): boolean {
	return prompt.trim() === QUEUED_PROMPT;
}
