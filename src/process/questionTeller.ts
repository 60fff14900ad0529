import type { Event } from '../base/event.ts';
import type { Disposable } from '../base/lifetime.ts';
import type { Asked } from '../core/questions/questions.ts';
import type { QuestionId } from '../protocol/question.ts';

/** How long a question waits before it is told. Most are answered at the computer meanwhile, or by a rule. In milliseconds. */
const GRACE_MS = 3000;

/** The questions of a workspace, live. */
interface Asks {
	questions(): readonly Asked[];
	readonly onDidChange: Event<void>;
}

/** Tells of each question that waits, once: see tellProgram. */
export class QuestionTeller implements Disposable {
	/** The timers of the questions that wait. */
	private readonly timers = new Map<QuestionId, NodeJS.Timeout>();
	private readonly following: Disposable;

	constructor(
		private readonly asks: Asks,
		private readonly tell: (question: QuestionId) => Promise<void>,
		private readonly fail: (error: unknown) => void,
	) {
		this.following = asks.onDidChange(() => this.look());
		this.look();
	}

	dispose(): void {
		this.following.dispose();
		for (const timer of this.timers.values()) clearTimeout(timer);
	}

	private look(): void {
		const waiting = this.asks.questions().filter(({ answer, outcome }) => !answer && !outcome);
		const ids = new Set(waiting.map(({ question }) => question.id));
		for (const [id, timer] of this.timers)
			if (!ids.has(id)) {
				clearTimeout(timer);
				this.timers.delete(id);
			}
		for (const id of ids) {
			if (this.timers.has(id)) continue;
			const timer = setTimeout(() => void this.tell(id).catch(this.fail), GRACE_MS);
			this.timers.set(id, timer.unref());
		}
	}
}
