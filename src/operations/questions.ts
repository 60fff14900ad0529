import * as z from 'zod/mini';
import { errorText } from '../base/errors.ts';
import { permit } from '../core/asker/permit.ts';
import { applyRules } from '../core/questions/applyRules.ts';
import { Questions } from '../core/questions/questions.ts';
import { settleAll } from '../core/questions/settle.ts';
import { sessionBinding } from '../core/sessions/bindings.ts';
import { drivers } from '../drivers/index.ts';
import { QuestionsOutput } from '../protocol/output/questions.ts';
import type { Operation } from './operation.ts';
import { deskRules } from './shared/deskRules.ts';

const Input = z.object({
	/** Those that are over too. */
	all: z._default(z.boolean(), false),
});

/** What agents ask, oldest first, for a person. */
export const questions: Operation<z.infer<typeof Input>, QuestionsOutput> = {
	name: 'questions',
	input: Input,
	output: QuestionsOutput,
	async permit(asker) {
		permit(asker, { is: 'see-questions' });
	},
	async run(_, { all }, context) {
		const { workspace } = context;
		const desk = new Questions(workspace.own);
		await applyRules(workspace, desk, deskRules(context)).catch(error => context.note(errorText(error)));
		await settleAll(desk, { paths: workspace.paths, drivers });
		const found = await (all ? desk.all() : desk.open());
		return {
			questions: await Promise.all(
				found.map(async asked => ({
					...asked,
					// A file below the workspace that cannot be read hides no question.
					...(await sessionBinding(workspace, asked.question.session).catch(() => undefined))?.address,
				})),
			),
		};
	},
};
