import { execFileSync } from 'node:child_process';
import {
	chmodSync,
	existsSync,
	globSync,
	mkdirSync,
	readFileSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
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

it('a tree is removed that has folders without the right to write, and what its links lead to keeps its rights', async () => {
	await using folder = tempFolder();
	const [tree, outside] = [folder.file('tree'), folder.file('outside')];
	for (const each of [tree, outside]) {
		mkdirSync(join(each, 'cache/inner'), { recursive: true });
		writeFileSync(join(each, 'cache/inner/file'), 'x');
	}
	symlinkSync(join(outside, 'cache'), join(tree, 'cache/inner/link'));
	const module = join(import.meta.dirname, '../../../src/base/removeTree.ts');
	const script = `import { removeTree } from ${JSON.stringify(module)}; await removeTree(${JSON.stringify(tree)});`;
	const node = [process.execPath, '--input-type=module', '--eval', script];
	// Root may write everywhere, unless it gives that right up.
	const [command = '', ...args] = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', ...node] : node;
	for (const each of [tree, outside]) for (const name of ['cache/inner', 'cache']) chmodSync(join(each, name), 0o555);
	try {
		execFileSync(command, args, { stdio: 'pipe' });
		expect(existsSync(tree)).toBe(false);
		expect(statSync(join(outside, 'cache')).mode & 0o777).toBe(0o555);
	} finally {
		execFileSync('chmod', ['-R', 'u+w', folder.path]);
	}
});

it('nothing else removes trees: Node’s own removal can be led outside', () => {
	const root = join(import.meta.dirname, '../../..');
	const used = globSync('src/**/*.ts', { cwd: root }).filter(file =>
		/\brm\([^;]*recursive: true/.test(readFileSync(join(root, file), 'utf8')),
	);
	// No agent writes to the user's data, where the hooks, which may start no program, remove records.
	expect(used.toSorted()).toEqual(['src/base/removeTree.ts', 'src/core/files/ownFolder.ts']);
});
