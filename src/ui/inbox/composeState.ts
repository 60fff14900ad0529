import { l10n } from 'vscode';
import { visible, visibleLine } from '../../base/visible.ts';
import type { LimitOf } from '../../core/mailbox/held.ts';
import type { StoredMessage } from '../../core/mailbox/mailboxFiles.ts';
import { whenRead, type Letter, type Reader, type Reading } from '../../core/mailbox/whenRead.ts';
import type { ComposeState, Timing } from '../../protocol/compose.ts';
import { firstLine } from '../kit/format.ts';
import { messageLine } from '../words.ts';
import type { Labelled, Recipient } from './recipients.ts';
import { timingOf } from './timingWords.ts';

/** What the drivers know. */
export interface Abilities {
	limitOf: LimitOf;
	readerOf: (agent: string) => Reader | undefined;
}

const SENT_SHOWN = 4;

/** What the page shows around the text. */
export function pageState(
	all: readonly Labelled[],
	to: readonly Labelled[],
	banner: string | undefined,
	abilities: Abilities,
): Omit<ComposeState, 'to'> {
	const timing = (letter: Pick<Letter, 'kind' | 'effect'>): Timing =>
		timingOf(
			to.map(each => readingOf(each, { ...letter, priority: 'normal' }, abilities)),
			abilities.limitOf,
		);
	return {
		recipients: recipientWords(to, all),
		everybody: to.map(({ label }) => label).join('\n'),
		...(banner !== undefined && { banner }),
		timing: {
			none: timing({ kind: 'directive', effect: 'none' }),
			halt: timing({ kind: 'directive', effect: 'halt' }),
			pause: timing({ kind: 'directive', effect: 'pause' }),
			feedback: timing({ kind: 'feedback', effect: 'none' }),
		},
		sent: lastSent(all, abilities.limitOf),
	};
}

/** When this worker reads a message that is sent now. */
export function readingOf(
	{ folder, address, worker }: Recipient,
	letter: Letter,
	{ readerOf }: Pick<Abilities, 'readerOf'>,
): Reading | undefined {
	const { messages } = folder.messages(address);
	const { held } = messages.find(each => each.state === 'queued' && each.held !== undefined) ?? {};
	return whenRead(readerOf(worker.record.agent), { ...worker, held }, letter);
}

export function editWords(to: readonly Labelled[]): string {
	return l10n.t('Editing the message for {0}', nameOf(to));
}

export function replyWords(to: readonly Labelled[], text: string): string {
	return l10n.t('Reply to {0}: “{1}”', nameOf(to), visibleLine(text, 200));
}

export function sentWords(to: readonly Labelled[], held: number): string {
	const [only, ...others] = to;
	if (only && others.length === 0)
		return held > 0 ? l10n.t('Sent to {0}, held.', only.label) : l10n.t('Sent to {0}.', only.label);
	return held > 0 ? l10n.t('Sent to {0}, {1} held.', to.length, held) : l10n.t('Sent to {0}.', to.length);
}

function recipientWords(to: readonly Labelled[], all: readonly Labelled[]): string {
	const [only, ...others] = to;
	if (all.length === 0) return l10n.t('No worker yet');
	if (!only) return l10n.t('Choose a recipient');
	if (others.length === 0) return only.label;
	return to.length === all.length
		? l10n.t('all {0} workers', to.length)
		: l10n.t('{0} of {1} workers', to.length, all.length);
}

function nameOf(to: readonly Labelled[]): string {
	return to.map(({ label }) => label).join(', ');
}

function lastSent(all: readonly Labelled[], limitOf: LimitOf): ComposeState['sent'] {
	// There may be thousands of messages, and this runs at each change: they are not sorted.
	let newest: { label: string; message: StoredMessage }[] = [];
	for (const { folder, address, label } of all) {
		for (const message of folder.messages(address).messages) {
			const oldest = newest.length < SENT_SHOWN ? '' : (newest.at(-1)?.message.id ?? '');
			if (message.author.is !== 'human' || message.id <= oldest) continue;
			newest = [...newest, { label, message }]
				.toSorted((a, b) => (a.message.id < b.message.id ? 1 : -1))
				.slice(0, SENT_SHOWN);
		}
	}
	return newest.map(({ label, message }) => ({
		to: label,
		text: visible(firstLine(message.content.text)),
		state: markOf(message),
		detail: visible(messageLine(message, limitOf)),
	}));
}

function markOf({ state, held }: StoredMessage): ComposeState['sent'][number]['state'] {
	if (state === 'queued' && held !== undefined) return 'held';
	return state === 'claimed' ? 'queued' : state;
}
