import * as z from 'zod/mini';
import { Rule } from '../deskRules.ts';

/** `nancy rules` */
export const RulesOutput = z.object({
	isPaused: z.boolean(),
	/** Those of this workspace. */
	rules: z.array(z.object({ rule: Rule, used: z.int() })),
});
export type RulesOutput = z.infer<typeof RulesOutput>;
