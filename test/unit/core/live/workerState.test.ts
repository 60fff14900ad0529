import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldTraffic, startingState } from '../../../../src/core/live/sessionState.ts';
import { concludeState, type Evidence } from '../../../../src/core/live/workerState.ts';
import { EventKind, TrafficRecord } from '../../../../src/protocol/traffic.ts';

const at = (second: number) => new Date(1_700_000_000_000 + second * 1000).toISOString();
const start = startingState(at(0));

type Fields = Partial<Extract<TrafficRecord, { type: 'event' }>['event']> & { kind: EventKind };
const names: Partial<Record<EventKind, string>> = {
	'tool-start': 'PreToolUse',
	'tool-end': 'PostToolUse',
	stop: 'Stop',
};

function event(second: number, fields: Record<string, unknown> & { kind: EventKind }): TrafficRecord {
	const event = { driver: 'fake', session: 's1', event: names[fields.kind] ?? fields.kind, ...fields };
	return TrafficRecord.parse({ version: 1, id: String(second), at: at(second), type: 'event', event, payload: {} });
}

function after(fields: (Record<string, unknown> & { kind: EventKind })[], evidence: Evidence = {}) {
	return stateAfter(
		fields.map((each, index) => event(index + 1, each)),
		evidence,
	);
}

function stateAfter(records: readonly TrafficRecord[], evidence: Evidence = {}) {
	return concludeState(records.reduce(foldTraffic, start), evidence);
}

const bash: Fields = { kind: 'tool-start', tool: 'Bash', toolUseId: 't1', summary: 'npm test' };

it('knows when an agent worked last, also after its end and another start', () => {
	const records = [event(1, { kind: 'prompt' }), event(2, bash), event(3, { kind: 'stop' })];
	const later = [event(4, { kind: 'session-end' }), event(5, { kind: 'session-start', cause: 'resume' })];
	expect([...records, ...later].reduce(foldTraffic, start).workedAt).toBe(at(2));
	expect([...records, ...later, event(6, { kind: 'prompt' })].reduce(foldTraffic, start).workedAt).toBe(at(6));
});

it('keeps what the CLI tells its user until the next prompt, and takes it for no evidence', () => {
	const records = [
		event(1, { kind: 'prompt' }),
		event(2, { kind: 'notification', tells: 'alert', summary: 'Built.' }),
	];
	const told = records.reduce(foldTraffic, start);
	expect(told).toMatchObject({ phase: 'working', at: at(1), alert: { text: 'Built.', at: at(2) } });
	expect([...records, event(3, { kind: 'stop' })].reduce(foldTraffic, start).alert).toEqual(told.alert);
	expect([...records, event(3, { kind: 'prompt' })].reduce(foldTraffic, start).alert).toBeUndefined();
	expect(foldTraffic(start, event(1, { kind: 'notification', tells: 'alert' })).alert).toBeUndefined();
});

describe('concludeState', () => {
	it.each([
		['starting', []],
		['starting', [{ kind: 'session-start', cause: 'startup' }]],
		['working', [{ kind: 'prompt' }]],
		['working', [bash]],
		['waiting', [bash, { kind: 'permission-asked', tool: 'Bash' }]],
		['waiting', [bash, { kind: 'notification', tells: 'asked' }]],
		['waiting', [{ kind: 'notification', tells: 'asked' }]],
		['working', [bash, { kind: 'notification', tells: 'asked' }, { kind: 'notification', tells: 'answered' }]],
		['working', [bash, { kind: 'notification', tells: 'answered' }]],
		['idle', [{ kind: 'stop' }, { kind: 'notification', tells: 'answered' }]],
		['working', [bash, { kind: 'notification', notification: 'of an earlier version' }]],
		[
			'working',
			[bash, { kind: 'permission-asked', tool: 'Bash' }, { kind: 'tool-end', tool: 'Bash', toolUseId: 't1' }],
		],
		[
			'working',
			[bash, { kind: 'permission-asked', tool: 'Bash' }, { kind: 'tool-failed', tool: 'Bash', toolUseId: 't1' }],
		],
		['working', [bash, { kind: 'permission-asked', tool: 'Bash' }, { kind: 'batch-end' }]],
		['working', [bash, { kind: 'permission-asked', tool: 'Bash' }, { kind: 'permission-answered' }]],
		['working', [bash, { kind: 'permission-asked', tool: 'Bash' }, { kind: 'permission-denied' }]],
		['idle', [{ kind: 'stop' }, { kind: 'permission-answered' }]],
		['idle', [bash, { kind: 'permission-asked', tool: 'Bash' }, { kind: 'stop' }]],
		['idle', [{ kind: 'prompt' }, { kind: 'stop' }]],
		['idle', [{ kind: 'prompt' }, { kind: 'stop-failed' }]],
		['idle', [{ kind: 'prompt' }, { kind: 'notification', tells: 'idle' }]],
		['idle', [{ kind: 'prompt' }, { kind: 'stop' }, { kind: 'message-shown' }]],
		['idle', [bash, { kind: 'stop' }, { kind: 'tool-end', tool: 'Bash', toolUseId: 't1' }]],
		[
			'idle',
			[{ kind: 'stop' }, { kind: 'session-end', cause: 'clear' }, { kind: 'session-start', cause: 'clear' }],
		],
		[
			'idle',
			[
				{ kind: 'stop' },
				{ kind: 'compact-start' },
				{ kind: 'compact-end' },
				{ kind: 'session-start', cause: 'compact' },
			],
		],
		['idle', [{ kind: 'stop' }, { kind: 'compact-start' }, { kind: 'session-start', cause: 'compact' }]],
		['working', [bash, { kind: 'compact-start' }, { kind: 'session-start', cause: 'compact' }]],
		['working', [bash, { kind: 'compact-start' }, { kind: 'compact-end' }]],
		['ended', [bash, { kind: 'session-end', cause: 'other' }]],
		['ended', [{ kind: 'session-end', cause: 'other' }, bash]],
		[
			'starting',
			[
				{ kind: 'session-end', cause: 'other' },
				{ kind: 'session-start', cause: 'resume' },
			],
		],
		['working', [{ kind: 'prompt' }, { kind: 'session-start', cause: 'startup' }]],
		[
			'waiting',
			[
				{ kind: 'permission-asked', tool: 'Bash' },
				{ kind: 'session-start', cause: 'startup' },
			],
		],
		['starting', [bash, { kind: 'session-start', cause: 'resume' }]],
		['idle', [{ kind: 'stop' }, { ...bash, subagent: 'a1' }]],
	] as const)('is %s after %j', (phase, events) => expect(after([...events]).phase).toBe(phase));

	it('is idle where it was started without a prompt, once its CLI has reported that it started, or would not', () => {
		const process = { liveness: 'alive', at: at(9) } as const;
		const started = { kind: 'session-start', cause: 'startup' } as const;
		const idle = { phase: 'idle', isUnprompted: true };
		expect(after([], { process, unprompted: 'at-launch' }).phase).toBe('starting');
		expect(after([started], { process, unprompted: 'at-launch' })).toMatchObject(idle);
		expect(after([], { process, unprompted: 'at-first-prompt' })).toMatchObject(idle);
		expect(after([], { process }).phase).toBe('starting');
		expect(after([], { unprompted: 'at-first-prompt' }).phase).toBe('starting');
		expect(after([{ kind: 'prompt' }], { process, unprompted: 'at-first-prompt' }).phase).toBe('working');
	});

	it('has failed with the code of its process, unless it was stopped or reported its end', () => {
		const gone = { process: { liveness: 'dead', at: at(9) }, exitCode: 3 } as const;
		expect(after([bash], gone)).toMatchObject({ phase: 'ended', exitCode: 3 });
		expect(after([bash], { ...gone, exitCode: 0 })).not.toHaveProperty('exitCode');
		expect(after([bash], { ...gone, stoppedAt: at(8) })).not.toHaveProperty('exitCode');
		expect(after([{ kind: 'session-end', cause: 'exit' }], gone)).not.toHaveProperty('exitCode');
	});

	it('without hooks is what the process and the agent itself tell, and never for ever starting', () => {
		const process = { liveness: 'alive', at: at(5) } as const;
		expect(after([], { hooks: 'off', process })).toMatchObject({
			phase: 'working',
			source: expect.stringContaining('without hooks'),
		});
		const probe = { status: { phase: 'idle' }, at: at(9), since: at(9) } as const;
		expect(after([], { hooks: 'off', process, probe }).phase).toBe('idle');
		expect(after([], { hooks: 'off', process: { liveness: 'dead', at: at(9) } }).phase).toBe('ended');
		expect(after([], { hooks: 'off' }).phase).toBe('starting');
	});

	it('names the tool and where it knows it from', () => {
		expect(after([{ kind: 'prompt' }, bash])).toEqual({
			phase: 'working',
			tool: 'Bash',
			summary: 'npm test',
			source: 'PreToolUse Bash',
			at: at(2),
			since: at(1),
		});
	});

	it('tells since when it is in this turn, in this question and at rest', () => {
		const asked = { kind: 'permission-asked', tool: 'Bash', toolUseId: 't1', summary: 'npm test' } as const;
		const since = (...events: Parameters<typeof after>[0]) => after(events).since;
		expect(since({ kind: 'prompt' }, bash, { kind: 'batch-end' }, bash)).toBe(at(1));
		expect(since({ kind: 'prompt' }, bash, asked, { kind: 'notification', tells: 'asked' })).toBe(at(3));
		expect(since({ kind: 'prompt' }, asked, { ...asked, summary: 'rm -r dist' })).toBe(at(3));
		expect(since({ kind: 'prompt' }, asked, { kind: 'permission-answered' }, bash)).toBe(at(3));
		expect(since({ kind: 'prompt' }, { kind: 'stop' }, { kind: 'notification', tells: 'idle' })).toBe(at(2));
		expect(since({ kind: 'stop' }, { kind: 'stop' })).toBe(at(2));
		expect(since({ kind: 'session-start', cause: 'startup' })).toBe(at(0));
	});

	it('keeps waiting while another of several parallel tools ends', () => {
		const read: Fields = { kind: 'tool-start', tool: 'Read', toolUseId: 't2' };
		const events = [
			bash,
			read,
			{ kind: 'permission-asked', tool: 'Bash' },
			{ kind: 'tool-end', tool: 'Read', toolUseId: 't2' },
		] as const;
		expect(after([...events])).toMatchObject({ phase: 'waiting', tool: 'Bash' });
		expect(after([...events, { kind: 'tool-end', tool: 'Bash', toolUseId: 't1' }]).phase).toBe('working');
	});

	it('shows the tool that still runs when another has ended', () => {
		const read: Fields = { kind: 'tool-start', tool: 'Read', toolUseId: 't2' };
		expect(after([bash, read, { kind: 'tool-end', tool: 'Read', toolUseId: 't2' }])).toMatchObject({
			phase: 'working',
			tool: 'Bash',
		});
	});

	it('counts subagents', () => {
		expect(
			after([
				{ kind: 'prompt' },
				{ kind: 'subagent-start', subagent: 'a' },
				{ kind: 'subagent-start', subagent: 'b' },
				{ kind: 'subagent-stop', subagent: 'a' },
			]).subagents,
		).toBe(1);
	});

	it('works on after feedback was delivered at its stop', () => {
		const delivery = TrafficRecord.parse({
			version: 1,
			id: 'd',
			at: at(3),
			type: 'delivery',
			delivery: {
				nancy: 'delivery',
				at: at(3),
				driver: 'fake',
				session: 's1',
				event: 'Stop',
				task: 't',
				worker: 'worker',
				messages: ['m'],
				rung: 'hook',
				effect: 'none',
			},
		});
		expect(stateAfter([event(1, { kind: 'prompt' }), event(2, { kind: 'stop' }), delivery]).phase).toBe('working');
	});

	describe('with other evidence', () => {
		const probe = (phase: 'idle' | 'working' | 'waiting', second: number, since = second): Evidence => ({
			probe: { status: { phase }, at: at(second), since: at(since) },
		});

		it('believes the newest', () => {
			expect(after([bash], probe('idle', 5))).toMatchObject({ phase: 'idle', source: "agent's own status" });
			expect(after([bash], probe('idle', 5)).tool).toBeUndefined();
			expect(after([bash], probe('idle', 0)).phase).toBe('working');
			expect(after([bash, { kind: 'permission-asked', tool: 'Bash' }], probe('working', 9))).toMatchObject({
				phase: 'working',
				tool: 'Bash',
			});
		});

		it('keeps what the events said when the probe says the same', () => {
			expect(after([bash], probe('working', 60))).toMatchObject({ source: 'PreToolUse Bash', at: at(1) });
		});

		it('tells since when the agent has answered so', () => {
			expect(after([bash], probe('idle', 60, 5)).since).toBe(at(5));
			expect(after([{ kind: 'stop' }, bash], probe('idle', 60, 1)).since).toBe(at(2));
			expect(after([bash], probe('working', 60, 5)).since).toBe(at(1));
			expect(after([bash], { interruptedAt: at(4) }).since).toBe(at(4));
		});

		it('sees an interruption that no hook told', () => {
			expect(after([bash], { interruptedAt: at(4) })).toMatchObject({
				phase: 'idle',
				source: 'interrupted in its terminal',
				at: at(4),
			});
			expect(after([bash], { interruptedAt: at(0) }).phase).toBe('working');
		});

		it('believes the screen of its terminal against older events, and no screen against newer ones', () => {
			const screen = (state: 'asking' | 'idle' | 'trust' | 'working', second: number): Evidence => ({
				screen: { state, at: at(second), workedAt: at(0) },
			});
			const asked = { kind: 'permission-asked', tool: 'Bash' } as const;
			const shown = { source: 'screen of its terminal', at: at(5), since: at(5) };
			expect(after([bash], screen('idle', 5))).toMatchObject({ ...shown, phase: 'idle' });
			expect(after([bash], screen('idle', 5)).tool).toBeUndefined();
			expect(after([bash], screen('asking', 5))).toMatchObject({ ...shown, phase: 'waiting' });
			expect(after([], screen('trust', 5))).toMatchObject({ ...shown, phase: 'waiting' });
			expect(after([bash, asked], screen('working', 5))).toMatchObject({ ...shown, phase: 'working' });
			expect(after([bash, asked], screen('idle', 5)).phase).toBe('waiting');
			expect(after([bash], screen('idle', 0)).phase).toBe('working');
			expect(after([bash], screen('working', 5))).toMatchObject({ source: 'PreToolUse Bash', at: at(1) });
			expect(after([{ kind: 'session-end', cause: 'exit' }], screen('working', 5)).phase).toBe('ended');
		});

		it('knows that a question is over once the screen has shown work after it', () => {
			const asked = { kind: 'permission-asked', tool: 'Bash' } as const;
			const idle = { state: 'idle', at: at(9) } as const;
			expect(after([bash, asked], { screen: { ...idle, workedAt: at(8) } }).phase).toBe('idle');
			// A screen that has not been drawn since, and a dialog that its marks do not know.
			expect(after([bash, asked], { screen: { ...idle, workedAt: at(2) } }).phase).toBe('waiting');
		});

		it('takes an end right after a key that breaks off a turn for an interruption', () => {
			const screen = { state: 'idle', at: at(5), workedAt: at(4), isBrokenOff: true } as const;
			expect(after([bash], { screen }).source).toBe('interrupted in its terminal');
		});

		it('takes the newer one of what the screen shows and what its CLI answers', () => {
			const screen = { state: 'asking', at: at(5), workedAt: at(0) } as const;
			expect(after([bash], { ...probe('idle', 4), screen }).phase).toBe('waiting');
			expect(after([bash], { ...probe('idle', 6), screen }).phase).toBe('idle');
		});

		it('names the interruption, where the screen shows its end', () => {
			const screen = { state: 'idle', at: at(5), workedAt: at(0) } as const;
			expect(after([bash], { screen, interruptedAt: at(4) }).source).toBe('interrupted in its terminal');
		});

		it('knows by the screen alone, without hooks and before the first prompt', () => {
			const process = { liveness: 'alive', at: at(9) } as const;
			const idle = { state: 'idle', at: at(5) } as const;
			const unhooked = { hooks: 'off', process, unprompted: 'at-launch' } as const;
			expect(after([], { ...unhooked, screen: idle })).toMatchObject({
				phase: 'idle',
				at: at(5),
				isUnprompted: true,
			});
			const rested = { ...idle, workedAt: at(0) };
			expect(after([], { ...unhooked, screen: rested }).isUnprompted).toBeUndefined();
			expect(after([], { hooks: 'off', process, screen: idle })).toMatchObject({ phase: 'working' });
			expect(after([], { hooks: 'off', process, screen: { ...idle, state: 'working' } })).toMatchObject({
				phase: 'working',
				source: 'screen of its terminal',
			});
			const unprompted = { process, unprompted: 'at-first-prompt' } as const;
			expect(after([], { ...unprompted, screen: idle }).isUnprompted).toBe(true);
			expect(after([], { ...unprompted, screen: rested })).toMatchObject({ phase: 'idle', at: at(5) });
			expect(after([], { ...unprompted, screen: rested }).isUnprompted).toBeUndefined();
			expect(after([], { ...unprompted, screen: { ...idle, state: 'trust' } }).phase).toBe('waiting');
		});

		it('takes no screen that is idle before any turn for the end of one, and keeps no words of an earlier turn', () => {
			const screen = { state: 'idle', at: at(5) } as const;
			expect(after([bash], { screen })).toMatchObject({ phase: 'working', tool: 'Bash' });
			const stop = { kind: 'stop', summary: 'All said.' } as const;
			const goesOn = after([stop], { screen: { state: 'working', at: at(5), workedAt: at(0) } });
			expect(goesOn).toMatchObject({ phase: 'working', source: 'screen of its terminal' });
			expect(goesOn.summary).toBeUndefined();
			const asks = after([bash], { screen: { state: 'asking', at: at(5), workedAt: at(0) } });
			expect(asks).toMatchObject({ phase: 'waiting', tool: 'Bash' });
		});

		it('sees that the process is gone, and a session that goes on elsewhere since', () => {
			const gone: Evidence = { process: { liveness: 'dead', at: at(5) } };
			expect(after([bash], gone)).toMatchObject({ phase: 'ended', source: 'process gone' });
			expect(after([bash], { process: { liveness: 'dead', at: at(0) } }).phase).toBe('working');
			expect(after([bash], { ...gone, stoppedAt: at(4) })).toMatchObject({ phase: 'ended', source: 'stopped' });
			expect(after([bash], { process: { liveness: 'unknown', at: at(5) } }).phase).toBe('working');
		});
	});

	describe('for any order of events', () => {
		const anyEvent = fc.record({
			kind: fc.constantFrom(...EventKind.options),
			tool: fc.option(fc.constantFrom('Bash', 'Read'), { nil: undefined }),
			toolUseId: fc.option(fc.constantFrom('t1', 't2', 't3'), { nil: undefined }),
			subagent: fc.option(fc.constant('a1'), { nil: undefined }),
			cause: fc.option(fc.constantFrom('clear', 'other', 'startup', 'compact'), { nil: undefined }),
			tells: fc.option(fc.constantFrom('idle', 'asked', 'answered', 'alert'), { nil: undefined }),
		});
		const anyEvents = fc.array(anyEvent, { maxLength: 30 });

		it('stays ended until a session starts', () => {
			fc.assert(
				fc.property(anyEvents, anyEvents, (before, later) => {
					const rest = later.filter(each => each.kind !== 'session-start');
					expect(after([...before, { kind: 'session-end', cause: 'other' }, ...rest]).phase).toBe('ended');
				}),
			);
		});

		it('is not changed in phase by a subagent', () => {
			fc.assert(
				fc.property(anyEvents, anyEvents, (before, later) => {
					const events = before.filter(each => !each.kind.startsWith('subagent'));
					const ofSubagent = later
						.filter(each => !each.kind.startsWith('subagent'))
						.map(each => ({ ...each, subagent: 'a1' }));
					expect(after([...events, ...ofSubagent])).toEqual(after(events));
				}),
			);
		});

		it('is idle after a stop of a session that has not ended, and working after a prompt', () => {
			fc.assert(
				fc.property(anyEvents, events => {
					fc.pre(after(events).phase !== 'ended');
					expect(after([...events, { kind: 'stop' }]).phase).toBe('idle');
					expect(after([...events, { kind: 'prompt' }]).phase).toBe('working');
				}),
			);
		});
	});
});
