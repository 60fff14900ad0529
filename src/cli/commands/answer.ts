import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import { AnswerOutput } from '../../protocol/output/questions.ts';
import * as operations from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { findWorkspace } from '../../operations/shared/place.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import { Effect } from '../../protocol/question.ts';
import { answer, command } from '../command.ts';
import { printableLine } from '../words.ts';
import { noteSent } from './send.ts';
import { questionNamed } from './questionNamed.ts';
import { wordOf } from './questions.ts';

const Input = z.object({
	id: z.string().check(z.minLength(1)),
	reply: z.union([z.literal('yes'), Effect]),
	note: z.optional(z.string().check(z.trim(), z.minLength(1))),
	values: z._default(z.array(z.string()), []),
});

export const answerQuestion = command(
	{
		name: 'answer',
		summary: 'answer what an agent asks',
		details: [
			'yes allows this one request. session, folder and user add the rule that nancy questions shows. no denies it, and end also ends the turn.',
			'For a person in a terminal only. An agent cannot answer, nor can a script without a terminal.',
		],
		positionals: [
			{
				name: 'id',
				label: '<id>',
				help: 'the question, or the whole part behind its hyphen: less could name one that was never shown',
				required: true,
			},
			{
				name: 'reply',
				label: 'yes|session|folder|user|no|end',
				help: 'one of those that the question takes',
				required: true,
			},
			{
				name: 'values',
				label: '<answer>',
				help: 'to each thing that the agent wants to know, in order; several, where it takes several, are separated by " | "',
				required: false,
				many: true,
			},
		],
		options: { note: { value: 'TEXT', short: 'n', help: 'with a No: what the agent is told' } },
		examples: [
			['nancy answer 495f84a5 yes', 'allows what the question that ends so asks for'],
			['nancy answer 495f84a5 no --note "use pnpm"', 'denies it, and says why'],
			['nancy answer 495f84a5 yes Blue', 'answers the agent’s question'],
		],
	},
	Input,
	async ({ id, reply, note, values }, context) => {
		if (context.stdin.isTTY !== true)
			throw new NancyError('not-trusted', 'nancy answer is for a person in a terminal, and this is none');
		const where = programContext(findWorkspace(context), context);
		const open = await perform(await operations.questions(), context.asker, { all: false }, where);
		const { question } = questionNamed(open.questions, id);
		const effect = reply === 'yes' ? 'once' : reply;
		const given = question.fields.map(({ question: of, isMultiple }, at) => {
			const typed = values.slice(at, at + 1);
			return [of, isMultiple ? typed.flatMap(each => each.split(' | ')) : typed] as const;
		});
		if (values.length > question.fields.length)
			throw new NancyError(
				'bad-usage',
				`the agent wants to know ${question.fields.length} things, not ${values.length}`,
			);
		const said = {
			effect,
			...(note !== undefined && { words: note }),
			...(values.length > 0 && { values: Object.fromEntries(given) }),
		};
		const done = await perform(
			await operations.answerQuestion(),
			context.asker,
			{ question: question.id, digest: question.digest, reply: said },
			where,
		);
		const text = `${wordOf({ effect })}: ${printableLine(question.tool)} ${printableLine(question.title)}`;
		if (done.message) noteSent(done.message, context);
		const why = done.message === undefined ? '' : `\nWhy is message ${done.message.id} to the agent.`;
		return answer(AnswerOutput, done, `${text}${why}`);
	},
);
