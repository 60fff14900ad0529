import { setImmediate as turnOfEvents } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { hasTaken, steeringBy } from '../../../src/conversations/acpSteering.ts';
import { Steering } from '../../../src/conversations/steering.ts';

function steering(answers: (boolean | Error)[] = []) {
	const said: string[] = [];
	const made = new Steering({
		steer: async words => {
			said.push(`steer ${words}`);
			const answer = answers.shift() ?? true;
			if (answer instanceof Error) throw answer;
			return answer;
		},
		taken: words => said.push(`taken ${words}`),
		stepped: () => said.push('stepped'),
	});
	const tool = (toolCallId: string, status: 'in_progress' | 'completed' | 'failed') =>
		made.update({ sessionUpdate: 'tool_call_update', toolCallId, status });
	/** Once all that is under way has been said. */
	const end = async () => {
		await turnOfEvents();
		return made.end();
	};
	return { made, said, tool, end };
}

describe('words for the middle of a turn', () => {
	it('go to the agent between two steps, and wait while a call runs', async () => {
		const { made, said, tool, end } = steering();
		made.begin();
		tool('1', 'in_progress');
		tool('2', 'in_progress');
		made.give('Stop.');
		tool('1', 'completed');
		await turnOfEvents();
		expect(said).toEqual([]);
		tool('2', 'failed');
		expect(await end()).toBe(undefined);
		expect(said).toEqual(['stepped', 'steer Stop.', 'taken Stop.']);
	});

	it('go to the agent, although it tells more of a call that is over', async () => {
		const { made, said, tool, end } = steering();
		made.begin();
		made.update({ sessionUpdate: 'tool_call', toolCallId: '1', title: 'Shell' });
		expect(made.isBetweenSteps).toBe(false);
		tool('1', 'completed');
		made.update({
			sessionUpdate: 'tool_call_update',
			toolCallId: '1',
			_meta: { claudeCode: { toolName: 'Bash' } },
		});
		made.give('Stop.');
		expect(await end()).toBe(undefined);
		expect(said).toEqual(['stepped', 'steer Stop.', 'taken Stop.']);
	});

	it.each([false, new Error('no such method')])(
		'are the next prompt where the agent takes none: %s',
		async answer => {
			const { made, said, end } = steering([answer]);
			made.begin();
			made.give('Stop.');
			expect(await end()).toBe('Stop.');
			expect(await end()).toBe(undefined);
			expect(said).toEqual(['steer Stop.']);
		},
	);

	it('are the next prompt where a call never ended, and no later turn waits for it', async () => {
		const { made, said, tool, end } = steering();
		made.begin();
		tool('1', 'in_progress');
		made.give('Stop.');
		made.give('And look.');
		expect(await end()).toBe('Stop.\n\nAnd look.');
		made.begin();
		made.give('Go on.');
		expect(await end()).toBe(undefined);
		expect(said).toEqual(['steer Go on.', 'taken Go on.']);
	});

	it('that come while others are on their way follow them', async () => {
		const { made, said, end } = steering([false, true, true]);
		made.begin();
		made.give('First.');
		await turnOfEvents();
		made.give('Second.');
		await turnOfEvents();
		made.give('Third.');
		expect(await end()).toBe(undefined);
		const both = 'First.\n\nSecond.';
		expect(said).toEqual(['steer First.', `steer ${both}`, `taken ${both}`, 'steer Third.', 'taken Third.']);
	});
});

it('an agent takes words where it says so in the form that is known', () => {
	expect(steeringBy({ _meta: { steering: { supported: true } } })).toBe('request');
	for (const _meta of [null, {}, { steering: true }, { steering: { supported: 'yes' } }])
		expect(steeringBy({ _meta })).toBe('none');
});

it('a second prompt goes to an agent that was seen to take it into its turn, and to no other', () => {
	const named = (name: string, version: string) => steeringBy({ agentInfo: { name, version } });
	expect(named('OpenCode', '1.18.33')).toBe('prompt');
	expect(named('OpenCode', '1.19.0')).toBe('prompt');
	expect(named('OpenCode', '1.18.32')).toBe('none');
	expect(named('OpenCode', 'local')).toBe('none');
	for (const name of ['gemini-cli', 'Copilot', 'qwen-code', 'Codex']) expect(named(name, '9.0.0')).toBe('none');
});

it('words are in a turn by all answers but one, and an unknown answer is none', () => {
	expect(hasTaken({ outcome: 'injected' })).toBe(true);
	expect(hasTaken({ outcome: 'startedNewTurn' })).toBe(true);
	expect(hasTaken({ outcome: 'promptRequired', reason: 'noRunningTurn' })).toBe(false);
	for (const answer of [null, {}, { outcome: 'perhaps' }]) expect(() => hasTaken(answer)).toThrow();
});
