import * as z from 'zod/mini';
import { TaskName, WorkerName } from '../names.ts';
import { Answer, Outcome, Question } from '../question.ts';

/** One question, with what became of it. */
export const QuestionOutput = z.object({
	question: Question,
	answer: z.optional(Answer),
	outcome: z.optional(Outcome),
	/** Whose session asks, if Nancy knows its mailbox. */
	task: z.optional(TaskName),
	worker: z.optional(WorkerName),
});
export type QuestionOutput = z.infer<typeof QuestionOutput>;

/** `nancy questions` */
export const QuestionsOutput = z.object({ questions: z.array(QuestionOutput) });
export type QuestionsOutput = z.infer<typeof QuestionsOutput>;

/** `nancy answer` */
export const AnswerOutput = z.object({ question: Question, answer: Answer });
export type AnswerOutput = z.infer<typeof AnswerOutput>;
