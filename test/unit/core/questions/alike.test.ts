import { expect, it } from 'vitest';
import type { AskedRequest } from '../../../../src/core/driver/asking.ts';
import { alikeAs } from '../../../../src/core/questions/alike.ts';
import { newQuestion } from '../../../../src/core/questions/newQuestion.ts';
import { DriverId, SessionId } from '../../../../src/protocol/names.ts';
import { BASH } from '../../../support/seedQuestion.ts';

const kind = (more: Partial<AskedRequest> = {}) =>
	alikeAs(newQuestion(DriverId.parse('claude-code'), { ...BASH, ...more }));

it('is one kind of question: the same tool of one agent of one session in one place, with the same remarks', () => {
	expect(kind({ title: 'make', body: 'make' })).toBe(kind());
	const others: Partial<AskedRequest>[] = [
		{ session: SessionId.parse('a0a0a0a0-0001') },
		{ subagent: 'one' },
		{ tool: 'PowerShell' },
		{ cwd: '/elsewhere' },
		{ also: [{ name: 'reason', value: 'For once' }] },
	];
	expect(new Set([kind(), ...others.map(kind)]).size).toBe(others.length + 1);
});

it('is answered alone where it is long, cut, a form or a plan', () => {
	expect(kind({ body: 'x'.repeat(2001) })).toBeUndefined();
	expect(kind({ body: 'x'.repeat(1_000_000) })).toBeUndefined();
	expect(kind({ kind: 'choice', body: '' })).toBeUndefined();
	expect(kind({ kind: 'plan', bodyIs: 'plan' })).toBeUndefined();
});
