import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IN_WINDOW } from '../../../src/core/asker/asker.ts';
import { readOverview } from '../../../src/core/live/readOverview.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { TaskSnapshots } from '../../../src/core/worktrees/taskSnapshots.ts';
import { drivers } from '../../../src/drivers/index.ts';
import { archiveTask } from '../../../src/operations/archiveTask.ts';
import { cleanUp } from '../../../src/operations/cleanUp.ts';
import { deleteTasks } from '../../../src/operations/deleteTasks.ts';
import { fileAtStart } from '../../../src/operations/fileAtStart.ts';
import { orchestrate } from '../../../src/operations/orchestrate.ts';
import { perform, type OperationContext } from '../../../src/operations/operation.ts';
import { taskChanges } from '../../../src/operations/taskChanges.ts';
import { TaskName } from '../../../src/protocol/names.ts';
import { gitRepository } from '../../support/gitRepository.ts';
import { contextOf } from '../../support/operationContext.ts';
import { tempFolder } from '../../support/tempFolder.ts';
import { fakeClaude } from './fakeClaude.ts';
import { NancyCommand } from './nancyCommand.ts';
import { long } from '../../support/long.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

const task = TaskName.parse('fix');
const other = TaskName.parse('other');

/** A repository with uncommitted changes, and an agent that writes a file where it works. */
function machine(at = (root: string) => root) {
	const folder = tempFolder('nancy-home-');
	const repository = gitRepository();
	repository.write({ 'a.txt': 'not committed\n', 'untracked.txt': 'one\n' });
	const env = { HOME: folder.path, PATH: fakeClaude(folder.file('bin')), FAKE_CLAUDE: 'echo done > made.txt' };
	const workspace = new Workspace(at(repository.root), join(nancy.dataFolder, 'nancy'));
	const context = contextOf(folder, workspace);
	return {
		repository,
		workspace,
		context,
		env,
		changes: async (of = task) => (await perform(taskChanges, IN_WINDOW, { task: of }, context)).files,
		refs: () => repository.git(['for-each-ref', '--format=%(refname)', 'refs/nancy']).split('\n').filter(Boolean),
		reviewable: async () => {
			const { tasks } = await readOverview(workspace, drivers);
			return tasks.filter(({ hasSnapshot }) => hasSnapshot).map(({ record }) => record.name);
		},
		run: async (...args: readonly string[]) =>
			expect(
				await nancy.start(['orchestrate', ...args, '--', '-p'], { cwd: workspace.folder, env }),
			).toMatchObject({ code: 0 }),
		[Symbol.asyncDispose]: async () => {
			await repository.remove();
			await folder.remove();
		},
	};
}

describe('a task in the workspace folder', () => {
	it('shows what has changed since a person started it, also after a later start, and nothing from before', async () => {
		await using it = machine();
		const before = readFileSync(join(it.repository.root, '.git/index'));
		await it.run('fix', '--no-hooks');
		expect(await it.reviewable()).toEqual([task]);
		expect(await it.changes()).toMatchObject([{ path: 'made.txt', status: 'added' }]);
		expect(readFileSync(join(it.repository.root, '.git/index'))).toEqual(before);

		it.repository.write({ 'a.txt': 'changed since\n' });
		await it.run('fix', '--resume');
		await it.run('other');
		expect((await it.changes()).map(({ path }) => path)).toEqual(['a.txt', 'made.txt']);
		expect(await it.changes(other)).toEqual([]);
		const { content } = await perform(fileAtStart, IN_WINDOW, { task, path: 'a.txt' }, it.context);
		expect(content?.toString()).toBe('not committed\n');
		expect(it.refs()).toHaveLength(2);
	});

	it('has no review if it works in a worktree, or was there before', async () => {
		await using it = machine();
		await it.run('fix', '--worktree');
		await it.run('fix');
		expect(await it.reviewable()).toEqual([]);
		await expect(it.changes()).rejects.toMatchObject({ code: 'git' });
		expect(it.refs()).toEqual([]);
	});

	it('starts without a review where no snapshot can be taken', async () => {
		await using folder = tempFolder();
		await using nowhere = machine(() => folder.path);
		await nowhere.run('fix');
		expect(await nowhere.reviewable()).toEqual([]);
		await using broken = machine();
		writeFileSync(join(broken.repository.root, '.git/refs/heads/main'), 'broken');
		await broken.run('fix');
		expect(await broken.reviewable()).toEqual([]);
	});

	it.each([
		['deleted', (context: OperationContext) => perform(deleteTasks, IN_WINDOW, { tasks: [task] }, context)],
		['archived', (context: OperationContext) => perform(archiveTask, IN_WINDOW, { task }, context)],
		['cleaned up', (context: OperationContext) => perform(cleanUp, IN_WINDOW, { task }, context)],
	])('leaves no snapshot once it is %s', async (_, end) => {
		await using it = machine();
		await it.run('fix');
		await it.run('other');
		expect(it.refs()).toHaveLength(2);
		await end(it.context);
		expect(await it.reviewable()).toEqual([other]);
		expect(it.refs()).toHaveLength(1);
		await perform(cleanUp, IN_WINDOW, {}, it.context);
		expect(it.refs()).toEqual([]);
		expect(new TaskSnapshots(it.workspace.own).tasksSync()).toEqual([]);
	});

	it('begins anew if one of its name was removed by hand, and keeps no earlier snapshot', long, async () => {
		await using it = machine();
		await it.run('fix');
		rmSync(it.workspace.paths.task(task), { recursive: true });
		rmSync(join(it.repository.root, 'made.txt'));
		it.repository.write({ 'a.txt': 'changed since\n' });
		await it.run('fix');
		expect(await it.changes()).toMatchObject([{ path: 'made.txt', status: 'added' }]);
		expect(it.refs()).toHaveLength(1);
	});

	it('is deleted also if its repository is gone', async () => {
		await using it = machine();
		await it.run('fix');
		rmSync(join(it.repository.root, '.git'), { recursive: true });
		await perform(deleteTasks, IN_WINDOW, { tasks: [task] }, it.context);
		const snapshots = new TaskSnapshots(it.workspace.own);
		expect([...snapshots.tasksSync(), ...snapshots.asideSync()]).toEqual([]);
	});

	it('is deleted also if git cannot drop its snapshot, and the next clean-up drops it', async () => {
		await using it = machine();
		await it.run('fix');
		const lock = join(it.repository.root, '.git', `${it.refs()[0]}.lock`);
		writeFileSync(lock, '');
		await perform(deleteTasks, IN_WINDOW, { tasks: [task] }, it.context);
		expect(await it.reviewable()).toEqual([]);
		expect(it.refs()).toHaveLength(1);
		rmSync(lock);
		await perform(cleanUp, IN_WINDOW, {}, it.context);
		expect(it.refs()).toEqual([]);
		expect(new TaskSnapshots(it.workspace.own).asideSync()).toEqual([]);
	});

	it('takes the snapshots of tasks along that were removed by hand', long, async () => {
		await using it = machine();
		await it.run('fix');
		const [first] = it.refs();
		rmSync(it.workspace.paths.task(task), { recursive: true });
		await it.run('other');
		expect(it.refs()).toHaveLength(1);
		expect(it.refs()).not.toContain(first);
		expect(new TaskSnapshots(it.workspace.own).tasksSync()).toEqual([other]);
	});

	it.each([true, false])(
		'keeps its snapshot when another start of the name comes too late (new: %s)',
		async isNew => {
			await using it = machine();
			const env = { ...it.context.env, ...it.env };
			const runtime = {
				folder: '',
				launcher: '',
				bin: '/bin',
				skills: '',
				version: '',
				dataFolder: '',
				isRepaired: false,
			};
			const node = { executable: process.execPath, isElectron: false };
			const context = { ...it.context, env, installRuntime: () => Promise.resolve({ ...runtime, node }) };
			const input = { task, title: 'Fix', isNew, resume: false, prompt: '', extra: [], hooks: false };
			const start = await orchestrate.permit(IN_WINDOW, input, context);
			await it.run('fix');
			const refs = it.refs();
			const late = orchestrate.run(IN_WINDOW, input, context, start);
			await (isNew ? expect(late).rejects.toMatchObject({ code: 'task-exists' }) : late);
			expect(it.refs()).toEqual(refs);
			expect(await it.changes()).toMatchObject([{ path: 'made.txt', status: 'added' }]);
		},
	);
});
