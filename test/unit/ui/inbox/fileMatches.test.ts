import { matchesGlob } from 'node:path';
import { expect, it } from 'vitest';
import { bestMatches, FILES_OFFERED, globFor, outside } from '../../../../src/ui/inbox/fileMatches.ts';

it.each([
	['', 'docs/cli.md'],
	['cli', 'docs/CLI.md'],
	['docs/cl', 'docs/cli.md'],
	['a[1]', 'src/a[1].ts'],
	['x*', 'src/x*y.ts'],
])('finds for “%s” the file %s', (query, file) => {
	expect(matchesGlob(file, globFor(query))).toBe(true);
	expect(bestMatches([file, 'other/thing.txt'], query)).toContain(file);
});

it('finds no file by a part that its path lacks', () => {
	expect(matchesGlob('docs/cli.md', globFor('xyz'))).toBe(false);
	expect(bestMatches(['docs/cli.md'], 'xyz')).toEqual([]);
});

it('offers first what begins so, then the shorter path, and twenty at most', () => {
	expect(bestMatches(['lib/ascii.ts', 'docs/deep/cli.md', 'cli.md', 'src/cli.md'], 'cli')).toEqual([
		'cli.md',
		'src/cli.md',
		'docs/deep/cli.md',
	]);
	const many = Array.from({ length: 50 }, (_, at) => `file${at}.ts`);
	expect(bestMatches(many, 'file')).toHaveLength(FILES_OFFERED);
});

it('leaves out files and the content of folders, and nothing with a longer name', () => {
	const paths = [
		'.agents/skills/delegate/SKILL.md',
		'.agents/skills/delegate-more/SKILL.md',
		'a/hooks.json',
		'hooks.json',
	];
	expect(outside(paths, ['.agents/skills/delegate', 'hooks.json'])).toEqual([
		'.agents/skills/delegate-more/SKILL.md',
		'a/hooks.json',
	]);
});
