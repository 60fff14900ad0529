import {
	chmodSync,
	existsSync,
	mkdirSync,
	readFileSync,
	renameSync,
	rmSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { folderSeenFrom } from '../../../src/git/homeCheckout.ts';
import { inspectRepository } from '../../../src/git/repository.ts';
import { runInWorktree } from '../../../src/git/runInWorktree.ts';
import { createWorktree, folderInWorktree } from '../../../src/git/worktree.ts';
import { changesOf, fileAtBase } from '../../../src/git/worktreeChanges.ts';
import { Worktree, WorktreeName } from '../../../src/protocol/worktree.ts';
import { eventually } from '../../support/eventually.ts';
import { filesBelow, gitRepository, lines, type GitRepository } from '../../support/gitRepository.ts';
import { restoreEnvironment } from '../../support/environment.ts';

let repo: GitRepository;

beforeEach(() => {
	repo = gitRepository();
});
afterEach(() => repo.remove());

const ODD = ['with space.txt', 'ünïcödé/ß.txt', 'new\nline.txt', '"quoted".txt', ':(top)magic*.txt', '-dash.txt'];
const BINARY = Buffer.from([0, 255, 1, 254, 10, 13, 0]);
const name = (text = 'x') => WorktreeName.parse(text);
const create = (changes: { name?: string; withChanges?: boolean; copyIncludes?: boolean; folder?: string } = {}) =>
	createWorktree({
		folder: changes.folder ?? repo.root,
		name: name(changes.name),
		withChanges: changes.withChanges ?? false,
		copyIncludes: changes.copyIncludes ?? false,
	});
const reasonOf = async (folder = repo.root) => {
	const found = await inspectRepository(folder);
	return found.ok ? 'ok' : String(found.reason);
};
const other = (...segments: string[]) => join(repo.root, '..', ...segments);

describe('looking at a repository', () => {
	it('tells what is checked out, and where git has it', async () => {
		const head = repo.git(['rev-parse', 'HEAD']);
		const clean = {
			ok: true,
			checkout: { folder: repo.root, gitDir: join(repo.root, '.git'), common: join(repo.root, '.git') },
			root: repo.root,
			head,
			branch: 'main',
		};
		expect(await inspectRepository(repo.root)).toEqual(clean);
		repo.write({ 'sub/new.txt': '' });
		expect(await inspectRepository(join(repo.root, 'sub'))).toEqual(clean);
		repo.git(['checkout', '--quiet', '--detach']);
		const { branch: _, ...detached } = clean;
		expect(await inspectRepository(repo.root)).toEqual(detached);
	});

	it('does not even refresh the index', async () => {
		const index = () => readFileSync(join(repo.root, '.git/index')).toString('base64');
		utimesSync(join(repo.root, 'a.txt'), 1_700_000_000, 1_700_000_000);
		const before = index();
		expect(await inspectRepository(repo.root)).toMatchObject({ ok: true });
		await create({ withChanges: true });
		expect(index()).toBe(before);
	});

	it('says what is not possible, and what to do', async () => {
		mkdirSync(other('plain'));
		expect(await reasonOf(other('plain'))).toContain('not in a git repository');
		expect(await reasonOf(other('nowhere'))).toContain('there is no folder');
		repo.git(['init', '--quiet', '../empty']);
		expect(await reasonOf(other('empty'))).toContain('has no commit yet');
		repo.git(['clone', '--quiet', '--bare', '.', '../bare.git']);
		expect(await reasonOf(other('bare.git'))).toContain('is in a bare repository');
		expect(await reasonOf(join(repo.root, '.git'))).toContain("inside git's own folder");
	});

	it('works where there are submodules, and refuses them from inside', async () => {
		repo.git(['clone', '--quiet', '.', '../library']);
		repo.git(['submodule', '--quiet', 'add', other('library'), 'lib']);
		repo.commit({});
		expect(await inspectRepository(repo.root)).toMatchObject({ ok: true });
		expect(await reasonOf(join(repo.root, 'lib'))).toContain(`lib is a submodule of ${repo.root}`);
	});

	it.each(['with a commit', 'without one'])('refuses a repository inside it, %s', async kind => {
		repo.git(['init', '--quiet', 'in side/nested']);
		if (kind === 'with a commit') repo.commit({ f: '' }, 'x', join(repo.root, 'in side/nested'));
		expect(await reasonOf()).toContain('would not have in side/nested/');
		repo.write({ '.gitignore': 'in side/\n' });
		expect(await reasonOf()).toBe('ok');
	});

	it('passes over other worktrees of the repository that are inside it', async () => {
		repo.git(['worktree', 'add', '--quiet', 'trees/one']);
		expect(await reasonOf()).toBe('ok');
	});

	it.each([
		['merge', ['merge', 'side']],
		['rebase', ['rebase', 'side']],
		['cherry-pick', ['cherry-pick', 'side']],
		['revert', ['revert', '--no-commit', 'HEAD']],
		['bisect', ['bisect', 'start']],
	])('says that a %s must be ended first', async (what, args) => {
		repo.git(['checkout', '--quiet', '-b', 'side']);
		repo.commit({ 'a.txt': 'side' });
		repo.git(['checkout', '--quiet', 'main']);
		repo.commit({ 'a.txt': 'main' });
		try {
			repo.git(args);
		} catch {
			// it conflicts, as it should
		}
		expect(await reasonOf()).toContain(`a ${what} is in progress`);
	});

	it('says which conflicts of a stash are unresolved', async () => {
		repo.write({ 'a.txt': 'stashed' });
		repo.git(['stash', '--quiet']);
		repo.commit({ 'a.txt': 'main' });
		expect(() => repo.git(['stash', 'pop'])).toThrow();
		expect(await reasonOf()).toContain('unresolved conflicts in ' + repo.root + ' (a.txt)');
	});

	it('is not led astray by the variables of a git that runs this', async () => {
		const saved = { ...process.env };
		Object.assign(process.env, {
			GIT_DIR: '/nowhere',
			GIT_INDEX_FILE: '/nowhere',
			GIT_WORK_TREE: '/',
			LC_ALL: 'de_DE.UTF-8',
		});
		try {
			expect(await reasonOf()).toBe('ok');
		} finally {
			restoreEnvironment(saved);
		}
	});
});

describe('making a worktree', () => {
	it('puts it beside the repository, on a branch of its own, with what is checked out', async () => {
		const before = repo.state();
		const worktree = await create();
		expect(worktree).toEqual({
			repository: repo.root,
			folder: `${repo.root}.worktrees/x`,
			branch: 'nancy/x',
			base: repo.git(['rev-parse', 'HEAD']),
		});
		expect(Worktree.parse(worktree)).toEqual(worktree);
		expect(filesBelow(worktree.folder)).toEqual(filesBelow(repo.root));
		expect(repo.git(['branch', '--show-current'], worktree.folder)).toBe('nancy/x');
		expect(repo.state()).toEqual(before);
	});

	it.each(['for each checkout', 'for all'])('makes it as sparse as the checkout, with patterns %s', async how => {
		repo.commit({ 'in/i': '', 'out/o': '' });
		if (how === 'for all') {
			repo.git(['config', 'core.sparseCheckout', 'true']);
			mkdirSync(join(repo.root, '.git/info'), { recursive: true });
			writeFileSync(join(repo.root, '.git/info/sparse-checkout'), '/*\n!/out/\n');
		} else repo.git(['sparse-checkout', 'set', '--cone', 'in']);
		const { folder } = await create();
		expect([existsSync(join(folder, 'in/i')), existsSync(join(folder, 'out'))]).toEqual([true, false]);
		expect(repo.git(['status', '--porcelain'], folder)).toBe('');
	});

	it('leaves out what is not committed, unless asked for', async () => {
		repo.write({ 'a.txt': 'changed', 'new.txt': 'new' });
		const { folder, base } = await create();
		expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe(lines('a'));
		expect(existsSync(join(folder, 'new.txt'))).toBe(false);
		expect(base).toBe(repo.git(['rev-parse', 'HEAD']));
	});

	it('brings every kind of change along, and leaves checkout, index and stash as they are', async () => {
		repo.commit({
			'run.sh': 'x',
			'gone.txt': 'x',
			'old name.txt': lines('moved'),
			'bin.dat': Buffer.from([0, 1]),
			'is-file': 'x',
		});
		repo.write({ 'stashed.txt': '' });
		repo.git(['stash', '--quiet', '--include-untracked']);
		repo.write({
			'a.txt': 'changed',
			'b.txt': 'staged',
			'bin.dat': BINARY,
			'deep/er/new.dat': BINARY,
			'x.secret': 's',
		});
		repo.write(Object.fromEntries(ODD.map(file => [file, file])));
		repo.git(['add', 'b.txt']);
		repo.write({ 'b.txt': 'staged and changed again' });
		repo.git(['mv', 'old name.txt', 'new name.txt']);
		rmSync(join(repo.root, 'gone.txt'));
		rmSync(join(repo.root, 'is-file'));
		repo.write({ 'is-file/now-folder': 'x' });
		chmodSync(join(repo.root, 'run.sh'), 0o755);
		symlinkSync('a.txt', join(repo.root, 'link'));
		const before = repo.state();

		const { folder, base } = await create({ withChanges: true });

		const { 'x.secret': _, ...expected } = filesBelow(repo.root);
		expect(filesBelow(folder)).toEqual(expected);
		expect(repo.git(['status', '--porcelain'], folder)).toBe('');
		expect(repo.git(['rev-parse', `${base}^`])).toBe(repo.git(['rev-parse', 'HEAD']));
		expect(repo.state()).toEqual(before);
	});

	it('begins at the commit itself where everything is committed', async () => {
		expect((await create({ withChanges: true })).base).toBe(repo.git(['rev-parse', 'HEAD']));
	});

	it('needs no name of the user, runs no hook and signs nothing', async () => {
		const hook = join(repo.root, '.git/hooks/post-checkout');
		writeFileSync(hook, `#!/bin/sh\ntouch '${other('hook ran')}'\n`);
		chmodSync(hook, 0o755);
		repo.git(['config', 'commit.gpgSign', 'true']);
		repo.git(['config', 'gpg.program', 'false']);
		repo.git(['config', 'user.useConfigOnly', 'true']);
		repo.write({ 'new.txt': '' });
		const { base } = await withHome(other(), () => create({ withChanges: true }));
		expect(repo.git(['show', '-s', '--format=%an <%ae> %cn', base])).toBe('Nancy <nancy@localhost> Nancy');
		expect(existsSync(other('hook ran'))).toBe(false);
	});

	it('sees a change that leaves size and time of a file as they were', async () => {
		const file = join(repo.root, 'a.txt');
		const then = new Date(1_700_000_000_000);
		repo.git(['config', 'core.trustctime', 'false']);
		utimesSync(file, then, then);
		repo.git(['add', '.']);
		// Git looks into files that are no older than its index.
		utimesSync(join(repo.root, '.git/index'), then, then);
		repo.write({ 'a.txt': lines('z') });
		utimesSync(file, then, then);
		expect(repo.git(['diff', '--name-only'])).toBe('a.txt');
		const { folder } = await create({ withChanges: true });
		expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe(lines('z'));
	});

	it('makes one from a folder below, from a worktree, and several at once', async () => {
		repo.commit({ 'packages/one/index.js': '' });
		const worktrees = await Promise.all(
			['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(each =>
				create({ name: each, folder: join(repo.root, 'packages/one') }),
			),
		);
		expect(worktrees.map(({ repository }) => repository)).toEqual(Array(8).fill(repo.root));
		const [first] = worktrees;
		if (!first) throw new Error('eight were made');
		expect(await folderInWorktree(first, join(repo.root, 'packages/one'))).toBe(
			join(first.folder, 'packages/one/'),
		);
	});

	it('makes one of a worktree’s own from where that is, beside the checkout that both are merged into', async () => {
		const first = await create();
		repo.commit({ 'work.txt': 'work' }, 'work', first.folder);
		const head = repo.git(['rev-parse', 'HEAD'], first.folder);
		repo.write({ 'dirty.txt': 'dirty' }, first.folder);
		const inner = await create({ name: 'inner', folder: first.folder, withChanges: true });
		expect(inner).toMatchObject({ repository: repo.root, folder: other('repo.worktrees/inner') });
		expect(repo.git(['rev-parse', `${inner.base}^`])).toBe(head);
		expect(filesBelow(inner.folder)).toEqual(filesBelow(first.folder));
		repo.git(['worktree', 'add', '--quiet', '../repo.worktrees/mine']);
		const ofMine = await create({ name: 'ofmine', folder: other('repo.worktrees/mine') });
		expect(ofMine.folder).toBe(other('repo.worktrees/mine.worktrees/ofmine'));
	});

	it('makes one of a repository whose folder has a newline in its name', async () => {
		repo.git(['clone', '--quiet', '.', '../new\nline']);
		repo.write({ 'a.txt': 'changed' }, other('new\nline'));
		const worktree = await create({ folder: other('new\nline'), withChanges: true });
		expect(worktree).toMatchObject({ repository: other('new\nline'), folder: other('new\nline.worktrees/x') });
		expect(filesBelow(worktree.folder)).toEqual(filesBelow(other('new\nline')));
		expect(await changesOf(worktree)).toMatchObject({ files: [], isDirty: false });
	});

	it('is where one is seen to be who is in it, also where the workspace is one that it was made from', async () => {
		const first = await create({ name: 'first' });
		const inner = await create({ name: 'inner', folder: first.folder });
		repo.git(['worktree', 'add', '--quiet', '../repo.worktrees/mine']);
		expect(await folderSeenFrom(inner.folder, first.folder)).toBe(inner.folder);
		expect(await folderSeenFrom(inner.folder, repo.root)).toBe(inner.folder);
		expect(await folderSeenFrom(repo.root, first.folder)).toBe(first.folder);
		expect(await folderSeenFrom(other('repo.worktrees/mine'), first.folder)).toBe(first.folder);
		expect(await folderSeenFrom(first.folder, other('repo.worktrees/mine'))).toBe(other('repo.worktrees/mine'));
	});

	it('leaves the folders of submodules empty', async () => {
		repo.git(['clone', '--quiet', '.', '../library']);
		repo.git(['submodule', '--quiet', 'add', other('library'), 'lib']);
		repo.commit({});
		const worktree = await create({ withChanges: true });
		expect(filesBelow(join(worktree.folder, 'lib'))).toEqual({});
		expect(await changesOf(worktree)).toMatchObject({ files: [], isDirty: false });
	});

	it.each(['../out', 'UPPER', '-x', 'a/b', 'a.lock', '', 'a\n'])('refuses the name %j', async bad => {
		await expect(
			createWorktree({ folder: repo.root, name: bad as WorktreeName, withChanges: false, copyIncludes: false }),
		).rejects.toMatchObject({ code: 'bad-name' });
	});

	it('gives back the same where it is made again', async () => {
		const first = await create();
		repo.write({ 'work.txt': '' }, first.folder);
		repo.commit({ 'later.txt': '' });
		expect(await create()).toEqual(first);
		expect(existsSync(join(first.folder, 'work.txt'))).toBe(true);
	});

	it('takes over no folder and no branch of a person', async () => {
		repo.write({ '../repo.worktrees/x/mine.txt': '' });
		await expect(create()).rejects.toMatchObject({
			code: 'git',
			message: expect.stringContaining('is there already'),
		});
		expect(existsSync(other('repo.worktrees/x/mine.txt'))).toBe(true);
		repo.git(['branch', 'nancy/y']);
		await expect(create({ name: 'y' })).rejects.toMatchObject({
			message: expect.stringContaining('branch nancy/y already'),
		});
		repo.git(['worktree', 'add', '--quiet', '../repo.worktrees/z', '-b', 'nancy/z']);
		await expect(create({ name: 'z' })).rejects.toMatchObject({ code: 'git' });
		expect(repo.git(['for-each-ref', 'refs/nancy'])).toBe('');
	});

	it('says why it cannot', async () => {
		repo.git(['init', '--quiet', 'nested']);
		await expect(create()).rejects.toMatchObject({ code: 'git', message: expect.stringContaining('nested/') });
	});
});

describe('.worktreeinclude', () => {
	it('names the ignored files that are copied, and nothing else', async () => {
		repo.commit({ '.worktreeinclude': '*.secret\nignored/keep*\nplain.txt\na.txt\n!no.secret\n' });
		const included = ['top.secret', 'deep/er/ü x.secret', 'ignored/keep me', 'new\nline.secret'];
		repo.write(
			Object.fromEntries([...included, 'no.secret', 'ignored/other', 'plain.txt'].map(file => [file, file])),
		);
		chmodSync(join(repo.root, 'top.secret'), 0o600);
		repo.write({ 'a.txt': 'changed' });
		const { folder } = await create({ copyIncludes: true });
		const all = filesBelow(repo.root);
		const added = Object.fromEntries(
			Object.entries(filesBelow(folder)).filter(
				([file]) => !['a.txt', 'b.txt', '.gitignore', '.worktreeinclude'].includes(file),
			),
		);
		expect(added).toEqual(Object.fromEntries(included.map(file => [file, all[file]])));
		expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe(lines('a'));
	});

	it('follows no link out of either folder', async () => {
		writeFileSync(other('outside.secret'), 'outside');
		mkdirSync(other('outside'));
		symlinkSync(other('outside'), join(repo.root, 'away'));
		repo.commit({ '.worktreeinclude': '*.secret\n' });
		// In the commit it is a link out; in the checkout now a folder.
		rmSync(join(repo.root, 'away'));
		repo.write({ 'away/in.secret': 'in', 'real.secret': 'real' });
		symlinkSync(other('outside.secret'), join(repo.root, 'absolute.secret'));
		symlinkSync('../outside.secret', join(repo.root, 'relative.secret'));
		symlinkSync('real.secret', join(repo.root, 'inside.secret'));
		const { folder } = await create({ copyIncludes: true });
		expect(Object.entries(filesBelow(folder)).filter(([file]) => file.endsWith('.secret'))).toEqual([
			['inside.secret', '-> real.secret'],
			['real.secret', filesBelow(repo.root)['real.secret']],
		]);
		expect(filesBelow(other('outside'))).toEqual({});
	});

	it('is asked for', async () => {
		repo.commit({ '.worktreeinclude': '*.secret\n' });
		repo.write({ 'x.secret': '' });
		expect(existsSync(join((await create()).folder, 'x.secret'))).toBe(false);
	});
});

describe('changes of a worktree', () => {
	const counted = (insertions: number, deletions: number) => ({ insertions, deletions });

	it('are none at first, also with what the checkout had not committed', async () => {
		repo.write({ 'a.txt': 'changed' });
		const none = { files: [], insertions: 0, deletions: 0, commits: 0, isDirty: false };
		expect(await changesOf(await create({ withChanges: true }))).toEqual(none);
	});

	it('are what was committed and what was not, together, without a trace in the repository', async () => {
		repo.commit({
			'old.txt': lines('old'),
			'gone.txt': 'was here\n',
			'bin.dat': Buffer.from([0, 1]),
			'run.sh': '',
		});
		const worktree = await create();
		repo.commit({ 'a.txt': lines('a', { 1: 'one' }) }, 'x', worktree.folder);
		repo.git(['mv', 'old.txt', 'now.txt'], worktree.folder);
		rmSync(join(worktree.folder, 'gone.txt'));
		repo.write(
			{ 'bin.dat': BINARY, 'x.secret': '', ...Object.fromEntries(ODD.map(file => [file, 'x\n'])) },
			worktree.folder,
		);
		chmodSync(join(worktree.folder, 'run.sh'), 0o755);
		const status = repo.git(['status', '--porcelain', '-z'], worktree.folder);
		const objects = repo.git(['count-objects']);

		const changes = await changesOf(worktree);

		expect(changes).toMatchObject({ insertions: 1 + ODD.length, deletions: 2, commits: 1, isDirty: true });
		const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
		expect(changes.files.toSorted(byPath)).toEqual(
			[
				{ path: 'a.txt', status: 'modified', lines: counted(1, 1) },
				// Nobody counts the lines of a binary file.
				{ path: 'bin.dat', status: 'modified' },
				{ path: 'gone.txt', status: 'deleted', lines: counted(0, 1) },
				{ path: 'now.txt', before: 'old.txt', status: 'renamed', lines: counted(0, 0) },
				{ path: 'run.sh', status: 'modified', lines: counted(0, 0) },
				...ODD.map(path => ({ path, status: 'added', lines: counted(1, 0) })),
			].toSorted(byPath),
		);
		expect(repo.git(['status', '--porcelain', '-z'], worktree.folder)).toBe(status);
		expect(repo.git(['count-objects'])).toBe(objects);
	});

	it('are found where the agent went to another branch, and where the folder is gone', async () => {
		const worktree = await create();
		repo.git(['checkout', '--quiet', '-b', 'feature'], worktree.folder);
		repo.commit({ 'f.txt': 'f\n' }, 'x', worktree.folder);
		const files = [{ path: 'f.txt', status: 'added' }];
		expect(await changesOf(worktree)).toMatchObject({ files, commits: 1, isDirty: false });
		repo.git(['branch', '--force', 'nancy/x', 'feature']);
		rmSync(worktree.folder, { recursive: true });
		expect(await changesOf(worktree)).toMatchObject({ files, commits: 1, isDirty: false });
	});

	it('are read from the worktree also when its .git is gone or points elsewhere', async () => {
		const worktree = await create();
		repo.write({ 'new.txt': 'x\n' }, worktree.folder);
		const files = [{ path: 'new.txt', status: 'added' }];
		rmSync(join(worktree.folder, '.git'));
		expect(await changesOf(worktree)).toMatchObject({ files });
		repo.git(['init', '--quiet'], worktree.folder);
		repo.git(['config', 'filter.evil.clean', `touch '${other('ran')}'; cat`], worktree.folder);
		repo.write({ '.gitattributes': '*.txt filter=evil\n' }, worktree.folder);
		expect(await changesOf(worktree)).toMatchObject({ insertions: 2 });
		expect(existsSync(other('ran'))).toBe(false);
	});

	it('compare with the file as it was', async () => {
		repo.commit({ 'bin.dat': BINARY, ...Object.fromEntries(ODD.map(file => [file, file])) });
		const worktree = await create();
		rmSync(join(worktree.folder, 'bin.dat'));
		expect(await fileAtBase(worktree, 'bin.dat')).toEqual(BINARY);
		for (const file of ODD) expect(String(await fileAtBase(worktree, file))).toBe(file);
		for (const file of ['nowhere', '../repo/a.txt', './a.txt', '', '/etc/passwd'])
			expect(await fileAtBase(worktree, file)).toBeUndefined();
		await expect(changesOf({ ...worktree, folder: '/etc' })).rejects.toMatchObject({ code: 'bad-file' });
		await expect(changesOf({ ...worktree, base: '--output=/x' })).rejects.toMatchObject({ code: 'bad-file' });
	});

	it('say so when the repository is gone', async () => {
		const worktree = await create();
		renameSync(repo.root, other('moved'));
		await expect(changesOf(worktree)).rejects.toMatchObject({
			code: 'git',
			message: expect.stringContaining('is gone'),
		});
	});
});

describe('a command in a worktree', () => {
	it('knows both folders, and tells its end and what it printed', async () => {
		const worktree = await create();
		const end = await runInWorktree(worktree, 'pwd; echo "$NANCY_WORKTREE $NANCY_REPOSITORY" >&2; exit 7', 10_000);
		expect(end).toEqual({
			code: 7,
			isTimeout: false,
			output: `${worktree.folder}\n${worktree.folder} ${repo.root}\n`,
		});
	});

	it('is ended with all that it started when it takes too long', async () => {
		const worktree = await create();
		const [begun, gate] = [join(worktree.folder, 'begun'), join(worktree.folder, 'gate')];
		const child = `sh -c 'until [ -e gate ]; do sleep 0.05; done; touch late'`;
		vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
		try {
			const ended = runInWorktree(worktree, `${child} & echo begun; touch begun; sleep 600`, 10_000);
			await eventually('it has begun', () => existsSync(begun));
			vi.advanceTimersByTime(10_000);
			expect(await ended).toEqual({ isTimeout: true, output: 'begun\n' });
		} finally {
			vi.useRealTimers();
			writeFileSync(gate, '');
		}
		await new Promise(resolve => setTimeout(resolve, 1500));
		expect(existsSync(join(worktree.folder, 'late'))).toBe(false);
	});

	it('keeps the last of a long output and does not wait for what runs on in the background', async () => {
		const end = await runInWorktree(await create(), 'seq 100000; sleep 5 & echo last', 10_000);
		expect(end.code).toBe(0);
		expect(end.output.length).toBeLessThanOrEqual(8000);
		expect(end.output).toMatch(/100000\nlast\n$/);
	});

	it('says that the folder is gone', async () => {
		const worktree = await create();
		rmSync(worktree.folder, { recursive: true });
		expect(await runInWorktree(worktree, 'true', 1000)).toMatchObject({
			output: expect.stringContaining('is gone'),
		});
	});
});

async function withHome<T>(home: string, run: () => Promise<T>): Promise<T> {
	const saved = { ...process.env };
	Object.assign(process.env, { HOME: home, XDG_CONFIG_HOME: home, GIT_CONFIG_NOSYSTEM: '1' });
	try {
		return await run();
	} finally {
		restoreEnvironment(saved);
	}
}
