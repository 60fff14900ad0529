import type { DelegateStatus } from '../../protocol/delegate.ts';
import { toldSum, type HeadlessEvent, type RunUse } from '../driver/headless.ts';

const MOST_DENIED = 100;

/** Tokens and cost of the attempts before. */
export type EarlierUse = Pick<DelegateStatus, 'input_tokens' | 'output_tokens' | 'cost_usd'>;

/**
 * The change that an agent's event makes in a status.
 * @param earlier as they were in the status when the attempt began
 */
export function progress(status: DelegateStatus, event: HeadlessEvent, earlier: EarlierUse): Partial<DelegateStatus> {
	const last_activity = new Date().toISOString();
	switch (event.is) {
		case 'session':
			return { session: event.session, last_activity, ...(event.model !== undefined && { model: event.model }) };
		case 'tool':
			return {
				last_activity,
				tool_calls: status.tool_calls + 1,
				last_tool: event.tool,
				...(event.file !== undefined && { last_file: event.file }),
			};
		case 'denied':
			return { last_activity, denied: [...status.denied, event.tool].slice(-MOST_DENIED) };
		case 'use':
			return { last_activity, ...totalUse(event.use, earlier) };
		case 'result':
			return { last_activity, ...totalUse(event.result, earlier) };
		case 'text':
		case 'tool-failed':
		case 'retrying':
		case 'quota':
			return { last_activity };
	}
}

function totalUse({ inputTokens, outputTokens, costUsd }: RunUse, earlier: EarlierUse): EarlierUse {
	return {
		...(inputTokens !== undefined && { input_tokens: toldSum(earlier.input_tokens, inputTokens) }),
		...(outputTokens !== undefined && { output_tokens: toldSum(earlier.output_tokens, outputTokens) }),
		...(costUsd !== undefined && { cost_usd: toldSum(earlier.cost_usd, costUsd) }),
	};
}
