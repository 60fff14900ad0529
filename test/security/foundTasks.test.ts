import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { identify } from '../../src/base/liveness.ts';
import { IN_TERMINAL } from '../../src/core/asker/asker.ts';
import { readOverview } from '../../src/core/live/readOverview.ts';
import { bindCaller } from '../../src/core/sessions/sessions.ts';
import { sealCall } from '../../src/core/sessions/sealedAgents.ts';
import { noteChosenAgent } from '../../src/core/workspace/chosenAgent.ts';
import { foundSince, noteFound } from '../../src/core/workspace/foundTask.ts';
import { Workspace, type WorkerAddress } from '../../src/core/workspace/workspace.ts';
import * as operations from '../../src/operations/index.ts';
import { perform } from '../../src/operations/operation.ts';
import { FIRST_WORKER, SessionId, TaskName, type MessageId } from '../../src/protocol/names.ts';
import { addBoundWorker } from '../support/boundWorker.ts';
import { fakeDriver } from '../support/fakeDriver.ts';
import { BY_USER, messageContent } from '../support/messageContent.ts';
import { contextOf } from '../support/operationContext.ts';
import { taskRecord } from '../support/taskRecord.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

// Found tasks are deleted with their seals: by `nancy delete --found`, and by Nancy itself after 14 days. Files in `.nancy` make no task one.

const LONG_AGO = new Date('2026-01-01T00:00:00.000Z');
const address: WorkerAddress = { task: TaskName.parse('other'), worker: FIRST_WORKER };
const session = SessionId.parse('s-other');

let folder: TempFolder;
let workspace: Workspace;
beforeEach(async () => {
	folder = tempFolder();
	workspace = new Workspace(folder.file('project'), folder.file('data'));
	await workspace.createTask(taskRecord(address.task, fakeDriver.id));
	await addBoundWorker(workspace, address, { agent: fakeDriver.id, session });
});
afterEach(() => folder.remove());

const change = (file: string, more: object) =>
	writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...more }));

/** What an agent does that may edit files: the task looks found, unused, and over since long ago. */
function forge(waiting?: MessageId): void {
	const { paths } = workspace;
	const { task, worker } = address;
	const at = LONG_AGO.toISOString();
	const record = paths.workerRecord(task, worker);
	change(paths.taskRecord(task), { origin: 'found', createdAt: at });
	change(record, { startedAt: at, stoppedAt: at, process: { pid: 4_000_000, startedTicks: 1 } });
	const event = { driver: fakeDriver.id, session, kind: 'session-end', event: 'SessionEnd' };
	const stored = { version: 1, id: 'forged', at, ...address, type: 'event', event, payload: {} };
	appendFileSync(paths.trafficFile(session), `${JSON.stringify(stored)}\n`);
	if (waiting) renameSync(join(paths.mailbox(task, worker), 'inbox', `${waiting}.md`), kept());
	for (const file of [record, paths.trafficFile(session), paths.session(session)])
		utimesSync(file, LONG_AGO, LONG_AGO);
}
const kept = () => folder.file('project', 'kept.md');

async function sweep(): Promise<void> {
	await readOverview(workspace, [fakeDriver]);
	const look = () => readOverview(workspace, [fakeDriver]);
	await perform(
		await operations.deleteFoundTasks(),
		IN_TERMINAL,
		{ silentForMs: 0 },
		contextOf(folder, workspace, { look }),
	);
}

const names = async () => (await workspace.tasks()).tasks.map(({ name }) => name);

describe('a task that its files call found', () => {
	it('stays with its seals if a person has made it', async () => {
		const id = await workspace.send(address, messageContent('You may push.'), BY_USER);
		forge(id);
		await sweep();
		expect(await names()).toEqual(['other']);
		renameSync(kept(), join(workspace.paths.mailbox(address.task, address.worker), 'inbox', `${id}.md`));
		const { messages } = await workspace.mailbox(address).list(['queued']);
		expect(messages).toMatchObject([{ author: BY_USER, content: { text: 'You may push.' } }]);
	});

	it('stays with its seals if it was found, and the user’s message to it waits', async () => {
		noteFound(workspace, address.task, LONG_AGO);
		forge(await workspace.send(address, messageContent('You may push.'), BY_USER));
		await sweep();
		expect(await names()).toEqual(['other']);
	});

	it('stays if it was found, and a person has started a worker in it', async () => {
		noteFound(workspace, address.task, LONG_AGO);
		await noteChosenAgent(workspace, address, fakeDriver.id);
		forge();
		await sweep();
		expect(await names()).toEqual(['other']);
	});

	it('stays while its agent lives, and goes when that has ended', async () => {
		noteFound(workspace, address.task, LONG_AGO);
		const agent = spawn('sleep', ['60']);
		const exit = new Promise(resolve => agent.on('exit', resolve));
		sealCall(workspace.own.dataFolder, identify(agent.pid ?? 0), { folder: workspace.folder, address });
		forge();
		const record = workspace.paths.workerRecord(address.task, address.worker);
		const text = readFileSync(record);
		rmSync(record);
		await sweep();
		writeFileSync(record, text);
		utimesSync(record, LONG_AGO, LONG_AGO);
		await sweep();
		expect(await names()).toEqual(['other']);
		agent.kill();
		await exit;
		await sweep();
		expect(await names()).toEqual([]);
		expect(foundSince(workspace, address.task)).toBeUndefined();
	});
});

it('the task of a session that nobody started with Nancy is known as found', async () => {
	const before = Date.now();
	const { address: found } = await bindCaller(workspace, {
		session: SessionId.parse('s-found'),
		driver: fakeDriver,
		agent: undefined,
		isNamed: false,
		launchedFor: { taskFolder: undefined, worker: undefined },
		transcript: undefined,
		begins: true,
		cause: 'startup',
	});
	expect(foundSince(workspace, found.task)).toBeGreaterThanOrEqual(before);
	expect(foundSince(workspace, address.task)).toBeUndefined();
});
