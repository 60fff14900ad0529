import type { TranscriptFacts } from '../../core/driver/transcript.ts';

/** The known figures of a session's tokens. Unknown ones are left out. */
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
