import { expect, it } from 'vitest';
import { freeName, titleFrom } from '../../../../src/ui/start/taskTitle.ts';

it.each([
	['Fix the login', 'Fix the login'],
	['Fix the login. It fails with a second factor.', 'Fix the login'],
	['# Paint the fence\n\nGreen.', 'Paint the fence'],
	['Fix e.g. the login', 'Fix e.g. the login'],
	['Use version 1. 2 is broken', 'Use version 1. 2 is broken'],
	['Look! [here]', 'Look!'],
	['Make the login work with a second factor and with passkeys, too', 'Make the login work with a second factor and'],
	['Read the specification in docs/spec.md and carry it out.', 'Read the specification in docs/spec.md and carry'],
	['  ', ''],
])('the title from a prompt is its first sentence or words: %j', (prompt, title) => {
	expect(titleFrom(prompt)).toBe(title);
});

it('a name is free, whatever the title', () => {
	expect(freeName('Fix the login!', new Set())).toBe('fix-the-login');
	expect(freeName('Fix the login!', new Set(['fix-the-login', 'fix-the-login-2']))).toBe('fix-the-login-3');
	expect(freeName('ログイン', new Set(['task']))).toBe('task-2');
	expect(freeName('x'.repeat(80), new Set(['x'.repeat(64)]))).toBe(`${'x'.repeat(60)}-2`);
});
