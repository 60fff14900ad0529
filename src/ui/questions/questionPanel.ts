import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { isSameAddress } from '../../core/workspace/workspace.ts';
import { replyOf } from '../../core/questions/reply.ts';
import type { QuestionId } from '../../protocol/question.ts';
import { FromQuestionPage, type PageAnswer, type ToQuestionPage } from '../../protocol/questionPage.ts';
import type { Folders } from '../folders.ts';
import type { Failures } from '../kit/failures.ts';
import { sentence } from '../kit/failures.ts';
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
import { liveQuestion, shownQuestion } from './questionPage.ts';

interface Collaborators {
	extensionUri: vscode.Uri;
	folders: Pick<Folders, 'list' | 'onDidChange'>;
	failures: Pick<Failures, 'guard' | 'background'>;
	operations: Pick<Operations, 'answer'>;
	terminals: Pick<Terminals, 'find' | 'focus'>;
	agentName: (driver: string) => string;
}

/** How often the page says how long a question waits, in milliseconds. */
const AGE_MS = 15_000;

/** The tab that shows one question whole, and takes its answer. The next question replaces it only at the user's wish. */
export class QuestionPanel implements vscode.Disposable {
	private panel: vscode.WebviewPanel | undefined;
	private isReady = false;
	private shown: { folder: Folder; id: QuestionId } | undefined;
	/** Why the last answer was not taken. */
	private problem = '';
	private hasTerminal = false;
	/** The last message of each type. The page is told of changes only. */
	private readonly posted = new Map<ToQuestionPage['type'], string>();
	private readonly following: vscode.Disposable;

	constructor(private readonly own: Collaborators) {
		const look = () => own.failures.background(this.lookForTerminal());
		const timer = setInterval(() => this.post(), AGE_MS);
		timer.unref();
		this.following = vscode.Disposable.from(
			own.folders.onDidChange(() => this.post()),
			vscode.window.onDidOpenTerminal(look),
			vscode.window.onDidCloseTerminal(look),
			{ dispose: () => clearInterval(timer) },
		);
	}

	show({ folder, asked }: QuestionItem): void {
		this.shown = { folder, id: asked.question.id };
		this.problem = '';
		this.hasTerminal = false;
		this.posted.clear();
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
		panel.webview.html = panelPage(panel.webview, { media, name: 'question', title: l10n.t('Question') });
		return panel;
	}

	private async take(message: unknown): Promise<void> {
		const parsed = FromQuestionPage.parse(message);
		switch (parsed.type) {
			case 'ready':
				this.isReady = true;
				this.posted.clear();
				return this.post();
			case 'next':
				return this.showNext();
			case 'terminal': {
				const worker = this.worker();
				return worker && this.own.terminals.focus(worker);
			}
			case 'answer':
				return this.answer(parsed);
		}
	}

	/** The page may be older than what the panel shows. Then nothing is answered. The digest is the page's: another request refuses it. */
	private async answer(given: PageAnswer): Promise<void> {
		const item = this.item();
		if (!item || given.id !== item.asked.question.id) return;
		const { question } = item.asked;
		try {
			await this.own.operations.answer(item.folder, question.id, given.digest, replyOf(question, given));
			if (this.shown?.id === question.id) this.problem = '';
		} catch (error) {
			if (this.shown?.id === question.id) this.problem = sentence(errorWords(error));
			// The page shows another question by now, or is closed.
			else void this.own.failures.guard(() => Promise.reject(error));
		}
		await item.folder.refresh();
		// Also if nothing is other than before: the page waits for a word.
		this.posted.delete('live');
		this.post();
	}

	private post(): void {
		if (!this.panel || !this.shown) return;
		const item = this.item();
		this.panel.title = plainLine(item ? whoAsks(item, this.own.agentName) : l10n.t('Question'), 40);
		if (!item) return this.send({ type: 'none', says: l10n.t('This question is gone.') });
		if (!this.isReady) return;
		const next = this.next();
		// A request never changes, and a long one takes time to make.
		if (!this.posted.has('question')) this.send(shownQuestion(item, this.own.agentName));
		this.send(
			liveQuestion(item, {
				problem: this.problem,
				hasTerminal: this.hasTerminal,
				next: next ? l10n.t('Next Question') : '',
			}),
		);
	}

	private send(message: ToQuestionPage): void {
		const text = JSON.stringify(message);
		if (!this.panel || !this.isReady || this.posted.get(message.type) === text) return;
		this.posted.set(message.type, text);
		void this.panel.webview.postMessage(message);
	}

	private item(): QuestionItem | undefined {
		const { folder, id } = this.shown ?? {};
		const asked = id && folder?.question(id);
		return folder && asked && this.own.folders.list().includes(folder)
			? new QuestionItem(folder, asked)
			: undefined;
	}

	private next(): QuestionItem | undefined {
		const others = openQuestions(this.own.folders).filter(({ asked }) => asked.question.id !== this.shown?.id);
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
