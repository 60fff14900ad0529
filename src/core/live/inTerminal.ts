import { liveness } from '../../base/liveness.ts';
import type { Asked } from '../questions/questions.ts';
import type { WorkerView } from './overview.ts';

/**
 * Whether an agent asks something that Nancy cannot answer: it waits, and no question of its session is at a desk.
 * @param asked those that are not over, at least
 */
export function asksInTerminal(
	{ record, state }: Pick<WorkerView, 'record' | 'state'>,
	asked: readonly Pick<Asked, 'question' | 'answer' | 'outcome'>[],
): boolean {
	// A delegate has no terminal, and what it may not do is denied.
	if (state.phase !== 'waiting' || record.delegate !== undefined) return false;
	return !asked.some(({ question, answer, outcome }) => {
		if (question.session !== state.session) return false;
		// After an answer no event tells at once that the agent goes on.
		if (answer) return answer.at >= state.since;
		// Some holders outlive a question that was answered elsewhere.
		return !outcome && liveness(question.holder) !== 'dead';
	});
}
