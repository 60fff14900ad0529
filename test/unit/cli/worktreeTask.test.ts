import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identify } from '../../../src/base/liveness.ts';
import { IN_WINDOW } from '../../../src/core/asker/asker.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { TaskWorktrees } from '../../../src/core/worktrees/taskWorktrees.ts';
import { deleteTasks } from '../../../src/operations/deleteTasks.ts';
import { mergeWorktree } from '../../../src/operations/mergeWorktree.ts';
import { perform } from '../../../src/operations/operation.ts';
import { removeWorktree } from '../../../src/operations/removeWorktree.ts';
import { undoMerge } from '../../../src/operations/undoMerge.ts';
import { worktreeChanges } from '../../../src/operations/worktreeChanges.ts';
import { FIRST_WORKER, TaskName, WorkerName } from '../../../src/protocol/names.ts';
import { WorktreeName } from '../../../src/protocol/worktree.ts';
import { gitRepository, type GitRepository } from '../../support/gitRepository.ts';
import { contextOf } from '../../support/operationContext.ts';
import { tempFolder } from '../../support/tempFolder.ts';
import { fakeClaude } from './fakeClaude.ts';
import { NancyCommand } from './nancyCommand.ts';

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
		expect(await it.run('fix', '--worktree')).toMatchObject({ code: 0 });
		const worktree = await it.worktree();
		expect(worktree).toMatchObject({ branch: 'nancy/fix', repository: it.repository.root });
		expect(it.cwd()).toBe(worktree.folder);
		expect(existsSync(join(it.repository.root, 'made.txt'))).toBe(false);
		expect(existsSync(join(worktree.folder, '.nancy'))).toBe(false);

		expect(await it.run('fix', '--resume')).toMatchObject({ code: 0 });
		expect(it.cwd()).toBe(worktree.folder);

		const { files } = await perform(worktreeChanges, IN_WINDOW, { worktree }, it.context);
		expect(files).toEqual([{ path: 'made.txt', status: 'added' }]);
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

	it('takes the worktree again that a start has left without a worker', async () => {
		await using it = machine();
		await it.run('fix', '--worktree');
		const { folder } = await it.worktree();
		// As a kill between the worktree and the record leaves it.
		rmSync(it.workspace.paths.workerRecord(task, FIRST_WORKER));
		await it.run('fix', '--worktree');
		expect((await it.worktree()).folder).toBe(folder);
		await it.run('fix', '--worktree');
		expect((await it.worktree('worker-2')).folder).not.toBe(folder);
		// One that is just being made has no worker either.
		const worktrees = new TaskWorktrees(it.workspace.own);
		const made = (await worktrees.of('fix'))!;
		await worktrees.takeOver(WorktreeName.parse('fix'), { ...made, by: identify(process.pid) });
		rmSync(it.workspace.paths.workerRecord(task, FIRST_WORKER));
		await it.run('fix', '--worktree');
		const { workers } = await it.workspace.workers(task);
		expect(workers.map(({ worktree }) => worktree?.folder)).not.toContain(folder);
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
		await it.run('fix', '--worktree');
		const worktree = await it.worktree();
		await new TaskWorktrees(it.workspace.own).forget(WorktreeName.parse('fix'));
		for (const act of [
			perform(mergeWorktree, IN_WINDOW, { worktree, message: 'x' }, it.context),
			perform(removeWorktree, IN_WINDOW, { worktree, discard: true, anyway: true }, it.context),
		])
			await expect(act).rejects.toMatchObject({ code: 'not-trusted' });
		expect(await it.run('fix', '--resume')).toMatchObject({ stderr: expect.stringContaining('not touched') });
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
