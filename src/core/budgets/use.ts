import type { DelegateStatus } from '../../protocol/delegate.ts';
import type { RateLimit, TranscriptFacts } from '../driver/transcript.ts';

/** What an agent's work has taken so far, as far as its CLI tells. */
export interface Use {
	/** With what the service had cached: CLIs count it differently. */
	inputTokens: number;
	outputTokens: number;
	/** Absent where the CLI names no price. */
	costUsd?: number;
}

/** The sum; `undefined` if nothing is known of any. */
export function sumUse(parts: readonly (Use | undefined)[]): Use | undefined {
	let sum: Use | undefined;
	for (const part of parts) {
		if (!part) continue;
		const cost = addCost(sum?.costUsd, part.costUsd);
		sum = {
			inputTokens: (sum?.inputTokens ?? 0) + part.inputTokens,
			outputTokens: (sum?.outputTokens ?? 0) + part.outputTokens,
			...(cost !== undefined && { costUsd: cost }),
		};
	}
	return sum;
}

export function tokensOf({ inputTokens, outputTokens }: Use): number {
	return inputTokens + outputTokens;
}

/** What one session has taken; `undefined` if its record tells nothing so far. */
export function useInSession({ inputTokens, outputTokens, costUsd }: TranscriptFacts): Use | undefined {
	if (inputTokens + outputTokens === 0 && costUsd === undefined) return undefined;
	return { inputTokens, outputTokens, ...(costUsd !== undefined && { costUsd }) };
}

/** What a delegate has taken, as its runner was told. Many CLIs tell only at the end of a run. */
export function useOfRun({ input_tokens, output_tokens, cost_usd }: DelegateStatus): Use | undefined {
	if (input_tokens === undefined && output_tokens === undefined && cost_usd === undefined) return undefined;
	return {
		inputTokens: input_tokens ?? 0,
		outputTokens: output_tokens ?? 0,
		...(cost_usd !== undefined && { costUsd: cost_usd }),
	};
}

/** The same work, counted twice: of each figure the larger one is the newer. */
export function newerUse(one: Use | undefined, other: Use | undefined): Use | undefined {
	if (!one || !other) return one ?? other;
	const costs = [one.costUsd, other.costUsd].filter(each => each !== undefined);
	const more = tokensOf(one) >= tokensOf(other) ? one : other;
	return { ...more, ...(costs.length > 0 && { costUsd: Math.max(...costs) }) };
}

/** Without those that have been reset since the service reported them. */
export function presentLimits(limits: readonly RateLimit[], nowMs: number): RateLimit[] {
	return limits.filter(({ resetsAt }) => resetsAt === undefined || Date.parse(resetsAt) > nowMs);
}

function addCost(sum: number | undefined, part: number | undefined): number | undefined {
	return part === undefined ? sum : (sum ?? 0) + part;
}
