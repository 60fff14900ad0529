import * as z from 'zod/mini';
import { permit } from '../core/asker/permit.ts';
import { RulesOutput } from '../protocol/output/rules.ts';
import type { Operation } from './operation.ts';
import { deskRules } from './shared/deskRules.ts';
import { rulesHere } from './shared/rulesHere.ts';

const Input = z.object({});

/** The rules by which Nancy answers questions of this workspace for the user. */
export const rules: Operation<z.infer<typeof Input>, RulesOutput> = {
	name: 'rules',
	input: Input,
	output: RulesOutput,
	worksOnPage: true,
	async permit(asker) {
		permit(asker, { is: 'see-questions' });
	},
	async run(_, __, context) {
		return rulesHere(context.workspace, await deskRules(context).read());
	},
};
