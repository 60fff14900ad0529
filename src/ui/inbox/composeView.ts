import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { errorText, NancyError } from '../../base/errors.ts';
import { visible } from '../../base/visible.ts';
import { EMPTY_DRAFT, type Draft, type FromComposePage } from '../../protocol/compose.ts';
import { VIEWS } from '../contributions.ts';
import type { Folders } from '../folders.ts';
import type { Failures } from '../kit/failures.ts';
import type { Operations } from '../ports.ts';
import { ComposeChannel } from './composeChannel.ts';
import type { ComposeDrafts } from './composeDrafts.ts';
import { matchingFiles } from './composeFiles.ts';
import type { ComposeLooks } from './composeLooks.ts';
import { queueFor } from './composeSend.ts';
import {
	editWords,
	pageState,
	readingOf,
	replyWords,
	sentWords,
	type Abilities,
	type PageState,
} from './composeState.ts';
import type { MessageItem } from './inboxItems.ts';
import { chooseRecipients, keyOf, labelled, type Labelled, type Recipient } from './recipients.ts';
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

/** A queued message in the form. */
interface Edit {
	item: MessageItem;
	was: Draft;
	draft: Draft;
}

/**
 * The box in the sidebar for writing messages. It knows the recipients; the page holds what is written, and tells of each change. The list
 * of sent messages comes from the mailboxes.
 */
export class ComposeView implements vscode.Disposable {
	private readonly page: ComposeChannel;
	private wantsFocus = false;
	/** The last state that the page was given. */
	private shown = '';
	/** Counts what the form was filled with. */
	private filling = 0;
	private draft: Draft;
	/** What is answered, in a line. */
	private reply: string | undefined;
	private editing: Edit | undefined;
	/** Whom the selection and the terminals suggested last. */
	private suggested: string | undefined;
	private readonly following: readonly vscode.Disposable[];

	constructor(private readonly own: Collaborators) {
		this.draft = own.drafts.get(own.drafts.to.keys) ?? EMPTY_DRAFT;
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
		if (to) {
			const keys = to.map(keyOf);
			// The box has the words for these recipients already, and perhaps newer ones than are known here.
			const isThere = this.editing === undefined && this.own.drafts.isTo(keys);
			this.leaveEdit();
			this.reply = reply;
			if (isThere) {
				this.own.drafts.to = { keys, isChosen: true };
				this.showState();
			} else this.address(keys, true);
		}
		await this.show();
	}

	/** Loads a queued message into the form. */
	async edit(item: MessageItem): Promise<void> {
		const { content } = item.message;
		if (content.kind === 'result')
			throw new NancyError('bad-usage', l10n.t('A result was written by a delegate and cannot be edited.'));
		const { kind, priority, effect, text } = content;
		const was = { kind, priority, effect, text };
		this.leaveEdit();
		this.editing = { item, was, draft: was };
		this.showState();
		this.fill();
		await this.show();
	}

	/** When this worker reads a directive that is sent now, as a sentence. */
	timing(to: Recipient): string {
		return timingOf([readingOf(to, EMPTY_DRAFT, this.own)], this.own.limitOf).text;
	}

	dispose(): void {
		for (const each of this.following) each.dispose();
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
				return this.changed(message);
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
		this.fill();
		this.focus();
	}

	private changed({ filling, draft }: Extract<FromComposePage, { type: 'draft' }>): void {
		if (filling !== this.filling) return;
		if (this.editing) {
			this.editing.draft = draft;
			return;
		}
		this.draft = draft;
		this.own.drafts.set(this.own.drafts.to.keys, draft);
	}

	// Recipients

	/** Addresses whom the user looks at, unless the user has chosen, or has begun to write. */
	private follow(): void {
		if (!this.page.isReady) return;
		const all = labelled(this.own.folders);
		const { drafts, looks } = this.own;
		const isFree = this.draft.text === '' && this.reply === undefined && !this.editing;
		// Words keep their recipients, also after these are gone: nobody else gets them. Without any worker, the folders are not read yet.
		if (all.length > 0 && isFree) this.forgetGone(all);
		const suggestion = looks.suggestion(all);
		const isNew = suggestion !== this.suggested || drafts.to.keys.length === 0;
		this.suggested = suggestion;
		if (isFree && !drafts.to.isChosen && isNew && suggestion !== undefined) this.address([suggestion], false);
		else this.showState();
	}

	private forgetGone(all: readonly Labelled[]): void {
		const { keys, isChosen } = this.own.drafts.to;
		const known = keys.filter(each => all.some(({ key }) => key === each));
		if (known.length < keys.length) this.own.drafts.to = { keys: known, isChosen: isChosen && known.length > 0 };
	}

	private address(keys: readonly string[], isChosen: boolean): void {
		const { drafts } = this.own;
		drafts.to = { keys, isChosen: isChosen && keys.length > 0 };
		this.draft = drafts.get(keys) ?? { ...EMPTY_DRAFT, kind: this.draft.kind };
		this.showState();
		this.fill();
	}

	private async choose(): Promise<void> {
		const { drafts, folders, agentName } = this.own;
		const chosen = await chooseRecipients(labelled(folders), drafts.to.keys, agentName);
		if (chosen && !this.editing) {
			this.reply = undefined;
			if (this.draft.text === '') this.address(chosen, true);
			else {
				// The words go to the new recipients.
				drafts.delete(drafts.to.keys);
				drafts.set(chosen, this.draft);
				drafts.to = { keys: chosen, isChosen: true };
				this.showState();
			}
		}
		this.wantsFocus = true;
		this.focus();
	}

	private drop(): void {
		if (this.editing) {
			this.editing = undefined;
			this.fill();
		} else {
			this.reply = undefined;
			this.suggested = undefined;
			this.unchoose();
		}
		this.follow();
	}

	/** From now on the recipients follow the selection again. */
	private unchoose(): void {
		const { drafts } = this.own;
		drafts.to = { ...drafts.to, isChosen: false };
	}

	/** Changed words become a draft for the same worker, unless it has one. */
	private leaveEdit(): void {
		const edit = this.editing;
		this.editing = undefined;
		if (!edit || edit.draft.text === edit.was.text) return;
		this.keep([keyOf(edit.item)], edit.draft);
	}

	private keep(to: readonly string[], draft: Draft): void {
		if (!this.own.drafts.get(to)) this.own.drafts.set(to, draft);
	}

	// Sending

	/** The page shows the outcome. No notification covers the text that the user writes. */
	private async submit({ filling, to, draft }: Extract<FromComposePage, { type: 'submit' }>): Promise<void> {
		if (filling !== this.filling) return;
		const note = (text: string, isError: boolean) =>
			this.page.post({ type: 'note', filling, text: visible(text), isError });
		try {
			if (this.editing) note(await this.save(this.editing, draft), false);
			else {
				const { words, isError } = await this.send(to, draft);
				note(words, isError);
			}
		} catch (error) {
			this.own.failures.log.warn(errorText(error));
			note(errorText(error), true);
		}
	}

	private async send(keys: readonly string[], draft: Draft): Promise<{ words: string; isError: boolean }> {
		const to = labelled(this.own.folders).filter(({ key }) => keys.includes(key));
		if (to.length === 0) throw new NancyError('bad-usage', l10n.t('Choose a recipient.'));
		const waiting = to.filter(each => readingOf(each, draft, this.own)?.when === 'held');
		const failed = await queueFor(this.own.operations, to, draft);
		const left = failed.map(each => each.to);
		const sent = to.filter(each => !left.includes(each));
		const held = sent.filter(each => waiting.includes(each)).length;
		const isShown = this.shows(keys, draft);
		this.own.drafts.forgetSent(keys, draft);
		if (failed.length > 0) {
			const leftKeys = left.map(({ key }) => key);
			if (isShown) {
				this.own.drafts.set(leftKeys, draft);
				this.address(leftKeys, true);
			} else this.keep(leftKeys, draft);
			const reasons = failed.map(each => l10n.t('Not sent to {0}: {1}', each.to.label, each.reason));
			const words = [...(sent.length > 0 ? [sentWords(sent, held)] : []), ...reasons].join(' ');
			return { words, isError: true };
		}
		if (isShown) this.clear(draft);
		return { words: sentWords(sent, held), isError: false };
	}

	/** Whether the box has these words for these recipients, also below an edit. */
	private shows(keys: readonly string[], { text }: Draft): boolean {
		return this.own.drafts.isTo(keys) && this.draft.text === text;
	}

	/** An edit that was begun while the message was sent stays as it is. */
	private clear({ kind }: Draft): void {
		this.unchoose();
		this.draft = { ...EMPTY_DRAFT, kind };
		if (this.editing) return;
		this.reply = undefined;
		this.showState();
		this.fill();
	}

	private async save(edit: Edit, draft: Draft): Promise<string> {
		const { item, was } = edit;
		await this.own.operations.edit(item.folder, item.address, item.message.id, was, draft);
		const isShown = this.editing === edit;
		if (isShown) this.editing = undefined;
		// An edit that was left while it was saved has become a draft.
		else this.own.drafts.forgetSent([keyOf(item)], draft);
		await item.folder.refresh();
		if (isShown && !this.editing) {
			this.showState();
			this.fill();
		}
		return l10n.t('Saved.');
	}

	private async answerFiles(query: string): Promise<void> {
		const reader = labelled(this.own.folders).find(({ key }) => this.own.drafts.to.keys.includes(key));
		const folder = reader?.folder ?? this.own.folders.list()[0];
		const files = folder ? await matchingFiles(folder.path, query) : [];
		this.page.post({ type: 'files', query, files });
	}

	// The page

	private showState(): void {
		if (!this.page.isReady) return;
		const { editing, reply } = this;
		const { keys } = this.own.drafts.to;
		const all = labelled(this.own.folders);
		const edited = editing && keyOf(editing.item);
		const to = all.filter(({ key }) => (edited === undefined ? keys.includes(key) : key === edited));
		const banner = editing ? editWords(to) : reply === undefined ? undefined : replyWords(to, reply);
		const state: PageState = { ...pageState(all, to, banner, this.own), to: [...keys] };
		const shown = JSON.stringify(state);
		if (shown === this.shown) return;
		this.shown = shown;
		this.page.post(state);
	}

	private fill(): void {
		const { editing } = this;
		const filling = ++this.filling;
		this.page.post({ type: 'fill', filling, draft: editing?.draft ?? this.draft, isEdit: editing !== undefined });
	}
}
