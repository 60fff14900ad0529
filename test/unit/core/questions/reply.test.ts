import { expect, it } from 'vitest';
import { noTo } from '../../../../src/core/questions/reply.ts';

it('says No without the end of the turn, where the question takes that', () => {
	expect(noTo({ choices: [{ effect: 'once' }, { effect: 'end' }, { effect: 'no' }] })).toBe('no');
	expect(noTo({ choices: [{ effect: 'once' }, { effect: 'end' }] })).toBe('end');
});
