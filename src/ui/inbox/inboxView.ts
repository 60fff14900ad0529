import * as vscode from 'vscode';
import type { LimitOf } from '../../core/mailbox/held.ts';
import { isSameAddress } from '../../core/workspace/workspace.ts';
import type { Choices } from '../choices.ts';
import type { Folders } from '../folders.ts';
import { elementOf, LiveTree } from '../kit/liveTree.ts';
import { ProblemItem } from '../kit/problemItem.ts';
import type { Row } from '../kit/row.ts';
import type { Operations } from '../ports.ts';
import { HeldMessages } from './heldMessages.ts';
import { boxKey, MailItem, MessageItem, MoreItem, type InboxElement } from './inboxItems.ts';
import { itemOf, mailboxesOf, type Mailbox } from './mailboxes.ts';
import { mailRow, messageHover, messageRow, moreRow } from './inboxRows.ts';
import { reorder } from './queueOrder.ts';
import { queueOf, shownMessages } from './shownMessages.ts';

/** VS Code makes this type from the view's id; extension.ts names it too. */
const DRAG_TYPE = 'application/vnd.code.tree.nancy.inbox';

/** A message leaves the list when it is a day old. */
const TICK_MS = 60_000;

/** How many messages are shown at first, and how many “Show More” adds. */
const PAGE = 100;

/** All messages in one list, newest first: to the user, to agents, and among agents. */
export class InboxView extends LiveTree<InboxElement> {
	private pages = 1;
	private readonly held = new HeldMessages<Mailbox>(({ folder, address }) => boxKey(folder, address));
	private readonly leaving: vscode.Disposable;

	constructor(
		private readonly folders: Folders,
		private readonly operations: Operations,
		view: vscode.TreeView<unknown>,
		private readonly limitOf: LimitOf,
		private readonly choices: Choices,
	) {
		super(view, TICK_MS, folders.onDidChange);
		let before = choices.inbox.shows;
		const letAllGo = () => {
			this.held.letAllGo();
			this.update();
		};
		this.leaving = vscode.Disposable.from(
			choices.onDidChange(() => {
				const { shows } = choices.inbox;
				if (shows === before) return;
				before = shows;
				this.pages = 1;
				letAllGo();
			}),
			view.onDidChangeVisibility(letAllGo),
			vscode.window.onDidChangeWindowState(({ focused }) => {
				if (!focused) letAllGo();
			}),
		);
	}

	/** The user has filed the message of this row, and its mailbox has been read since. */
	letGo({ folder, address, message }: MailItem | MessageItem): void {
		this.held.letGo(boxKey(folder, address), message.id);
		this.update();
	}

	/** Shows older messages, too. */
	showMore(): void {
		this.pages++;
		this.update();
	}

	override dispose(): void {
		this.leaving.dispose();
		super.dispose();
	}

	protected childrenOf(parent: InboxElement | undefined): InboxElement[] {
		if (parent !== undefined) return [];
		const { shows } = this.choices.inbox;
		const boxes = this.folders.list().flatMap(folder => mailboxesOf(folder, shows === 'all'));
		const problems = boxes.flatMap(({ listing }) => listing.problems.map(each => new ProblemItem(each)));
		const found = shownMessages(boxes, shows, this.pages * PAGE, Date.now());
		const { messages, more, moreOpen } = this.held.with(boxes, found);
		return [
			...problems,
			...messages.map(({ box, message }) => itemOf(box, message)),
			...(more > 0 ? [new MoreItem(more, moreOpen)] : []),
		];
	}

	protected itemOf(element: InboxElement): Row {
		if (element instanceof MailItem) return mailRow(element);
		if (element instanceof MessageItem) return messageRow(element, this.limitOf);
		return element instanceof MoreItem ? moreRow(element) : element.treeItem();
	}

	protected hoverOf(element: InboxElement): vscode.MarkdownString | undefined {
		return element instanceof MailItem || element instanceof MessageItem
			? messageHover(element, this.limitOf)
			: undefined;
	}

	drag(source: readonly unknown[], data: vscode.DataTransfer): void {
		const moved = source
			.map(elementOf)
			.filter(each => each instanceof MessageItem && each.message.state === 'queued');
		if (moved.length > 0) data.set(DRAG_TYPE, new vscode.DataTransferItem(moved));
	}

	/** Lets the dragged messages be read before the one they were dropped on. Dropped below the list, they are read last. */
	async drop(onto: unknown, data: vscode.DataTransfer): Promise<void> {
		const target = elementOf(onto);
		const value: unknown = data.get(DRAG_TYPE)?.value;
		const moved = (Array.isArray(value) ? value : []).filter(each => each instanceof MessageItem);
		const [first] = moved;
		if (!first || !vscode.workspace.isTrusted) return;
		// A message was written for one worker: it is moved in its queue, never to another's.
		const isHere =
			target === undefined ||
			(target instanceof MessageItem &&
				target.folder === first.folder &&
				isSameAddress(target.address, first.address));
		if (!isHere) return;
		const ids = moved.map(each => each.message.id);
		const rest = queueOf(first.folder.messages(first.address)).filter(id => !ids.includes(id));
		const before = target === undefined ? -1 : rest.indexOf(target.message.id);
		await reorder(this.operations, first, rest.toSpliced(before === -1 ? rest.length : before, 0, ...ids));
	}
}
