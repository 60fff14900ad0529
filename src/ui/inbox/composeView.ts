import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { errorText, NancyError } from '../../base/errors.ts';
import { visible } from '../../base/visible.ts';
import { EMPTY_DRAFT, type ComposeState, type FromComposePage } from '../../protocol/compose.ts';
import { VIEWS } from '../contributions.ts';
import type { Folders } from '../folders.ts';
import type { Failures } from '../kit/failures.ts';
import { ask } from '../kit/messages.ts';
import { errorWords } from '../kit/translated.ts';
import type { Operations } from '../ports.ts';
import { ComposeBox } from './composeBox.ts';
import { ComposeChannel } from './composeChannel.ts';
import type { ComposeDrafts } from './composeDrafts.ts';
import { matchingFiles } from './composeFiles.ts';
import type { ComposeLooks } from './composeLooks.ts';
import { saveEdit, sendDraft } from './composeSend.ts';
import { editWords, pageState, readingOf, replyWords, type Abilities } from './composeState.ts';
import type { MessageItem } from './inboxItems.ts';
import { chooseRecipients, keyOf, labelled, type Recipient } from './recipients.ts';
import { timingOf } from './timingWords.ts';

interface Collaborators extends Abilities {
	extensionUri: vscode.Uri;
	folders: Folders;
	operations: Pick<Operations, 'send' | 'edit'>;
	failures: Failures;
	agentName: (agent: string) => string;
	drafts: ComposeDrafts;
	looks: ComposeLooks;
}

/**
 * The box in the sidebar for writing messages. It knows the recipients; the page holds what is written, and tells of each change. The list
 * of sent messages comes from the mailboxes.
 */
export class ComposeView implements vscode.Disposable {
	private readonly page: ComposeChannel;
	private readonly box: ComposeBox<MessageItem>;
	private wantsFocus = false;
	/** The last state that the page was given. */
	private shown = '';
	/** Cancels the last search for files. */
	private searching = new vscode.CancellationTokenSource();
	private readonly following: readonly vscode.Disposable[];

	constructor(private readonly own: Collaborators) {
		this.box = new ComposeBox<MessageItem>(own.drafts, {
			showState: () => this.showState(),
			fill: () => this.fill(),
		});
		this.page = new ComposeChannel(own.extensionUri, own.failures, message => this.receive(message));
		this.following = [own.folders.onDidChange(() => this.follow()), own.looks.onDidChange(() => this.follow())];
	}

	resolveWebviewView(view: vscode.WebviewView): void {
		this.page.open(view);
	}

	/**
	 * Shows the form, ready to type in.
	 * @param to the recipients; as they were where absent
	 * @param reply what they wrote
	 */
	async open(to?: readonly Pick<Recipient, 'folder' | 'address'>[], reply?: string): Promise<void> {
		if (to && (await this.mayLeaveEdit())) this.box.open(to.map(keyOf), reply);
		await this.show();
	}

	/** Loads a queued message into the form. */
	async edit(item: MessageItem): Promise<void> {
		const { content } = item.message;
		if (content.kind === 'result')
			throw new NancyError('bad-usage', l10n.t('A result was written by a delegate and cannot be edited.'));
		const { kind, priority, effect, text } = content;
		if (await this.mayLeaveEdit()) this.box.edit(item, keyOf(item), { kind, priority, effect, text });
		await this.show();
	}

	/** When this worker reads a directive that is sent now, as a sentence. */
	timing(to: Recipient): string {
		return timingOf([readingOf(to, EMPTY_DRAFT, this.own)], this.own.limitOf).text;
	}

	dispose(): void {
		for (const each of this.following) each.dispose();
		this.searching.dispose();
	}

	private async show(): Promise<void> {
		this.wantsFocus = true;
		this.focus();
		await vscode.commands.executeCommand(`${VIEWS.compose}.focus`);
	}

	private focus(): void {
		if (!this.page.isReady || !this.wantsFocus) return;
		this.wantsFocus = false;
		this.page.post({ type: 'focus' });
	}

	private async receive(message: FromComposePage): Promise<void> {
		switch (message.type) {
			case 'ready':
				return this.ready();
			case 'draft':
				return this.box.changed(message.filling, message.draft);
			case 'submit':
				return this.submit(message);
			case 'choose':
				return this.choose();
			case 'drop':
				return this.drop();
			case 'files':
				return this.answerFiles(message.query);
		}
	}

	private ready(): void {
		this.shown = '';
		this.follow();
		this.box.fill();
		this.focus();
	}

	private follow(): void {
		if (!this.page.isReady) return;
		const all = labelled(this.own.folders);
		this.box.follow(
			all.map(({ key }) => key),
			this.own.looks.suggestion(all),
		);
	}

	private async choose(): Promise<void> {
		const { folders, agentName } = this.own;
		const chosen = await chooseRecipients(labelled(folders), this.box.keys, agentName);
		if (chosen) this.box.choose(chosen);
		this.wantsFocus = true;
		this.focus();
	}

	/** The user closes the banner. */
	private async drop(): Promise<void> {
		const { editing } = this.box;
		if (!editing) this.box.dropReply();
		else if (this.box.hasChangedEdit && !(await this.mayDiscard())) return this.show();
		else if (this.box.editing === editing) this.box.dropEdit();
		this.follow();
	}

	/** Changed words become a draft for the same worker. If it has one, the user is asked. */
	private async mayLeaveEdit(): Promise<boolean> {
		const { editing } = this.box;
		if (!editing || !this.box.hasChangedEdit) return true;
		return this.box.keepEdit(editing) || this.mayDiscard();
	}

	private async mayDiscard(): Promise<boolean> {
		const discard = l10n.t('Discard Changes');
		const question = l10n.t('Discard what you have changed in the message?');
		return (await ask(question, l10n.t('The message itself stays as it was.'), discard)) === discard;
	}

	/** The page shows the outcome. No notification covers the text that the user writes. */
	private async submit({ filling, to, draft }: Extract<FromComposePage, { type: 'submit' }>): Promise<void> {
		if (filling !== this.box.content.filling) return;
		const note = (text: string, isError: boolean) =>
			this.page.post({ type: 'note', filling, text: visible(text), isError });
		try {
			const { editing } = this.box;
			const { words, isError } = await (editing
				? saveEdit(this.own, this.box, editing, draft)
				: sendDraft(this.own, this.box, to, draft));
			note(words, isError);
		} catch (error) {
			this.own.failures.log.warn(errorText(error));
			note(errorWords(error), true);
		}
	}

	/** A search that another one follows is broken off. */
	private async answerFiles(query: string): Promise<void> {
		this.searching.cancel();
		this.searching.dispose();
		const { token } = (this.searching = new vscode.CancellationTokenSource());
		const reader = labelled(this.own.folders).find(({ key }) => this.box.keys.includes(key));
		const folder = reader?.folder ?? this.own.folders.list()[0];
		const files = folder ? await matchingFiles(folder, query, token) : [];
		if (!token.isCancellationRequested) this.page.post({ type: 'files', query, files });
	}

	private showState(): void {
		if (!this.page.isReady) return;
		const state = this.state();
		const shown = JSON.stringify(state);
		if (shown === this.shown) return;
		this.shown = shown;
		this.page.post({ type: 'state', state });
	}

	private fill(): void {
		if (!this.page.isReady) return;
		const state = this.state();
		this.shown = JSON.stringify(state);
		this.page.post({ type: 'fill', state, ...this.box.content });
	}

	private state(): ComposeState {
		const { editing, reply, keys } = this.box;
		const all = labelled(this.own.folders);
		const to = all.filter(({ key }) => (editing ? key === editing.key : keys.includes(key)));
		const banner = editing ? editWords(to) : reply === undefined ? undefined : replyWords(to, reply);
		return { ...pageState(all, to, banner, this.own), to: [...keys] };
	}
}
