import { spawnSync } from 'node:child_process';
import {
	chmodSync,
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { WorkspaceModel } from '../../../../src/core/live/model.ts';
import { readOverview } from '../../../../src/core/live/readOverview.ts';
import { FIRST_WORKER, SessionId, TaskName } from '../../../../src/protocol/names.ts';
import { strideOr } from '../../../support/rounds.ts';
import { bundledChild } from '../../../support/bundledChild.ts';
import { eventually } from '../../../support/eventually.ts';
import { fakeDriver } from '../../../support/fakeDriver.ts';
import { BY_USER, messageContent } from '../../../support/messageContent.ts';
import { Project } from '../../cli/project.ts';
import { bindSession, sessionBinding } from '../../../../src/core/sessions/bindings.ts';
import { deleteTask, finishDeletions } from '../../../../src/core/sessions/deletion.ts';
import { failFiles } from '../../../support/failingFiles.ts';

async function projectWithSession(name: string) {
	const project = new Project();
	const { workspace } = project;
	const task = await project.addTask(name);
	const address = { task, worker: await project.addWorker(task, FIRST_WORKER) };
	const session = SessionId.parse(`session-${name}-worker`);
	await bindSession(workspace, session, { address: address, watched: true });
	await workspace.ring(address);
	for (const folder of [workspace.paths.phases, workspace.paths.halts]) writeFileSync(join(folder, session), 'x');
	const remains = () =>
		[workspace.paths.session(session), workspace.paths.bell(session), join(workspace.paths.phases, session)].filter(
			file => existsSync(file),
		);
	const tasks = () => readdirSync(workspace.paths.tasks);
	return { project, workspace, task, address, session, remains, tasks };
}

it('a .nancy that was there before becomes its owner’s alone', async () => {
	const project = new Project();
	await using _ = project;
	const { root } = project.workspace.paths;
	mkdirSync(root);
	chmodSync(root, 0o755);
	await project.addTask('old');
	expect(statSync(root).mode & 0o777).toBe(0o700);
});

it('a task is deleted with all that ties its sessions to it', async () => {
	const { project, workspace, task, remains, tasks } = await projectWithSession('old');
	await using _ = project;
	await deleteTask(workspace, task);
	expect([...remains(), ...tasks(), ...readdirSync(workspace.paths.halts)]).toEqual([]);
});

it('a task whose deletion is killed at any point is whole with its sessions, or gone with them once it is swept', async () => {
	const ends = new Set<string>();
	for (let killAt = 0; ; killAt += strideOr(3)) {
		const { project, workspace, task, remains, tasks } = await projectWithSession('old');
		await using _ = project;
		const args = [bundledChild('killedAt'), String(killAt), bundledChild('deleteTask'), project.path, task];
		const { signal } = spawnSync(process.execPath, args);
		const isWhole = (await workspace.worker({ task, worker: FIRST_WORKER })) !== undefined;
		ends.add(isWhole ? 'whole' : 'gone');
		if (!isWhole) await finishDeletions(workspace);
		expect([killAt, remains().length, tasks()]).toEqual([killAt, isWhole ? 3 : 0, isWhole ? ['old'] : []]);
		if (signal === null) break;
	}
	expect(ends).toEqual(new Set(['whole', 'gone']));
});

it('what a kill left of a deleted task is swept away when a window opens', async () => {
	const { project, workspace, task, remains, tasks } = await projectWithSession('old');
	await using _ = project;
	await project.addTask('new');
	renameSync(workspace.paths.task(task), join(workspace.paths.tasks, '.deleted-old-123'));
	mkdirSync(join(workspace.paths.tasks, '.deleted-empty'));
	const model = new WorkspaceModel(workspace, [fakeDriver], { tickMs: 50 });
	await model.refresh();
	await eventually('it is swept', () => tasks().join() === 'new');
	expect(remains()).toEqual([]);
	await model.close();
});

it('a session that went on as another worker stays bound when its first task is deleted', async () => {
	const { project, workspace, task, session, remains } = await projectWithSession('old');
	await using _ = project;
	const other = await project.addTask('new');
	const address = { task: other, worker: await project.addWorker(other, FIRST_WORKER) };
	await bindSession(workspace, session, { address: address, watched: true });
	await deleteTask(workspace, task);
	expect(await sessionBinding(workspace, session)).toEqual({ address, watched: true });
	expect(remains()).toHaveLength(3);
});

it('a copied task folder is reported and left alone, and its original stays what it is', async () => {
	await using project = new Project();
	const { workspace } = project;
	const task = await project.addTask('real');
	const address = { task, worker: await project.addWorker(task, FIRST_WORKER) };
	await workspace.send(address, messageContent('for the original'), BY_USER);
	const copy = TaskName.parse('z-copy');
	cpSync(workspace.paths.task(task), workspace.paths.task(copy), { recursive: true });
	writeFileSync(
		workspace.paths.taskRecord(copy),
		JSON.stringify({ ...(await workspace.task(task)), title: 'Of the copy' }),
	);

	const { tasks, problems } = await readOverview(workspace, [fakeDriver]);
	expect(tasks.map(({ record }) => record.title)).toEqual([(await workspace.task(task)).title]);
	expect(problems).toMatchObject([
		{ file: workspace.paths.taskRecord(copy), reason: expect.stringContaining('another task, real') },
	]);
	await expect(workspace.send({ ...address, task: copy }, messageContent('x'), BY_USER)).rejects.toMatchObject({
		code: 'bad-file',
	});
});

it('the next worker of a task gets a name though a seal is half written, and one that nobody has', async () => {
	const { project, workspace, task, address } = await projectWithSession('old');
	await using _ = project;
	await workspace.send(address, messageContent('x'), BY_USER);
	writeFileSync(workspace.own.path('sessions').concat('/.0a1b2c3d4e5f.tmp'), '{');
	expect(await workspace.nextWorker(task)).toBe('worker-2');
	// An agent writes any name.
	const workers = workspace.paths.workers(task);
	for (const name of ['worker-999999999', 'worker-1000000000']) writeFileSync(join(workers, `${name}.json`), '');
	expect(await workspace.nextWorker(task)).toBe('worker-1000000001');
});

it('a deleted task whose folder cannot be removed keeps no other one', async () => {
	const { project, workspace, task, tasks } = await projectWithSession('old');
	await using _ = project;
	const [first, second] = ['.deleted-0', '.deleted-z'].map(name => join(workspace.paths.tasks, name));
	for (const grave of [first, second]) mkdirSync(join(grave ?? '', 'workers'), { recursive: true });
	using _closed = failFiles('readdir', path => path === join(first ?? '', 'workers'));
	await deleteTask(workspace, task);
	await finishDeletions(workspace);
	expect(tasks()).toEqual(['.deleted-0']);
});

it('a deleted task’s sessions are forgotten, also where an agent has made a folder of a mark', async () => {
	const { project, workspace, task, session, remains, tasks } = await projectWithSession('old');
	await using _ = project;
	const mark = join(workspace.paths.phases, session);
	rmSync(mark);
	mkdirSync(join(mark, 'full'), { recursive: true });
	await deleteTask(workspace, task);
	expect([...remains(), ...tasks()]).toEqual([]);
	expect(workspace.own.namesSync('sessions')).toEqual([]);
});
