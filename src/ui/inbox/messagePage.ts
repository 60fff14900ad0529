import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { visible, visibleLine } from '../../base/visible.ts';
import type { LimitOf } from '../../core/mailbox/held.ts';
import { writer } from '../../protocol/author.ts';
import type { MessageAct, ShownMessage, ToMessagePage } from '../../protocol/messagePage.ts';
import { ORCHESTRATOR } from '../../protocol/names.ts';
import { capitalized, formatDateTime, formatTime, shortName } from '../kit/format.ts';
import { effectWord, kindWord, subjectOf } from '../words.ts';
import { whoIs, whoWrote } from '../who.ts';
import { between, partyOf, YOU } from './conversation.ts';
import { keyOf, MailItem, type MessageItem } from './inboxItems.ts';
import { itemOf, mailboxesOf } from './mailboxes.ts';
import { timeline } from './timeline.ts';
import { messageTime } from '../../core/mailbox/messageId.ts';

type Item = MailItem | MessageItem;

/** The most messages of a conversation on one page: the newest. */
const MOST = 200;

/** Letters of a task's title in a heading. */
const NAME = 60;

/** One message with all that is known of it. */
export function messagePage(item: Item, limitOf: LimitOf): ToMessagePage {
	return page(keyOf(item), subjectOf(item.message.content), '', [shownMessage(item, limitOf, true)]);
}

/** What both sides of a message have written to each other. */
export function conversationPage(item: Item, limitOf: LimitOf): ToMessagePage {
	const { folder, address, message } = item;
	const reader = ownerOf(item);
	const author = partyOf(message.author);
	const all = between(mailboxesOf(folder, true), author, reader);
	const shown = all.slice(-MOST).map(({ box, message: each }) => itemOf(box, each));
	const older = all.length - shown.length;
	const title = l10n.t(
		'{0} and {1}',
		shortName(whoWrote(folder, message.author), NAME),
		shortName(whoIs(folder, address), NAME),
	);
	const note = older === 0 ? '' : l10n.t('{0} older messages are not shown.', older);
	return page(
		`${keyOf(item)} conversation`,
		capitalized(title),
		note,
		shown.map(each => shownMessage(each, limitOf, false)),
	);
}

function page(about: string, title: string, note: string, messages: ShownMessage[]): ToMessagePage {
	return { about, title: visibleLine(title, 200), note, stepsLabel: l10n.t('Receipt'), messages };
}

function shownMessage(item: Item, limitOf: LimitOf, isAlone: boolean): ShownMessage {
	const { folder, address, message } = item;
	const { kind, effect, priority, text } = message.content;
	const at = messageTime(message.id);
	const facts = [
		kindWord(kind),
		effectWord(effect),
		priority === 'urgent' ? l10n.t('urgent') : undefined,
		at === undefined ? undefined : formatDateTime(at),
	];
	return {
		key: keyOf(item),
		heading: visibleLine(
			l10n.t(
				'From {0} to {1}',
				shortName(whoWrote(folder, message.author), NAME),
				shortName(whoIs(folder, address), NAME),
			),
			200,
		),
		facts: facts.filter(Boolean).join(' · '),
		text: visible(text),
		steps: timeline(message, item instanceof MailItem, limitOf).map(step => ({
			time: step.at === undefined ? '' : formatTime(step.at),
			words: visibleLine(step.words, 500),
		})),
		acts: actsOf(item, isAlone).map(act => ({ act, label: labelOf(act) })),
	};
}

function ownerOf({ address }: Item): string {
	return address.worker === ORCHESTRATOR ? YOU : `${address.task}/${address.worker}`;
}

/** What may be done with it, where the folder is trusted. */
function actsOf(item: Item, isAlone: boolean): MessageAct[] {
	const { author, state } = item.message;
	const isMail = item instanceof MailItem;
	const looks: MessageAct[] = [...(isAlone ? (['conversation'] as const) : []), 'file'];
	if (!vscode.workspace.isTrusted) return looks;
	const isWaiting = !isMail && state === 'queued';
	const canBeFiled = state === 'delivered' || (isMail && state === 'queued');
	return [
		...(isMail && writer(author) !== undefined ? (['reply'] as const) : []),
		...(isWaiting ? (['edit'] as const) : []),
		...looks,
		...(canBeFiled ? (['archive'] as const) : []),
		...(isWaiting ? (['withdraw'] as const) : []),
	];
}

function labelOf(act: MessageAct): string {
	switch (act) {
		case 'reply':
			return l10n.t('Reply');
		case 'edit':
			return l10n.t('Edit');
		case 'conversation':
			return l10n.t('Show Conversation');
		case 'file':
			return l10n.t('Show File');
		case 'archive':
			return l10n.t('Archive');
		case 'withdraw':
			return l10n.t('Withdraw');
	}
}
