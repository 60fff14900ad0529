import { errorText } from '../../base/errors.ts';
import { Emitter } from '../../base/event.ts';
import { DisposableStore, type Disposable } from '../../base/lifetime.ts';
import { liveness } from '../../base/liveness.ts';
import { NewestMap } from '../../base/newestMap.ts';
import type { QuestionId } from '../../protocol/question.ts';
import type { Driver } from '../driver/driver.ts';
import { RENEWAL_MS } from '../files/leases.ts';
import { applyRules } from '../questions/applyRules.ts';
import type { DeskRules } from '../questions/deskRules.ts';
import { Questions, type Asked } from '../questions/questions.ts';
import { settle } from '../questions/settle.ts';
import { sessionBinding } from '../sessions/bindings.ts';
import type { WorkerAddress, Workspace } from '../workspace/workspace.ts';
import { watch } from './watch.ts';

/** A question, and whose session asks, if Nancy knows its mailbox. */
export interface LiveQuestion extends Asked {
	readonly address: WorkerAddress | undefined;
}

/** How often to look whether a question is over, in milliseconds, while one is open. */
const LOOK_MS = 1000;

/** The CLI's record shows a turn that was broken off within this time after an answer, in milliseconds. No event does. */
const RECORDED_MS = 30_000;

/** How many questions that are over stay in memory: those that this window has seen open last. */
const OVER_KEPT = 50;

export interface LiveQuestionsOptions {
	/** Ends and answers no question: for workspaces that are not trusted. */
	readOnly: boolean;
	/** The user's. */
	rules: DeskRules;
	drivers: readonly Pick<Driver, 'id' | 'transcript'>[];
	fail: (error: unknown) => void;
}

/** The open questions of a workspace, as in the user's data folder. */
export class LiveQuestions implements Disposable {
	private readonly owned = new DisposableStore();
	private readonly _onDidChange = this.owned.add(new Emitter<void>());
	readonly onDidChange = this._onDidChange.event;
	private readonly desk: Questions;
	private timer: NodeJS.Timeout | undefined;
	private open: readonly LiveQuestion[] = [];
	/** Their answers reached the agent: the holder ends then, and the agent's events tell the rest. */
	private readonly handed = new Set<QuestionId>();
	private readonly over = new NewestMap<QuestionId, LiveQuestion>(OVER_KEPT);
	private reading: Promise<void> | undefined;
	private isStale = false;
	/** Why the user's rules do not hold. */
	private rulesProblem = '';
	/** The agents' events may show what came of an answer. */
	private hasNews = false;
	/** The time of the last look, as `performance.now()` says it. */
	private lookedAt = 0;

	constructor(
		private readonly workspace: Workspace,
		private readonly options: LiveQuestionsOptions,
	) {
		this.desk = new Questions(workspace.own);
		this.owned.add(watch(this.desk.folder, () => this.touch(), { onReady: () => this.touch() }));
	}

	dispose(): void {
		clearInterval(this.timer);
		this.owned.dispose();
	}

	/** Those that are not over, oldest first. Answered ones are among them until their outcome is known. */
	all(): readonly LiveQuestion[] {
		return this.open;
	}

	/** The newest of those that were open before in this window, and are over. */
	past(): readonly LiveQuestion[] {
		return this.over.values();
	}

	/** Also one that was open before in this window. */
	find(id: QuestionId): LiveQuestion | undefined {
		return this.open.find(({ question }) => question.id === id) ?? this.over.get(id);
	}

	/** Events were read, which may end a question. */
	seeEvents(): void {
		this.hasNews = true;
	}

	private tick(): void {
		// No event tells that another machine has stopped.
		const isElsewhere = this.open.some(({ question: { holder } }) => liveness(holder) === 'unknown');
		if (isElsewhere && performance.now() - this.lookedAt >= RENEWAL_MS) this.touch();
		const isLeft = this.open.some(
			({ question: { id, agent, holder } }) =>
				liveness(holder) === 'dead' && (!this.handed.has(id) || (agent && liveness(agent) === 'dead')),
		);
		const isEnding = this.open.some(({ answer }) => answer && Date.now() - Date.parse(answer.at) < RECORDED_MS);
		if (isLeft || isEnding || (this.hasNews && this.open.some(({ answer }) => answer))) this.touch();
	}

	/** Looks now. */
	async refresh(): Promise<void> {
		this.touch();
		await this.reading;
	}

	private touch(): void {
		if (this.owned.isDisposed) return;
		this.isStale = true;
		this.reading ??= this.read().finally(() => (this.reading = undefined));
	}

	private async read(): Promise<void> {
		while (this.isStale && !this.owned.isDisposed) {
			this.isStale = false;
			try {
				const { open, over } = await this.lookAtDisk();
				// In one step, so that no question is among both, once as open and once as over.
				for (const each of over) this.over.set(each.question.id, each);
				if (lookOf(open) === lookOf(this.open)) continue;
				this.open = open;
				this.tickWhileOpen();
				this._onDidChange.fire();
			} catch (error) {
				this.options.fail(error);
			}
		}
	}

	private tickWhileOpen(): void {
		clearInterval(this.timer);
		this.timer = undefined;
		if (this.options.readOnly || this.open.length === 0 || this.owned.isDisposed) return;
		this.timer = setInterval(() => this.tick(), LOOK_MS);
		this.timer.unref();
	}

	private async lookAtDisk(): Promise<{ open: readonly LiveQuestion[]; over: readonly LiveQuestion[] }> {
		this.hasNews = false;
		this.lookedAt = performance.now();
		await this.applyRules();
		const found: LiveQuestion[] = [];
		for (const asked of await this.desk.open()) {
			const isOver = !this.options.readOnly && (await this.isOver(asked));
			if (isOver) continue;
			found.push({ ...asked, address: await this.addressOf(asked) });
			if (asked.answer && (await this.desk.isHanded(asked.question.id))) this.handed.add(asked.question.id);
		}
		const over: LiveQuestion[] = [];
		for (const { question, address } of this.open) {
			if (found.some(each => each.question.id === question.id)) continue;
			this.handed.delete(question.id);
			const asked = await this.desk.find(question.id);
			if (asked) over.push({ ...asked, address });
		}
		return { open: found, over };
	}

	/** So that nobody is asked what a rule answers. */
	private async applyRules(): Promise<void> {
		const { readOnly, rules } = this.options;
		if (readOnly) return;
		try {
			await applyRules(this.workspace, this.desk, rules);
			this.rulesProblem = '';
		} catch (error) {
			// Each look finds the same.
			if (errorText(error) !== this.rulesProblem) this.options.fail(error);
			this.rulesProblem = errorText(error);
		}
	}

	/** A holder ends its own question while it waits. After an answer, the events tell. */
	private async isOver(asked: Asked): Promise<boolean> {
		const isHeld = !asked.answer && (await this.desk.holders.isAlive(asked.question.holder));
		if (isHeld) return false;
		const { drivers } = this.options;
		const settled = await settle(this.desk, { paths: this.workspace.paths, drivers }, asked);
		if (settled === 'soon') this.hasNews = true;
		return settled === true;
	}

	private async addressOf({ question }: Asked): Promise<WorkerAddress | undefined> {
		const known = this.find(question.id)?.address;
		if (known) return known;
		// A session whose file cannot be read must not hide the questions of others. The next look asks again.
		return (await sessionBinding(this.workspace, question.session).catch(() => undefined))?.address;
	}
}

function lookOf(questions: readonly LiveQuestion[]): string {
	return JSON.stringify(questions.map(({ question, answer, address }) => [question.id, answer?.effect, address]));
}
