import * as z from 'zod/mini';

/** What a task or a delegate may take: tokens, dollars, or both. The first that is used up counts. */
export const Budget = z.object({
	/** Sent and received, in all requests together. */
	tokens: z.optional(z.int().check(z.positive())),
	costUsd: z.optional(z.number().check(z.positive())),
});
export type Budget = z.infer<typeof Budget>;

/** What a CLI tells of the use while its agent works. */
export type BudgetUnit = 'tokens' | 'dollars';

const TOKENS = /^(\d+(?:\.\d+)?)\s*([km])?$/i;
const DOLLARS = /^\$\s*(\d+(?:\.\d+)?)$/;
const FACTORS: Readonly<Record<string, number>> = { k: 1000, m: 1_000_000 };

/** Reads `200k`, `1.5M`, `200000` or `$2`; `undefined` for anything else, and for nothing at all. */
export function parseBudget(typed: string): Budget | undefined {
	const dollars = DOLLARS.exec(typed.trim())?.[1];
	const tokens = TOKENS.exec(typed.trim());
	const budget =
		dollars === undefined
			? { tokens: tokens ? Math.round(Number(tokens[1]) * (FACTORS[tokens[2]?.toLowerCase() ?? ''] ?? 1)) : 0 }
			: { costUsd: Number(dollars) };
	const parsed = Budget.safeParse(budget);
	return parsed.success ? parsed.data : undefined;
}

/** What {@link parseBudget} reads: `200k`, `$2`. */
export function budgetText({ tokens, costUsd }: Budget): string {
	const dollars = costUsd === undefined ? undefined : `$${costUsd}`;
	return [tokens === undefined ? undefined : shortCount(tokens), dollars].filter(Boolean).join(' · ');
}

function shortCount(count: number): string {
	if (count >= 1_000_000 && count % 100_000 === 0) return `${count / 1_000_000}M`;
	return count % 1000 === 0 ? `${count / 1000}k` : String(count);
}
