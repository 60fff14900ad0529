import { describe, expect, it } from 'vitest';
import type { TrafficNode } from '../../../../src/core/traffic/node.ts';
import { TurnArranger } from '../../../../src/core/traffic/turns.ts';
import { TrafficRecord } from '../../../../src/protocol/traffic.ts';

type Step = readonly [kind: string, fields?: Record<string, unknown>];

const call = (id: string, more: Record<string, unknown> = {}): Step => [
	'tool-start',
	{ tool: 'bash', toolUseId: id, ...more },
];
const SUB = { subagent: 'sub' };

function nodesOf(steps: readonly Step[], reportsEveryEnd = true): readonly TrafficNode[] {
	const arranger = new TurnArranger(() => ({
		tools: { bash: 'Bash' },
		files: [],
		inside: [],
		input: [],
		output: [],
		reportsEveryEnd,
	}));
	steps.forEach(([kind, fields], at) => {
		const event = { driver: 'fake', session: 's1', event: kind, kind, ...fields };
		const moment = new Date(1_700_000_000_000 + at * 1000).toISOString();
		const record = { version: 1, id: `r${at}`, at: moment, type: 'event', event, payload: {} };
		arranger.add(TrafficRecord.parse(record));
	});
	return arranger.turns.flatMap(turn => turn.nodes);
}

/** The outcome of each call and question, in order. */
function outcomes(...given: Parameters<typeof nodesOf>): string[] {
	return nodesOf(...given).flatMap(({ outcome, event }) =>
		outcome === undefined ? [] : [`${event.kind} ${outcome}`],
	);
}

describe('a call', () => {
	it('was not run if its step is over without its end, where every end is reported', () => {
		for (const end of ['batch-end', 'stop']) {
			expect(outcomes([call('a'), [end]])).toEqual(['tool-start denied']);
			expect(outcomes([call('a'), [end]], false)).toEqual(['tool-start unreported']);
		}
	});

	it('has its own name, whatever a model calls a tool', () => {
		const names = ['bash', 'constructor', '__proto__', 'toString'];
		const nodes = nodesOf(names.map((tool, at) => call(`${at}`, { tool })));
		expect(nodes.map(({ tool }) => tool)).toEqual(['Bash', 'constructor', '__proto__', 'toString']);
	});

	it('has a duration only if it ran', () => {
		const duration = (...steps: readonly Step[]) => nodesOf([call('a'), ...steps])[0]?.durationMs;
		expect(duration(['tool-end', { tool: 'bash', toolUseId: 'a' }])).toBe(1000);
		expect(duration(['batch-end'])).toBeUndefined();
	});

	it('stops with the turn that was broken off', () => {
		for (const end of ['prompt', 'interrupted', 'stop-failed', 'session-end', 'session-start'])
			expect(outcomes([call('a'), [end]])).toEqual(['tool-start interrupted']);
		expect(outcomes([call('a'), ['session-start', { cause: 'compact' }]])).toEqual(['tool-start running']);
	});

	it('that was denied stays so when the CLI reports it as failed', () => {
		const asked: Step = ['permission-asked', { tool: 'bash', toolUseId: 'a' }];
		const failed: Step = ['tool-failed', { tool: 'bash', toolUseId: 'a' }];
		const steps = [call('a'), asked, ['permission-denied'], failed] as const;
		expect(outcomes(steps)).toEqual(['tool-start denied', 'permission-asked denied']);
		// No row of its own for the failure.
		expect(nodesOf(steps).map(({ event }) => event.kind)).toEqual([
			'tool-start',
			'permission-asked',
			'permission-denied',
		]);
		expect(outcomes([asked, ['permission-denied']])).toEqual(['permission-asked denied']);
	});

	it('of a subagent stops with that subagent, whatever the agent does', () => {
		const begun: readonly Step[] = [['subagent-start', SUB], call('a', SUB), call('b', { subagent: 'other' })];
		const after = (...steps: readonly Step[]) => outcomes([...begun, ...steps])[0];
		expect(after(['batch-end'])).toBe('tool-start running');
		expect(after(['stop'])).toBe('tool-start running');
		expect(after(['batch-end', SUB])).toBe('tool-start denied');
		expect(after(['subagent-stop', SUB])).toBe('tool-start denied');
		expect(after(['prompt', { isWake: true }])).toBe('tool-start running');
		expect(after(['prompt'])).toBe('tool-start interrupted');
		expect(after(['session-end'])).toBe('tool-start interrupted');
		expect(outcomes([...begun, ['subagent-stop', SUB]])[1]).toBe('tool-start running');
		expect(outcomes([['subagent-start', SUB], ['subagent-stop', SUB], call('c', SUB), ['stop']])).toEqual([
			'tool-start denied',
		]);
	});

	it('of a subagent that nobody saw start stops with the agent’s turn', () => {
		expect(outcomes([call('a', SUB), ['stop']])).toEqual(['tool-start denied']);
	});

	it('whose end was concluded takes its own end after that', () => {
		expect(outcomes([call('a'), ['prompt'], ['tool-end', { tool: 'bash', toolUseId: 'a' }]])).toEqual([
			'tool-start ok',
		]);
	});
});

describe('a question', () => {
	const asked: Step = ['permission-asked', { tool: 'bash', toolUseId: 'a' }];

	it('is answered by what becomes of its call', () => {
		const after = (...steps: readonly Step[]) => outcomes([call('a'), asked, ...steps]);
		expect(after()).toEqual(['tool-start waiting', 'permission-asked waiting']);
		expect(after(['tool-failed', { tool: 'bash', toolUseId: 'a' }])).toEqual([
			'tool-start failed',
			'permission-asked ok',
		]);
		expect(after(['batch-end'])).toEqual(['tool-start denied', 'permission-asked denied']);
		expect(after(['prompt'])).toEqual(['tool-start interrupted', 'permission-asked interrupted']);
	});

	it('is answered by the event that says so', () => {
		expect(outcomes([call('a'), asked, ['permission-answered']])).toEqual([
			'tool-start running',
			'permission-asked ok',
		]);
	});

	it('that only a notification tells is about the call that was checked last', () => {
		const tells: Step = ['notification', { tells: 'asked' }];
		const check: Step = ['permission-check', { tool: 'bash' }];
		const bash: Step = ['tool-start', { tool: 'bash' }];
		expect(outcomes([bash, check, tells])).toEqual(['tool-start waiting', 'notification waiting']);
		expect(outcomes([bash, check, tells, ['tool-end', { tool: 'bash' }]])).toEqual([
			'tool-start ok',
			'notification ok',
		]);
		expect(outcomes([bash, check, ['tool-end', { tool: 'bash' }], tells, ['stop']])).toEqual([
			'tool-start ok',
			'notification denied',
		]);
	});

	it('that a notification repeats is one question', () => {
		expect(outcomes([call('a'), asked, ['notification', { tells: 'asked' }]])).toEqual([
			'tool-start waiting',
			'permission-asked waiting',
		]);
	});
});
