import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorktree } from '../../../src/git/worktree.ts';
import { mergeWorktree as mergeWorktreeSaid } from '../../../src/git/worktreeMerge.ts';
import { removeWorktree } from '../../../src/git/worktreeRemove.ts';
import { WorktreeName, type Worktree } from '../../../src/protocol/worktree.ts';
import { filesBelow, gitRepository, lines, type GitRepository } from '../../support/gitRepository.ts';
import { inEnglish } from '../../support/inEnglish.ts';
import { long } from '../../support/long.ts';

const mergeWorktree = (...args: Parameters<typeof mergeWorktreeSaid>) => inEnglish(mergeWorktreeSaid(...args));

let repo: GitRepository;

beforeEach(() => {
	repo = gitRepository();
	appendFileSync(join(repo.root, '.git/config'), '[user]\n\tname = The User\n\temail = user@example.com\n');
});
afterEach(() => repo.remove());

const create = (withChanges = false, name = 'x') =>
	createWorktree({ folder: repo.root, name: WorktreeName.parse(name), withChanges, copyIncludes: false });
const head = (folder?: string) => repo.git(['rev-parse', 'HEAD'], folder);
const read = (file: string) => readFileSync(join(repo.root, file), 'utf8');
const BINARY = Buffer.from([0, 255, 1, 254]);
const ODD = ['with space.txt', 'ünïcödé.txt', 'new\nline.txt', ':(top)magic*.txt'];

/** The checkout is, byte for byte, as it was, and the answer names the files. */
async function expectRefusal(worktree: Worktree, files: string[], reason: string) {
	const before = repo.state();
	expect(await mergeWorktree(worktree, 'merge')).toEqual({
		ok: false,
		reason: expect.stringContaining(reason),
		...(files.length > 0 && { conflicts: files }),
	});
	expect(repo.state()).toEqual(before);
	expect(existsSync(join(repo.root, '.git/MERGE_HEAD'))).toBe(false);
}

describe('merging a worktree that began at a commit', () => {
	it('makes one merge commit with what was committed and what was not', async () => {
		const worktree = await create();
		repo.commit({ 'a.txt': lines('a', { 1: 'theirs' }) }, 'work', worktree.folder);
		const first = head(worktree.folder);
		repo.write(
			{ 'bin.dat': BINARY, 'x.secret': 's', ...Object.fromEntries(ODD.map(file => [file, file])) },
			worktree.folder,
		);
		rmSync(join(worktree.folder, 'b.txt'));
		repo.commit({ 'a.txt': lines('a', { 12: 'ours' }) });
		const onMain = head();

		const result = await mergeWorktree(worktree, 'Merge the work\n\nof a delegate');

		expect(result).toEqual({
			ok: true,
			how: 'merged',
			record: expect.objectContaining({ commit: head(), head: onMain, ref: 'refs/heads/main' }),
		});
		expect(repo.git(['log', '-1', '--format=%an|%cn|%P|%B'])).toBe(
			`The User|The User|${onMain} ${repo.git(['rev-parse', 'nancy/x'])}|Merge the work\n\nof a delegate`,
		);
		expect(repo.git(['rev-parse', 'nancy/x^'])).toBe(first);
		expect(repo.git(['branch', '--show-current'])).toBe('main');
		expect(repo.git(['status', '--porcelain'])).toBe('');
		expect(repo.git(['status', '--porcelain'], worktree.folder)).toBe('');
		expect(read('a.txt')).toBe(lines('a', { 1: 'theirs', 12: 'ours' }));
		expect(Object.keys(filesBelow(repo.root)).toSorted()).toEqual(
			['.gitignore', 'a.txt', 'bin.dat', ...ODD].toSorted(),
		);
	});

	it('does not move forward without a merge commit, and keeps modes', async () => {
		repo.commit({ 'run.sh': '' });
		const worktree = await create();
		chmodSync(join(worktree.folder, 'run.sh'), 0o755);
		expect(await mergeWorktree(worktree, 'merge')).toMatchObject({ how: 'merged' });
		expect(filesBelow(repo.root)['run.sh']).toMatch(/^755 /);
		expect(repo.git(['rev-list', '--merges', '--count', 'HEAD'])).toBe('1');
	});

	it('leaves what is not committed or only staged in other files as it is', async () => {
		const worktree = await create();
		repo.commit({ 'a.txt': 'theirs' }, 'work', worktree.folder);
		repo.write({ 'b.txt': 'staged', 'new.txt': 'new' });
		repo.git(['add', 'b.txt']);
		repo.write({ 'b.txt': 'and changed again' });
		expect(await mergeWorktree(worktree, 'merge')).toMatchObject({ how: 'merged' });
		expect(repo.git(['status', '--porcelain'])).toBe('MM b.txt\n?? new.txt');
		expect([read('a.txt'), read('b.txt'), read('new.txt')]).toEqual(['theirs', 'and changed again', 'new']);
	});

	it('does nothing where there is nothing, or it was merged before', async () => {
		const worktree = await create();
		expect(await mergeWorktree(worktree, 'merge')).toEqual({ ok: true, how: 'nothing' });
		repo.write({ 'new.txt': '' }, worktree.folder);
		expect(await mergeWorktree(worktree, 'merge')).toMatchObject({ how: 'merged' });
		const before = repo.state();
		expect(await mergeWorktree(worktree, 'merge')).toEqual({ ok: true, how: 'nothing' });
		expect(repo.state()).toEqual(before);
		repo.write({ 'more.txt': '' }, worktree.folder);
		expect(await mergeWorktree(worktree, 'merge')).toMatchObject({ how: 'merged' });
	});

	it('runs no hook and needs no name of the user', async () => {
		for (const each of ['pre-commit', 'commit-msg', 'pre-merge-commit', 'post-merge', 'reference-transaction']) {
			writeFileSync(join(repo.root, '.git/hooks', each), '#!/bin/sh\nexit 1\n');
			chmodSync(join(repo.root, '.git/hooks', each), 0o755);
		}
		repo.git(['config', 'commit.gpgSign', 'true']);
		repo.git(['config', 'gpg.program', 'false']);
		const worktree = await create();
		repo.write({ 'new.txt': '' }, worktree.folder);
		expect(await mergeWorktree(worktree, 'merge')).toMatchObject({ how: 'merged' });
	});

	it('names what conflicts, and leaves the checkout as it was', async () => {
		repo.commit({ 'sp ace\nline.txt': 'x' });
		const worktree = await create();
		repo.write({ 'a.txt': 'theirs', 'sp ace\nline.txt': 'theirs', 'new.txt': 'theirs' }, worktree.folder);
		rmSync(join(worktree.folder, 'b.txt'));
		repo.commit({ 'a.txt': 'ours', 'sp ace\nline.txt': 'ours', 'b.txt': 'ours' });
		repo.write({ 'untracked.txt': '', '.gitignore': 'dirty' });
		await expectRefusal(worktree, ['a.txt', 'b.txt', 'sp ace\nline.txt'], 'it conflicts');
	});

	it.each([
		['changed', () => repo.write({ 'a.txt': 'dirty' }), ['a.txt']],
		['removed', () => rmSync(join(repo.root, 'b.txt')), ['b.txt']],
		['untracked', () => repo.write({ 'new.txt': 'mine' }), ['new.txt']],
		['ignored', () => repo.write({ 'forced.secret': 'mine' }), ['forced.secret']],
		['in the place of a folder', () => repo.write({ folder: 'mine' }), ['folder/in.txt']],
		['a folder in its place', () => repo.write({ 'new.txt/mine': 'mine' }), ['new.txt']],
		['staged', () => (repo.write({ 'a.txt': 'dirty' }), repo.git(['add', '.'])), ['a.txt']],
	])('overwrites no file that is %s', async (_, change, files) => {
		const worktree = await create();
		repo.write(
			{
				'a.txt': 'theirs',
				'b.txt': 'theirs',
				'new.txt': 'theirs',
				'folder/in.txt': '',
				'forced.secret': 'theirs',
			},
			worktree.folder,
		);
		repo.git(['add', '--force', '.'], worktree.folder);
		change();
		await expectRefusal(worktree, files, 'not committed');
	});

	it('waits until a merge of the user, or a rebase of the agent, is ended', async () => {
		const worktree = await create();
		repo.commit({ 'a.txt': 'theirs' }, 'work', worktree.folder);
		repo.commit({ 'a.txt': 'ours' });
		expect(() => repo.git(['merge', 'nancy/x'])).toThrow();
		await expect(mergeWorktree(worktree, 'merge')).resolves.toMatchObject({
			reason: expect.stringContaining('a merge is in progress'),
		});
		repo.git(['merge', '--abort']);
		expect(() => repo.git(['rebase', 'main'], worktree.folder)).toThrow();
		await expectRefusal(worktree, [], `a rebase is in progress in ${worktree.folder}`);
	});

	it('merges and removes several, one after another, though asked at once', async () => {
		const worktrees = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(name => create(false, name)));
		for (const { folder, branch } of worktrees) repo.write({ [branch]: '' }, folder);
		const results = await Promise.all(worktrees.map(worktree => mergeWorktree(worktree, 'merge')));
		expect(results.map(({ ok }) => ok)).toEqual(Array(6).fill(true));
		expect(Object.keys(filesBelow(repo.root))).toEqual(
			expect.arrayContaining(worktrees.map(({ branch }) => branch)),
		);
		const removals = await Promise.all(worktrees.map(worktree => removeWorktree(worktree, { discard: false })));
		expect(removals.map(({ isRemoved, kept }) => ({ isRemoved, kept }))).toEqual(
			Array(6).fill({ isRemoved: true, kept: [] }),
		);
	});

	it('merges the work of an agent that went to another branch', async () => {
		const worktree = await create();
		repo.git(['checkout', '--quiet', '-b', 'feature'], worktree.folder);
		repo.commit({ 'f.txt': '' }, 'x', worktree.folder);
		repo.write({ 'g.txt': '' }, worktree.folder);
		expect(await mergeWorktree(worktree, 'merge')).toMatchObject({ how: 'merged' });
		expect([existsSync(join(repo.root, 'f.txt')), existsSync(join(repo.root, 'g.txt'))]).toEqual([true, true]);
	});

	it('leaves a repository inside the worktree where it is, and says so', async () => {
		const worktree = await create();
		repo.git(['init', '--quiet', 'app'], worktree.folder);
		repo.write({ 'app/code': '', 'new.txt': '' }, worktree.folder);
		expect(await mergeWorktree(worktree, 'merge')).toMatchObject({ how: 'merged', left: ['app/'] });
		expect(existsSync(join(repo.root, 'app'))).toBe(false);
	});

	it('merges what the branch holds when the folder is gone', async () => {
		const worktree = await create();
		repo.commit({ 'f.txt': '' }, 'x', worktree.folder);
		rmSync(worktree.folder, { recursive: true });
		expect(await mergeWorktree(worktree, 'merge')).toMatchObject({ how: 'merged' });
		repo.git(['worktree', 'prune']);
		expect(await mergeWorktree(worktree, 'merge')).toEqual({ ok: true, how: 'nothing' });
	});
});

describe('merging a worktree that began with uncommitted changes', () => {
	const begin = () => {
		repo.commit({ 'run.sh': '', 'gone.txt': 'x', 'bin.dat': Buffer.from([0, 1]) });
		repo.write({
			'a.txt': lines('a', { 6: 'mine' }),
			'untracked.txt': lines('u'),
			'ünï\ncödé.txt': 'x',
			'b.txt': 'staged',
		});
		repo.git(['add', 'b.txt']);
		return create(true);
	};

	it('changes the files of the checkout, and commits and stages nothing', async () => {
		const worktree = await begin();
		repo.commit({ 'a.txt': lines('a', { 1: 'theirs', 6: 'mine' }), 'in.txt': '' }, 'work', worktree.folder);
		repo.write(
			{
				'untracked.txt': lines('u', { 2: 'theirs' }),
				'ünï\ncödé.txt': 'theirs',
				'bin.dat': BINARY,
				'deep/new.txt': '',
			},
			worktree.folder,
		);
		rmSync(join(worktree.folder, 'gone.txt'));
		chmodSync(join(worktree.folder, 'run.sh'), 0o755);
		const { index, head, stash } = repo.state() as Record<string, string>;

		const result = await mergeWorktree(worktree, 'unused');

		if (!result.ok || result.record?.how !== 'applied') throw new Error('not applied');
		expect(filesBelow(repo.root)).toEqual(filesBelow(worktree.folder));
		expect(repo.state()).toMatchObject({ index, head, stash });
		expect(repo.git(['show', `${result.record.before}:a.txt`])).toBe(lines('a', { 6: 'mine' }).trimEnd());
		expect(await mergeWorktree(worktree, 'unused')).toEqual({ ok: true, how: 'nothing' });
	});

	it('merges with what has changed since, committed or not', async () => {
		const worktree = await begin();
		repo.write(
			{ 'a.txt': lines('a', { 1: 'theirs', 6: 'mine' }), 'untracked.txt': lines('u', { 1: 'theirs' }) },
			worktree.folder,
		);
		repo.commit({ 'a.txt': lines('a', { 6: 'mine', 12: 'later' }) });
		repo.write({ 'untracked.txt': lines('u', { 12: 'later' }), 'more.txt': '' });
		expect(await mergeWorktree(worktree, 'unused')).toMatchObject({ how: 'applied' });
		expect(read('a.txt')).toBe(lines('a', { 1: 'theirs', 6: 'mine', 12: 'later' }));
		expect(read('untracked.txt')).toBe(lines('u', { 1: 'theirs', 12: 'later' }));
	});

	it('names what conflicts, and leaves the checkout as it was', async () => {
		const worktree = await begin();
		repo.write({ 'a.txt': 'theirs', 'ünï\ncödé.txt': 'theirs', 'bin.dat': BINARY, 'new.txt': '' }, worktree.folder);
		repo.write({ 'a.txt': 'ours', 'ünï\ncödé.txt': 'ours', 'bin.dat': Buffer.from([0, 9]) });
		await expectRefusal(worktree, ['a.txt', 'bin.dat', 'ünï\ncödé.txt'], 'it conflicts');
	});

	it('conflicts with a new file of the same name', async () => {
		const worktree = await begin();
		repo.write({ 'new.txt': 'theirs' }, worktree.folder);
		repo.write({ 'new.txt': 'mine' });
		await expectRefusal(worktree, ['new.txt'], 'it conflicts');
	});

	it.each([
		['file', () => repo.write({ 'forced.secret': 'mine' }), ['forced.secret']],
		[
			'file in the place of a folder',
			() => repo.write({ ignored: 'mine', '.gitignore': 'ignored\n' }),
			['ignored/in.txt'],
		],
		['folder in the place of a file', () => repo.write({ 'forced.secret/mine': 'mine' }), ['forced.secret']],
	])('overwrites no ignored %s', async (_, change, files) => {
		const worktree = await begin();
		repo.write({ 'forced.secret': 'theirs', 'ignored/in.txt': 'theirs' }, worktree.folder);
		repo.git(['add', '--force', '.'], worktree.folder);
		change();
		await expectRefusal(worktree, files, 'not committed');
	});

	it('replaces a folder with a file, and a file with a folder', async () => {
		repo.write({ 'folder/a': 'x', file: 'x' });
		const worktree = await create(true);
		rmSync(join(worktree.folder, 'folder'), { recursive: true });
		rmSync(join(worktree.folder, 'file'));
		repo.write({ folder: 'now a file', 'file/a': 'now in a folder' }, worktree.folder);
		expect(await mergeWorktree(worktree, 'unused')).toMatchObject({ how: 'applied' });
		expect(filesBelow(repo.root)).toEqual(filesBelow(worktree.folder));
	});

	it('applies what a rebase of the checkout has cut off from its history', async () => {
		repo.commit({ 'c.txt': 'x' });
		const worktree = await create();
		repo.write({ 'new.txt': '' }, worktree.folder);
		repo.git(['commit', '--quiet', '--amend', '-m', 'amended']);
		expect(await mergeWorktree(worktree, 'unused')).toMatchObject({ how: 'applied' });
		expect(repo.git(['status', '--porcelain'])).toBe('?? new.txt');
	});

	it('writes outside of a sparse checkout too', async () => {
		repo.commit({ 'in/i': 'i', 'out/o': 'o', 'far/f': 'f' });
		repo.git(['sparse-checkout', 'set', '--cone', 'in']);
		repo.write({ 'in/i': 'mine' });
		const worktree = await create(true);
		repo.write({ 'out/o': 'theirs', 'out/new': 'new', 'in/new': 'new' }, worktree.folder);
		const { index } = repo.state() as Record<string, string>;

		expect(await mergeWorktree(worktree, 'unused')).toMatchObject({ how: 'applied' });

		expect(['in/i', 'in/new', 'out/o', 'out/new'].map(read)).toEqual(['mine', 'new', 'theirs', 'new']);
		expect(existsSync(join(repo.root, 'far'))).toBe(false);
		expect(repo.state()).toMatchObject({ index });
		expect(await mergeWorktree(worktree, 'unused')).toEqual({ ok: true, how: 'nothing' });
		expect(await removeWorktree(worktree, { discard: false })).toMatchObject({ isRemoved: true, kept: [] });
		expect(read('out/o')).toBe('theirs');
	});

	it('deletes nothing that a sparse checkout leaves out, for nothing in its folder would tell', long, async () => {
		repo.commit({ 'in/i': 'i', 'out/o': 'o' });
		const worktree = await begin();
		rmSync(join(worktree.folder, 'out/o'));
		repo.git(['sparse-checkout', 'set', '--cone', 'in']);
		await expectRefusal(worktree, ['out/o'], 'git sparse-checkout add');
		repo.git(['sparse-checkout', 'add', 'out']);
		expect(await mergeWorktree(worktree, 'unused')).toMatchObject({ how: 'applied' });
		expect(existsSync(join(repo.root, 'out/o'))).toBe(false);
	});

	it('leaves a repository alone that has come into the checkout since', async () => {
		const worktree = await begin();
		repo.write({ 'new.txt': '' }, worktree.folder);
		mkdirSync(join(repo.root, 'nested'));
		repo.git(['init', '--quiet'], join(repo.root, 'nested'));
		repo.write({ 'nested/code': '' });
		expect(await mergeWorktree(worktree, 'unused')).toMatchObject({ how: 'applied' });
		expect(existsSync(join(repo.root, 'nested/code'))).toBe(true);
	});
});
