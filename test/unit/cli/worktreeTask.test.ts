import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identify } from '../../../src/base/liveness.ts';
import { ownMachine } from '../../../src/base/machine.ts';
import { IN_WINDOW } from '../../../src/core/asker/asker.ts';
import { Delegates } from '../../../src/core/delegates/delegates.ts';
import { readOverview } from '../../../src/core/live/readOverview.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { TaskWorktrees } from '../../../src/core/worktrees/taskWorktrees.ts';
import { drivers } from '../../../src/drivers/index.ts';
import { BASE_REF } from '../../../src/git/homeCheckout.ts';
import { createWorktree } from '../../../src/git/worktree.ts';
import { deleteTasks } from '../../../src/operations/deleteTasks.ts';
import { mergeWorktree } from '../../../src/operations/mergeWorktree.ts';
import { perform } from '../../../src/operations/operation.ts';
import { removeWorktree } from '../../../src/operations/removeWorktree.ts';
import { markOf } from '../../../src/operations/shared/taskWorktree.ts';
import { undoMerge } from '../../../src/operations/undoMerge.ts';
import { worktreeChanges } from '../../../src/operations/worktreeChanges.ts';
import { RUN_MARK } from '../../../src/process/marked.ts';
import { FIRST_WORKER, TaskName, WorkerName } from '../../../src/protocol/names.ts';
import { WorktreeName } from '../../../src/protocol/worktree.ts';
import { seedDelegate } from '../../support/delegateSeeds.ts';
import { gitRepository, type GitRepository } from '../../support/gitRepository.ts';
import { contextOf } from '../../support/operationContext.ts';
import { tempFolder } from '../../support/tempFolder.ts';
import { fakeClaude } from './fakeClaude.ts';
import { NancyCommand } from './nancyCommand.ts';
import { ownIdentity } from '../../../src/base/liveness.ts';
import { sealStart } from '../../../src/core/sessions/sealedAgents.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

const task = TaskName.parse('fix');

/** A repository, and an agent that writes a file where it works. */
function machine(agentDoes = 'echo done > made.txt') {
	const folder = tempFolder('nancy-home-');
	const repository: GitRepository = gitRepository();
	const env = { HOME: folder.path, PATH: fakeClaude(folder.file('bin')), FAKE_CLAUDE: agentDoes };
	const workspace = new Workspace(repository.root, join(nancy.dataFolder, 'nancy'));
	return {
		repository,
		workspace,
		context: contextOf(folder, workspace),
		worktree: async (worker = 'worker') =>
			(await workspace.worker({ task, worker: WorkerName.parse(worker) }))!.worktree!,
		run: (...args: readonly string[]) =>
			nancy.start(['orchestrate', ...args, '--', '-p'], { cwd: repository.root, env }),
		cwd: () => readFileSync(folder.file('bin/cwd'), 'utf8').trim(),
		[Symbol.asyncDispose]: async () => {
			await repository.remove();
			await folder.remove();
		},
	};
}

describe('a task in a worktree of its own', () => {
	it('works there, goes on there, and is merged, taken back and discarded', async () => {
		await using it = machine();
		expect(await it.run('fix', '--worktree', '--no-hooks')).toMatchObject({ code: 0 });
		const worktree = await it.worktree();
		expect(worktree).toMatchObject({ branch: 'nancy/fix', repository: it.repository.root });
		expect(it.cwd()).toBe(worktree.folder);
		expect(existsSync(join(it.repository.root, 'made.txt'))).toBe(false);
		expect(existsSync(join(worktree.folder, '.nancy'))).toBe(false);

		expect(await it.run('fix', '--resume')).toMatchObject({ code: 0 });
		expect(it.cwd()).toBe(worktree.folder);

		const { files } = await perform(worktreeChanges, IN_WINDOW, { worktree }, it.context);
		expect(files).toMatchObject([{ path: 'made.txt', status: 'added' }]);
		await expect(perform(deleteTasks, IN_WINDOW, { tasks: [task] }, it.context)).rejects.toMatchObject({
			code: 'busy',
		});
		const merging = { worktree, message: 'Made it' };
		expect(await perform(mergeWorktree, IN_WINDOW, merging, it.context)).toMatchObject({ ok: true });
		expect(existsSync(join(it.repository.root, 'made.txt'))).toBe(true);
		expect(await perform(undoMerge, IN_WINDOW, { worktree }, it.context)).toEqual({ ok: true });
		expect(existsSync(join(it.repository.root, 'made.txt'))).toBe(false);

		const removing = { worktree, discard: true, anyway: false };
		expect(await perform(removeWorktree, IN_WINDOW, removing, it.context)).toMatchObject({ isRemoved: true });
		expect(existsSync(worktree.folder)).toBe(false);
		expect(await it.run('fix', '--resume')).toMatchObject({ code: 1, stderr: expect.stringContaining('is gone') });
		expect(await perform(deleteTasks, IN_WINDOW, { tasks: [task] }, it.context)).toEqual({ deleted: [task] });
	});

	it('works there again after a start that failed, without a conversation to go on with', async () => {
		await using it = machine('exit 1');
		await it.run('fix', '--worktree');
		const worktree = await it.worktree();
		await it.run('fix', '--worker', 'worker');
		expect(it.cwd()).toBe(worktree.folder);
		expect(await it.worktree()).toEqual(worktree);
	});

	it('gets a name that nothing else has, and the uncommitted changes if they are wanted', async () => {
		await using it = machine();
		it.repository.git(['branch', 'nancy/fix']);
		it.repository.write({ 'a.txt': 'not committed\n' });
		await it.run('fix', '--worktree');
		await it.run('fix', '--with-changes');
		const [first, second] = [await it.worktree(), await it.worktree('worker-2')];
		expect([first.branch, second.branch]).toEqual(['nancy/fix-2', 'nancy/fix-3']);
		expect(readFileSync(join(first.folder, 'a.txt'), 'utf8')).not.toBe('not committed\n');
		expect(readFileSync(join(second.folder, 'a.txt'), 'utf8')).toBe('not committed\n');
	});

	it('clears what a killed start of any task has left, its set-up command too, and nothing that is just being made', async () => {
		await using it = machine();
		const worktrees = new TaskWorktrees(it.workspace.own);
		const name = WorktreeName.parse('fix');
		const gone = { machine: ownMachine(), pid: 4_000_000, startedTicks: 1 };
		const { root } = it.repository;
		await worktrees.ask(name, { task: TaskName.parse('earlier'), repository: root, by: gone });
		const left = await createWorktree({ folder: root, name, withChanges: false, copyIncludes: false });
		const settingUp = spawn('sleep', ['600'], { env: { ...process.env, [RUN_MARK]: markOf(root, name) } });
		const ended = once(settingUp, 'exit');
		await it.run('fix', '--worktree');
		expect(await it.worktree()).toMatchObject({ folder: left.folder });
		await ended;

		const other = WorktreeName.parse('fix-9');
		await worktrees.ask(other, { task, repository: root, by: identify(process.pid) });
		const making = await createWorktree({ folder: root, name: other, withChanges: false, copyIncludes: false });
		await it.run('fix', '--worktree');
		expect((await it.worktree('worker-2')).folder).not.toBe(making.folder);
		expect(existsSync(making.folder)).toBe(true);
	});

	it('does not keep its task, if a kill has left it half made', async () => {
		await using it = machine();
		await it.run('fix');
		const name = WorktreeName.parse('fix');
		const gone = { machine: ownMachine(), pid: 4_000_000, startedTicks: 1 };
		const { root } = it.repository;
		await new TaskWorktrees(it.workspace.own).ask(name, { task, repository: root, by: gone });
		const half = await createWorktree({ folder: root, name, withChanges: false, copyIncludes: false });
		it.repository.git(['update-ref', 'refs/nancy/making/fix', half.base]);
		it.repository.git(['-C', half.folder, 'update-ref', '-d', BASE_REF]);
		await perform(deleteTasks, IN_WINDOW, { tasks: [task] }, it.context);
		expect(existsSync(half.folder)).toBe(false);
		expect(it.repository.git(['for-each-ref', '--format=%(refname)'])).toBe('refs/heads/main');
		expect(await new TaskWorktrees(it.workspace.own).all()).toEqual([]);
	});

	it('is its own worker’s alone, whatever another one’s record says', async () => {
		await using it = machine();
		await it.run('fix', '--worktree', '--no-hooks');
		await it.run('fix', '--no-hooks');
		const worktree = await it.worktree();
		const address = { task, worker: WorkerName.parse('worker-2') };
		await it.workspace.updateWorker(address, record => record && { ...record, worktree });
		expect(await it.run('fix', '--resume', '--worker', 'worker-2')).toMatchObject({
			code: 5,
			stderr: expect.stringContaining('is not the worktree that Nancy made for fix/worker-2'),
		});
		const { tasks } = await readOverview(it.workspace, drivers);
		expect(tasks[0]?.workers.map(each => each.worktree?.folder)).toEqual([worktree.folder, undefined]);
		const first = { task, worker: FIRST_WORKER };
		await it.workspace.updateWorker(first, record => record && { ...record, worktree: undefined });
		expect(await it.run('fix', '--resume', '--worker', 'worker')).toMatchObject({
			code: 5,
			stderr: expect.stringContaining('the record of fix/worker does not name the worktree'),
		});
		await it.workspace.updateWorker(first, record => record && { ...record, worktree });
		// And a worker whose record is gone leaves its work to nobody else.
		rmSync(it.workspace.paths.workerRecord(task, FIRST_WORKER));
		await it.run('fix', '--worktree');
		expect(existsSync(join(worktree.folder, 'made.txt'))).toBe(true);
		const { workers } = await it.workspace.workers(task);
		expect(workers.find(({ name }) => name === 'worker-3')?.worktree?.folder).not.toBe(worktree.folder);
		await expect(perform(deleteTasks, IN_WINDOW, { tasks: [task] }, it.context)).rejects.toMatchObject({
			code: 'busy',
		});
	});

	it('is not taken away below a delegate that works in it', async () => {
		await using it = machine();
		await it.run('fix', '--worktree');
		const worktree = await it.worktree();
		const place = { is: 'folder', folder: worktree.folder } as const;
		await seedDelegate(new Delegates(it.workspace), { title: 'Help', state: 'running', place });
		const removing = { worktree, discard: true, anyway: false };
		await expect(perform(removeWorktree, IN_WINDOW, removing, it.context)).rejects.toMatchObject({ code: 'busy' });
	});

	it('is not taken away below an agent of the task that has taken its process out of its record', async () => {
		await using it = machine();
		await it.run('fix', '--worktree');
		const worktree = await it.worktree();
		const { folder, own } = it.workspace;
		sealStart(own.dataFolder, ownIdentity(), { folder, address: { task, worker: FIRST_WORKER } });
		const removing = { worktree, discard: true, anyway: false };
		const removed = perform(removeWorktree, IN_WINDOW, removing, it.context);
		await expect(removed).rejects.toMatchObject({ code: 'busy' });
		expect(existsSync(worktree.folder)).toBe(true);
	});

	it('leaves nothing behind if the set-up command fails', async () => {
		await using it = machine();
		mkdirSync(join(nancy.configFolder, 'nancy'), { recursive: true });
		writeFileSync(
			join(nancy.configFolder, 'nancy', 'settings.json'),
			JSON.stringify({ delegates: { worktreeSetUp: 'echo no such tool; exit 3' } }),
		);
		try {
			expect(await it.run('fix', '--worktree')).toMatchObject({
				code: 1,
				stderr: expect.stringMatching(/the set-up command ended with 3: no such tool/),
			});
		} finally {
			rmSync(join(nancy.configFolder, 'nancy', 'settings.json'));
		}
		expect(existsSync(it.workspace.paths.task(task))).toBe(false);
		expect(it.repository.git(['worktree', 'list'])).not.toContain('fix');
		expect(it.repository.git(['branch', '--list', 'nancy/*'])).toBe('');
		expect(await new TaskWorktrees(it.workspace.own).ofTask(task)).toEqual([]);
	});

	it('makes nothing where no worktree can be', async () => {
		await using it = machine();
		rmSync(join(it.repository.root, '.git'), { recursive: true });
		expect(await it.run('fix', '--worktree')).toMatchObject({ code: 1, stderr: expect.stringContaining('git') });
		expect(existsSync(it.workspace.paths.task(task))).toBe(false);
	});

	it('is not one that a record names and Nancy has not made', async () => {
		await using it = machine();
		await it.run('fix', '--worktree', '--no-hooks');
		const worktree = await it.worktree();
		await new TaskWorktrees(it.workspace.own).forget(WorktreeName.parse('fix'));
		const merged = perform(mergeWorktree, IN_WINDOW, { worktree, message: 'x' }, it.context);
		await expect(merged).rejects.toMatchObject({ code: 'not-trusted' });
		const removed = perform(removeWorktree, IN_WINDOW, { worktree, discard: true, anyway: true }, it.context);
		await expect(removed).rejects.toMatchObject({ code: 'not-trusted' });
		expect(await it.run('fix', '--resume')).toMatchObject({
			stderr: expect.stringContaining('is not the worktree'),
		});
		expect(existsSync(worktree.folder)).toBe(true);
	});

	it('is left alone while its agent works', async () => {
		await using it = machine();
		await it.run('fix', '--worktree');
		const worktree = await it.worktree();
		const record = (await it.workspace.worker({ task, worker: FIRST_WORKER }))!;
		const state = { phase: 'working', source: 'x', at: '', since: '' } as const;
		const tasks = [{ record: await it.workspace.task(task), workers: [{ record, state, queued: 0 }], unread: 0 }];
		const context = { ...it.context, look: () => Promise.resolve({ tasks, problems: [] }) };
		await expect(perform(mergeWorktree, IN_WINDOW, { worktree, message: 'x' }, context)).rejects.toMatchObject({
			code: 'busy',
		});
	});
});
