import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { identify } from '../../../../src/base/liveness.ts';
import { cleanUp } from '../../../../src/core/deployment/cleanUp.ts';
import { deploy } from '../../../../src/core/deployment/deploy.ts';
import type { Driver } from '../../../../src/core/driver/driver.ts';
import { DeploymentRecords } from '../../../../src/core/deployment/records.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import { FIRST_WORKER, TaskName, WorkerName } from '../../../../src/protocol/names.ts';
import { dataIn, deployRequest } from '../../../support/deployRequest.ts';
import { ownFilesDriver, SHARED } from '../../../support/ownFilesDriver.ts';
import { taskRecord } from '../../../support/taskRecord.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';

const alpha = ownFilesDriver('alpha');
const running = TaskName.parse('running');
const other = TaskName.parse('other');

let folder: TempFolder;
let workspace: Workspace;
const records = () => new DeploymentRecords(workspace, data().dataFolder);
const data = () => dataIn(folder.path);

beforeEach(async () => {
	folder = tempFolder('nancy-clean-');
	workspace = new Workspace(folder.path);
	for (const task of [running, other]) await workspace.createTask(taskRecord(task, alpha.id));
	await workspace.saveWorker({
		version: 1,
		task: running,
		name: FIRST_WORKER,
		agent: alpha.id,
		sessions: [],
		process: identify(process.pid),
		startedAt: new Date().toISOString(),
	});
	await deploy(workspace, alpha, deployRequest(folder.path, '0.1.0-aaaaaaaa'));
});
afterEach(() => folder.remove());

const settings = () => readFileSync(join(workspace.folder, SHARED), 'utf8');

it.each([
	['an agent of a worker', undefined, () => workspace.paths.workerRecord(running, FIRST_WORKER)],
	['an agent of a task', undefined, () => workspace.paths.taskRecord(running)],
	['another task’s agent', other, () => workspace.paths.taskRecord(running)],
	['an agent of another task’s worker', other, () => workspace.paths.workerRecord(running, FIRST_WORKER)],
])('what may serve %s whose record nobody can read stays', async (_, task, broken) => {
	// A session that was found is what only its workers keep.
	await workspace.updateTask(running, record => ({ ...record, origin: task === undefined ? 'nancy' : 'found' }));
	writeFileSync(broken(), '{');
	const before = settings();
	await expect(cleanUp(workspace, task, [alpha], data())).rejects.toMatchObject({
		code: 'bad-file',
		message: expect.stringContaining(broken()),
	});
	expect(settings()).toBe(before);
	expect((await workspace.task(other)).archivedAt).toBeUndefined();
});

it('what is no record of its place holds nothing up, and is told: a folder of the user’s, copies of a task and of a worker', async () => {
	await workspace.updateWorker({ task: running, worker: FIRST_WORKER }, record => {
		if (record) delete record.process;
		return record;
	});
	const worker = workspace.paths.workerRecord(running, FIRST_WORKER);
	copyFileSync(worker, `${worker.slice(0, -'.json'.length)}-old.json`);
	cpSync(workspace.paths.task(other), `${workspace.paths.task(other)}-backup`, { recursive: true });
	mkdirSync(join(workspace.paths.tasks, 'My Notes'));
	const warnings = ['My Notes', 'other-backup', 'worker-old.json'].map(name => expect.stringContaining(name));
	const one = await cleanUp(workspace, running, [alpha], data());
	expect(one).toMatchObject({ undeployed: false });
	expect([...one.warnings].toSorted()).toEqual(warnings);
	const all = await cleanUp(workspace, undefined, [alpha], data());
	expect(all).toMatchObject({ undeployed: true });
	expect([...all.warnings].toSorted()).toEqual(warnings);
	expect(existsSync(join(workspace.folder, SHARED))).toBe(false);
});

it('an agent that runs keeps what serves it, until it has ended', async () => {
	await expect(cleanUp(workspace, undefined, [alpha], data())).rejects.toMatchObject({ code: 'busy' });
	expect(await cleanUp(workspace, other, [alpha], data())).toMatchObject({ undeployed: false });
	await workspace.updateWorker({ task: running, worker: FIRST_WORKER }, record => {
		if (record) delete record.process;
		return record;
	});
	expect(await cleanUp(workspace, running, [alpha], data())).toMatchObject({ undeployed: true });
	expect(existsSync(join(workspace.folder, SHARED))).toBe(false);
});

it.each([
	['another name', () => workspace.paths.task(running), () => workspace.paths.task(TaskName.parse('login'))],
	[
		'a name that no task can have',
		() => workspace.paths.task(running),
		() => join(workspace.paths.tasks, 'Old Login'),
	],
	[
		'another name among the workers',
		() => workspace.paths.workerRecord(running, FIRST_WORKER),
		() => workspace.paths.workerRecord(running, WorkerName.parse('old')),
	],
])('an agent that runs keeps what serves it also where its only record has got %s', async (_, from, to) => {
	renameSync(from(), to());
	const before = settings();
	await expect(cleanUp(workspace, undefined, [alpha], data())).rejects.toMatchObject({
		code: 'busy',
		message: expect.stringContaining(to()),
	});
	expect(await cleanUp(workspace, other, [alpha], data())).toMatchObject({ undeployed: false });
	expect(settings()).toBe(before);
});

it('a session that was found keeps nothing from being taken back, also where its folder was renamed', async () => {
	await workspace.updateTask(running, record => ({ ...record, origin: 'found' }));
	renameSync(workspace.paths.task(running), workspace.paths.task(TaskName.parse('login')));
	expect(await cleanUp(workspace, undefined, [alpha], data())).toMatchObject({ undeployed: true });
});

it('a task whose only worker runs under another name is not archived', async () => {
	renameSync(
		workspace.paths.workerRecord(running, FIRST_WORKER),
		workspace.paths.workerRecord(running, WorkerName.parse('old')),
	);
	await expect(cleanUp(workspace, running, [alpha], data())).rejects.toMatchObject({ code: 'busy' });
	expect((await workspace.task(running)).archivedAt).toBeUndefined();
});

it('what keeps one agent from being cleaned up keeps no other', async () => {
	await workspace.updateWorker({ task: running, worker: FIRST_WORKER }, record => {
		if (record) delete record.process;
		return record;
	});
	const OWN = '.beta/settings.json';
	const own = join(workspace.folder, OWN);
	const beta: Driver = {
		...ownFilesDriver('beta'),
		deployment: request => {
			const plan = ownFilesDriver('beta').deployment(request);
			return { ...plan, edits: plan.edits.map(edit => ({ ...edit, file: OWN })) };
		},
	};
	const gamma = ownFilesDriver('gamma');
	for (const driver of [beta, gamma]) await deploy(workspace, driver, deployRequest(folder.path, '0.1.0-aaaaaaaa'));
	const whole = readFileSync(own, 'utf8');
	writeFileSync(own, `${whole},`);
	const { changed, failed } = await cleanUp(workspace, undefined, [alpha, beta, gamma], data());
	expect(failed).toMatchObject([{ agent: 'beta', error: { code: 'settings-broken' } }]);
	expect(changed).toEqual(expect.arrayContaining([SHARED, '.gamma/plugin/nancy.js']));
	expect(existsSync(join(workspace.folder, SHARED))).toBe(false);
	expect((await records().all()).map(({ driver }) => driver)).toEqual(['beta']);
	writeFileSync(own, whole);
	expect((await cleanUp(workspace, undefined, [alpha, beta, gamma], data())).failed).toEqual([]);
	expect(existsSync(own)).toBe(false);
});
