import { watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { errorText, hasCode } from '../../base/errors.ts';
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
	const lease = questions.holders.machines.keep();
	const bell = new Bell(['answers', 'outcomes'].map(kind => join(questions.folder, kind)));
	try {
		for (;;) {
			if (!holding.isAwaited()) {
				await questions.end(question.id, 'ended', 'the agent has ended');
				return undefined;
			}
			const { isOver, answer } = await look(questions, question);
			if (isOver) return undefined;
			if (answer) {
				const wrong = whyNoAnswer(question, answer);
				if (wrong === undefined) return answer;
				await questions.end(question.id, 'refused', String(wrong));
				return undefined;
			}
			// What shows the end may come back: a folder that somebody cleans away, a disk that hangs.
			await holding.settle().catch(() => undefined);
			await bell.rings(LOOK_MS);
		}
	} catch (error) {
		// Somebody else's file stands in the place of the answer.
		await questions.end(question.id, 'refused', errorText(error)).catch(() => undefined);
		return undefined;
	} finally {
		lease.dispose();
		bell.dispose();
	}
}

/** A disk that cannot be read now says nothing of an answer. @throws NancyError `bad-file` for somebody else's file in its place */
async function look(
	questions: Questions,
	{ id }: Question,
): Promise<{ isOver?: boolean; answer?: Answer | undefined }> {
	try {
		return { isOver: (await questions.readOutcome(id)) !== undefined, answer: await questions.readAnswer(id) };
	} catch (error) {
		if (hasCode(error, 'bad-file')) throw error;
		return {};
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
