import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Delegate } from '../../../src/core/delegates/delegate.ts';
import { Delegates } from '../../../src/core/delegates/delegates.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { TaskName, WorkerName } from '../../../src/protocol/names.ts';
import { DelegatesDeletedOutput } from '../../../src/protocol/output/delegates.ts';
import { gitIn, seedDelegate, seedWorktree, smallRepository } from '../../support/delegateSeeds.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';
import { NancyCommand } from './nancyCommand.ts';

let nancy: NancyCommand;
let folder: TempFolder;
let project: string;
let store: Delegates;

beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());
beforeEach(() => {
	folder = tempFolder('nancy-delete-');
	project = smallRepository(folder, { 'a.txt': 'a\n' });
	store = new Delegates(new Workspace(project));
});
afterEach(() => folder.remove());

const run = (...args: string[]) => nancy.run(['delegates', ...args], { cwd: project, env: { HOME: folder.path } });
const done = (title: string) => seedDelegate(store, { title, state: 'done' });
const withWork = (title: string, tearDown?: string, isWorktreeSealed = true) =>
	seedWorktree(
		store,
		join(nancy.dataFolder, 'nancy'),
		{ title, ...(tearDown !== undefined && { tearDown }) },
		{ 'work.txt': 'work\n' },
		{ isWorktreeSealed },
	);
const titles = async () => (await store.list()).delegates.map(({ record }) => record.title);
/** The worker that asks in some of these tests. */
const self = { task: TaskName.parse('build'), worker: WorkerName.parse('worker') };
const idOf = ({ record }: Delegate): string => record.id;

async function deleted(...args: string[]) {
	const ended = await run('delete', ...args, '--json');
	return { code: ended.code, ...DelegatesDeletedOutput.parse(JSON.parse(ended.stdout)) };
}

describe('nancy delegates delete', () => {
	it('deletes those that are named, and nothing of another', async () => {
		const [one, two, three] = [await done('one'), await done('two'), await done('three')];
		expect(await run('delete', idOf(one), idOf(three))).toEqual({
			code: 0,
			stdout: `deleted ${idOf(one)}\ndeleted ${idOf(three)}\n`,
			stderr: '',
		});
		expect(await titles()).toEqual(['two']);
		expect(existsSync(one.files.prompt)).toBe(false);
		expect(existsSync(two.files.output)).toBe(true);
	});

	it('loses no commit and no uncommitted change: a branch keeps them, and it says so', async () => {
		const { delegate, folder: worktree, branch } = await withWork('Paint it');
		const { code, deleted: gone, notes } = await deleted(idOf(delegate));
		expect({ code, gone, notes }).toEqual({
			code: 0,
			gone: [idOf(delegate)],
			notes: [expect.stringContaining(branch)],
		});
		expect(existsSync(worktree)).toBe(false);
		expect(gitIn(project, 'show', `${branch}:work.txt`)).toBe('work\n');
	});

	it('takes those along that went on in the same worktree', async () => {
		const { delegate, folder: worktree } = await withWork('Paint it');
		const again = await seedDelegate(store, {
			title: 'Again',
			state: 'failed',
			error: 'no',
			place: { is: 'folder', folder: worktree },
		});
		expect((await deleted(idOf(delegate))).deleted).toEqual([idOf(delegate), idOf(again)]);
		expect(await titles()).toEqual([]);
	});

	it('clears what has ended, but for what waits to be merged or is at work', async () => {
		const one = await done('one');
		const { delegate, folder: worktree, branch } = await withWork('Paint it');
		const busy = await withWork('Busy');
		await seedDelegate(store, {
			title: 'At it again',
			state: 'parked',
			place: { is: 'folder', folder: busy.folder },
		});
		const { code, deleted: gone, kept } = await deleted('--ended');
		expect({ code, gone }).toEqual({ code: 0, gone: [idOf(one)] });
		expect(kept).toEqual([{ id: idOf(delegate), reason: expect.stringContaining('1 uncommitted file') }]);
		expect(await titles()).toEqual(['Paint it', 'Busy', 'At it again']);
		expect(existsSync(join(worktree, 'work.txt'))).toBe(true);
		gitIn(worktree, 'add', '--all');
		gitIn(worktree, 'commit', '-qm', 'work');
		gitIn(project, 'merge', '-q', branch);
		expect((await deleted('--ended')).deleted).toEqual([idOf(delegate)]);
		expect(await run('delete', '--ended')).toMatchObject({ code: 0, stdout: 'no delegate has ended\n' });
	});

	it('keeps what a worktree has that no branch can hold, or whose tear-down fails, and says why', async () => {
		const nested = await withWork('Nested');
		gitIn(nested.folder, 'init', '-q', 'inner');
		writeFileSync(join(nested.folder, 'inner', 'x.txt'), 'x');
		gitIn(join(nested.folder, 'inner'), 'add', '--all');
		gitIn(join(nested.folder, 'inner'), 'commit', '-qm', 'x');
		const held = await withWork('Held', 'echo the port is open; exit 1');
		const { code, deleted: gone, kept } = await deleted(idOf(nested.delegate), idOf(held.delegate));
		expect({ code, gone }).toEqual({ code: 1, gone: [] });
		expect(kept.map(({ reason }) => reason)).toEqual([
			expect.stringContaining('inner/'),
			expect.stringContaining('the port is open'),
		]);
		for (const each of [nested, held]) expect(existsSync(join(each.folder, 'work.txt'))).toBe(true);
		expect(await titles()).toEqual(['Nested', 'Held']);
	});

	it('keeps one whose worktree cannot be looked at, says why, and deletes the others all the same', async () => {
		const broken = await withWork('Broken');
		const one = await done('one');
		const gitDir = join(project, '.git', 'worktrees', idOf(broken.delegate));
		writeFileSync(join(gitDir, 'index'), 'garbage');
		for (const args of [['--ended'], [idOf(broken.delegate)]]) {
			const { code, deleted: gone, kept } = await deleted(...args);
			expect({ code, gone }).toEqual(
				args[0] === '--ended' ? { code: 0, gone: [idOf(one)] } : { code: 1, gone: [] },
			);
			expect(kept).toEqual([{ id: idOf(broken.delegate), reason: expect.stringContaining('index') }]);
		}
		expect(existsSync(join(broken.folder, 'work.txt'))).toBe(true);
		expect(await titles()).toEqual(['Broken']);
	});

	it('keeps a worktree in which another begins to work while its tear-down runs', async () => {
		const [delegates, hidden] = [join(project, '.nancy/delegates'), folder.file('hidden')];
		const { delegate, folder: worktree } = await withWork('Torn', `mv '${hidden}'/* '${delegates}'`);
		const other = await seedDelegate(store, {
			title: 'At it again',
			state: 'parked',
			place: { is: 'folder', folder: worktree },
		});
		mkdirSync(hidden);
		for (const name of readdirSync(delegates))
			if (name.startsWith(idOf(other))) renameSync(join(delegates, name), join(hidden, name));
		const { kept } = await deleted(idOf(delegate));
		expect(kept).toEqual([{ id: idOf(delegate), reason: expect.stringContaining('is at work there') }]);
		expect(existsSync(join(worktree, 'work.txt'))).toBe(true);
	});

	it('has no tear-down command run because an agent asks, unless the user lets it do all', async () => {
		const { delegate, folder: worktree } = await seedWorktree(
			store,
			join(nancy.dataFolder, 'nancy'),
			{ title: 'Held', tearDown: `touch ${join(folder.path, 'torn')}`, askedBy: { is: 'agent', worker: self } },
			{ 'work.txt': 'work\n' },
		);
		const worker = { NANCY_TASK_DIR: store.workspace.paths.task(self.task), NANCY_WORKER: self.worker };
		const agent = { cwd: project, env: { HOME: folder.path, ...worker } };
		const refused = await nancy.run(['delegates', 'delete', idOf(delegate)], agent);
		expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('tear-down command') });
		rmSync(join(worktree, 'work.txt'));
		const cleared = await nancy.run(['delegates', 'delete', '--ended'], agent);
		expect(cleared).toMatchObject({ code: 0, stdout: expect.stringContaining(`kept ${idOf(delegate)}`) });
		expect(existsSync(join(folder.path, 'torn'))).toBe(false);
		expect((await run('delete', '--ended')).stdout).toContain(`deleted ${idOf(delegate)}`);
		expect(existsSync(join(folder.path, 'torn'))).toBe(true);
	});

	it('touches no folder that a status calls a worktree, says that it stays, and deletes the delegate only by name', async () => {
		const { delegate } = await withWork('Forged', undefined, false);
		const other = join(folder.path, 'other.worktrees', idOf(delegate));
		const { status } = await store.get(delegate.record.id);
		gitIn(folder.path, 'init', '-q', other);
		const worktree = { ...status.worktree!, repository: join(folder.path, 'other'), folder: other };
		await store.writeStatus(delegate.record.id, { ...status, worktree });
		// It may have a worktree that only cannot be proved to be its own: that would be on no list any more.
		expect(await deleted('--ended')).toMatchObject({
			code: 0,
			deleted: [],
			kept: [{ id: idOf(delegate), reason: expect.stringContaining('name its id') }],
		});
		expect(await deleted(idOf(delegate))).toMatchObject({
			code: 0,
			deleted: [idOf(delegate)],
			notes: [expect.stringContaining(`${other} is not touched`)],
		});
		expect(existsSync(join(other, '.git'))).toBe(true);
	});

	it('refuses one that has not ended, before it deletes any', async () => {
		const one = await done('one');
		const waiting = await seedDelegate(store, { title: 'waiting', state: 'parked' });
		expect(await run('delete', idOf(one), idOf(waiting))).toMatchObject({
			code: 6,
			stderr: expect.stringContaining(`${idOf(waiting)} has not ended`),
		});
		expect(await titles()).toEqual(['one', 'waiting']);
	});

	it.each([
		[['delete'], 2],
		[['delete', 'gone', '--ended'], 2],
		[['delete', 'gone', '--stop'], 2],
		[['delete', 'gone'], 3],
		[['one', 'two'], 2],
		[['--ended'], 2],
	])('is not %j', async (args, code) => {
		await done('one');
		expect((await run(...args)).code).toBe(code);
		expect(await titles()).toEqual(['one']);
	});

	it('has a help of its own', async () => {
		const { stdout } = await run('delete', '--help');
		expect(stdout).toContain('nancy delegates delete --ended');
		expect(stdout).toContain('--ended');
	});
});
