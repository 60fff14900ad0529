import { describe, expect, it } from 'vitest';
import { newQuestion } from '../../../../src/core/questions/newQuestion.ts';
import { outcomeIn } from '../../../../src/core/questions/settle.ts';
import { DriverId, SessionId } from '../../../../src/protocol/names.ts';
import type { Answer, Effect } from '../../../../src/protocol/question.ts';
import type { AgentEvent, TrafficRecord } from '../../../../src/protocol/traffic.ts';

const driver = DriverId.parse('opencode');
const session = SessionId.parse('ses_main');

const question = newQuestion(driver, {
	session,
	kind: 'tool',
	tool: 'edit',
	call: 'call_1',
	title: '/w/a.txt',
	body: '+hello',
	bodyIs: 'diff',
	also: [],
	files: [],
	fields: [],
	choices: [{ effect: 'once' }, { effect: 'no' }],
	input: {},
});

/** @param afterMs after the question; the events come after 1000 */
function answer(effect: Effect, afterMs = 0): Answer {
	const { id, digest } = question;
	const at = new Date(Date.parse(question.askedAt) + afterMs).toISOString();
	return { version: 1, question: id, digest, effect, by: 'vscode', at, seal: '' };
}

/** After the question. */
function record(event: Partial<AgentEvent>): TrafficRecord {
	const at = new Date(Date.parse(question.askedAt) + 1000).toISOString();
	const whole: AgentEvent = { driver, session, kind: 'other', event: 'some-event', ...event };
	return { version: 1, type: 'event', id: 'x', at, event: whole, payload: {} };
}

const stateAfter = (event: Partial<AgentEvent>, given?: Answer) =>
	outcomeIn({ question, answer: given, outcome: undefined }, [record(event)])?.state;

describe('a question that names its call', () => {
	it('is over with the end of that call, and of no other', () => {
		expect(stateAfter({ kind: 'tool-end', tool: 'write', toolUseId: 'call_1' })).toBe('yes-elsewhere');
		expect(stateAfter({ kind: 'tool-end', tool: 'edit', summary: '/w/a.txt', toolUseId: 'call_2' })).toBe(
			undefined,
		);
		expect(stateAfter({ kind: 'tool-end', toolUseId: 'call_1' }, answer('once'))).toBe('applied');
		// Hooks of some CLIs name no call: it may be an earlier one of the same words, told late.
		expect(stateAfter({ kind: 'tool-end', tool: 'edit', summary: '/w/a.txt' })).toBe(undefined);
		expect(stateAfter({ kind: 'tool-end', tool: 'edit', summary: '/w/a.txt' }, answer('end'))).toBe(undefined);
	});

	it('counts an answer as late if the agent’s side says so of that call', () => {
		const late: Partial<AgentEvent> = { kind: 'permission-answered', cause: 'late', toolUseId: 'call_1' };
		for (const cause of ['late', 'terminal']) expect(stateAfter({ ...late, cause }, answer('once'))).toBe('late');
		expect(stateAfter({ ...late, toolUseId: 'call_2' }, answer('once'))).toBe(undefined);
		expect(stateAfter({ ...late, cause: 'once' }, answer('once'))).toBe(undefined);
		expect(stateAfter(late)).toBe(undefined);
	});

	it('counts an answer as applied if the agent’s side says that it took it, also one that ends the turn', () => {
		const taken: Partial<AgentEvent> = { kind: 'permission-answered', cause: 'taken', toolUseId: 'call_1' };
		for (const cause of ['taken', 'ended']) {
			expect(stateAfter({ ...taken, cause, subagent: 'other' }, answer('no'))).toBe('applied');
			expect(stateAfter({ ...taken, cause, toolUseId: 'call_2' }, answer('no'))).toBe(undefined);
			expect(stateAfter({ ...taken, cause })).toBe(undefined);
		}
	});
});

describe('the denial of a call', () => {
	it('applies the No before it, which may end the turn as if it was broken off', () => {
		const denied: Partial<AgentEvent> = { kind: 'permission-denied', toolUseId: 'call_1' };
		expect(stateAfter(denied, answer('no'))).toBe('applied');
		expect(stateAfter(denied, answer('no', 1001))).toBe('late');
		expect(stateAfter({ ...denied, toolUseId: 'call_2' }, answer('no'))).toBe(undefined);
		expect(stateAfter(denied, answer('once'))).toBe(undefined);
		expect(stateAfter(denied)).toBe(undefined);
	});
});

describe('an answer after the one in the terminal', () => {
	it('is late if the call was over, or had begun and ran for long, before it', () => {
		const end: Partial<AgentEvent> = { kind: 'tool-end', toolUseId: 'call_1' };
		for (const effect of ['once', 'folder'] as const) {
			expect(stateAfter(end, answer(effect, 1001))).toBe('late');
			expect(stateAfter({ ...end, durationMs: 600 }, answer(effect, 500))).toBe('late');
			expect(stateAfter({ ...end, durationMs: 600 }, answer(effect, 400))).toBe('applied');
			expect(stateAfter({ kind: 'batch-end' }, answer(effect, 1001))).toBe('late');
		}
	});

	it('is a Yes that nothing proves if the session ends first', () => {
		expect(stateAfter({ kind: 'session-end' }, answer('once'))).toBe('ended');
		expect(stateAfter({ kind: 'session-end' }, answer('no'))).toBe('applied');
	});
});

describe('a question that names no call', () => {
	const { call: _, ...unnamed } = question;
	const like = { tool: 'edit', summary: '/w/a.txt' };
	/** @param afterMs after the question */
	const at = (afterMs: number, event: Partial<AgentEvent>) => ({
		...record({ ...like, ...event }),
		at: new Date(Date.parse(question.askedAt) + afterMs).toISOString(),
	});
	const begun = (toolUseId: string, afterMs = -10) => at(afterMs, { kind: 'tool-start', toolUseId });
	const ended = (toolUseId: string, afterMs: number, kind: 'tool-end' | 'tool-failed' = 'tool-end') =>
		at(afterMs, { kind, toolUseId });
	const stateOf = (records: TrafficRecord[], given?: Answer) =>
		outcomeIn({ question: unnamed, answer: given, outcome: undefined }, records)?.state;

	it('is that of the one call of its like that had begun and not ended', () => {
		const records = [begun('a', -30), ended('a', -20), begun('b'), begun('c', 500)];
		expect(stateOf([...records, ended('c', 1000)])).toBeUndefined();
		expect(stateOf([...records, ended('a', 1000)])).toBeUndefined();
		expect(stateOf([...records, ended('b', 1000)])).toBe('yes-elsewhere');
		// The end of a call that was broken off is never told.
		const brokenOff = [begun('a', -30), at(-20, { kind: 'prompt' }), begun('b')];
		expect(stateOf([...brokenOff, ended('b', 1000)])).toBe('yes-elsewhere');
	});

	it('is not over with the end of another call of its like, and with the last one nobody can tell how', () => {
		const two = [begun('a'), begun('b')];
		for (const [first, last] of [
			['a', 'b'],
			['b', 'a'],
		] as const) {
			expect(stateOf([...two, ended(first, 1000)])).toBeUndefined();
			expect(stateOf([...two, ended(first, 1000), ended(first, 1500)])).toBeUndefined();
			expect(stateOf([...two, ended(first, 1000), ended(last, 2000)])).toBe('ended');
			expect(stateOf([...two, ended(first, 1000, 'tool-failed')], answer('no'))).toBeUndefined();
			expect(stateOf([...two, ended(first, 1000, 'tool-failed'), ended(last, 2000)], answer('no'))).toBe('ended');
			expect(stateOf([...two, ended(first, 1000)], answer('once', 500))).toBe('applied');
			expect(stateOf([...two, ended(first, 1000), ended(last, 2000)], answer('once', 1500))).toBe('applied');
			expect(stateOf([...two, ended(first, 1000), ended(last, 2000)], answer('once', 2500))).toBe('late');
		}
	});
});
