import { expect, it } from 'vitest';
import { pathFrom } from '../../../src/base/inside.ts';

it('a path below a folder is told from there, and any other path as it is', () => {
	const told = (path: string) => pathFrom('/home/u/project', path);
	expect(told('/home/u/project/src/a.ts')).toBe('src/a.ts');
	expect(told('/home/u/project/../other/a.ts')).toBe('/home/u/project/../other/a.ts');
	for (const path of [
		'/home/u/project/link/../.ssh/key',
		'/etc/passwd',
		'/home/u/project-2/a.ts',
		'/home/u/project',
		'src/a.ts',
		'npm test',
		'',
	])
		expect(told(path)).toBe(path);
});
