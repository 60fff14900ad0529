import * as z from 'zod/mini';
import * as operations from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { findWorkspace } from '../../operations/shared/place.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import { QuestionsOutput, type QuestionOutput } from '../../protocol/output/questions.ts';
import { answer, command } from '../command.ts';
import { printableLine } from '../words.ts';
import { placeOf, wordOf } from './questions.ts';

const Input = z.object({});

export const answers = command(
	{
		name: 'answers',
		summary: 'show what was answered for you and by you, and what came of it',
		details: [
			'The answers of the last 90 days at least, oldest first: when, what was asked, the answer, where it was given, how long it took, and the outcome. ' +
				'An answer that added a rule to a file of the CLI names the rule and that file. There it can be taken back.',
			'For people only.',
		],
		positionals: [],
		options: {},
		examples: [['nancy answers --json', 'for programs']],
	},
	Input,
	async (_, context) => {
		const where = programContext(findWorkspace(context), context);
		const { questions } = await perform(await operations.questions(), context.asker, { all: true }, where);
		const answered = questions.filter(each => each.answer);
		const lines = answered.flatMap(answerLines);
		return answer(QuestionsOutput, { questions: answered }, lines.length === 0 ? 'nothing was answered' : lines);
	},
);

function answerLines({ question, answer: given, outcome, task, worker }: QuestionOutput): string[] {
	if (!given) return [];
	const { driver, tool, title, choices, askedAt } = question;
	const who = task === undefined ? driver : `${task}/${worker}`;
	const chosen = choices.find(({ effect }) => effect === given.effect);
	const after = ((Date.parse(given.at) - Date.parse(askedAt)) / 1000).toFixed(1);
	return [
		`${given.at}  ${who}: ${printableLine(tool)} ${printableLine(title)}`,
		`    ${wordOf(given)} (${placeOf(given)}), after ${after} s; ${outcome ? `${outcome.state} (${printableLine(outcome.evidence)})` : 'not yet reported'}`,
		...(chosen?.rule === undefined
			? []
			: [
					`    rule ${printableLine(chosen.rule, Infinity)}, in ${printableLine(chosen.keptIn ?? 'the session alone', Infinity)}`,
				]),
	];
}
