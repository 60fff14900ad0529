import { execFileSync } from 'node:child_process';
import {
	chmodSync,
	existsSync,
	mkdirSync,
	renameSync,
	rmSync,
	symlinkSync,
	truncateSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
	changesSinceSnapshot,
	dropSnapshot,
	fileInSnapshot,
	takeSnapshot,
	type Snapshot,
} from '../../../src/git/snapshot.ts';
import { HANG_MS } from '../../support/eventually.ts';
import { gitRepository, lines, type GitRepository } from '../../support/gitRepository.ts';
import { tempFolder } from '../../support/tempFolder.ts';

let repository: GitRepository;
beforeEach(() => {
	repository = gitRepository();
});
afterEach(() => repository.remove());

const git = (args: readonly string[], folder?: string) => repository.git(args, folder);
const write = (files: Readonly<Record<string, string>>) => repository.write(files);
const commit = (files: Readonly<Record<string, string>>) => repository.commit(files);
const taken = async (folder = repository.root): Promise<Snapshot> => {
	const noted: Snapshot[] = [];
	await takeSnapshot(folder, async snapshot => void noted.push(snapshot), HANG_MS);
	const [snapshot] = noted;
	if (!snapshot) throw new Error('none was noted');
	return snapshot;
};
const changed = async (snapshot: Snapshot, folder = repository.root) =>
	(await changesSinceSnapshot(folder, snapshot)).files.map(({ lines: _lines, ...file }) => file);
const text = async (snapshot: Snapshot, path: string) =>
	(await fileInSnapshot(repository.root, snapshot, path))?.toString('utf8');

describe('the changes since a snapshot', () => {
	it('are none for what was uncommitted or untracked before, and each new, changed, deleted and renamed file after', async () => {
		const { root } = repository;
		write({ 'a.txt': lines('a', { 1: 'before' }), 'new before.txt': 'one\n', 'c.txt': lines('c') });
		const snapshot = await taken();
		expect(await changesSinceSnapshot(root, snapshot)).toEqual({ files: [], insertions: 0, deletions: 0 });

		write({ 'a.txt': lines('a', { 1: 'before', 12: 'after' }), 'new before.txt': 'two\n', 'made.txt': 'made\n' });
		rmSync(join(root, 'b.txt'));
		renameSync(join(root, 'c.txt'), join(root, 'd.txt'));
		expect(await changesSinceSnapshot(root, snapshot)).toEqual({
			files: [
				{ path: 'a.txt', status: 'modified', lines: { insertions: 1, deletions: 1 } },
				{ path: 'b.txt', status: 'deleted', lines: { insertions: 0, deletions: 12 } },
				{ path: 'd.txt', before: 'c.txt', status: 'renamed', lines: { insertions: 0, deletions: 0 } },
				{ path: 'made.txt', status: 'added', lines: { insertions: 1, deletions: 0 } },
				{ path: 'new before.txt', status: 'modified', lines: { insertions: 1, deletions: 1 } },
			],
			insertions: 3,
			deletions: 14,
		});
		expect(await text(snapshot, 'a.txt')).toBe(lines('a', { 1: 'before' }));
		expect(await text(snapshot, 'new before.txt')).toBe('one\n');
		expect(await text(snapshot, 'made.txt')).toBeUndefined();
	});

	it('are the same once somebody has committed them, or has gone to another branch', async () => {
		const snapshot = await taken();
		commit({ 'made.txt': 'made\n' });
		git(['switch', '--quiet', '--create', 'other']);
		write({ 'more.txt': 'more\n' });
		expect(await changed(snapshot)).toEqual([
			{ path: 'made.txt', status: 'added' },
			{ path: 'more.txt', status: 'added' },
		]);
	});

	it('have no ignored file', async () => {
		write({ 'key.secret': 'one', 'ignored/x': 'one' });
		const snapshot = await taken();
		write({ 'key.secret': 'two', 'ignored/x': 'two', 'other.secret': 'two' });
		expect(await changed(snapshot)).toEqual([]);
		expect(await text(snapshot, 'key.secret')).toBeUndefined();
	});

	it('do not show a file as deleted that is there, but is ignored or not tracked any more', async () => {
		const { root } = repository;
		write({
			'new.txt': 'one\n',
			'later/x.txt': 'one\n',
			'gone.txt': 'one\n',
			'inner/x.txt': 'one\n',
			'led/x.txt': '1',
		});
		const snapshot = await taken();
		write({ '.git/info/exclude': 'later\ngone.txt\nled\na.txt\n', '.gitignore': 'new.txt\n' });
		git(['rm', '--quiet', '--cached', 'a.txt']);
		git(['init', '--quiet', 'inner']);
		rmSync(join(root, 'gone.txt'));
		renameSync(join(root, 'led'), join(root, '.git/led'));
		symlinkSync('.git/led', join(root, 'led'));
		write({ 'new.txt': 'two\n' });
		expect(await changed(snapshot)).toEqual([
			{ path: '.gitignore', status: 'modified' },
			{ path: 'gone.txt', status: 'deleted' },
			{ path: 'led/x.txt', status: 'deleted' },
			{ path: 'new.txt', status: 'modified' },
		]);
	});

	it('have an edit of the same length and time, whatever the repository says that git compares', async () => {
		const path = join(repository.root, 'a.txt');
		utimesSync(path, 1_700_000_000, 1_700_000_000);
		git(['add', '.']);
		const snapshot = await taken();
		git(['config', 'core.trustctime', 'false']);
		git(['config', 'core.checkStat', 'minimal']);
		write({ other: lines('z') });
		renameSync(join(repository.root, 'other'), path);
		utimesSync(path, 1_700_000_000, 1_700_000_000);
		expect(git(['status', '--porcelain'])).toBe('');
		expect(await changed(snapshot)).toEqual([{ path: 'a.txt', status: 'modified' }]);
	});

	it('are those below the folder alone, with paths from there', async () => {
		const { root } = repository;
		commit({ 'packages/one/x.txt': 'x\n', 'packages/one-more/x.txt': 'x\n' });
		const folder = join(root, 'packages/one');
		write({ 'outside.txt': 'outside\n' });
		const snapshot = await taken(folder);
		expect(await text(snapshot, 'outside.txt')).toBeUndefined();
		write({ 'packages/one/x.txt': 'y\n', 'packages/one-more/x.txt': 'y\n', 'a.txt': 'y\n', 'outside.txt': 'y\n' });
		expect(await changed(snapshot, folder)).toEqual([{ path: 'x.txt', status: 'modified' }]);
		expect((await fileInSnapshot(folder, snapshot, 'x.txt'))?.toString()).toBe('x\n');
		await using elsewhere = tempFolder();
		await expect(changed(snapshot, elsewhere.path)).rejects.toMatchObject({ code: 'git' });
	});

	it('have another commit of a submodule, in which no git is started', async () => {
		const { root } = repository;
		await using other = gitRepository();
		git(['submodule', '--quiet', 'add', other.root, 'sub']);
		commit({});
		const ran = join(root, '..', 'ran');
		const sub = join(root, 'sub');
		git(['config', 'core.fsmonitor', `touch '${ran.replaceAll("'", "'\\''")}' #`], sub);
		const snapshot = await taken();
		expect(await changed(snapshot)).toEqual([]);
		git(['-c', 'core.fsmonitor=false', 'commit', '--quiet', '--allow-empty', '-m', 'on'], sub);
		expect(await changed(snapshot)).toEqual([{ path: 'sub', status: 'modified' }]);
		expect(await text(snapshot, 'sub')).toBeUndefined();
		expect(existsSync(ran)).toBe(false);
	});
});

describe('a snapshot', () => {
	it('and a look at the changes leave files, index, status, stash and branches as they were', async () => {
		write({ 'a.txt': 'stashed\n' });
		git(['stash', 'push', '--quiet']);
		write({ 'a.txt': 'staged\n', 'b.txt': 'not staged\n', 'new.txt': 'new\n' });
		git(['add', 'a.txt']);
		const before = { state: repository.state(), branches: git(['for-each-ref', 'refs/heads', 'refs/tags']) };
		const log = git(['log', '--all', '--format=%H %D']);
		const snapshot = await taken();
		await changed(snapshot);
		await text(snapshot, 'a.txt');
		expect({ state: repository.state(), branches: git(['for-each-ref', 'refs/heads', 'refs/tags']) }).toEqual(
			before,
		);
		expect(git(['log', '--all', '--format=%H %D'])).toBe(log);
	});

	it('outlives a garbage collection, and goes once it is dropped', async () => {
		write({ 'new.txt': 'new\n' });
		const snapshot = await taken();
		git(['gc', '--quiet', '--prune=now']);
		expect(await text(snapshot, 'new.txt')).toBe('new\n');
		await dropSnapshot(snapshot, HANG_MS);
		git(['gc', '--quiet', '--prune=now']);
		expect(git(['for-each-ref', 'refs/nancy'])).toBe('');
		write({ 'new.txt': 'other\n' });
		await expect(changed(snapshot)).rejects.toMatchObject({ code: 'git' });
	});

	it('and a look remove what looks of killed processes have left for a day', async () => {
		const snapshot = await taken();
		await using day = tempFolder('nancy-git-');
		await using now = tempFolder('nancy-git-');
		await using others = tempFolder('nancy-other-');
		for (const { path } of [day, others]) utimesSync(path, 1_700_000_000, 1_700_000_000);
		await changed(snapshot);
		expect([day, now, others].map(({ path }) => existsSync(path))).toEqual([false, true, true]);
	});

	it('stores nothing when somebody only looks', async () => {
		const snapshot = await taken();
		const count = git(['count-objects']);
		write({ 'made.txt': 'made\n' });
		expect(await changed(snapshot)).toHaveLength(1);
		expect(git(['count-objects'])).toBe(count);
	});

	it('runs no hook and no filter of the repository', async () => {
		const { root } = repository;
		const ran = join(root, '..', 'ran');
		write({
			'.git/hooks/post-index-change': `#!/bin/sh\ntouch "${ran}"\n`,
			'.gitattributes': '*.txt filter=own\n',
		});
		chmodSync(join(root, '.git/hooks/post-index-change'), 0o700);
		await taken();
		expect(existsSync(ran)).toBe(false);
		git(['config', 'filter.own.clean', `sh -c 'touch "${ran.replaceAll("'", "'\\''")}"; cat'`]);
		write({ 'a.txt': 'changed\n' });
		await expect(taken()).rejects.toMatchObject({ code: 'not-trusted' });
		expect(existsSync(ran)).toBe(false);
	});

	it('is refused without a repository, without a commit, and in a broken repository', async () => {
		await using folder = tempFolder();
		await expect(taken(folder.path)).rejects.toMatchObject({ code: 'git' });
		execFileSync('git', ['init', '--quiet', folder.file('empty')]);
		await expect(taken(folder.file('empty'))).rejects.toMatchObject({
			message: expect.stringContaining('no commit'),
		});
		writeFileSync(join(repository.root, '.git/index'), 'no index');
		await expect(taken()).rejects.toMatchObject({ code: 'git' });
	});

	it('is refused for more untracked files, or larger ones, than sources are, and so is a look', async () => {
		const { root } = repository;
		const snapshot = await taken();
		const both = async () => {
			const before = git(['count-objects']);
			await expect(taken()).rejects.toThrow(/neither tracked nor ignored/);
			await expect(changed(snapshot)).rejects.toThrow(/neither tracked nor ignored/);
			expect(git(['count-objects'])).toBe(before);
		};
		write(Object.fromEntries(Array.from({ length: 5001 }, (_, index) => [`data/${index}`, ''])));
		await both();
		// What is outside the folder does not matter.
		mkdirSync(join(root, 'inside'));
		expect(await changed(await taken(join(root, 'inside')), join(root, 'inside'))).toEqual([]);
		rmSync(join(root, 'data'), { recursive: true });
		write({ large: '' });
		truncateSync(join(root, 'large'), 101 * 1024 * 1024);
		await both();
	});

	it.each(['.git/config', 'pipes/.gitignore'])(
		'is not held up for good by a pipe as %s, nor is a look or its end',
		async pipe => {
			const { root } = repository;
			const snapshot = await taken();
			const path = join(root, pipe);
			mkdirSync(dirname(path), { recursive: true });
			rmSync(path, { force: true });
			execFileSync('mkfifo', [path]);
			const note = () => Promise.reject(new Error('taken'));
			await expect(takeSnapshot(root, note, 500)).rejects.toMatchObject({ code: 'timeout' });
			await expect(changesSinceSnapshot(root, snapshot, 500)).rejects.toMatchObject({ code: 'timeout' });
			await dropSnapshot(snapshot, 500).catch((error: unknown) =>
				expect(error).toMatchObject({ code: 'timeout' }),
			);
		},
	);
});
