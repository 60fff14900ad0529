import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { realOr } from '../base/realPath.ts';
import { permit } from '../core/asker/permit.ts';
import { newId } from '../core/mailbox/messageId.ts';
import { Questions } from '../core/questions/questions.ts';
import { ruledRequest, whyNoRule, whyNoYes } from '../core/questions/ruleFor.ts';
import type { Workspace } from '../core/workspace/workspace.ts';
import { LONGEST_RULE, MOST_USES, RuleId, type Rule } from '../protocol/deskRules.ts';
import { RulesOutput } from '../protocol/output/rules.ts';
import { QuestionId } from '../protocol/question.ts';
import type { Operation } from './operation.ts';
import { deskRules } from './shared/deskRules.ts';
import { rulesHere } from './shared/rulesHere.ts';

const Add = z.object({
	is: z.literal('add'),
	/** One that was asked here, open or over. */
	question: QuestionId,
	/** The digest of the question that the person saw. */
	digest: z.string(),
	effect: z.enum(['once', 'no']),
	/** With a No: to every request of the tool. */
	isForAll: z.boolean(),
	/** In the question's session alone. */
	isForSession: z.boolean(),
	hours: z.number().check(z.positive(), z.maximum(LONGEST_RULE)),
	uses: z.int().check(z.positive(), z.maximum(MOST_USES)),
});
type Add = z.infer<typeof Add>;

const Input = z.discriminatedUnion('is', [
	Add,
	z.object({ is: z.literal('remove'), rule: RuleId }),
	/** Removes the rules of every workspace, also where somebody else has written the file. */
	z.object({ is: z.literal('remove-all') }),
	z.object({ is: z.literal('pause'), isPaused: z.boolean() }),
]);
type Input = z.infer<typeof Input>;

/** Changes the rules by which Nancy answers for the user. For a person alone. */
export const changeRules: Operation<Input, RulesOutput> = {
	name: 'changeRules',
	input: Input,
	output: RulesOutput,
	async permit(asker) {
		permit(asker, { is: 'change-rules' });
	},
	async run(_, input, context) {
		const { workspace } = context;
		const file = deskRules(context);
		switch (input.is) {
			case 'add': {
				const rule = await ruleOf(workspace, input);
				return rulesHere(workspace, await file.change(now => ({ ...now, rules: [...now.rules, rule] })));
			}
			case 'remove':
				return rulesHere(
					workspace,
					await file.change(now => {
						if (!now.rules.some(({ id }) => id === input.rule))
							throw new NancyError(
								'bad-usage',
								phrase`there is no rule ${input.rule}; nancy rules lists them`,
							);
						return { ...now, rules: now.rules.filter(({ id }) => id !== input.rule) };
					}),
				);
			case 'remove-all':
				return rulesHere(workspace, await file.clear());
			case 'pause':
				return rulesHere(workspace, await file.change(now => ({ ...now, isPaused: input.isPaused })));
		}
	},
};

/** @throws NancyError `bad-usage` for a question that no rule may answer like this */
async function ruleOf(workspace: Workspace, asked: Add): Promise<Rule> {
	const { question } = await new Questions(workspace.own).get(asked.question);
	if (question.digest !== asked.digest)
		throw new NancyError('bad-usage', phrase`the rule is for another request than the one that was asked`);
	const why = asked.effect === 'once' ? whyNoYes(question) : whyNoRule(question);
	if (why !== undefined) throw new NancyError('bad-usage', phrase`no rule may answer such a question: ${why}`);
	const now = Date.now();
	const common = {
		id: RuleId.parse(newId(now)),
		madeAt: new Date(now).toISOString(),
		workspace: realOr(workspace.folder),
		driver: question.driver,
		tool: question.tool,
		...(asked.isForSession && { session: question.session }),
		until: new Date(now + asked.hours * 60 * 60 * 1000).toISOString(),
	};
	const request = ruledRequest(question);
	const { risk } = question;
	if (asked.effect === 'once') return { ...common, effect: 'once', request, risk, uses: asked.uses };
	return { ...common, effect: 'no', ...(!asked.isForAll && { request }) };
}
