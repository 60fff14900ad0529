import { existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeTree } from '../../../src/base/removeTree.ts';
import { tempFolder } from '../../support/tempFolder.ts';

it('a tree is removed, with its links and not with what they lead to', async () => {
	await using folder = tempFolder();
	const [tree, outside] = [folder.file("it's a tree"), folder.file('outside')];
	mkdirSync(join(tree, 'sub'), { recursive: true });
	mkdirSync(outside);
	writeFileSync(join(outside, 'kept'), 'x');
	symlinkSync(outside, join(tree, 'sub', 'link'));
	await removeTree(tree);
	await removeTree(tree);
	expect(existsSync(tree)).toBe(false);
	symlinkSync(outside, tree);
	await removeTree(tree);
	expect(existsSync(tree)).toBe(false);
	expect(existsSync(join(outside, 'kept'))).toBe(true);
});

it('nothing else removes trees: Node’s own removal can be led outside', () => {
	const root = join(import.meta.dirname, '../../..');
	const used = globSync('src/**/*.ts', { cwd: root }).filter(file =>
		/\brm\([^;]*recursive: true/.test(readFileSync(join(root, file), 'utf8')),
	);
	// No agent writes to the user's data, where the hooks, which may start no program, remove records.
	expect(used.toSorted()).toEqual(['src/base/removeTree.ts', 'src/core/files/ownFolder.ts']);
});
