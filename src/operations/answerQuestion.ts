import * as z from 'zod/mini';
import type { Asker } from '../core/asker/asker.ts';
import { permit } from '../core/asker/permit.ts';
import { Questions } from '../core/questions/questions.ts';
import { isMute } from '../core/questions/reply.ts';
import { isRisky } from '../core/questions/risks.ts';
import { sessionBinding } from '../core/sessions/bindings.ts';
import type { Workspace } from '../core/workspace/workspace.ts';
import { AnswerOutput } from '../protocol/output/questions.ts';
import { type Answer, type Question, QuestionId, Reply } from '../protocol/question.ts';
import type { Operation, OperationContext } from './operation.ts';
import { send } from './send.ts';

const Input = z.object({
	question: QuestionId,
	/** The digest of the question that the person saw. */
	digest: z.string(),
	reply: Reply,
});

type Message = z.infer<typeof send.input>;

/**
 * Carries a person's answer to one question to the agent that asks. Words with a No for which its CLI has no place are a message to the agent.
 * It is sent first: a kill in between loses no words.
 */
export const answerQuestion: Operation<z.infer<typeof Input>, AnswerOutput, OperationContext, Message | undefined> = {
	name: 'answerQuestion',
	input: Input,
	output: AnswerOutput,
	worksOnPage: true,
	async permit(asker, { question: id, reply }, context) {
		const { effect } = reply;
		permit(asker, { is: 'answer-question', effect });
		// The digest covers the risks: an answer to a changed question is to nobody.
		const { question } = await new Questions(context.workspace.own).get(id);
		if (isRisky(question, effect)) permit(asker, { is: 'allow-risk' });
		const message = await messageWith(reply, question, context.workspace);
		if (message) await send.permit(asker, message, context);
		return message;
	},
	async run(asker, { question: id, digest, reply: { words, ...reply } }, context, message) {
		const { workspace } = context;
		const said = {
			version: 1 as const,
			question: id,
			digest,
			...reply,
			...(words !== undefined && !message && { words }),
			...answeredBy(asker),
			at: new Date().toISOString(),
		};
		const desk = new Questions(workspace.own);
		if (message) await desk.refuseWrong(said);
		const sent = message && (await send.run(asker, message, context));
		const answer = await desk.answer(said).catch(async (error: unknown) => {
			// Somebody else was faster. What the agent has read by then stays.
			if (message && sent)
				await workspace
					.mailbox(message.to)
					.withdraw(sent.id)
					.catch(() => undefined);
			throw error;
		});
		return { question: (await desk.get(id)).question, answer, ...(sent && { message: sent }) };
	},
};

/** What the agent is told beside an answer; `undefined` if that has the words, or nobody knows the agent's mailbox. */
async function messageWith(
	{ effect, words }: Reply,
	question: Question,
	workspace: Workspace,
): Promise<Message | undefined> {
	const text = words?.trim() ?? '';
	if (text === '' || !isMute(question, effect)) return undefined;
	// A subagent has no mailbox: its agent would read what is not meant for it. A delegate ends with its turn.
	if (question.subagent !== undefined || (question.delegate !== undefined && effect === 'end')) return undefined;
	const to = (await sessionBinding(workspace, question.session).catch(() => undefined))?.address;
	// A directive could still be handed over with the denied tool, to a turn that then ends. Feedback begins another one.
	const kind = effect === 'end' ? 'feedback' : 'directive';
	// The words alone: what the agent asks for must not stand there as the person's.
	return to && { to, kind, priority: 'normal', effect: 'none', text };
}

function answeredBy(asker: Asker): Pick<Answer, 'by' | 'device'> {
	if (asker.is === 'human' && asker.via === 'page') return { by: 'page', device: asker.device };
	return { by: asker.is === 'human' && asker.via === 'window' ? 'vscode' : 'command' };
}
