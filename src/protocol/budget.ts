import * as z from 'zod/mini';

/** What a task or a delegate may take. If a file has both, the tokens count. */
export const Budget = z.union([
	/** Sent and received, in all requests together. */
	z.object({ tokens: z.int().check(z.positive()) }),
	z.object({ costUsd: z.number().check(z.positive()) }),
]);
export type Budget = z.infer<typeof Budget>;

/** What a CLI tells of the use while its agent works. */
export type BudgetUnit = 'tokens' | 'dollars';

export function unitOf(budget: Budget): BudgetUnit {
	return 'tokens' in budget ? 'tokens' : 'dollars';
}

const TOKENS = /^(\d+(?:\.\d+)?)\s*([km]?)\s*(tokens)?$/i;
const DOLLARS = /^\$\s*(\d+(?:\.\d+)?)$/;
const FACTORS: Readonly<Record<string, number>> = { k: 1000, m: 1_000_000 };

/** Below it, a number without a unit may be meant as dollars. */
const CLEARLY_TOKENS = 1000;

/** Reads `200k`, `1.5M`, `200000`, `500 tokens` or `$2`; `undefined` for anything else, and for nothing at all. */
export function parseBudget(typed: string): Budget | undefined {
	const dollars = DOLLARS.exec(typed.trim())?.[1];
	const parsed = Budget.safeParse(
		dollars === undefined ? { tokens: tokensIn(typed.trim()) } : { costUsd: Number(dollars) },
	);
	return parsed.success ? parsed.data : undefined;
}

function tokensIn(typed: string): number | undefined {
	const [, number = '', unit = '', word] = TOKENS.exec(typed) ?? [];
	const factor = FACTORS[unit.toLowerCase()];
	if (factor !== undefined) return Math.round(Number(number) * factor);
	return word !== undefined || Number(number) >= CLEARLY_TOKENS ? Number(number) : undefined;
}

/** What {@link parseBudget} reads: `200k`, `$2`. */
export function budgetText(budget: Budget): string {
	return 'tokens' in budget ? shortCount(budget.tokens) : `$${budget.costUsd}`;
}

function shortCount(count: number): string {
	if (count >= 1_000_000 && count % 100_000 === 0) return `${count / 1_000_000}M`;
	if (count < CLEARLY_TOKENS) return `${count} tokens`;
	return count % 1000 === 0 ? `${count / 1000}k` : String(count);
}
