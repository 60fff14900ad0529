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

it('below the workspace, Node’s own removal of trees is not used: it can be led outside', () => {
	const root = join(import.meta.dirname, '../../..');
	const used = globSync('src/**/*.ts', { cwd: root }).filter(file =>
		/\brm\(.*recursive: true/.test(readFileSync(join(root, file), 'utf8')),
	);
	// Folders of the user's data, a temporary folder, and locks that nobody but this process has seen yet.
	expect(used.toSorted()).toEqual([
		'src/base/removeTree.ts',
		'src/core/deployment/earlierRecords.ts',
		'src/core/deployment/launchFiles.ts',
		'src/core/deployment/records.ts',
		'src/core/deployment/runtime.ts',
		'src/core/deployment/skillFolders.ts',
		'src/core/files/ownFolder.ts',
		'src/core/files/processLock.ts',
		'src/core/live/goneFolders.ts',
		'src/git/gitTree.ts',
	]);
});
