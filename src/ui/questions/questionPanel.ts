import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { isSameAddress } from '../../core/workspace/workspace.ts';
import { visible } from '../../base/visible.ts';
import { folderId, type DeskView } from '../../core/live/deskView.ts';
import { alikeAs } from '../../core/questions/alike.ts';
import { replyOf } from '../../core/questions/reply.ts';
import { AnswerRequest, type AnswerReply } from '../../protocol/deskApi.ts';
import { FromPanel, type Shown, type ToPanel } from '../../protocol/deskPanel.ts';
import type { DeskQuestion } from '../../protocol/deskState.ts';
import type { QuestionId } from '../../protocol/question.ts';
import type { Folders } from '../folders.ts';
import type { Failures } from '../kit/failures.ts';
import { sentence } from '../kit/format.ts';
import { inform } from '../kit/messages.ts';
import { panelPage } from '../kit/panelPage.ts';
import { plainLine } from '../kit/plain.ts';
import { errorWords } from '../kit/translated.ts';
import { nextAfter } from '../needs/round.ts';
import { workerItems } from '../pickers.ts';
import type { Folder, Operations } from '../ports.ts';
import type { WorkerItem } from '../tasks/tasksView.ts';
import type { Terminals } from '../tasks/terminals.ts';
import { openQuestions, QuestionItem, whoAsks } from './questionItem.ts';

interface Collaborators {
	extensionUri: vscode.Uri;
	folders: Pick<Folders, 'list' | 'onDidChange'>;
	failures: Pick<Failures, 'guard' | 'background'>;
	operations: Pick<Operations, 'answer'>;
	terminals: Pick<Terminals, 'find' | 'focus'>;
	agentName: (driver: string) => string;
	deskView: Pick<DeskView, 'question'>;
}

/** The one request of the page that is answered here. */
const ANSWER = /^questions\/([^/]+)\/answer$/;

/** The tab that shows one question whole, and takes its answer. The next question replaces it only at the user's wish. */
export class QuestionPanel implements vscode.Disposable {
	private panel: vscode.WebviewPanel | undefined;
	private isReady = false;
	private shown: { folder: Folder; id: QuestionId } | undefined;
	private hasTerminal = false;
	/** What the page knows. It is told of changes only. */
	private posted = '';
	private readonly following: vscode.Disposable;

	constructor(private readonly own: Collaborators) {
		const look = () => own.failures.background(this.lookForTerminal());
		this.following = vscode.Disposable.from(
			own.folders.onDidChange(() => this.post()),
			vscode.window.onDidOpenTerminal(look),
			vscode.window.onDidCloseTerminal(look),
		);
	}

	show({ folder, asked }: QuestionItem): void {
		this.shown = { folder, id: asked.question.id };
		this.hasTerminal = false;
		this.panel ??= this.open();
		this.panel.reveal();
		this.post();
		this.own.failures.background(this.lookForTerminal());
	}

	/** Shows the question after the shown one, round and round. */
	showNext(): void {
		const next = this.next();
		if (next) this.show(next);
		else if (this.panel && this.item()) this.panel.reveal();
		else void inform(l10n.t('No agent asks anything.'));
	}

	dispose(): void {
		this.following.dispose();
		this.panel?.dispose();
	}

	private open(): vscode.WebviewPanel {
		const media = vscode.Uri.joinPath(this.own.extensionUri, 'media');
		const panel = vscode.window.createWebviewPanel('nancy.question', '', vscode.ViewColumn.Active, {
			enableScripts: true,
			localResourceRoots: [media],
		});
		panel.iconPath = new vscode.ThemeIcon('question');
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
			style: vscode.Uri.joinPath(media, 'web', 'question.css'),
			script: vscode.Uri.joinPath(media, 'web', 'question.js'),
			title: l10n.t('Question'),
		});
		return panel;
	}

	private async take(message: unknown): Promise<void> {
		const parsed = FromPanel.parse(message);
		switch (parsed.type) {
			case 'ready':
				this.isReady = true;
				this.posted = '';
				this.send({ type: 'texts', texts: { ...l10n.bundle } });
				return this.post();
			case 'next':
				return this.showNext();
			case 'terminal': {
				const worker = this.worker();
				return worker && this.own.terminals.focus(worker);
			}
			case 'post': {
				const reply = await this.reply(ANSWER.exec(parsed.route)?.[1], parsed.body);
				return this.send({ type: 'reply', number: parsed.number, ...reply });
			}
		}
	}

	/** The page may be older than what the panel shows. Then nothing is answered. */
	private async reply(id: string | undefined, body: unknown): Promise<{ value: AnswerReply } | { error: string }> {
		const shown = this.item();
		const item = shown && [shown, ...this.alike(shown)].find(({ asked }) => asked.question.id === id);
		if (!item) return { error: l10n.t('This question is no longer here.') };
		try {
			return { value: await this.answer(item, AnswerRequest.parse(body)) };
		} catch (error) {
			// The page shows another question by now, or is closed.
			if (!this.isReady || this.shown?.id !== shown.asked.question.id)
				void this.own.failures.guard(() => Promise.reject(error));
			return { error: sentence(errorWords(error)) };
		}
	}

	/** The digest is the page's: another request refuses it. */
	private async answer({ folder, asked: { question } }: QuestionItem, given: AnswerRequest): Promise<AnswerReply> {
		try {
			const reply = replyOf(question, given);
			const { effect, at } = await this.own.operations.answer(folder, question.id, given.digest, reply);
			return { question: question.id, effect, at };
		} finally {
			await folder.refresh();
			this.post();
		}
	}

	private post(): void {
		if (!this.panel || !this.shown) return;
		const item = this.item();
		this.panel.title = plainLine(item ? whoAsks(item, this.own.agentName) : l10n.t('Question'), 40);
		if (!this.isReady) return;
		const shown = this.pageOf(this.shown.id, item);
		const text = JSON.stringify(shown);
		if (text === this.posted) return;
		this.posted = text;
		this.send(shown);
	}

	private pageOf(id: QuestionId, item: QuestionItem | undefined): Shown {
		const hasNone = !item || item.asked.question.delegate !== undefined;
		return {
			type: 'shown',
			id,
			...(item && { question: this.whole(item) }),
			alike: item ? this.alike(item).map(each => this.whole(each)) : [],
			terminal: hasNone ? 'none' : this.hasTerminal ? 'here' : 'elsewhere',
			hasNext: this.next() !== undefined,
		};
	}

	/** As every page shows it, with what the window alone may say and take. */
	private whole({ folder, asked }: QuestionItem): DeskQuestion {
		const source = {
			id: folderId(folder.path),
			overview: () => folder.overview(),
			delegates: () => folder.delegates(),
		};
		const question = this.own.deskView.question(source, asked);
		return {
			...question,
			cwd: question.cwd ?? visible(folder.path),
			choices: question.choices.map(choice => ({ ...choice, isHere: true })),
		};
	}

	private send(message: ToPanel): void {
		if (this.isReady) void this.panel?.webview.postMessage(message);
	}

	private item(): QuestionItem | undefined {
		const { folder, id } = this.shown ?? {};
		const asked = id && folder?.question(id);
		return folder && asked && this.own.folders.list().includes(folder)
			? new QuestionItem(folder, asked)
			: undefined;
	}

	/** The others that wait. */
	private others(): QuestionItem[] {
		return openQuestions(this.own.folders).filter(({ asked }) => asked.question.id !== this.shown?.id);
	}

	/** Those that the page may answer together with the shown one. */
	private alike({ folder, asked }: QuestionItem): QuestionItem[] {
		const kind = alikeAs(asked.question);
		return this.others().filter(
			each => each.folder === folder && kind !== undefined && alikeAs(each.asked.question) === kind,
		);
	}

	private next(): QuestionItem | undefined {
		const others = this.others();
		const placed = others.map(item => ({ item, place: item.asked.question.id }));
		return nextAfter(placed, this.shown?.id)?.item;
	}

	private worker(): WorkerItem | undefined {
		const item = this.item();
		const address = item?.asked.address;
		return (
			address &&
			workerItems(this.own.folders).find(
				each => each.folder === item.folder && isSameAddress(each.address, address),
			)
		);
	}

	private async lookForTerminal(): Promise<void> {
		const worker = this.panel && this.worker();
		this.hasTerminal = worker !== undefined && (await this.own.terminals.find(worker)) !== undefined;
		this.post();
	}
}
