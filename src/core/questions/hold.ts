import { watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../../base/errors.ts';
import type { Answer, Question } from '../../protocol/question.ts';
import type { Questions } from './questions.ts';
import { whyNoAnswer } from './reply.ts';

/** How often a holder looks whether a notification was missed, and whether its CLI is still there. In milliseconds. */
const LOOK_MS = 1000;

export interface Holding {
	/** Whether the CLI that waits is still there. */
	isAwaited: () => boolean;
	/** Why the question is over, if the session's own events show it. Asked at each look. */
	settle: () => Promise<void>;
}

/**
 * Waits until a question is answered or over.
 * @returns the answer to exactly this question, or `undefined`: then the holder says nothing, and the CLI's own prompt decides. Nothing here
 * ever times out to an answer
 */
export async function hold(questions: Questions, question: Question, holding: Holding): Promise<Answer | undefined> {
	const bell = new Bell(['answers', 'outcomes'].map(kind => join(questions.folder, kind)));
	try {
		for (;;) {
			if (!holding.isAwaited()) {
				await questions.end(question.id, 'ended', 'the agent has ended');
				return undefined;
			}
			if (await questions.readOutcome(question.id)) return undefined;
			const answer = await questions.readAnswer(question.id);
			if (answer) {
				const wrong = whyNoAnswer(question, answer);
				if (wrong === undefined) return answer;
				await questions.end(question.id, 'refused', String(wrong));
				return undefined;
			}
			await holding.settle();
			await bell.rings(LOOK_MS);
		}
	} catch (error) {
		// Somebody else's file stands in the place of the answer.
		await questions.end(question.id, 'refused', errorText(error)).catch(() => undefined);
		return undefined;
	} finally {
		bell.dispose();
	}
}

/** Rings when an entry of a folder changes. */
class Bell {
	private readonly watchers: FSWatcher[] = [];
	private ring: () => void = () => undefined;
	private hasRung = false;

	constructor(folders: readonly string[]) {
		for (const folder of folders) {
			try {
				const watcher = watch(folder, () => {
					this.hasRung = true;
					this.ring();
				});
				watcher.on('error', () => watcher.close());
				this.watchers.push(watcher);
			} catch {
				// The look at each interval remains.
			}
		}
	}

	async rings(timeoutMs: number): Promise<void> {
		if (!this.hasRung)
			await new Promise<void>(resolve => {
				const timer = setTimeout(resolve, timeoutMs);
				this.ring = () => {
					clearTimeout(timer);
					resolve();
				};
			});
		this.hasRung = false;
	}

	dispose(): void {
		for (const watcher of this.watchers) watcher.close();
	}
}
