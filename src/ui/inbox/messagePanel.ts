import * as vscode from 'vscode';
import { l10n } from 'vscode';
import type { LimitOf } from '../../core/mailbox/held.ts';
import { FromMessagePage, type MessageAct, type ToMessagePage } from '../../protocol/messagePage.ts';
import type { CommandId } from '../contributions.ts';
import type { Folders } from '../folders.ts';
import type { Failures } from '../kit/failures.ts';
import { panelPage } from '../kit/panelPage.ts';
import { plainLine } from '../kit/plain.ts';
import { boxKey, keyOf, type MailItem, type MessageItem } from './inboxItems.ts';
import { itemOf, mailboxesOf } from './mailboxes.ts';
import { conversationPage, messagePage } from './messagePage.ts';
import { messageOf } from './shownMessages.ts';

type Item = MailItem | MessageItem;

interface Collaborators {
	extensionUri: vscode.Uri;
	folders: Folders;
	failures: Failures;
	limitOf: LimitOf;
	/** Runs a command as a click on its menu entry does. */
	run(command: CommandId, item: Item): Promise<void>;
}

const COMMANDS: Readonly<Record<MessageAct, CommandId>> = {
	reply: 'nancy.reply',
	edit: 'nancy.editMessage',
	conversation: 'nancy.showConversation',
	file: 'nancy.openMessageFile',
	archive: 'nancy.archiveMessage',
	withdraw: 'nancy.withdrawMessage',
};

/** The tab that shows a message or a conversation. The next one replaces it, and it follows every change. */
export class MessagePanel implements vscode.Disposable {
	private panel: vscode.WebviewPanel | undefined;
	private isReady = false;
	private shown: { item: Item; isConversation: boolean } | undefined;
	private posted = '';
	private readonly following: { dispose(): unknown };

	constructor(private readonly own: Collaborators) {
		// A hidden page is made when it is shown: its script says when it is there.
		this.following = own.folders.onDidChange(() => {
			if (this.panel?.visible) this.post();
		});
	}

	show(item: Item, isConversation: boolean): void {
		this.shown = { item, isConversation };
		this.posted = '';
		this.panel ??= this.open();
		this.panel.reveal();
		this.post();
	}

	dispose(): void {
		this.following.dispose();
		this.panel?.dispose();
	}

	private open(): vscode.WebviewPanel {
		const media = vscode.Uri.joinPath(this.own.extensionUri, 'media');
		const panel = vscode.window.createWebviewPanel('nancy.message', '', vscode.ViewColumn.Active, {
			enableScripts: true,
			localResourceRoots: [media],
		});
		panel.iconPath = new vscode.ThemeIcon('mail');
		panel.webview.onDidReceiveMessage((message: unknown) => this.own.failures.background(this.take(message)));
		// VS Code throws the page of a hidden tab away, and makes it anew when the tab is shown.
		panel.onDidChangeViewState(() => {
			if (!panel.visible) this.isReady = false;
		});
		panel.onDidDispose(() => {
			this.panel = undefined;
			this.shown = undefined;
			this.isReady = false;
		});
		panel.webview.html = panelPage(panel.webview, {
			style: vscode.Uri.joinPath(media, 'messages.css'),
			script: vscode.Uri.joinPath(media, 'web', 'messages.js'),
			title: l10n.t('Message'),
		});
		return panel;
	}

	private async take(message: unknown): Promise<void> {
		const parsed = FromMessagePage.parse(message);
		if (parsed.type === 'ready') {
			this.isReady = true;
			this.posted = '';
			return this.post();
		}
		const { key, act } = parsed;
		const item = this.itemOf(key);
		// The page may be older than the message.
		const isOffered = this.page().messages.some(each => each.key === key && each.acts.some(own => own.act === act));
		if (item && isOffered) await this.own.run(COMMANDS[act], item);
	}

	private post(): void {
		if (!this.panel || !this.shown) return;
		const page = this.page();
		this.panel.title = plainLine(page.title, 60);
		const posted = JSON.stringify(page);
		if (!this.isReady || posted === this.posted) return;
		this.posted = posted;
		void this.panel.webview.postMessage(page);
	}

	private page(): ToMessagePage {
		const { item, isConversation = false } = this.shown ?? {};
		const now = item && this.itemOf(keyOf(item));
		if (!now) return { about: '', title: l10n.t('The message is gone.'), note: '', stepsLabel: '', messages: [] };
		// If there are twins, the state tells which one it is.
		this.shown = { item: now, isConversation };
		return isConversation ? conversationPage(now, this.own.limitOf) : messagePage(now, this.own.limitOf);
	}

	/** The message as it is now. */
	private itemOf(key: string): Item | undefined {
		for (const folder of this.own.folders.list()) {
			for (const box of mailboxesOf(folder, true)) {
				const begin = `${boxKey(folder, box.address)}/`;
				if (!key.startsWith(begin)) continue;
				const [id = '', state] = key.slice(begin.length).split('/');
				const message = messageOf(box.listing, id, state);
				if (message) return itemOf(box, message);
			}
		}
		return undefined;
	}
}
