import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { errorText, NancyError } from '../../base/errors.ts';
import { visible } from '../../base/visible.ts';
import type { LimitOf } from '../../core/mailbox/held.ts';
import type { StoredMessage } from '../../core/mailbox/mailboxFiles.ts';
import type { WorkerView } from '../../core/live/overview.ts';
import type { WorkerAddress } from '../../core/workspace/workspace.ts';
import { EMPTY_DRAFT, FromComposePage, type Draft, type ToComposePage } from '../../protocol/compose.ts';
import { composePage } from './composePage.ts';
import { VIEWS } from '../contributions.ts';
import type { Failures } from '../kit/failures.ts';
import { firstLine } from '../kit/format.ts';
import type { Folders } from '../folders.ts';
import type { MessageItem } from './inboxItems.ts';
import type { Folder, Letter, Operations } from '../ports.ts';
import { inOrder, isAddressed } from '../tasks/taskOrder.ts';
import { addressWords, messageLine, phaseWord } from '../words.ts';

/** A worker that can be written to. */
export interface Recipient {
	folder: Folder;
	address: WorkerAddress;
	worker: WorkerView;
}

const SENT_SHOWN = 4;

/** The box in the sidebar for writing messages. The page holds the draft. The list of sent messages comes from the mailboxes. */
export class ComposeView implements vscode.Disposable {
	private view: vscode.WebviewView | undefined;
	private isReady = false;
	/** Sent once the page is ready. */
	private waiting: ToComposePage[] = [];
	private editing: { item: MessageItem; was: Letter } | undefined;
	private readonly following: vscode.Disposable;

	constructor(
		private readonly extensionUri: vscode.Uri,
		private readonly folders: Folders,
		private readonly operations: Pick<Operations, 'send' | 'edit'>,
		private readonly failures: Failures,
		private readonly limitOf: LimitOf,
	) {
		this.following = folders.onDidChange(() => this.showState());
	}

	resolveWebviewView(view: vscode.WebviewView): void {
		this.view = view;
		this.isReady = false;
		const media = vscode.Uri.joinPath(this.extensionUri, 'media');
		view.webview.options = { enableScripts: true, localResourceRoots: [media] };
		view.webview.onDidReceiveMessage((message: unknown) => this.failures.background(this.receive(message)));
		// VS Code throws the page of a hidden view away, and makes it anew when the view is shown.
		view.onDidChangeVisibility(() => {
			if (!view.visible) this.isReady = false;
		});
		view.onDidDispose(() => {
			this.view = undefined;
			this.isReady = false;
		});
		view.webview.html = composePage({
			cspSource: view.webview.cspSource,
			nonce: randomBytes(16).toString('base64url'),
			script: String(view.webview.asWebviewUri(vscode.Uri.joinPath(media, 'web', 'compose.js'))),
			style: String(view.webview.asWebviewUri(vscode.Uri.joinPath(media, 'compose.css'))),
		});
	}

	/** Shows the form, ready to type in, addressed to `to` where given. */
	async open(to?: readonly Recipient[]): Promise<void> {
		this.post({ type: 'address', ...(to && { to: to.map(keyOf) }) });
		await vscode.commands.executeCommand(`${VIEWS.compose}.focus`);
	}

	/** Loads a queued message into the form. */
	async edit(item: MessageItem): Promise<void> {
		const { content } = item.message;
		if (content.kind === 'result')
			throw new NancyError('bad-usage', l10n.t('A result was written by a delegate and cannot be edited.'));
		const { kind, priority, effect, text } = content;
		const was = { kind, priority, effect, text };
		this.editing = { item, was };
		this.post({
			type: 'edit',
			title: l10n.t('Editing the message for {0}', addressWords(item.address)),
			draft: { ...EMPTY_DRAFT, ...was },
		});
		await vscode.commands.executeCommand(`${VIEWS.compose}.focus`);
	}

	dispose(): void {
		this.following.dispose();
	}

	private async receive(message: unknown): Promise<void> {
		const parsed = FromComposePage.parse(message);
		switch (parsed.type) {
			case 'ready':
				this.isReady = true;
				this.showState();
				for (const each of this.waiting.splice(0)) this.post(each);
				return;
			case 'cancelEdit':
				this.editing = undefined;
				return;
			case 'send':
				return this.answer(() => this.send(parsed.draft));
			case 'save':
				return this.answer(async () => ({ type: 'done', note: await this.save(parsed.draft) }));
		}
	}

	/** The page shows the outcome. No notification covers the text that the user writes. */
	private async answer(run: () => Promise<ToComposePage>): Promise<void> {
		try {
			this.post(await run());
		} catch (error) {
			this.failures.log.warn(errorText(error));
			this.post({ type: 'failed', reason: errorText(error) });
		}
	}

	private async send(draft: Draft): Promise<ToComposePage> {
		const to = recipients(this.folders).filter(each => draft.to.includes(keyOf(each)));
		if (to.length === 0) throw new NancyError('bad-usage', l10n.t('Choose who is to read it.'));
		const failed = await queueFor(this.operations, to, draft);
		const left = new Set(failed.map(each => each.to));
		const done = to.filter(each => !left.has(each));
		const note = done.length === 0 ? '' : queuedWords(done);
		if (failed.length === 0) return { type: 'done', note };
		const reason = [note, ...failed.map(notQueuedWords)].join(' ').trim();
		this.failures.log.warn(reason);
		return { type: 'failed', reason, to: [...left].map(keyOf) };
	}

	private async save(draft: Draft): Promise<string> {
		const { item, was } = this.editing ?? {};
		if (!item || !was) throw new NancyError('not-queued', l10n.t('The message is not being edited any more.'));
		const { kind, priority, effect, text } = draft;
		await this.operations.edit(item.folder, item.address, item.message.id, was, { kind, priority, effect, text });
		this.editing = undefined;
		await item.folder.refresh();
		return l10n.t('Saved.');
	}

	private showState(): void {
		this.post({
			type: 'state',
			recipients: recipients(this.folders).map(each => ({
				key: keyOf(each),
				label: labelOf(each, this.folders),
				detail: phaseWord(each.worker.state),
				isRunning: each.worker.state.phase !== 'ended',
			})),
			sent: lastSent(this.folders, this.limitOf),
		});
	}

	private post(message: ToComposePage): void {
		if (this.view && this.isReady) {
			void this.view.webview.postMessage(message);
			return;
		}
		// The state is sent anyway when the page is ready. No other message may be lost.
		if (message.type !== 'state') this.waiting.push(message);
	}
}

/** Queues a message for each recipient. Throws if it could not be queued for one of them. */
export async function sendTo(
	operations: Pick<Operations, 'send'>,
	to: readonly Recipient[],
	draft: Omit<Draft, 'to'>,
): Promise<void> {
	const failed = await queueFor(operations, to, draft);
	if (failed.length > 0) throw new NancyError('io', failed.map(notQueuedWords).join(' '));
}

/** Queues a message for each recipient. Returns the recipients for whom that failed. */
async function queueFor(
	operations: Pick<Operations, 'send'>,
	to: readonly Recipient[],
	{ kind, priority, effect, text }: Omit<Draft, 'to'>,
) {
	if (text.trim() === '') throw new NancyError('bad-message', l10n.t('The message has no text.'));
	const failed = await operations.send(to, { kind, priority, effect, text });
	await Promise.all([...new Set(to.map(({ folder }) => folder))].map(folder => folder.refresh()));
	return failed;
}

function queuedWords(to: readonly Recipient[]): string {
	return to.length === 1 && to[0]
		? l10n.t('Queued for {0}.', addressWords(to[0].address))
		: l10n.t('Queued for {0} workers.', to.length);
}

function notQueuedWords({ to, reason }: { to: Recipient; reason: string }): string {
	return l10n.t('Not queued for {0}: {1}.', addressWords(to.address), reason.replace(/\.$/, ''));
}

/** Every worker of a task that is not archived, in the order of the Tasks view; of delegates, those that have not ended. */
export function recipients(folders: Folders): Recipient[] {
	return folders.list().flatMap(folder =>
		inOrder(folder.overview().tasks).flatMap(task =>
			task.workers.filter(isAddressed).map(worker => ({
				folder,
				address: { task: worker.record.task, worker: worker.record.name },
				worker,
			})),
		),
	);
}

function keyOf({ folder, address }: Pick<Recipient, 'folder' | 'address'>): string {
	return `${folder.path}//${address.task}/${address.worker}`;
}

function labelOf({ folder, address }: Recipient, folders: Folders): string {
	const name = addressWords(address);
	return visible(folders.list().length > 1 ? `${folder.name} · ${name}` : name);
}

function lastSent(folders: Folders, limitOf: LimitOf): Extract<ToComposePage, { type: 'state' }>['sent'] {
	return recipients(folders)
		.flatMap(recipient =>
			recipient.folder
				.messages(recipient.address)
				.messages.filter(({ author }) => author.is === 'human')
				.map(message => ({ recipient, message })),
		)
		.toSorted((a, b) => (a.message.id < b.message.id ? 1 : -1))
		.slice(0, SENT_SHOWN)
		.map(({ recipient, message }) => ({
			key: `${keyOf(recipient)}/${message.id}`,
			to: labelOf(recipient, folders),
			text: visible(firstLine(message.content.text)),
			state: pageState(message),
			detail: visible(messageLine(message, limitOf)),
		}));
}

function pageState({ state, held }: StoredMessage): 'queued' | 'held' | 'delivered' | 'archived' | 'withdrawn' {
	if (state === 'queued' && held !== undefined) return 'held';
	return state === 'claimed' ? 'queued' : state;
}
