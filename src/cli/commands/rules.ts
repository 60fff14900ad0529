import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import * as operations from '../../operations/index.ts';
import { perform, type OperationContext } from '../../operations/operation.ts';
import { findWorkspace } from '../../operations/shared/place.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import type { RuleId } from '../../protocol/deskRules.ts';
import { LONGEST_RULE, MOST_USES, type Rule } from '../../protocol/deskRules.ts';
import { RulesOutput } from '../../protocol/output/rules.ts';
import { answer, command, type Context } from '../command.ts';
import { indented, printable, printableLine, printablePath } from '../words.ts';
import { questionNamed } from './questionNamed.ts';

/** The default limits of a rule: how many hours it holds, and how often it may say Yes. */
const HOURS = '1';
const TIMES = '20';

const Input = z.object({
	what: z._default(z.enum(['list', 'add', 'remove', 'pause', 'resume']), 'list'),
	id: z.optional(z.string()),
	no: z._default(z.boolean(), false),
	any: z._default(z.boolean(), false),
	session: z._default(z.boolean(), false),
	all: z._default(z.boolean(), false),
	hours: z._default(z.string(), HOURS),
	times: z._default(z.string(), TIMES),
});
type Input = z.infer<typeof Input>;

export const rules = command(
	{
		name: 'rules',
		summary: 'answer the same request for some hours without you',
		details: [
			'add makes a rule from a question: from then on Nancy answers exactly the same request of the same agent CLI in this workspace, while a ' +
				'window or nancy questions looks. A request with any other letter is yours to answer. Without a rule nothing is ever answered.',
			'No rule answers what an agent asks its user, a plan, a subagent, a command of several lines, or a request with a secret. No rule says ' +
				'Yes to a risk that its question did not have.',
			'For a person in a terminal only.',
		],
		positionals: [
			{
				name: 'what',
				label: 'list|add|remove|pause|resume',
				help: 'without it, shows the rules; pause and resume are for all rules of all workspaces',
				required: false,
			},
			{ name: 'id', label: '<id>', help: 'for add: a question; for remove: a rule', required: false },
		],
		options: {
			no: { help: 'the answer is No. It wins over every Yes' },
			any: { help: 'with --no: to every request of that tool' },
			session: { help: 'in the session that asked, and in no other' },
			hours: { value: 'HOURS', help: `how long the rule holds, at most ${LONGEST_RULE} (${HOURS})` },
			times: { value: 'COUNT', help: `how often it may say Yes, at most ${MOST_USES} (${TIMES})` },
			all: { help: 'with remove: every rule of every workspace' },
		},
		examples: [
			['nancy rules add 495f84a5', 'allows the same request again, 20 times within an hour'],
			['nancy rules add 495f84a5 --hours 8 --session', 'until the session ends, 8 hours at most'],
			['nancy rules add 495f84a5 --no --any', 'denies every request of that tool for an hour'],
			['nancy rules pause', 'from now on you are asked again'],
		],
	},
	Input,
	async (input, context) => {
		const where = programContext(findWorkspace(context), context);
		if (input.what !== 'list' && context.stdin.isTTY !== true)
			throw new NancyError('not-trusted', 'rules are changed by a person in a terminal, and this is none');
		const found = await done(input, context, where);
		return answer(RulesOutput, found, linesOf(found));
	},
);

async function done(input: Input, context: Context, where: OperationContext): Promise<RulesOutput> {
	const { what } = input;
	if (what === 'list') return perform(await operations.rules(), context.asker, {}, where);
	const change = await operations.changeRules();
	switch (what) {
		case 'pause':
		case 'resume':
			return perform(change, context.asker, { is: 'pause', isPaused: what === 'pause' }, where);
		case 'remove':
			if (input.all === (input.id !== undefined))
				throw new NancyError('bad-usage', 'say what to remove: the id of a rule, or --all');
			if (input.all) return perform(change, context.asker, { is: 'remove-all' }, where);
			return perform(
				change,
				context.asker,
				{ is: 'remove', rule: await ruleNamed(input.id, context, where) },
				where,
			);
		case 'add':
			return perform(change, context.asker, await addition(input, context, where), where);
	}
}

async function addition(input: Input, context: Context, where: OperationContext) {
	if (input.id === undefined) throw new NancyError('bad-usage', 'name a question; nancy questions --all lists them');
	if (input.any && !input.no) throw new NancyError('bad-usage', '--any belongs to --no: a Yes is to one request');
	const asked = await perform(await operations.questions(), context.asker, { all: true }, where);
	const { question } = questionNamed(asked.questions, input.id);
	return {
		is: 'add' as const,
		question: question.id,
		digest: question.digest,
		effect: input.no ? ('no' as const) : ('once' as const),
		isForAll: input.any,
		isForSession: input.session,
		hours: numberOf('--hours', input.hours, LONGEST_RULE),
		uses: numberOf('--times', input.times, MOST_USES),
	};
}

function numberOf(option: string, typed: string, most: number): number {
	const value = Number(typed);
	const isRight = option !== '--times' || Number.isInteger(value);
	if (isRight && value > 0 && value <= most) return value;
	throw new NancyError('bad-usage', `${option} needs a number up to ${most}, not "${typed}"`);
}

async function ruleNamed(typed: string | undefined, context: Context, where: OperationContext): Promise<RuleId> {
	const known = await perform(await operations.rules(), context.asker, {}, where);
	const [first, ...others] = known.rules
		.map(({ rule }) => rule.id)
		.filter(id => id === typed || id.endsWith(`-${typed}`));
	if (first !== undefined && others.length === 0) return first;
	throw new NancyError('bad-usage', `"${typed}" is no rule here; nancy rules lists them`);
}

function linesOf({ isPaused, rules: found }: RulesOutput): string[] {
	const paused = isPaused ? ['paused: no rule answers until nancy rules resume'] : [];
	return [...paused, ...(found.length === 0 ? ['no rules here'] : found.flatMap(each => ruleLines(each)))];
}

function ruleLines({ rule, used }: { rule: Rule; used: number }): string[] {
	const { id, driver, tool, request, session, until } = rule;
	const to = request ? 'exactly this request for' : 'every request for';
	const often = rule.effect === 'once' ? `${used} of ${rule.uses} times` : `${used} times so far`;
	const where = session === undefined ? '' : ` in session ${session}`;
	return [
		`${id}  ${rule.effect === 'once' ? 'yes' : 'no'} to ${to} ${printableLine(tool)} (${driver})${where}, ${often}, until ${until}`,
		...(request?.cwd === undefined ? [] : [`    in ${printablePath(request.cwd)}`]),
		...(request?.files ?? []).map(file => `    file ${printablePath(file)}`),
		...(request ? [indented(printable(request.body), '    | ')] : []),
		...(request?.also ?? []).map(({ name, value }) =>
			indented(`${printableLine(name)}: ${printable(value)}`, '    | '),
		),
	];
}
