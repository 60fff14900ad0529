import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { writer } from '../../protocol/author.ts';
import { ORCHESTRATOR } from '../../protocol/names.ts';
import type { DelegateItem } from '../delegates/delegatesView.ts';
import { EMPTY_DRAFT } from '../../protocol/compose.ts';
import type { Choices } from '../choices.ts';
import type { Folders } from '../folders.ts';
import { askLine } from '../kit/inputs.ts';
import { inform } from '../kit/messages.ts';
import { openFile } from '../kit/openFile.ts';
import { noTask, pickWorker, reachable } from '../pickers.ts';
import type { Operations } from '../ports.ts';
import { WorkerItem } from '../tasks/tasksView.ts';
import { whoIs } from '../who.ts';
import { sendTo } from './composeSend.ts';
import type { ComposeView } from './composeView.ts';
import { isUnread, MailItem, MessageItem } from './inboxItems.ts';
import type { InboxView } from './inboxView.ts';
import type { MessagePanel } from './messagePanel.ts';
import { move } from './queueOrder.ts';
import { recipientOfRow } from './recipients.ts';

export interface MailCollaborators {
	folders: Folders;
	operations: Operations;
	compose: ComposeView;
	choices: Choices;
	inbox: InboxView;
	messages: MessagePanel;
}

type Args = readonly unknown[];

/** The commands for messages. All but three act on the row that they are called from. */
export function mailHandlers(own: MailCollaborators) {
	const { operations, compose, choices, inbox } = own;
	return {
		'nancy.sendMessage': (args: Args) => sendMessage(own, args),
		'nancy.composeMessage': () => compose.open(),
		'nancy.composeTo': ([item]: Args) => {
			const to = recipientOfRow(item);
			return compose.open(to && [to]);
		},
		'nancy.openMessage': (args: Args) => openMessage(own, args),
		'nancy.openMessageFile': (args: Args) => openMessageFile(own, args),
		'nancy.showConversation': ([item]: Args) => (isMessage(item) ? own.messages.show(item, true) : undefined),
		'nancy.editMessage': ([item]: Args) => (item instanceof MessageItem ? compose.edit(item) : undefined),
		'nancy.moveMessageUp': ([item]: Args) => (item instanceof MessageItem ? move(operations, item, -1) : undefined),
		'nancy.moveMessageDown': ([item]: Args) =>
			item instanceof MessageItem ? move(operations, item, 1) : undefined,
		'nancy.withdrawMessage': (args: Args) => withdrawMessage(own, args),
		'nancy.archiveMessage': (args: Args) => archiveMessage(own, args),
		'nancy.reply': (args: Args) => reply(own, args),
		'nancy.showCurrentMessages': () => choices.chooseInbox({ shows: 'current' }),
		'nancy.showMessagesToYou': () => choices.chooseInbox({ shows: 'toYou' }),
		'nancy.showAllMessages': () => choices.chooseInbox({ shows: 'all' }),
		'nancy.showMoreMessages': () => inbox.showMore(),
	};
}

async function sendMessage({ folders, operations, compose }: MailCollaborators, [called]: Args): Promise<void> {
	const item = called instanceof WorkerItem ? called : await pickWorker(folders, () => true, noTask());
	const title = l10n.t('Send a Directive to {0}', whoIs(item.folder, item.address));
	const text = await askLine(title, compose.timing(item));
	if (text === undefined || text.trim() === '') return;
	await sendTo(operations, [item], { ...EMPTY_DRAFT, text });
}

async function openMessage({ operations, messages }: MailCollaborators, [item]: Args): Promise<void> {
	if (!isMessage(item)) return;
	messages.show(item, false);
	if (item instanceof MailItem) await readMail(operations, item);
}

async function openMessageFile({ operations }: MailCollaborators, [item]: Args): Promise<void> {
	if (item instanceof MessageItem) await openFile(item.message.file);
	if (item instanceof MailItem) await openFile(await readMail(operations, item));
}

function isMessage(item: unknown): item is MailItem | MessageItem {
	return item instanceof MailItem || item instanceof MessageItem;
}

/** Takes back the message of a row. Tells the person if the agent may have read it. */
export async function withdrawMessage(
	{ operations, inbox }: { operations: Operations; inbox: Pick<InboxView, 'letGo'> },
	[item]: Args,
): Promise<void> {
	if (!(item instanceof MessageItem)) return;
	const mayBeRead = await operations.withdraw(item.folder, item.address, item.message.id);
	if (mayBeRead)
		void inform(l10n.t('The message was withdrawn, but {0} may have read it.', whoIs(item.folder, item.address)));
	await item.folder.refresh();
	inbox.letGo(item);
}

/**
 * Archives the message of a row. The view's Delete key calls this on any row. A message that waits for an agent is withdrawn, and a message
 * that is put away already stays as it is.
 */
async function archiveMessage(own: MailCollaborators, args: Args): Promise<void> {
	const [item] = args;
	if (!isMessage(item)) return;
	const { state } = item.message;
	if (item instanceof MessageItem && state === 'queued') return withdrawMessage(own, args);
	if (state !== 'queued' && state !== 'delivered') return;
	await own.operations.archive(item.folder, item.address, item.message.id);
	await item.folder.refresh();
	own.inbox.letGo(item);
}

async function reply({ folders, operations, compose }: MailCollaborators, [item]: Args): Promise<void> {
	if (!(item instanceof MailItem)) return;
	await readMail(operations, item);
	const sender = reachable(folders, item.folder, writer(item.message.author));
	await compose.open([sender], item.message.content.text);
}

/** Who has looked at a delegate has read its result. */
export async function readResultOf(operations: Operations, { folder, delegate }: DelegateItem): Promise<void> {
	for (const { record } of folder.overview().tasks) {
		const { messages } = folder.messages({ task: record.name, worker: ORCHESTRATOR });
		const result = messages.find(({ author }) => author.is === 'delegate' && author.id === delegate.record.id);
		if (result) await readMail(operations, new MailItem(folder, record.name, result));
	}
}

/** Marks a message to the human as read, and returns where its file is then. In an untrusted workspace nothing is moved. */
export async function readMail(operations: Operations, item: MailItem): Promise<string> {
	if (!isUnread(item) || !vscode.workspace.isTrusted) return item.message.file;
	const file = await operations.readMail(item.folder, item.task, item.message.id);
	await item.folder.refresh();
	return file;
}
