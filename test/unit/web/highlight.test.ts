import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { highlight } from '../../../src/web/desk/highlight.ts';

const languages = [
	'bash',
	'json',
	'typescript',
	'js',
	'python',
	'go',
	'rust',
	'java',
	'xml',
	'yaml',
	'ini',
	'unknown',
	'',
];
const signs = [
	'"',
	"'",
	'`',
	'$(',
	'${',
	'}',
	')',
	'<<EOF\n',
	'\n',
	'#',
	'//',
	'/*',
	'*/',
	'<',
	'</script>',
	' ',
	'ls',
	'{',
	'\\',
	'⟨U+202E⟩',
];

describe('Code on the page', () => {
	it('has colours for its parts', () => {
		expect(highlight('echo "a $B"', 'bash')).toContainEqual({ text: '"a ', scope: 'string' });
	});

	it.each(languages)('is whole in the language %j, whatever it is', language => {
		fc.assert(
			fc.property(fc.array(fc.oneof(fc.constantFrom(...signs), fc.string())), parts => {
				const text = parts.join('');
				const shown = highlight(text, language).map(each => each.text);
				expect(shown.join('')).toBe(text);
			}),
			{ numRuns: 60 },
		);
	});

	it('is plain where it is long', () => {
		const text = 'echo "a"\n'.repeat(20_000);
		expect(highlight(text, 'bash')).toEqual([{ text, scope: '' }]);
	});
});
