import { describe, expect, it } from 'vitest';
import { filesIn } from '../../../src/web/desk/codeLink.tsx';

const found = (text: string) =>
	filesIn('0'.repeat(12), text).map(({ path, from, to }) =>
		[path, from, to].filter(each => each !== undefined).join(' '),
	);

describe('files that a text names', () => {
	it.each([
		['see src/timer.js', 'src/timer.js'],
		['see `src/timer.js:12`.', 'src/timer.js 12'],
		['(timer.js:12-20)', 'timer.js 12 20'],
		['src/a.ts:1, src/a.ts:1', 'src/a.ts 1'],
		['.github/workflows/ci.yml', '.github/workflows/ci.yml'],
	])('are found in %j', (text, file) => expect(found(text)).toEqual([file]));

	it.each([
		'e.g. this',
		'version 1.2.3',
		'timer.js',
		'https://evil.example/x.js:1',
		'user@host.example/x.js',
		'a/b',
		'//x.js',
	])('are none in %j', text => expect(found(text)).toEqual([]));

	it('are looked for in long texts at once', () => {
		for (const text of ['a/'.repeat(8000), 'a.'.repeat(8000), 'a'.repeat(16_000), '../'.repeat(5000)])
			expect(found(text)).toEqual([]);
	});
});
