import { expect, it } from 'vitest';
import { nextAfter } from '../../../../src/ui/needs/round.ts';

const needs = ['waits', 'stopped', 'wrote'].map(key => ({ key }));

it('goes round all of them', () => {
	expect(nextAfter(needs, undefined)?.key).toBe('waits');
	expect(nextAfter(needs, 'waits')?.key).toBe('stopped');
	expect(nextAfter(needs, 'wrote')?.key).toBe('waits');
});

it('begins again when the last one is dealt with, and finds nothing when all are', () => {
	expect(nextAfter(needs, 'gone')?.key).toBe('waits');
	expect(nextAfter([], 'gone')).toBeUndefined();
});
