import * as z from 'zod/mini';
import { isYes } from '../../core/questions/reply.ts';
import * as operations from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { findWorkspace } from '../../operations/shared/place.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import { AskingOutput, type InTerminalOutput, type QuestionOutput } from '../../protocol/output/questions.ts';
import type { StatusOutput } from '../../protocol/output/tasks.ts';
import type { Answer, Choice } from '../../protocol/question.ts';
import { riskWords } from '../../words/questions.ts';
import { answer, command } from '../command.ts';
import { ago, indented, printable, printableLine, printablePath } from '../words.ts';

const Input = z.object({ all: z._default(z.boolean(), false) });

export const questions = command(
	{
		name: 'questions',
		summary: 'show what agents ask and wait for',
		details: [
			'Each question is shown whole, with the answers that it takes. In a terminal the agent’s own prompt stays open: the first ' +
				'answer counts. A delegate with the permissions “Ask me” waits here alone.',
			'For people only.',
		],
		positionals: [],
		options: { all: { short: 'a', help: 'answered and ended questions too' } },
		examples: [['nancy questions --all', 'what was asked in the last days, who answered, and what came of it']],
	},
	Input,
	async ({ all }, context) => {
		const where = programContext(findWorkspace(context), context);
		const { questions: asked } = await perform(await operations.questions(), context.asker, { all }, where);
		const inTerminal = inTerminalOf(await perform(await operations.status(), context.asker, { all: false }, where));
		const blocks = [...asked.map(questionLines), ...inTerminal.map(inTerminalLines)];
		const lines = blocks.flatMap((block, index) => [...(index > 0 ? [''] : []), ...block]);
		return answer(
			AskingOutput,
			{ questions: asked, inTerminal },
			lines.length === 0 ? 'nobody asks anything' : lines,
		);
	},
);

/** The whole request: nobody may answer what was not shown. */
export function questionLines({ question, answer: given, outcome, task, worker }: QuestionOutput): string[] {
	const { id, driver, delegate, subagent, subagentName, tool, body, also, cwd, files, fields, isWhole, choices } =
		question;
	const { risk = ['unread' as const] } = question;
	const who = [
		task === undefined ? driver : `${task}/${worker} (${driver})`,
		delegate && `delegate ${delegate}`,
		subagent && `subagent ${subagentName ?? subagent}`,
	];
	return [
		`${id}  ${printableLine(who.filter(Boolean).join(', '))} asks for ${printableLine(tool)}, ${ago(question.askedAt)}`,
		...(cwd === undefined ? [] : [`    in ${printablePath(cwd)}`]),
		...files.map(file => `    file ${printablePath(file)}`),
		indented(printable(body), '    | '),
		...also.map(({ name, value }) => indented(`${printableLine(name)}: ${printable(value)}`, '    | ')),
		...(risk.length === 0 ? [] : [`    look closely: it ${risk.map(each => String(riskWords(each))).join(', ')}`]),
		...(isWhole ? [] : [`    … a part is not shown (too long, or like a secret): ${leftTo(delegate)}`]),
		...fields.flatMap(field => [
			`    ${printableLine(field.question, Infinity)}`,
			...field.options.map(
				option =>
					`      ${printableLine(option.label, Infinity)}${option.description ? `: ${printableLine(option.description, Infinity)}` : ''}`,
			),
		]),
		...(outcome
			? [`    ${outcome.state}: ${printableLine(outcome.evidence)}`]
			: given
				? [`    answered ${given.effect} (${placeOf(given)}), ${ago(given.at)}`]
				: choices.map(choice => `    nancy answer ${id} ${wordOf(choice)}${meaning(choice)}`)),
	];
}

/** Whose question Nancy cannot answer. */
function inTerminalOf({ tasks }: z.infer<typeof StatusOutput>): InTerminalOutput[] {
	return tasks.flatMap(({ task, workers }) =>
		workers.filter(({ asksInTerminal }) => asksInTerminal).map(worker => ({ task, ...worker })),
	);
}

function inTerminalLines({ task, worker, agent, tool, summary = '', at }: InTerminalOutput): string[] {
	const what = tool === undefined ? 'waits for you' : `asks for ${printableLine(tool)}`;
	return [
		`${task}/${worker} (${agent}) ${what}, ${ago(at)}`,
		...(summary === '' ? [] : [indented(printable(summary), '    | ')]),
		'    Nancy cannot answer this: open its terminal',
	];
}

/** A delegate has no terminal. */
function leftTo(delegate: string | undefined): string {
	return delegate === undefined ? 'it can be allowed in the agent’s terminal alone' : 'it cannot be allowed';
}

/** Where it was answered, and by which device or rule. */
export function placeOf({ by, device, rule }: Answer): string {
	if (rule !== undefined) return `by your rule ${printableLine(rule)}`;
	return device === undefined ? by : `${by}, ${printableLine(device)}`;
}

/** As a person types it. */
export function wordOf({ effect }: Pick<Choice, 'effect'>): string {
	return effect === 'once' ? 'yes' : effect;
}

function meaning({ effect, rule, keptIn }: Choice): string {
	if (rule === undefined) return effect === 'end' ? '   # no, and the turn ends' : '';
	const until = keptIn === undefined ? 'until the session ends' : `kept in ${printableLine(keptIn, Infinity)}`;
	return `   # ${isYes(effect) ? 'yes, and from now on' : ''} ${printableLine(rule, Infinity)}, ${until}`;
}
