import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { isSameAddress } from '../../core/workspace/workspace.ts';
import type { QuestionId } from '../../protocol/question.ts';
import type { Folders } from '../folders.ts';
import type { Failures } from '../kit/failures.ts';
import { formatAge } from '../kit/format.ts';
import { warn } from '../kit/messages.ts';
import { workerItems } from '../pickers.ts';
import { notice } from '../settings.ts';
import type { Terminals } from '../tasks/terminals.ts';
import { openQuestions, type QuestionItem } from './questionItem.ts';

/** Questions that come together are told together, in milliseconds. */
const GATHER_MS = 500;

/** How long the user has to answer in the agent's own terminal while that is in front, in milliseconds. */
const GRACE_MS = 3000;

/** How long VS Code shows a warning, in milliseconds. A second one beside it would tell of the same questions. */
const SHOWN_MS = 12_000;

interface Collaborators {
	folders: Pick<Folders, 'list' | 'onDidChange'>;
	terminals: Pick<Terminals, 'find'>;
	failures: Pick<Failures, 'background'>;
	/** Shows the oldest question. */
	review: () => Promise<void>;
}

/** Tells of all open questions in one notification, when one has come. It takes no answer: the whole request must be seen first. */
export class QuestionNotices implements vscode.Disposable {
	private readonly told = new Set<QuestionId>();
	private isTelling = false;
	private isDisposed = false;
	private lastMs = 0;
	private readonly following: { dispose(): unknown };

	constructor(private readonly own: Collaborators) {
		this.following = own.folders.onDidChange(() => this.look());
		this.look();
	}

	dispose(): void {
		this.isDisposed = true;
		this.following.dispose();
	}

	private look(): void {
		if (this.isTelling || this.untold().length === 0) return;
		this.isTelling = true;
		this.own.failures.background(this.tell().finally(() => (this.isTelling = false)));
	}

	private async tell(): Promise<void> {
		await passed(GATHER_MS);
		if (await this.areAllInFront(this.untold())) await passed(GRACE_MS - GATHER_MS);
		await passed(this.lastMs + SHOWN_MS - Date.now());
		if (this.isDisposed || this.untold().length === 0) return;
		const open = this.open();
		for (const { asked } of this.untold()) this.told.add(asked.question.id);
		this.lastMs = Date.now();
		this.own.failures.background(this.offer(open));
	}

	private async offer(open: readonly QuestionItem[]): Promise<void> {
		const age = formatAge(open[0]?.asked.question.askedAt ?? '');
		const text =
			open.length === 1
				? l10n.t('An agent asks for your answer ({0}).', age)
				: l10n.t('{0} questions of agents, oldest {1}.', open.length, age);
		const review = l10n.t('Review');
		if ((await warn(text, review)) === review) await this.own.review();
	}

	private open(): QuestionItem[] {
		return openQuestions(this.own.folders).filter(
			({ folder }) => notice('permission', folder.path) === 'notification',
		);
	}

	private untold(): QuestionItem[] {
		return this.open().filter(({ asked }) => !this.told.has(asked.question.id));
	}

	private async areAllInFront(items: readonly QuestionItem[]): Promise<boolean> {
		const { activeTerminal, state } = vscode.window;
		if (!activeTerminal || !state.focused) return false;
		const found = items.map(async ({ folder, asked: { address } }) => {
			const worker = workerItems(this.own.folders).find(
				each => address && each.folder === folder && isSameAddress(each.address, address),
			);
			return worker && (await this.own.terminals.find(worker)) === activeTerminal;
		});
		return (await Promise.all(found)).every(Boolean);
	}
}

function passed(ms: number): Promise<void> {
	return ms <= 0 ? Promise.resolve() : new Promise(resolve => void setTimeout(resolve, ms));
}
