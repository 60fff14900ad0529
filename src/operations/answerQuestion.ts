import * as z from 'zod/mini';
import { permit } from '../core/asker/permit.ts';
import { Questions } from '../core/questions/questions.ts';
import { AnswerOutput } from '../protocol/output/questions.ts';
import { QuestionId, Reply } from '../protocol/question.ts';
import type { Operation } from './operation.ts';

const Input = z.object({
	question: QuestionId,
	/** Of the question that the person saw. */
	digest: z.string(),
	reply: Reply,
});

/** Carries a person's answer to one question to the agent that asks. */
export const answerQuestion: Operation<z.infer<typeof Input>, AnswerOutput> = {
	name: 'answerQuestion',
	input: Input,
	output: AnswerOutput,
	async permit(asker) {
		permit(asker, { is: 'answer-question' });
	},
	async run(asker, { question: id, digest, reply }, { workspace }) {
		const said = {
			version: 1 as const,
			question: id,
			digest,
			...reply,
			by: asker.is === 'human' && asker.via === 'window' ? ('vscode' as const) : ('command' as const),
			at: new Date().toISOString(),
		};
		const desk = new Questions(workspace.own);
		const answer = await desk.answer(said);
		return { question: (await desk.get(id)).question, answer };
	},
};
