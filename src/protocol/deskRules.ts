import * as z from 'zod/mini';
import { DriverId, SessionId } from './names.ts';
import { requestShape, Risk } from './question.ts';
import { Moment } from './records.ts';

/** The name of a rule: `<UTC time>-<random>`. */
export const RuleId = z
	.string()
	.check(z.regex(/^\d{8}T\d{9}Z-[0-9a-f]{8}$/))
	.brand<'RuleId'>();
export type RuleId = z.infer<typeof RuleId>;

/** In hours. No rule of a person's holds longer. */
export const LONGEST_RULE = 8;

/** No rule answers Yes more often. */
export const MOST_USES = 100;

/** Everything that a desk shows of a request. Two requests are the same if each part of theirs is, character by character. */
export const RuledRequest = z.lazy(() => z.object(requestShape()));
export type RuledRequest = z.infer<typeof RuledRequest>;

const common = {
	id: RuleId,
	madeAt: Moment,
	/** The real path of the workspace folder. */
	workspace: z.string(),
	driver: DriverId,
	tool: z.string(),
	/** Set if the rule holds in this session alone. */
	session: z.optional(SessionId),
	until: Moment,
};

/** A person's standing answer to one request. */
export const Rule = z.lazy(() =>
	z.discriminatedUnion('effect', [
		z.object({
			...common,
			effect: z.literal('once'),
			request: RuledRequest,
			/** What its person saw. Absent if an earlier version made the rule, which then answers only what has no risk. */
			risk: z.optional(z.array(Risk)),
			/** How often it may answer. */
			uses: z.int().check(z.positive(), z.maximum(MOST_USES)),
		}),
		z.object({
			...common,
			effect: z.literal('no'),
			/** Without one: to every request of the tool. */
			request: z.optional(RuledRequest),
		}),
	]),
);
export type Rule = z.infer<typeof Rule>;

/** `desk-rules.json` in the user's configuration folder. */
export const RulesFile = z.lazy(() => z.object({ version: z.literal(1), isPaused: z.boolean(), rules: z.array(Rule) }));
export type RulesFile = z.infer<typeof RulesFile>;

/** In the user's data folder: the only text of the file that is the user's own. */
export const RulesSeal = z.lazy(() => z.object({ version: z.literal(1), sha256: z.string() }));
