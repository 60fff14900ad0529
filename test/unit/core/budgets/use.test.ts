import { describe, expect, it } from 'vitest';
import { NO_FACTS } from '../../../../src/core/driver/transcript.ts';
import { newerUse, presentLimits, sumUse, useInSession, useOfRun } from '../../../../src/core/budgets/use.ts';
import { DelegateStatus } from '../../../../src/protocol/delegate.ts';

const statusOf = (told: object) => DelegateStatus.parse({ task_id: 'd1', status: 'running', ...told });

describe('sumUse', () => {
	it('adds what is known', () => {
		const parts = [
			{ inputTokens: 1, outputTokens: 2 },
			undefined,
			{ inputTokens: 10, outputTokens: 20, costUsd: 0.5 },
		];
		expect(sumUse(parts)).toEqual({ inputTokens: 11, outputTokens: 22, costUsd: 0.5 });
	});

	it('is unknown if nothing is known, and names no cost that nobody has told', () => {
		expect(sumUse([undefined])).toBeUndefined();
		expect(sumUse([{ inputTokens: 1, outputTokens: 0 }])).not.toHaveProperty('costUsd');
	});
});

it('knows nothing of a session whose record tells nothing', () => {
	expect(useInSession(NO_FACTS)).toBeUndefined();
	expect(useInSession({ ...NO_FACTS, inputTokens: 7 })).toEqual({ inputTokens: 7, outputTokens: 0 });
});

it('takes of a run what the CLI has told', () => {
	expect(useOfRun(statusOf({}))).toBeUndefined();
	expect(useOfRun(statusOf({ output_tokens: 5 }))).toEqual({ inputTokens: 0, outputTokens: 5 });
	expect(useOfRun(statusOf({ cost_usd: 0.2 }))).toEqual({ inputTokens: 0, outputTokens: 0, costUsd: 0.2 });
});

it('takes the newer count of the same work', () => {
	const [earlier, later] = [
		{ inputTokens: 5, outputTokens: 5, costUsd: 0.1 },
		{ inputTokens: 50, outputTokens: 5 },
	];
	const newer = { inputTokens: 50, outputTokens: 5, costUsd: 0.1 };
	expect(newerUse(earlier, later)).toEqual(newer);
	expect(newerUse(later, earlier)).toEqual(newer);
	expect(newerUse(undefined, later)).toBe(later);
});

it('leaves out limits that were reset since', () => {
	const limit = { minutes: 300, usedPercent: 62, resetsAt: '2026-11-23T14:20:00.000Z' };
	const forever = { ...limit, resetsAt: undefined };
	expect(presentLimits([limit, forever], Date.parse('2026-11-23T14:19:00Z'))).toEqual([limit, forever]);
	expect(presentLimits([limit, forever], Date.parse('2026-11-23T14:21:00Z'))).toEqual([forever]);
});
