import { l10n } from 'vscode';
import { NancyError } from '../../base/errors.ts';
import type { Draft } from '../../protocol/compose.ts';
import type { Operations } from '../ports.ts';
import type { Recipient } from './recipients.ts';

/** Queues a message for each recipient. Returns the recipients for whom that failed. */
export async function queueFor<T extends Recipient>(
	operations: Pick<Operations, 'send'>,
	to: readonly T[],
	{ kind, priority, effect, text }: Draft,
): Promise<{ to: T; reason: string }[]> {
	if (text.trim() === '') throw new NancyError('bad-message', l10n.t('The message has no text.'));
	// Feedback is read at a stop, where there is no tool to block.
	const letter = { kind, priority, effect: kind === 'feedback' ? 'none' : effect, text } as const;
	const failed = await operations.send(to, letter);
	await Promise.all([...new Set(to.map(({ folder }) => folder))].map(folder => folder.refresh()));
	return failed;
}

/** Queues a message for each recipient. Throws if it could not be queued for one of them. */
export async function sendTo(
	operations: Pick<Operations, 'send'>,
	to: readonly Recipient[],
	draft: Draft,
): Promise<void> {
	const failed = await queueFor(operations, to, draft);
	if (failed.length > 0) throw new NancyError('io', failed.map(({ reason }) => reason).join(' '));
}
