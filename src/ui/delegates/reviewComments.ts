import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { l10n } from 'vscode';
import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import { isInside } from '../../base/inside.ts';
import type { Delegate } from '../../core/delegates/delegate.ts';
import { busyIn, worktreeOf } from '../../core/delegates/inWorktree.ts';
import { remarksMessage, remarksText } from '../../core/delegates/remarks.ts';
import { isSameAddress, type WorkerAddress } from '../../core/workspace/workspace.ts';
import { TaskName, WorkerName } from '../../protocol/names.ts';
import type { WorkerRecord } from '../../protocol/records.ts';
import type { Worktree } from '../../protocol/worktree.ts';
import type { ContextKeys } from '../contextKeys.ts';
import { askLine } from '../kit/inputs.ts';
import { inform } from '../kit/messages.ts';
import { asMarkdown } from '../kit/tooltip.ts';
import { shortTitle } from './delegateWords.ts';
import type { Folders } from '../folders.ts';
import type { ChangesOf, Folder, Operations } from '../ports.ts';
import { WorkerItem, workersIn } from '../tasks/tasksView.ts';
import { whoIs } from '../who.ts';
import { keyOf, rootOf } from './changesOf.ts';
import type { OpenReviews } from './openReviews.ts';
import { worktreeIn } from './reviewed.ts';

/** Comments that were not sent yet. A reload keeps them. */
const SAVED = 'reviewComments';
/** The worker whose changes are commented, and the path of its workspace folder. Absent where a worktree says whose they are. */
const Owner = z.object({ folder: z.string(), task: TaskName, worker: WorkerName });
type Owner = z.infer<typeof Owner>;
const Saved = z.catch(
	z.array(
		z.object({
			file: z.string(),
			line: z.int().check(z.nonnegative()),
			texts: z.array(z.string()),
			owner: z.exactOptional(Owner),
		}),
	),
	[],
);

class ReviewComment implements vscode.Comment {
	readonly mode = vscode.CommentMode.Preview;
	readonly author = { name: l10n.t('You') };
	readonly contextValue = 'nancy.comment';
	readonly body: vscode.MarkdownString;

	constructor(
		readonly text: string,
		readonly thread: vscode.CommentThread,
	) {
		this.body = asMarkdown(text);
	}
}

/** Comments on the lines of changes. The user collects them and sends them together. */
export class ReviewComments implements vscode.Disposable {
	private readonly controller = vscode.comments.createCommentController('nancy.review', l10n.t('Nancy Review'));
	private readonly threads = new Map<vscode.CommentThread, Owner | undefined>();

	constructor(
		private readonly folders: Folders,
		private readonly operations: Pick<Operations, 'delegates' | 'send'>,
		private readonly opened: Pick<OpenReviews, 'shows' | 'lastWith'>,
		private readonly memory: vscode.Memento,
		private readonly keys: ContextKeys,
	) {
		this.controller.options = {
			prompt: l10n.t('Comment for the agent'),
			placeHolder: l10n.t('What should it change here?'),
		};
		this.controller.commentingRangeProvider = {
			provideCommentingRanges: ({ uri, lineCount }) =>
				uri.scheme === 'file' && this.isReviewed(uri.fsPath)
					? [new vscode.Range(0, 0, Math.max(0, lineCount - 1), 0)]
					: [],
		};
		for (const { file, line, texts, owner } of Saved.parse(this.memory.get(SAVED))) {
			const range = new vscode.Range(line, 0, line, 0);
			const thread = this.controller.createCommentThread(vscode.Uri.file(file), range, []);
			thread.comments = texts.map(text => new ReviewComment(text, thread));
			this.adopt(thread, owner);
		}
		this.tell();
	}

	dispose(): void {
		this.controller.dispose();
	}

	/** @param reply from the box below a thread */
	async add(reply: unknown): Promise<void> {
		if (!isReply(reply) || reply.text.trim() === '') return;
		const { thread, text } = reply;
		thread.comments = [...thread.comments, new ReviewComment(text.trim(), thread)];
		this.adopt(thread, this.threads.get(thread) ?? this.ownerOf(thread.uri.fsPath));
		await this.save();
	}

	async remove(comment: unknown): Promise<void> {
		if (!(comment instanceof ReviewComment)) return;
		const { thread } = comment;
		thread.comments = thread.comments.filter(each => each !== comment);
		if (thread.comments.length === 0) this.drop(thread);
		await this.save();
	}

	/** Whose changes a thread is about. If several worked there, the newest. */
	authorOf(thread: unknown): Commented | undefined {
		const known = [...this.threads.keys()].find(each => each === thread);
		return known && this.commented(known);
	}

	/** Everybody whose changes have unsent comments. */
	waiting(): Commented[] {
		const found = new Map(
			[...this.threads.keys()]
				.flatMap(thread => this.commented(thread) ?? [])
				.map(each => ['task' in each.of ? JSON.stringify(ownerIn(each)) : keyOf(each.folder, each.of), each]),
		);
		return [...found.values()];
	}

	/**
	 * Sends the comments to the delegate while it works. If the delegate has ended, a new run starts in its worktree. A task's worker gets them
	 * as feedback. Without a comment, asks what to change.
	 */
	async sendBack(reviewed: Commented): Promise<void> {
		const { folder } = reviewed;
		if ('delegate' in reviewed) worktreeIn(folder.delegates(), reviewed.delegate);
		const threads = [...this.threads.keys()].filter(thread => this.isAbout(thread, reviewed));
		const counts = new Map(threads.map(thread => [thread, thread.comments.length]));
		const label = labelFor(reviewed);
		const root = rootOf(folder, reviewed.of);
		const remarks = threads.length > 0 ? remarksIn(root, threads) : await askRemark(label);
		const address = readerOf(reviewed);
		if (address) await this.send(folder, address, remarks);
		else if ('delegate' in reviewed)
			await this.operations.delegates.repeat(folder, reviewed.delegate.record.id, remarks);
		// One with a comment that was added meanwhile stays.
		for (const [thread, count] of counts) if (thread.comments.length === count) this.drop(thread);
		await this.save();
		await folder.refresh();
		void inform(sentWords(reviewed, label, address !== undefined));
	}

	private async send(folder: Folder, address: WorkerAddress, remarks: string): Promise<void> {
		const [failed] = await this.operations.send([{ folder, address }], {
			kind: 'feedback',
			priority: 'normal',
			effect: 'none',
			text: remarksMessage(remarks),
		});
		// The comments stay.
		if (failed) throw new NancyError('io', failed.reason);
	}

	private isReviewed(file: string): boolean {
		return this.inWorktree(file).length > 0 || (this.opened.shows(file) && this.ownerOf(file) !== undefined);
	}

	/** A file of the workspace folder has the comments for the worker whose review shows it. */
	private ownerOf(file: string): Owner | undefined {
		const item = this.opened.lastWith(file);
		if (!(item instanceof WorkerItem) || this.inWorktree(file).length > 0) return undefined;
		return { folder: item.folder.path, ...item.address };
	}

	/** If several worked in a worktree, the newest. */
	private commented(thread: vscode.CommentThread): Commented | undefined {
		const owner = this.threads.get(thread);
		if (!owner) return this.inWorktree(thread.uri.fsPath)[0];
		const workers = this.folders.list().filter(({ path }) => path === owner.folder);
		const item = workers.flatMap(workersIn).find(({ address }) => isSameAddress(address, owner));
		return item && { folder: item.folder, of: { task: owner.task }, worker: item.worker.record };
	}

	private isAbout(thread: vscode.CommentThread, reviewed: Commented): boolean {
		const owner = this.threads.get(thread);
		if ('worktree' in reviewed.of) return !owner && isInside(reviewed.of.worktree.folder, thread.uri.fsPath);
		const { folder, task, worker } = ownerIn(reviewed) ?? {};
		return owner?.folder === folder && owner?.task === task && owner?.worker === worker;
	}

	/** Newest first. */
	private inWorktree(file: string): Commented[] {
		return this.folders.list().flatMap(folder => {
			const all = folder.delegates();
			const delegates = all.toReversed().flatMap((delegate): Commented[] => {
				const worktree = worktreeOf(delegate, all);
				return holds(worktree, file) ? [{ folder, of: { worktree }, delegate }] : [];
			});
			const workers = workersIn(folder).flatMap((item): Commented[] => {
				const { worktree } = item.worker;
				return holds(worktree, file) ? [{ folder, of: { worktree }, worker: item.worker.record }] : [];
			});
			return [...delegates, ...workers];
		});
	}

	private adopt(thread: vscode.CommentThread, owner: Owner | undefined): void {
		this.threads.set(thread, owner);
		thread.contextValue = 'nancy.thread';
		thread.label = l10n.t('Not sent back yet');
		thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
	}

	private drop(thread: vscode.CommentThread): void {
		this.threads.delete(thread);
		thread.dispose();
	}

	private async save(): Promise<void> {
		this.tell();
		await this.memory.update(
			SAVED,
			[...this.threads].map(([{ uri, range, comments }, owner]) => ({
				file: uri.fsPath,
				line: range?.end.line ?? 0,
				texts: comments.filter(each => each instanceof ReviewComment).map(({ text }) => text),
				...(owner && { owner }),
			})),
		);
	}

	private tell(): void {
		this.keys.set('hasComments', this.threads.size > 0);
	}
}

/** A delegate, or a task's worker, whose changes are commented. The worktree may be removed by now. */
export type Commented = { folder: Folder } & (
	| { of: { worktree: Worktree }; delegate: Delegate }
	| { of: ChangesOf; worker: WorkerRecord }
);

function ownerIn(reviewed: Commented): Owner | undefined {
	if (!('worker' in reviewed)) return undefined;
	return { folder: reviewed.folder.path, task: reviewed.worker.task, worker: reviewed.worker.name };
}

function labelFor(reviewed: Commented): string {
	if ('delegate' in reviewed) {
		const busy = busyIn(reviewed.of.worktree, reviewed.folder.delegates());
		return shortTitle(busy ?? reviewed.delegate);
	}
	return whoIs(reviewed.folder, { task: reviewed.worker.task, worker: reviewed.worker.name });
}

/** Whose mailbox gets the comments; `undefined` for a delegate that has ended. */
function readerOf(reviewed: Commented): WorkerAddress | undefined {
	if ('worker' in reviewed) return { task: reviewed.worker.task, worker: reviewed.worker.name };
	const busy = busyIn(reviewed.of.worktree, reviewed.folder.delegates());
	return busy && { task: busy.record.task, worker: busy.record.worker };
}

function sentWords(reviewed: Commented, label: string, isMessage: boolean): string {
	if (!isMessage) return l10n.t('“{0}” continues with your comments.', label);
	return 'delegate' in reviewed
		? l10n.t('“{0}” reads your comments before it is done.', label)
		: l10n.t('Your comments are sent to “{0}”. The Inbox says when they are read.', label);
}

function holds(worktree: Worktree | undefined, file: string): worktree is Worktree {
	return worktree !== undefined && isInside(worktree.folder, file);
}

function isReply(value: unknown): value is vscode.CommentReply {
	return typeof value === 'object' && value !== null && 'thread' in value && 'text' in value;
}

function remarksIn(root: string, threads: readonly vscode.CommentThread[]): string {
	return remarksText(
		threads.map(({ uri, range, comments }) => {
			const file = relative(root, uri.fsPath).replaceAll(sep, '/');
			const texts = comments.filter(each => each instanceof ReviewComment).map(({ text }) => text);
			return { file, line: (range?.end.line ?? 0) + 1, text: texts.join('\n\n') };
		}),
	);
}

async function askRemark(label: string): Promise<string> {
	const text = await askLine(
		l10n.t('Send Back'),
		l10n.t('What should “{0}” change? Comments on the lines of its changes are sent along.', label),
	);
	if (text === undefined || text.trim() === '') throw new vscode.CancellationError();
	return text.trim();
}
