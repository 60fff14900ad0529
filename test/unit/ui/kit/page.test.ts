import { expect, it } from 'vitest';
import { pageBlock, pageLine } from '../../../../src/ui/kit/page.ts';

it.each([
	'https://evil.com',
	'//evil.com/x',
	'a@evil.com',
	'[x](command:y)',
	'- x',
	'1. x',
	'---',
	'$x$',
	'<b>',
	'`x`',
])('leaves %s nothing that Markdown could take for itself', text => {
	const bare = pageLine(text).replace(/\\[^\w\s]/g, '');
	expect(bare).not.toMatch(/[^\w\s]/);
});

it('ends a block at no line of the text', () => {
	expect(pageBlock('a\n```\nb')).toBe('````text\na\n```\nb\n````');
});
