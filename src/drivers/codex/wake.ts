import type { WakeCommand } from '../../core/driver/driver.ts';
import type { SessionId } from '../../protocol/names.ts';

/** What `codex queue` brings; other words than what a person types, so that the receipt can name the rung. */
const QUEUED_PROMPT = 'Read the messages that Nancy has queued for you.';

/** Starts a turn of an idle session within four seconds; of a busy one, the next. The queue is the CLI's own and outlives it. */
export function queueCommand(session: SessionId): WakeCommand {
	return { args: ['queue', '--thread', session, '--message', QUEUED_PROMPT], timeoutMs: 10_000 };
}

export function isQueued(prompt: string): boolean {
	return prompt.trim() === QUEUED_PROMPT;
}
