import * as z from 'zod/mini';
import type { Asker } from '../core/asker/asker.ts';
import { permit } from '../core/asker/permit.ts';
import { Questions } from '../core/questions/questions.ts';
import { isRisky } from '../core/questions/risks.ts';
import { AnswerOutput } from '../protocol/output/questions.ts';
import { type Answer, QuestionId, Reply } from '../protocol/question.ts';
import type { Operation } from './operation.ts';

const Input = z.object({
	question: QuestionId,
	/** The digest of the question that the person saw. */
	digest: z.string(),
	reply: Reply,
});

/** Carries a person's answer to one question to the agent that asks. */
export const answerQuestion: Operation<z.infer<typeof Input>, AnswerOutput> = {
	name: 'answerQuestion',
	input: Input,
	output: AnswerOutput,
	worksOnPage: true,
	async permit(asker, { question: id, reply: { effect } }, { workspace }) {
		permit(asker, { is: 'answer-question', effect });
		// The digest covers the risks: an answer to a changed question is to nobody.
		const { question } = await new Questions(workspace.own).get(id);
		if (isRisky(question, effect)) permit(asker, { is: 'allow-risk' });
	},
	async run(asker, { question: id, digest, reply }, { workspace }) {
		const said = {
			version: 1 as const,
			question: id,
			digest,
			...reply,
			...answeredBy(asker),
			at: new Date().toISOString(),
		};
		const desk = new Questions(workspace.own);
		const answer = await desk.answer(said);
		return { question: (await desk.get(id)).question, answer };
	},
};

function answeredBy(asker: Asker): Pick<Answer, 'by' | 'device'> {
	if (asker.is === 'human' && asker.via === 'page') return { by: 'page', device: asker.device };
	return { by: asker.is === 'human' && asker.via === 'window' ? 'vscode' : 'command' };
}
