import { expect, it } from 'vitest';
import { mergeSubject } from '../../../../src/ui/delegates/mergeSubject.ts';

it.each([
	['Fix the tests', 'Fix the tests'],
	['# Paint the fence.', 'Paint the fence'],
	['  - Make\ta file  ', 'Make a file'],
	['Fix it! Then run all of the tests', 'Fix it! Then run all of the tests'],
	[
		'Make the parser quick. It takes seconds for files with long lines, and nobody knows why that is so',
		'Make the parser quick',
	],
	[
		'Find out why the build takes ten minutes on the small machines, and make it take no more than two',
		'Find out why the build takes ten minutes on the small machines, and make',
	],
	[
		`Version 1.2 of the parser ${'is slow '.repeat(9)}`,
		'Version 1.2 of the parser is slow is slow is slow is slow is slow is',
	],
	['x'.repeat(100), 'x'.repeat(72)],
])('a title becomes a subject of at most 72 characters: %j', (title, subject) => {
	expect(mergeSubject(title)).toBe(subject);
	expect(subject.length).toBeLessThanOrEqual(72);
});
