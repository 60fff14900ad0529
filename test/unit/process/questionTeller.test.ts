import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Emitter } from '../../../src/base/event.ts';
import type { Asked } from '../../../src/core/questions/questions.ts';
import { QuestionTeller } from '../../../src/process/questionTeller.ts';
import { DelegateId } from '../../../src/protocol/delegate.ts';
import type { QuestionId } from '../../../src/protocol/question.ts';
import { questionOf } from '../../support/questionOf.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const asked = (): Asked => ({
	question: questionOf(DelegateId.parse('d1')),
	answer: undefined,
	outcome: undefined,
});
const over = ({ question }: Asked): Asked => {
	const outcome = { version: 1, question: question.id, state: 'ended', evidence: '', at: question.askedAt } as const;
	return { question, answer: undefined, outcome };
};

it('tells of each question that still waits after a moment, once, and of no other', async () => {
	const [early, quick, late] = [asked(), asked(), asked()];
	let questions: Asked[] = [early];
	const changed = new Emitter<void>();
	const told: QuestionId[] = [];
	const failed: unknown[] = [];
	const tell = (id: QuestionId) => {
		told.push(id);
		return Promise.reject(new Error('no such program'));
	};
	const asks = { questions: () => questions, onDidChange: changed.event };
	const teller = new QuestionTeller(asks, tell, error => failed.push(error));
	const have = (...now: Asked[]) => {
		questions = now;
		changed.fire();
	};
	have(early, quick);
	vi.advanceTimersByTime(2000);
	have(early, over(quick), late);
	await vi.advanceTimersByTimeAsync(1500);
	expect(told).toEqual([early.question.id]);
	have(early, over(quick), late);
	await vi.advanceTimersByTimeAsync(60_000);
	expect(told).toEqual([early.question.id, late.question.id]);
	expect(failed).toHaveLength(2);
	have(early, late, asked());
	teller.dispose();
	await vi.advanceTimersByTimeAsync(60_000);
	expect(told).toHaveLength(2);
});
