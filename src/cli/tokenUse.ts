import type { TranscriptFacts } from '../core/driver/driver.ts';

/** What is known of a session's tokens; what is not known is left out. */
export function tokenUse({ model, contextTokens, contextWindow, inputTokens, outputTokens, costUsd }: TranscriptFacts) {
	return {
		...(model !== undefined && { model }),
		...(contextTokens !== undefined && { contextTokens }),
		...(contextWindow !== undefined && { contextWindow }),
		inputTokens,
		outputTokens,
		...(costUsd !== undefined && { costUsd }),
	};
}
