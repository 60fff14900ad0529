import { appendFileSync, copyFileSync, existsSync, readFileSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { undoMerge as undoMergeSaid } from '../../../src/git/mergeUndo.ts';
import { createWorktree } from '../../../src/git/worktree.ts';
import { mergeWorktree } from '../../../src/git/worktreeMerge.ts';
import { removeWorktree, whatWouldBeLost } from '../../../src/git/worktreeRemove.ts';
import { previewMerge } from '../../../src/git/mergePreview.ts';
import type { MergeRecord } from '../../../src/protocol/merge.ts';
import { WorktreeName, type Worktree } from '../../../src/protocol/worktree.ts';
import {
	filesBelow,
	gitRepository,
	gitRepositoryAfter,
	lines,
	type GitRepository,
} from '../../support/gitRepository.ts';
import { inEnglish } from '../../support/inEnglish.ts';
import { longIf } from '../../support/long.ts';

const undoMerge = (...args: Parameters<typeof undoMergeSaid>) => inEnglish(undoMergeSaid(...args));

let repo: GitRepository;

beforeEach(() => {
	repo = withUser(gitRepository());
});
afterEach(() => repo.remove());

function withUser(repository: GitRepository): GitRepository {
	const settings = join(repository.root, '.git/config');
	appendFileSync(settings, '[user]\n\tname = The User\n\temail = user@example.com\n');
	return repository;
}

const create = (withChanges: boolean, name = 'x') =>
	createWorktree({ folder: repo.root, name: WorktreeName.parse(name), withChanges, copyIncludes: false });
const head = () => repo.git(['rev-parse', 'HEAD']);
const read = (file: string) => readFileSync(join(repo.root, file), 'utf8');

async function merge(worktree: Worktree): Promise<MergeRecord> {
	const merged = await mergeWorktree(worktree, 'Merge it');
	if (!merged.ok || !merged.record) throw new Error(`not merged: ${JSON.stringify(merged)}`);
	return merged.record;
}

/** What a person sees of the checkout. The bytes of the index also hold times. */
function checkout() {
	const { files, status, head: at, stash } = repo.state() as Record<string, unknown>;
	return { files, status, at, stash, staged: repo.git(['diff', '--cached']) };
}

/** A file is changed, one is added, one goes and one moves, in a worktree that began with or without uncommitted changes. */
async function begin(withChanges: boolean): Promise<Worktree> {
	repo.commit({ 'gone.txt': 'g', 'deep/moved.txt': lines('m') });
	if (withChanges) repo.write({ 'a.txt': lines('a', { 6: 'mine' }), 'untracked.txt': 'u' });
	const worktree = await create(withChanges);
	repo.write(
		{
			'a.txt': lines('a', { 1: 'theirs', ...(withChanges && { 6: 'mine' }) }),
			'new/one.txt': 'new',
			'top.txt': lines('m'),
		},
		worktree.folder,
	);
	for (const file of ['gone.txt', 'deep/moved.txt']) rmSync(join(worktree.folder, file));
	return worktree;
}

const mergedOnce = (withChanges: boolean) =>
	gitRepositoryAfter(async fresh => {
		repo = withUser(fresh);
		const worktree = await begin(withChanges);
		const before = checkout();
		return { worktree, before, record: await merge(worktree) };
	});
const [committed, applied] = [mergedOnce(false), mergedOnce(true)];

/** The repository after {@link begin} and a merge, with the checkout before that. Both take git sixty processes, and so run once. */
async function merged(withChanges: boolean) {
	await repo.remove();
	const after = await (withChanges ? applied : committed)();
	repo = after.repo;
	return after.made;
}

/** As git leaves the checkout if Nancy is killed right after. */
async function backToBefore(_: Worktree, record: MergeRecord): Promise<void> {
	const [from, to] = record.how === 'merged' ? [record.commit, record.head] : [record.after, record.before];
	const index = join(repo.root, '.git/index');
	const isKept = record.how === 'applied' && copyFileSync(index, `${index}.kept`) === undefined;
	if (isKept) repo.git(['add', '--all', '--', '.']);
	// Git has just written these files, so its index knows them.
	else repo.git(['update-index', '--refresh']);
	repo.git(['read-tree', '-m', '-u', from, to]);
	if (isKept) renameSync(`${index}.kept`, index);
}

describe.each([
	['a merge commit', false],
	['applied changes', true],
] as const)('undoing %s', (_, withChanges) => {
	const options = longIf(!withChanges);

	it.each(['x/mine', 'x/sub/.env.ign'])(
		'keeps the user’s %s in a folder that was a file before',
		options,
		async mine => {
			repo.commit({ x: 'file', '.gitignore': '*.ign\n' });
			if (withChanges) repo.write({ 'untracked.txt': 'u' });
			const worktree = await create(withChanges);
			rmSync(join(worktree.folder, 'x'));
			repo.write({ 'x/a': 'a' }, worktree.folder);
			const record = await merge(worktree);
			repo.write({ [mine]: 'precious' });
			expect((await undoMerge(worktree, record)).ok).toBe(false);
			expect(read(mine)).toBe('precious');
			rmSync(join(repo.root, mine));
			expect(await undoMerge(worktree, record)).toEqual({ ok: true });
			expect(read('x')).toBe('file');
		},
	);

	it('is needed for no merge that would remove an ignored file of the user’s with its folder', async () => {
		repo.commit({ 'd/a': 'x', '.gitignore': '*.ign\n' });
		repo.write({ 'd/mine.ign': 'precious', ...(withChanges && { 'untracked.txt': 'u' }) });
		const worktree = await create(withChanges);
		rmSync(join(worktree.folder, 'd'), { recursive: true });
		repo.write({ d: 'file' }, worktree.folder);
		const merged = await mergeWorktree(worktree, 'Merge it');
		expect(merged).toMatchObject({ ok: false });
		expect(read('d/mine.ign')).toBe('precious');
	});

	it('leaves the checkout as it was, and the work in the worktree alone', async () => {
		const worktree = await begin(withChanges);
		const before = checkout();
		const work = filesBelow(worktree.folder);
		const record = await merge(worktree);
		expect(checkout()).not.toEqual(before);

		expect(await undoMerge(worktree, record)).toEqual({ ok: true });

		expect(checkout()).toEqual(before);
		expect(existsSync(join(repo.root, 'new'))).toBe(false);
		expect(filesBelow(worktree.folder)).toEqual(work);
		expect(repo.git(['branch', '--show-current'])).toBe('main');
		// It is not merged any more, so it is only there, and can be merged again.
		expect((await whatWouldBeLost(worktree)).commits).toBeGreaterThan(0);
		expect((await merge(worktree)).how).toBe(record.how);
		expect(read('a.txt')).toContain('theirs');
	});

	it('keeps what was changed in other files meanwhile, staged or not', async () => {
		const { worktree, record } = await merged(withChanges);
		repo.write({ 'b.txt': 'staged', 'other.txt': 'other' });
		repo.git(['add', 'b.txt']);
		repo.write({ 'b.txt': 'and changed again' });
		// Written anew with the same content.
		utimesSync(join(repo.root, 'a.txt'), 1, 1);
		expect(await undoMerge(worktree, record)).toEqual({ ok: true });
		expect([read('b.txt'), read('other.txt')]).toEqual(['and changed again', 'other']);
		expect(repo.git(['show', ':b.txt'])).toBe('staged');
		expect(existsSync(join(repo.root, 'top.txt'))).toBe(false);
	});

	it.each([
		['a changed file', () => repo.write({ 'a.txt': 'mine' }), 'a.txt'],
		['a removed file', () => rmSync(join(repo.root, 'a.txt')), 'a.txt'],
		['a file that came back', () => repo.write({ 'gone.txt': 'mine' }), 'gone.txt'],
		['a file where a folder was', () => repo.write({ deep: 'mine' }), 'deep'],
		['a staged file', () => (repo.write({ 'a.txt': 'mine' }), repo.git(['add', 'a.txt'])), 'a.txt'],
		['a commit', () => repo.commit({ 'b.txt': 'mine' }), 'main has moved to another commit since the merge'],
		[
			'another branch',
			() => repo.git(['checkout', '-q', '-b', 'other']),
			'it went into main, and other is checked out now',
		],
		['no branch', () => repo.git(['checkout', '-q', '--detach']), 'a commit without a branch is checked out now'],
		['a merge in progress', () => repo.write({ '.git/MERGE_HEAD': `${head()}\n` }), 'a merge is in progress'],
	])('is refused after %s, and touches nothing', options, async (_what, change, reason) => {
		const { worktree, record } = await merged(withChanges);
		change();
		const before = repo.state();
		expect(await undoMerge(worktree, record)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
		expect(repo.state()).toEqual(before);
	});

	it.each([
		['some files were back', () => (repo.write({ 'gone.txt': 'g' }), rmSync(join(repo.root, 'top.txt')))],
		['all files were back', backToBefore],
		['git had all of it', undoMerge],
	])('goes on where it was killed after %s', options, async (_what, begun) => {
		const { worktree, before, record } = await merged(withChanges);
		await begun(worktree, record);
		expect(await undoMerge(worktree, record)).toMatchObject({ ok: true });
		expect(checkout()).toEqual(before);
		expect((await whatWouldBeLost(worktree)).commits).toBeGreaterThan(0);
		expect((await merge(worktree)).how).toBe(record.how);
	});

	it('overwrites no ignored file that stands where one comes back', async () => {
		repo.write({ 'kept.secret': 'old' });
		repo.git(['add', '--force', 'kept.secret']);
		repo.git(['commit', '--quiet', '-m', 'a secret']);
		if (withChanges) repo.write({ 'a.txt': 'mine' });
		const worktree = await create(withChanges);
		rmSync(join(worktree.folder, 'kept.secret'));
		const record = await merge(worktree);
		repo.write({ 'kept.secret': 'mine' });
		expect(await undoMerge(worktree, record)).toEqual({
			ok: false,
			reason: expect.stringContaining('kept.secret'),
		});
		expect(read('kept.secret')).toBe('mine');
	});

	it('is refused once the worktree is gone: nothing else may have the work', options, async () => {
		const { worktree, record } = await merged(withChanges);
		expect(await removeWorktree(worktree, { discard: false })).toMatchObject({ isRemoved: true });
		const before = repo.state();
		expect(await undoMerge(worktree, record)).toEqual({ ok: false, reason: expect.stringContaining('is gone') });
		expect(repo.state()).toEqual(before);
	});

	it('takes back the last of two merges, then the first', async () => {
		const worktree = await begin(withChanges);
		const states = [checkout()];
		const first = await merge(worktree);
		states.push(checkout());
		repo.write({ 'more.txt': 'more' }, worktree.folder);
		expect(await previewMerge(worktree)).toMatchObject({ files: 1, insertions: 1, deletions: 0 });
		const second = await merge(worktree);
		expect(await undoMerge(worktree, first)).toMatchObject({ ok: false });
		expect(await undoMerge(worktree, second)).toEqual({ ok: true });
		expect(checkout()).toEqual(states[1]);
		expect(await undoMerge(worktree, first)).toEqual({ ok: true });
		expect(checkout()).toEqual(states[0]);
	});
});

it('takes a merge commit back without a branch, and records it in the reflog', async () => {
	repo.git(['checkout', '-q', '--detach']);
	const was = head();
	const worktree = await begin(false);
	const before = head();
	const record = await merge(worktree);
	expect(record.ref).toBeUndefined();
	expect(await undoMerge(worktree, record)).toEqual({ ok: true });
	expect([head(), was]).toEqual([before, expect.anything()]);
	expect(repo.git(['reflog', '-1', '--format=%gs'])).toBe('nancy: undo merge');
});

it('says that a merge commit is gone which the user’s git has taken off its branch', async () => {
	const { worktree, record } = await merged(false);
	repo.git(['reset', '--hard', '--quiet', 'HEAD~']);
	repo.commit({ 'b.txt': 'since' });
	const before = repo.state();
	expect(await undoMerge(worktree, record)).toEqual({ ok: true, isGone: true });
	expect(repo.state()).toEqual(before);
	expect((await whatWouldBeLost(worktree)).commits).toBeGreaterThan(0);
	repo.git(['reflog', 'expire', '--expire=now', '--all']);
	repo.git(['gc', '--quiet', '--prune=now']);
	expect(await undoMerge(worktree, record)).toEqual({ ok: true, isGone: true });
	expect((await merge(worktree)).how).toBe('merged');
});

it('is refused while the merge commit is on its branch, which was renamed', async () => {
	const { worktree, record } = await merged(false);
	repo.git(['branch', '-q', '-m', 'main', 'trunk']);
	repo.git(['checkout', '-q', '-b', 'other', 'HEAD~']);
	expect(await undoMerge(worktree, record)).toMatchObject({ ok: false });
});

it('is refused while the merge commit is on its branch, which is not checked out', async () => {
	const { worktree, record } = await merged(false);
	repo.git(['checkout', '-q', '-b', 'other', 'HEAD~']);
	expect(await undoMerge(worktree, record)).toMatchObject({ ok: false });
	repo.git(['checkout', '-q', '-B', 'third', record.how === 'merged' ? record.commit : '']);
	repo.git(['branch', '-q', '-D', 'main']);
	expect(await undoMerge(worktree, record)).toMatchObject({ ok: false });
});

it('keeps what is staged of a file that is as it was before the merge', async () => {
	const worktree = await begin(false);
	const was = read('a.txt');
	const record = await merge(worktree);
	repo.write({ 'a.txt': 'mine' });
	repo.git(['add', 'a.txt']);
	repo.write({ 'a.txt': was });
	const before = repo.state();
	expect(await undoMerge(worktree, record)).toEqual({ ok: false, reason: expect.stringContaining('a.txt') });
	expect(repo.state()).toEqual(before);
});

describe('applied changes that were taken back', () => {
	it.each([
		['by an undo', undoMerge],
		['by git', () => repo.git(['checkout', '-q', '--', '.'])],
		['of one file', () => repo.git(['checkout', '-q', '--', 'b.txt'])],
	])('are in the worktree alone (%s)', async (_, takeBack) => {
		repo.write({ 'untracked.txt': 'u' });
		const worktree = await create(true);
		repo.write({ 'a.txt': 'theirs', 'b.txt': 'theirs' }, worktree.folder);
		await merge(worktree);
		expect((await whatWouldBeLost(worktree)).commits).toBe(0);
		// Merged once before: an undo then goes back to that.
		repo.git(['checkout', '-q', '--', '.']);
		await takeBack(worktree, await merge(worktree));
		const before = repo.git(['count-objects']);
		expect((await whatWouldBeLost(worktree)).commits).toBe(1);
		expect(repo.git(['count-objects'])).toBe(before);
		expect(await previewMerge(worktree)).toMatchObject({ files: 2 });
		expect(await removeWorktree(worktree, { discard: false })).toMatchObject({ kept: [worktree.branch] });
	});

	it('are not in the worktree alone once they are committed, and the files have changed elsewhere', async () => {
		repo.write({ 'untracked.txt': 'u' });
		const worktree = await create(true);
		repo.write({ 'a.txt': lines('a', { 1: 'theirs' }) }, worktree.folder);
		await merge(worktree);
		repo.commit({ 'a.txt': lines('a', { 1: 'theirs', 6: 'mine' }) });
		expect((await whatWouldBeLost(worktree)).commits).toBe(0);
		expect(await previewMerge(worktree)).toMatchObject({ files: 0 });
	});
});

it.each(['refs/heads/main.lock', 'index.lock'])('changes nothing while another git holds %s', async lock => {
	const { worktree, record } = await merged(false);
	const before = checkout();
	repo.write({ [`.git/${lock}`]: '' });
	await expect(undoMerge(worktree, record)).rejects.toMatchObject({ code: 'git' });
	rmSync(join(repo.root, '.git', lock));
	expect(checkout()).toEqual(before);
	expect(await undoMerge(worktree, record)).toEqual({ ok: true });
});

it('leaves a merge commit that is on a remote', async () => {
	const { worktree, record } = await merged(false);
	repo.git(['update-ref', 'refs/remotes/origin/main', 'HEAD']);
	expect(await undoMerge(worktree, record)).toEqual({ ok: false, reason: expect.stringContaining('on a remote') });
});

it('leaves applied changes that were staged as they are', async () => {
	const { worktree, record } = await merged(true);
	repo.git(['add', 'top.txt']);
	const before = repo.state();
	expect(await undoMerge(worktree, record)).toEqual({ ok: false, reason: expect.stringContaining('staged') });
	expect(repo.state()).toEqual(before);
});

describe('the preview of a merge', () => {
	it('counts files and lines, and names the branch', async () => {
		const worktree = await begin(false);
		repo.commit({ 'b.txt': 'changed on main' });
		expect(await previewMerge(worktree)).toEqual({
			how: 'merged',
			files: 4,
			insertions: 2,
			deletions: 2,
			branch: 'main',
			commit: head(),
		});
		await merge(worktree);
		expect(await previewMerge(worktree)).toMatchObject({ files: 0 });
	});

	it('says that changes come uncommitted, and that no branch is checked out', async () => {
		const worktree = await begin(true);
		repo.git(['checkout', '-q', '--detach']);
		const preview = await previewMerge(worktree);
		expect(preview).toMatchObject({ how: 'applied', files: 4 });
		expect(preview).not.toHaveProperty('branch');
	});

	it('offers applied changes again, which the user may have taken back', async () => {
		const { worktree } = await merged(true);
		expect(await previewMerge(worktree)).toMatchObject({ files: 0 });
		expect(await mergeWorktree(worktree, 'Merge it')).toMatchObject({ how: 'nothing' });
		repo.git(['checkout', '-q', '--', 'a.txt']);
		expect(await previewMerge(worktree)).toMatchObject({ files: 4 });
		await merge(worktree);
		expect(read('a.txt')).toContain('theirs');
	});

	it('stores nothing', async () => {
		const worktree = await begin(false);
		const before = repo.git(['count-objects']);
		await previewMerge(worktree);
		expect(repo.git(['count-objects'])).toBe(before);
	});
});
