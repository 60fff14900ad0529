import * as z from 'zod/mini';
import { TaskName, WorkerName } from '../names.ts';
import { Answer, Outcome, Question } from '../question.ts';
import { SendOutput } from './messages.ts';
import { WorkerOutput } from './tasks.ts';

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

/** `nancy answers` */
export const QuestionsOutput = z.object({ questions: z.array(QuestionOutput) });
export type QuestionsOutput = z.infer<typeof QuestionsOutput>;

/** An agent that asks something that Nancy cannot answer: its own terminal takes the answer. */
export const InTerminalOutput = z.object({
	task: TaskName,
	...z.pick(WorkerOutput, { worker: true, agent: true, tool: true, summary: true, at: true }).shape,
});
export type InTerminalOutput = z.infer<typeof InTerminalOutput>;

/** `nancy questions` */
export const AskingOutput = z.object({ ...QuestionsOutput.shape, inTerminal: z.array(InTerminalOutput) });

/** `nancy answer` */
export const AnswerOutput = z.object({
	question: Question,
	answer: Answer,
	/** With the words of a No, where the CLI has no place for them. */
	message: z.optional(SendOutput),
});
export type AnswerOutput = z.infer<typeof AnswerOutput>;
