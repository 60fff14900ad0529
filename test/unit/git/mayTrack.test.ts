import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { mayTrack } from '../../../src/git/mayTrack.ts';
import { gitRepository, type GitRepository } from '../../support/gitRepository.ts';
import { tempFolder } from '../../support/tempFolder.ts';

let repository: GitRepository;
beforeEach(() => {
	repository = gitRepository();
});
afterEach(() => repository.remove());

const track = (folder: string) => {
	repository.write({ '.nancy/tasks/t/task.json': '{}' }, folder);
	repository.git(['add', '--force', '.nancy'], folder);
};
const places: readonly (readonly [string, () => string])[] = [
	['at the top', () => repository.root],
	[
		'in a folder of it, by a link',
		() => {
			mkdirSync(join(repository.root, 'web'));
			symlinkSync('repo/web', join(repository.root, '../link'));
			return join(repository.root, '../link');
		},
	],
	[
		'in a worktree',
		() => {
			repository.git(['worktree', 'add', '--quiet', '../linked']);
			return join(repository.root, '../linked');
		},
	],
	[
		'in a submodule',
		() => {
			repository.git(['submodule', '--quiet', 'add', repository.root, 'module']);
			return join(repository.root, 'module');
		},
	],
];

it.each(places)(
	'git need not be asked where its index does not hold the name, and is where it does (%s)',
	(_, make) => {
		const folder = make();
		repository.write({ '.nancy/tasks/t/task.json': '{}', 'links/symlink.ts': '' }, folder);
		repository.git(['add', 'links'], folder);
		expect(mayTrack(folder, '.nancy')).toBe(false);
		track(folder);
		expect(mayTrack(folder, '.nancy')).toBe(true);
	},
);

it.each([
	['with shared beginnings', () => void repository.git(['update-index', '--index-version', '4'])],
	['that is split', () => void repository.git(['update-index', '--split-index'])],
	[
		'of a sparse checkout',
		() => {
			repository.commit({ 'web/x/.nancy/a': '' });
			repository.git(['sparse-checkout', 'set', '--cone', '--sparse-index', 'other']);
		},
	],
	['of another form', () => writeFileSync(join(repository.root, '.git/index'), 'DIRK')],
	['that is not there', () => rmSync(join(repository.root, '.git/index'))],
	['of a repository that cannot be found', () => writeFileSync(join(repository.root, '.git'), 'gitdir: nowhere')],
])('in doubt git is asked: an index %s', (what, change) => {
	if (what.endsWith('found')) renameSync(join(repository.root, '.git'), join(repository.root, '../moved'));
	change();
	expect(mayTrack(repository.root, '.nancy')).toBe(true);
});

it('a repository in the place of .nancy is tracked too', () => {
	repository.git(['clone', '--quiet', '.', '../module']);
	repository.git(['submodule', '--quiet', 'add', '../module', '.nancy']);
	expect(mayTrack(repository.root, '.nancy')).toBe(true);
});

it('outside of any checkout there is nothing to ask', async () => {
	await using folder = tempFolder('nancy-no-checkout-');
	expect(mayTrack(folder.path, '.nancy')).toBe(false);
});
