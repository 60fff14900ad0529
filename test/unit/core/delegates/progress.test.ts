import { expect, it } from 'vitest';
import { progress } from '../../../../src/core/delegates/progress.ts';
import type { HeadlessResult } from '../../../../src/core/driver/headless.ts';
import { DelegateStatus } from '../../../../src/protocol/delegate.ts';

it('adds up the tokens and the cost of all attempts, and tells none that the agent has not told', () => {
	const told: Pick<HeadlessResult, 'inputTokens' | 'outputTokens' | 'costUsd'>[] = [
		{ inputTokens: undefined, outputTokens: undefined, costUsd: undefined },
		{ inputTokens: undefined, outputTokens: 5, costUsd: undefined },
		{ inputTokens: undefined, outputTokens: 7, costUsd: 0.5 },
		{ inputTokens: undefined, outputTokens: undefined, costUsd: undefined },
	];
	const status = DelegateStatus.parse({ task_id: 'x', status: 'running' });
	const seen = told.map(each => {
		const earlier = { ...status };
		Object.assign(status, progress(status, { is: 'use', use: each }, earlier));
		Object.assign(status, progress(status, { is: 'result', result: { text: '', ...each } }, earlier));
		return [status.input_tokens, status.output_tokens, status.cost_usd];
	});
	expect(seen).toEqual([
		[undefined, undefined, undefined],
		[undefined, 5, undefined],
		[undefined, 12, 0.5],
		[undefined, 12, 0.5],
	]);
	expect(JSON.stringify(status)).not.toContain('input_tokens');
});
