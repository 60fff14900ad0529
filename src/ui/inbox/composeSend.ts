import { l10n } from 'vscode';
import { NancyError } from '../../base/errors.ts';
import type { Draft } from '../../protocol/compose.ts';
import type { Folders } from '../folders.ts';
import type { Operations } from '../ports.ts';
import type { ComposeBox, Edit } from './composeBox.ts';
import { readingOf, sentWords, type Abilities } from './composeState.ts';
import type { MessageItem } from './inboxItems.ts';
import { labelled, type Recipient } from './recipients.ts';

interface Collaborators extends Pick<Abilities, 'readerOf'> {
	readonly folders: Folders;
	readonly operations: Pick<Operations, 'send' | 'edit'>;
}

type Box = ComposeBox<MessageItem>;

/** For the page. */
interface Outcome {
	readonly words: string;
	readonly isError: boolean;
}

/** Sends the words to each of the workers that are still there. They stay in the box for those for whom that fails. */
export async function sendDraft(own: Collaborators, box: Box, keys: readonly string[], draft: Draft): Promise<Outcome> {
	const to = labelled(own.folders).filter(({ key }) => keys.includes(key));
	if (to.length === 0) throw new NancyError('bad-usage', l10n.t('Choose a recipient.'));
	const waiting = to.filter(each => readingOf(each, draft, own)?.when === 'held');
	const failed = await queueFor(own.operations, to, draft);
	const left = failed.map(each => each.to);
	const sent = to.filter(each => !left.includes(each));
	const held = sent.filter(each => waiting.includes(each)).length;
	box.sent(
		keys,
		draft,
		left.map(({ key }) => key),
	);
	const reasons = failed.map(each => l10n.t('Not sent to {0}: {1}', each.to.label, each.reason));
	const words = [...(sent.length > 0 ? [sentWords(sent, held)] : []), ...reasons].join(' ');
	return { words, isError: failed.length > 0 };
}

/** Writes the words into the queued message. */
export async function saveEdit(own: Collaborators, box: Box, edit: Edit<MessageItem>, draft: Draft): Promise<Outcome> {
	const { item, was } = edit;
	await own.operations.edit(item.folder, item.address, item.message.id, was, draft);
	box.saved(edit, draft);
	await item.folder.refresh();
	return { words: l10n.t('Saved.'), isError: false };
}

/** Queues a message for each recipient. Returns the recipients for whom that failed. */
async function queueFor<T extends Recipient>(
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
