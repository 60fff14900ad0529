import { existsSync } from 'node:fs';
import { appendFile, rename, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownIdentity } from '../../../src/base/liveness.ts';
import { SessionId, type TaskName } from '../../../src/protocol/names.ts';
import { BY_USER, messageContent } from '../../support/messageContent.ts';
import { NancyCommand } from './nancyCommand.ts';
import { AGENT, Project } from './project.ts';
import { bindSession } from '../../../src/core/sessions/bindings.ts';
import { ConversationRecord } from '../../../src/core/sessions/conversationRecord.ts';
import { noteFound } from '../../../src/core/workspace/foundTask.ts';
import { sealStart } from '../../../src/core/sessions/sealedAgents.ts';
import { SEALS } from '../../../src/core/mailbox/sealReader.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build();
});
afterAll(() => nancy[Symbol.asyncDispose]());

const HOUR_MS = 60 * 60 * 1000;

/** A task of a session that nobody started with Nancy and that has ended. */
async function addFound(project: Project, typed: string, hoursOld: number): Promise<TaskName> {
	const { workspace } = project;
	const at = new Date(Date.now() - hoursOld * HOUR_MS);
	const task = await project.addTask(typed);
	await workspace.updateTask(task, record => ({ ...record, origin: 'found', createdAt: at.toISOString() }));
	noteFound(workspace, task, at);
	const session = SessionId.parse(`s-${typed}`);
	const startedAt = at.toISOString();
	const worker = await project.addWorker(task, 'worker', { sessions: [{ id: session, startedAt }], startedAt });
	await bindSession(workspace, session, { address: { task, worker }, watched: true });
	const event = { driver: AGENT, session, kind: 'session-end', event: 'SessionEnd' };
	const stored = { version: 1, id: typed, at: at.toISOString(), type: 'event', event, payload: {} };
	const { paths } = workspace;
	await appendFile(paths.trafficFile(session), `${JSON.stringify(stored)}\n`);
	for (const file of [paths.trafficFile(session), paths.session(session), paths.workerRecord(task, worker)])
		await utimes(file, at, at);
	return task;
}

const names = async (project: Project) => (await project.workspace.tasks()).tasks.map(task => task.name).toSorted();

describe('nancy delete', () => {
	it('deletes no task whose agent runs, though that has written otherwise or moved the task away', async () => {
		await using project = new Project(undefined, join(nancy.dataFolder, 'nancy'));
		const { workspace } = project;
		const task = await project.addTask('mine');
		const worker = await project.addWorker(task, 'worker');
		sealStart(workspace.own.dataFolder, ownIdentity(), { folder: workspace.folder, address: { task, worker } });
		const refused = { code: 6, stderr: expect.stringContaining('stop it first') };
		expect(await nancy.run(['delete', task], { cwd: project.path })).toMatchObject(refused);
		await workspace.send({ task, worker }, messageContent('x'), BY_USER);
		await rename(workspace.paths.task(task), join(project.path, 'away'));
		expect(await nancy.run(['delete', task], { cwd: project.path })).toMatchObject(refused);
		expect(workspace.own.namesSync(SEALS, task)).not.toEqual([]);
	});

	it('deletes found tasks that have ended and have no message, by their age', async () => {
		await using project = new Project(undefined, join(nancy.dataFolder, 'nancy'));
		await project.addTask('mine');
		await addFound(project, 'session-old', 200);
		await addFound(project, 'session-young', 20);
		const written = await addFound(project, 'session-written', 200);
		await project.workspace.send(
			{ task: written, worker: (await workerOf(project, written)).name },
			messageContent('x'),
			BY_USER,
		);
		const run = async (...args: string[]) =>
			JSON.parse((await nancy.run(['delete', '--found', ...args, '--json'], { cwd: project.path })).stdout);
		expect(await run('--older-than', '7d')).toEqual({ deleted: ['session-old'] });
		expect(await run('--older-than', '21h')).toEqual({ deleted: [] });
		expect(await run()).toEqual({ deleted: ['session-young'] });
		expect(await names(project)).toEqual(['mine', 'session-written']);
	});

	it('deletes the tasks that are named, all or none of them', async () => {
		await using project = new Project();
		const [first, second] = [await project.addTask('first'), await project.addTask('second')];
		await project.addWorker(second, 'worker', { process: ownIdentity() });
		const both = ['delete', first, second];
		expect(await nancy.run(both, { cwd: project.path })).toMatchObject({
			code: 6,
			stderr: expect.stringContaining('an agent of second runs; stop it first: nancy stop second'),
		});
		expect(await names(project)).toEqual(['first', 'second']);
		await project.workspace.updateWorker(
			{ task: second, worker: (await workerOf(project, second)).name },
			record => {
				if (record) delete record.process;
				return record;
			},
		);
		expect(await nancy.run(both, { cwd: project.path })).toMatchObject({
			code: 0,
			stdout: 'deleted first\ndeleted second\n',
		});
		expect(await names(project)).toEqual([]);
		expect(await nancy.run(['delete', 'third'], { cwd: project.path })).toMatchObject({ code: 3 });
	});

	it('leaves nothing of what an agent of the user’s own has read', async () => {
		await using project = new Project(undefined, join(nancy.dataFolder, 'nancy'));
		const task = await project.addTask('first');
		const session = SessionId.parse('acp-0123456789ab-s1');
		const sessions = [{ id: session, startedAt: new Date().toISOString() }];
		const worker = await project.addWorker(task, 'worker', { sessions });
		await bindSession(project.workspace, session, { address: { task, worker }, watched: false });
		const { file } = await ConversationRecord.begin(project.workspace.own, session);
		expect(existsSync(file)).toBe(true);
		expect(await nancy.run(['delete', task], { cwd: project.path })).toMatchObject({ code: 0 });
		expect(existsSync(file)).toBe(false);
	});

	it('is nothing that an agent may do', async () => {
		await using project = new Project();
		const task = await project.addTask('first');
		const worker = await project.addWorker(task, 'worker');
		const env = project.terminal(task, worker);
		expect(await nancy.run(['delete', task], { cwd: project.path, env })).toMatchObject({ code: 5 });
		expect(await names(project)).toEqual(['first']);
	});

	it.each([[[]], [['--found', 'first']], [['first', '--older-than', '7d']], [['--found', '--older-than', 'long']]])(
		'calls %j a wrong usage',
		async args => {
			await using project = new Project();
			await project.addTask('first');
			expect(await nancy.run(['delete', ...args], { cwd: project.path })).toMatchObject({ code: 2 });
			expect(await names(project)).toEqual(['first']);
		},
	);
});

async function workerOf({ workspace }: Project, task: TaskName) {
	const [record] = (await workspace.workers(task)).workers;
	if (!record) throw new Error('no worker');
	return record;
}
