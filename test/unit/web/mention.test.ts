import { expect, it } from 'vitest';
import { mentionAt } from '../../../src/web/compose/mention.ts';

it.each([
	['@', { start: 0, query: '' }],
	['see @src/a', { start: 4, query: 'src/a' }],
	['one\n@two', { start: 4, query: 'two' }],
	['(@x', { start: 1, query: 'x' }],
])('finds a mention at the end of %j', (text, mention) => {
	expect(mentionAt(text, text.length)).toEqual(mention);
});

it.each(['', 'me@example.org', '@src/a is', '@@', 'no'])('finds none at the end of %j', text => {
	expect(mentionAt(text, text.length)).toBeUndefined();
});

it('looks at the words before the caret alone', () => {
	expect(mentionAt('@ab cd', 3)).toEqual({ start: 0, query: 'ab' });
});
