import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { uniqueHex } from '../../../src/base/unique.ts';
import { createWorktree } from '../../../src/git/worktree.ts';
import { changesOf } from '../../../src/git/worktreeChanges.ts';
import { mergeWorktree } from '../../../src/git/worktreeMerge.ts';
import { inWords, removeWorktree, whatWouldBeLost } from '../../../src/git/worktreeRemove.ts';
import { markedProcesses } from '../../../src/process/marked.ts';
import { WorktreeName, type Worktree } from '../../../src/protocol/worktree.ts';
import { eventually } from '../../support/eventually.ts';
import { filesBelow, gitRepository, lines, type GitRepository } from '../../support/gitRepository.ts';
import { longIf } from '../../support/long.ts';
import { roundsOr } from '../../support/rounds.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';
import { worktreeRepository } from '../../support/worktreeRepository.ts';
import { inEnglish } from '../../support/inEnglish.ts';

let repo: GitRepository;

beforeEach(() => {
	repo = gitRepository();
});
afterEach(() => repo.remove());

/** A repository that has a worktree already. */
async function begun(): Promise<Worktree> {
	await repo.remove();
	const { repo: copy, made } = await worktreeRepository();
	repo = copy;
	return made;
}

const create = (withChanges = false, name = 'x') =>
	createWorktree({ folder: repo.root, name: WorktreeName.parse(name), withChanges, copyIncludes: true });
const keep = (worktree: Worktree) => inEnglish(removeWorktree(worktree, { discard: false }));
const discard = (worktree: Worktree) => inEnglish(removeWorktree(worktree, { discard: true }));
const branches = () => repo.git(['for-each-ref', '--format=%(refname:short)', 'refs/heads/nancy']);
const show = (object: string) => repo.git(['show', object]);
const NOTHING = { commits: 0, files: [], nested: [], ignored: [] };

/** Nothing is left of it but branches. */
function expectGone(worktree: Worktree) {
	expect(existsSync(worktree.folder)).toBe(false);
	expect(Object.keys(filesBelow(join(worktree.folder, '..')))).toEqual([]);
	expect(repo.git(['worktree', 'list']).split('\n')).toHaveLength(1);
	expect(existsSync(join(repo.root, '.git/worktrees/x'))).toBe(false);
}

describe('removing a worktree', () => {
	it.each([false, true])(
		'takes the branch too where nothing was done (begun with changes: %s)',
		async withChanges => {
			repo.write({ 'a.txt': 'changed' });
			const worktree = await create(withChanges);
			const before = repo.state();
			expect(await whatWouldBeLost(worktree)).toEqual(NOTHING);
			expect(await keep(worktree)).toMatchObject({
				isRemoved: true,
				kept: [],
				lost: NOTHING,
				says: 'Nothing was lost.',
			});
			expectGone(worktree);
			expect(branches()).toBe('');
			expect(repo.state()).toEqual(before);
		},
	);

	it.each(['--skip-worktree', '--assume-unchanged'])(
		'keeps changes that git was told not to look at (%s)',
		async flag => {
			const worktree = await begun();
			repo.git(['update-index', flag, 'a.txt', 'b.txt'], worktree.folder);
			repo.write({ 'a.txt': 'dirty' }, worktree.folder);
			rmSync(join(worktree.folder, 'b.txt'));
			expect(await whatWouldBeLost(worktree)).toMatchObject({ files: ['a.txt'] });
			expect(repo.git(['ls-files', '-v', 'a.txt'], worktree.folder)).toMatch(/^[Sh] /);
			expect(await keep(worktree)).toMatchObject({ isRemoved: true, kept: ['nancy/x'] });
			expect(show('nancy/x:a.txt')).toBe('dirty');
		},
	);

	it('keeps what lies outside of a sparse checkout', async () => {
		repo.commit({ 'in/i.txt': 'i', 'out/o.txt': 'o', 'far/f.txt': 'f' });
		const worktree = await create();
		repo.git(['sparse-checkout', 'set', '--cone', 'in'], worktree.folder);
		expect(await whatWouldBeLost(worktree)).toEqual(NOTHING);
		repo.write({ 'out/o.txt': 'changed', 'out/new.txt': 'new', 'in/i.txt': 'too' }, worktree.folder);
		expect(await whatWouldBeLost(worktree)).toMatchObject({ files: ['in/i.txt', 'out/new.txt', 'out/o.txt'] });
		expect(await keep(worktree)).toMatchObject({ isRemoved: true, kept: ['nancy/x'] });
		const kept = ['in/i.txt', 'out/o.txt', 'out/new.txt', 'far/f.txt'].map(file => show(`nancy/x:${file}`));
		expect(kept).toEqual(['too', 'changed', 'new', 'f']);
	});

	it('keeps commits and what was not committed on the branch, and says so', async () => {
		const worktree = await begun();
		repo.commit({ 'one.txt': '1' }, 'one', worktree.folder);
		repo.commit({ 'two.txt': '2' }, 'two', worktree.folder);
		repo.write({ 'a.txt': 'dirty', 'sp ace\n.txt': 'untracked', 'x.secret': 's' }, worktree.folder);
		rmSync(join(worktree.folder, 'b.txt'));
		const status = repo.git(['status', '--porcelain', '-z'], worktree.folder);
		expect(await whatWouldBeLost(worktree)).toEqual({
			commits: 2,
			files: ['a.txt', 'b.txt', 'sp ace\n.txt'],
			nested: [],
			ignored: ['x.secret'],
		});
		expect(repo.git(['status', '--porcelain', '-z'], worktree.folder)).toBe(status);
		expect(await keep(worktree)).toMatchObject({
			isRemoved: true,
			kept: ['nancy/x'],
			lost: { ...NOTHING, ignored: ['x.secret'] },
			says: 'Branch nancy/x keeps 2 commits and 3 uncommitted files.',
		});
		expectGone(worktree);
		expect([show('nancy/x:a.txt'), show('nancy/x:sp ace\n.txt'), show('nancy/x:two.txt')]).toEqual([
			'dirty',
			'untracked',
			'2',
		]);
		expect(repo.git(['rev-list', '--count', 'main..nancy/x'])).toBe('3');
		expect(await keep(worktree)).toMatchObject({ isRemoved: true, kept: ['nancy/x'] });
		await expect(create()).rejects.toMatchObject({ message: expect.stringContaining('branch nancy/x already') });
	});

	it('takes the branch when it was merged, or applied, or is on another branch', async () => {
		const merged = await create(false, 'merged');
		repo.write({ 'm.txt': '' }, merged.folder);
		expect(await mergeWorktree(merged, 'm')).toMatchObject({ how: 'merged' });
		repo.write({ 'dirty.txt': '' });
		const applied = await create(true, 'applied');
		repo.write({ 'a.txt': 'applied' }, applied.folder);
		expect(await mergeWorktree(applied, 'm')).toMatchObject({ how: 'applied' });
		const elsewhere = await create(false, 'elsewhere');
		repo.commit({ 'e.txt': '' }, 'e', elsewhere.folder);
		repo.git(['branch', 'mine', 'nancy/elsewhere']);
		for (const worktree of [merged, applied, elsewhere]) {
			expect(await whatWouldBeLost(worktree)).toEqual(NOTHING);
			expect(await keep(worktree)).toMatchObject({ kept: [], says: 'Nothing was lost.' });
		}
		expect(branches()).toBe('');
	});

	it('keeps what came after a merge', async () => {
		repo.write({ 'dirty.txt': '' });
		const worktree = await create(true);
		repo.write({ 'a.txt': 'applied' }, worktree.folder);
		await mergeWorktree(worktree, 'm');
		repo.write({ 'later.txt': 'later' }, worktree.folder);
		expect(await keep(worktree)).toMatchObject({
			kept: ['nancy/x'],
			says: 'Branch nancy/x keeps 1 uncommitted file.',
		});
		expect(show('nancy/x:later.txt')).toBe('later');
	});

	it('discards when told to, and says how to get it back', async () => {
		const worktree = await begun();
		repo.commit({ 'one.txt': '1' }, 'one', worktree.folder);
		repo.write({ 'two.txt': '2' }, worktree.folder);
		const { commit, says, lost } = await discard(worktree);
		expect(lost).toMatchObject({ commits: 1, files: ['two.txt'] });
		expect(says).toBe(
			`Discarded 1 commit and 1 uncommitted file. To get its commits back: git branch nancy/x ${commit}`,
		);
		expectGone(worktree);
		expect(branches()).toBe('');
		expect(show(`${commit}:two.txt`)).toBe('2');
	});

	it('keeps commits of an agent that left its branch, also without any', async () => {
		const worktree = await begun();
		repo.commit({ 'one.txt': '1' }, 'one', worktree.folder);
		repo.git(['checkout', '--quiet', '--detach', 'HEAD^'], worktree.folder);
		repo.commit({ 'other.txt': 'o' }, 'other', worktree.folder);
		repo.write({ 'dirty.txt': 'd' }, worktree.folder);
		expect(await whatWouldBeLost(worktree)).toMatchObject({ commits: 2, files: ['dirty.txt'] });
		expect(await keep(worktree)).toMatchObject({
			kept: ['nancy/x', 'nancy/x.2'],
			says: 'Branches nancy/x, nancy/x.2 keep 2 commits and 1 uncommitted file.',
		});
		expect([show('nancy/x:one.txt'), show('nancy/x.2:other.txt'), show('nancy/x.2:dirty.txt')]).toEqual([
			'1',
			'o',
			'd',
		]);
	});

	it('keeps the work of an agent that began history anew', async () => {
		const worktree = await begun();
		repo.git(['checkout', '--quiet', '--orphan', 'anew'], worktree.folder);
		repo.write({ 'new.txt': 'n' }, worktree.folder);
		expect(await keep(worktree)).toMatchObject({ kept: ['nancy/x.2'] });
		expect(show('nancy/x.2:new.txt')).toBe('n');
		expectGone(worktree);
	});

	it('keeps what a rebase, stopped at a conflict, has in its hands', async () => {
		const worktree = await begun();
		repo.commit({ 'a.txt': lines('theirs') }, 'work', worktree.folder);
		repo.commit({ 'a.txt': lines('ours') });
		expect(() => repo.git(['rebase', 'main'], worktree.folder)).toThrow();
		expect((await keep(worktree)).kept).toEqual(['nancy/x', 'nancy/x.2']);
		expect(show('nancy/x:a.txt')).toBe(lines('theirs').trimEnd());
		expect(show('nancy/x.2:a.txt')).toContain('<<<<<<<');
	});

	it.each(['an untracked repository', 'a filled submodule', 'files in the empty folder of a submodule'])(
		'leaves a folder with %s inside',
		async what => {
			if (what !== 'an untracked repository') {
				repo.git(['clone', '--quiet', '.', '../library']);
				repo.git(['submodule', '--quiet', 'add', join(repo.root, '../library'), 'in']);
				repo.commit({});
			}
			const worktree = await create();
			if (what === 'a filled submodule') repo.git(['submodule', '--quiet', 'update', '--init'], worktree.folder);
			else if (what === 'an untracked repository') repo.git(['init', '--quiet', 'in'], worktree.folder);
			repo.write({ 'in/work': '' }, worktree.folder);
			expect(await whatWouldBeLost(worktree)).toMatchObject({ nested: ['in/'] });
			expect(await keep(worktree)).toMatchObject({ isRemoved: false, says: expect.stringContaining('in/') });
			expect(existsSync(join(worktree.folder, 'in/work'))).toBe(true);
			expect(await discard(worktree)).toMatchObject({ isRemoved: true, lost: { nested: ['in/'] } });
			expectGone(worktree);
		},
	);

	it('keeps another commit of a submodule, also where the repository says to look away', async () => {
		repo.git(['clone', '--quiet', '.', '../library']);
		repo.git(['submodule', '--quiet', 'add', join(repo.root, '../library'), 'lib']);
		repo.git(['config', '--file', '.gitmodules', 'submodule.lib.ignore', 'all']);
		repo.commit({});
		const later = repo.git(['rev-parse', 'HEAD']);
		const worktree = await create();
		repo.git(['update-index', '--cacheinfo', `160000,${later},lib`], worktree.folder);
		expect(await changesOf(worktree)).toMatchObject({
			files: [{ path: 'lib', status: 'modified' }],
			isDirty: true,
		});
		expect(await whatWouldBeLost(worktree)).toMatchObject({ files: ['lib'] });
		expect(await keep(worktree)).toMatchObject({ isRemoved: true, kept: ['nancy/x'] });
		expect(repo.git(['rev-parse', 'nancy/x:lib'])).toBe(later);
	});

	for (const [what, letter] of [
		['another commit', 'M'],
		['no folder any more', 'D'],
		['a file in its place', 'T'],
	] as const)
		it(`keeps what has become of a filled submodule: ${what}`, longIf(letter !== 'M'), async () => {
			repo.git(['clone', '--quiet', '.', '../library']);
			repo.git(['submodule', '--quiet', 'add', join(repo.root, '../library'), 'lib']);
			repo.commit({});
			const worktree = await create();
			const lib = join(worktree.folder, 'lib');
			if (what === 'another commit') {
				repo.git(['submodule', '--quiet', 'update', '--init'], worktree.folder);
				repo.commit({ 'new.txt': '' }, 'x', lib);
				repo.write({ 'not committed.txt': '' }, lib);
			} else rmSync(lib, { recursive: true });
			if (what === 'a file in its place') writeFileSync(lib, 'a file');
			expect(await whatWouldBeLost(worktree)).toMatchObject({ files: ['lib'] });
			const { commit = '' } = await discard(worktree);
			expect(repo.git(['diff-tree', '-r', '--name-status', 'main', commit])).toBe(`${letter}\tlib`);
		});

	it('respects the lock of a person', async () => {
		const worktree = await begun();
		repo.git(['worktree', 'lock', '--reason', 'on a stick', worktree.folder]);
		for (const remove of [keep, discard])
			await expect(remove(worktree)).rejects.toMatchObject({
				code: 'git',
				message: expect.stringContaining('locked (on a stick)'),
			});
		repo.git(['worktree', 'unlock', worktree.folder]);
		expect(await keep(worktree)).toMatchObject({ isRemoved: true });
	});

	it('works where the folder was deleted by hand, and rescues what was staged', async () => {
		const worktree = await begun();
		repo.commit({ 'one.txt': '1' }, 'one', worktree.folder);
		repo.write({ 'staged.txt': 's', 'unstaged.txt': 'u' }, worktree.folder);
		repo.git(['add', 'staged.txt'], worktree.folder);
		rmSync(worktree.folder, { recursive: true });
		expect(await keep(worktree)).toMatchObject({ isRemoved: true, kept: ['nancy/x'] });
		expect(show('nancy/x:staged.txt')).toBe('s');
		expectGone(worktree);
	});

	it('takes other worktrees whose folder is away just now for nobody else', async () => {
		repo.git(['worktree', 'add', '--quiet', '--detach', '../stick']);
		renameSync(join(repo.root, '../stick'), join(repo.root, '../unplugged'));
		await keep(await create());
		renameSync(join(repo.root, '../unplugged'), join(repo.root, '../stick'));
		expect(repo.git(['status', '--porcelain'], join(repo.root, '../stick'))).toBe('');
	});

	it('works without the .git of the worktree, and in no repository around it', async () => {
		const around = join(repo.root, '..');
		repo.git(['init', '--quiet'], around);
		const worktree = await create();
		repo.write({ 'new.txt': 'n' }, worktree.folder);
		rmSync(join(worktree.folder, '.git'));
		expect(await keep(worktree)).toMatchObject({ kept: ['nancy/x'] });
		expect(show('nancy/x:new.txt')).toBe('n');
		expect(repo.git(['count-objects'], around)).toContain('0 objects');
	});

	it('goes past what a killed git left locked', async () => {
		const worktree = await begun();
		repo.write({ 'new.txt': 'n' }, worktree.folder);
		writeFileSync(join(repo.root, '.git/worktrees/x/index.lock'), '');
		expect(await changesOf(worktree)).toMatchObject({ isDirty: true });
		expect(await keep(worktree)).toMatchObject({ kept: ['nancy/x'] });
	});

	it('removes no folder that git does not know', async () => {
		const worktree = await begun();
		repo.git(['worktree', 'remove', worktree.folder]);
		mkdirSync(worktree.folder);
		repo.write({ 'mine.txt': '' }, worktree.folder);
		expect(await discard(worktree)).toMatchObject({ isRemoved: false });
		expect(existsSync(join(worktree.folder, 'mine.txt'))).toBe(true);
	});

	it('leaves a branch that somebody has checked out meanwhile', async () => {
		const worktree = await begun();
		repo.git(['checkout', '--quiet', '--detach'], worktree.folder);
		repo.git(['checkout', '--quiet', 'nancy/x']);
		expect((await discard(worktree)).says).toBe('Nothing was lost. Branch nancy/x stays, for it is in use.');
		expect(repo.git(['branch', '--show-current'])).toBe('nancy/x');
		expect(branches()).toBe('nancy/x');
	});

	it('says in words what is only there', () => {
		expect(String(inWords({ ...NOTHING, commits: 1 }))).toBe('1 commit');
		expect(String(inWords({ ...NOTHING, commits: 2, files: ['a'], nested: ['n/'] }))).toBe(
			'2 commits, 1 uncommitted file and the repository n/',
		);
	});
});

describe('killed at any moment', () => {
	const MARK = 'NANCY_TEST_ACT';
	let programs: TempFolder;

	beforeAll(async () => {
		programs = tempFolder('nancy-worktree-');
		const source = `
			import childProcess from 'node:child_process';
			import { syncBuiltinESMExports } from 'node:module';
			import { createWorktree } from './src/git/worktree.ts';
			import { mergeWorktree } from './src/git/worktreeMerge.ts';
			import { removeWorktree } from './src/git/worktreeRemove.ts';
			const [, , what, argument, dieAfter] = process.argv;
			const input = JSON.parse(argument);
			const { execFile } = childProcess;
			let starts = 0;
			childProcess.execFile = (...args) => {
				if (++starts === Number(dieAfter)) setTimeout(() => process.kill(process.pid, 'SIGKILL'), Math.random() * 8);
				return execFile(...args);
			};
			syncBuiltinESMExports();
			if (what === 'create') await createWorktree(input);
			if (what === 'merge') await mergeWorktree(input, 'merge');
			if (what === 'remove') await removeWorktree(input, { discard: false });
			console.log(starts);`;
		await build({
			stdin: { contents: source, resolveDir: join(import.meta.dirname, '../../..'), loader: 'ts' },
			bundle: true,
			platform: 'node',
			format: 'esm',
			outfile: programs.file('act.mjs'),
			logLevel: 'silent',
		});
	});
	afterAll(() => programs.remove());

	const rounds = roundsOr(3);

	/** Runs one of them again and again: the first to its end, each of the others until it is killed a little further on. */
	async function* killed(what: string): AsyncGenerator<{
		round: number;
		act: (input: unknown) => Promise<void>;
		hasGit: () => Promise<boolean>;
	}> {
		// Its git has that too, and outlives it.
		const mark = uniqueHex(16);
		const env = { ...process.env, [MARK]: mark };
		const hasGit = async () => (await markedProcesses(MARK, mark)).length > 0;
		let starts = 0;
		let kills = 0;
		for (let round = 0; round < rounds; round++) {
			const dieAfter = Math.ceil(((round - Math.random()) / (rounds - 1)) * starts);
			const act = async (input: unknown) => {
				const args = [programs.file('act.mjs'), what, JSON.stringify(input), `${dieAfter}`];
				const ended = promisify(execFile)(process.execPath, args, { env });
				const signal = await ended.catch(({ signal }: { signal?: string }) => signal);
				if (typeof signal === 'object') starts ||= Number(signal.stdout);
				else if (signal === 'SIGKILL') kills++;
			};
			yield { round, act, hasGit };
		}
		expect(kills).toBeGreaterThanOrEqual(Math.floor(rounds / 2));
	}

	it('a worktree is made whole by making it again', async () => {
		repo.commit({
			'.worktreeinclude': '*.secret\n',
			...Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`many/${n}`, `${n}`])),
		});
		repo.write({ 'a.txt': 'changed', 'new.txt': 'new', 'x.secret': 's' });
		const before = repo.state();
		for await (const { act } of killed('create')) {
			await act({ folder: repo.root, name: 'x', withChanges: true, copyIncludes: true });
			const worktree = await create(true);
			expect(filesBelow(worktree.folder)).toEqual(filesBelow(repo.root));
			expect(await changesOf(worktree)).toMatchObject({ files: [], isDirty: false });
			expect(await keep(worktree)).toMatchObject({ isRemoved: true, kept: [] });
			expect([branches(), repo.git(['for-each-ref', 'refs/nancy'])]).toEqual(['', '']);
			expect(repo.state()).toEqual(before);
		}
	});

	it('removing loses nothing', async () => {
		for await (const { round, act } of killed('remove')) {
			const worktree = await create(false, `r${round}`);
			repo.commit({ 'one.txt': '1' }, 'one', worktree.folder);
			repo.write(
				{ 'two.txt': '2', ...Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`many/${n}`, ''])) },
				worktree.folder,
			);
			await act(worktree);
			expect(await keep(worktree)).toMatchObject({ isRemoved: true, kept: [worktree.branch] });
			expect(repo.git(['ls-tree', '-r', '--name-only', worktree.branch]).split('\n')).toHaveLength(3 + 2 + 100);
			expect(repo.git(['rev-list', '--count', `main..${worktree.branch}`])).toBe('2');
			expect(existsSync(worktree.folder)).toBe(false);
			expect(repo.git(['worktree', 'list']).split('\n')).toHaveLength(1);
		}
	});

	it.each(['merged', 'applied'])('merging comes to the same by merging again (%s)', async how => {
		for await (const { round, act, hasGit } of killed('merge')) {
			if (how === 'applied') repo.write({ 'dirty.txt': `${round}` });
			const worktree = await create(how === 'applied', `${how}${round}`);
			repo.write({ 'a.txt': lines('a', { 1: `${round}` }), [`new ${round}.txt`]: 'n' }, worktree.folder);
			await act(worktree);
			// Twice: one that is just becoming another program has no mark.
			await eventually('the end of its git', async () => !(await hasGit()) && !(await hasGit()));
			rmSync(join(repo.root, '.git/index.lock'), { force: true });
			expect(await mergeWorktree(worktree, 'merge')).toMatchObject({ ok: true });
			expect(existsSync(join(repo.root, `new ${round}.txt`))).toBe(true);
			expect(readFileSync(join(repo.root, 'a.txt'), 'utf8').split('\n')[0]).toBe(`${round}`);
			if (how === 'merged') expect(repo.git(['status', '--porcelain'])).toBe('');
		}
	});
});
