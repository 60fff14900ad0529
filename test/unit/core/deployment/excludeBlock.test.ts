import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excludedFor, patternFor, withExcluded } from '../../../../src/core/deployment/excludeBlock.ts';

const A = '/home/me/my "project"';
const B = '/home/me/ünder';

describe('lines in info/exclude', () => {
	const before = fc.option(
		fc
			.array(
				fc.constantFrom(
					'# mine',
					'*.log',
					'',
					'/x',
					'# End of Nancy',
					'!y',
					'caf\u00c3\u00a9 ',
					'\r',
					'# Files of Nancy in x',
				),
			)
			.chain(lines => fc.constantFrom(lines.join('\n'), `${lines.join('\n')}\n`)),
		{ nil: undefined },
	);
	const lines = fc.uniqueArray(fc.constantFrom('/.a/nancy.js', '/b/c.json', '/d e/\\*.js'), { maxLength: 3 });
	const steps = fc.array(fc.tuple(fc.constantFrom(A, B), lines), { maxLength: 6 });

	it('of several folders, put and taken in any order, leave the file byte for byte as it was', () => {
		fc.assert(
			fc.property(before, steps, fc.constantFrom([A, B], [B, A]), (text, changes, last) => {
				let now: string | undefined = text;
				for (const [folder, wanted] of changes) {
					now = withExcluded(now, folder, wanted);
					expect(excludedFor(now, folder)).toEqual(wanted);
					expect(withExcluded(now, folder, wanted)).toBe(now);
				}
				for (const folder of last) now = withExcluded(now, folder, []);
				expect(now).toBe(text);
			}),
			{ numRuns: 300 },
		);
	});

	it('go without what somebody wrote after or among them', () => {
		const mine = withExcluded('a', A, ['/n.js']) ?? '';
		expect(withExcluded(`${mine}b\n`, A, [])).toBe('a\nb\n');
		expect(withExcluded(mine.replace('/n.js\n', '/n.js\n*.tmp\n'), A, [])).toBe('a\n*.tmp\n');
		expect(withExcluded(`${withExcluded(undefined, A, ['/n.js'])}b\n`, A, [])).toBe('b\n');
	});

	it('name one file and no other', () => {
		expect(patternFor('sub/', '.x/nancy.js')).toBe('/sub/.x/nancy.js');
		expect(patternFor('we [b]*?/', 'x')).toBe('/we \\[b\\]\\*\\?/x');
		expect(patternFor('new\nline/', 'x')).toBeUndefined();
	});

	it('are found in one go, however many blocks were begun and never ended', () => {
		const begun = `${(withExcluded(undefined, A, ['/n.js']) ?? '').split('\n')[0]}\n`.repeat(40_000);
		expect(excludedFor(begun, A)).toEqual([]);
		expect(excludedFor(`${begun}${withExcluded(undefined, B, ['/n.js'])}`, A)).toEqual(['/n.js']);
	});
});
