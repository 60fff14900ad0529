import type { DelegateStatus } from '../../protocol/delegate.ts';
import { toldSum, type HeadlessEvent } from '../driver/headless.ts';

const MOST_DENIED = 100;

/** The change that an agent's event makes in a status. */
export function progress(status: DelegateStatus, event: HeadlessEvent): Partial<DelegateStatus> {
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
		case 'result': {
			const { inputTokens, outputTokens, costUsd } = event.result;
			return {
				last_activity,
				...(inputTokens !== undefined && { input_tokens: toldSum(status.input_tokens, inputTokens) }),
				...(outputTokens !== undefined && { output_tokens: toldSum(status.output_tokens, outputTokens) }),
				...(costUsd !== undefined && { cost_usd: toldSum(status.cost_usd, costUsd) }),
			};
		}
		case 'text':
		case 'tool-failed':
		case 'retrying':
		case 'quota':
			return { last_activity };
	}
}
