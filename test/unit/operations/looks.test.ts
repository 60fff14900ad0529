import { appendFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IN_WINDOW, type Asker } from '../../../src/core/asker/asker.ts';
import type { Overview, Phase } from '../../../src/core/live/overview.ts';
import { Workspace, type WorkerAddress } from '../../../src/core/workspace/workspace.ts';
import * as operations from '../../../src/operations/index.ts';
import { perform } from '../../../src/operations/operation.ts';
import { FIRST_WORKER, ORCHESTRATOR, SessionId, TaskName, WorkerName } from '../../../src/protocol/names.ts';
import { TrafficRecord } from '../../../src/protocol/traffic.ts';
import { fakeDriver } from '../../support/fakeDriver.ts';
import { messageContent } from '../../support/messageContent.ts';
import { agentAt, contextOf } from '../../support/operationContext.ts';
import { taskRecord } from '../../support/taskRecord.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

const task = TaskName.parse('fix');
const first: WorkerAddress = { task, worker: FIRST_WORKER };
const second: WorkerAddress = { task, worker: WorkerName.parse('worker-2') };
const sessionOf = ({ worker }: WorkerAddress) => SessionId.parse(`session-${worker}`);

let folder: TempFolder;
let workspace: Workspace;
beforeEach(async () => {
	folder = tempFolder();
	workspace = new Workspace(folder.file('project'), folder.file('data'));
	await workspace.createTask(taskRecord(task, fakeDriver.id));
	for (const address of [first, second]) {
		const startedAt = new Date().toISOString();
		const sessions = [{ id: sessionOf(address), startedAt }];
		await workspace.saveWorker({
			version: 1,
			task,
			name: address.worker,
			agent: fakeDriver.id,
			sessions,
			startedAt,
		});
		happens(address, 'Stop');
	}
});
afterEach(() => folder.remove());

let count = 0;
function happens(address: WorkerAddress, event: string): void {
	const at = new Date(Date.UTC(2026, 3, 1, 10, 0, count++)).toISOString();
	const session = sessionOf(address);
	const happened = { driver: fakeDriver.id, session, kind: 'stop', event };
	const record = { version: 1, id: `r${count}`, at, ...address, type: 'event', event: happened, payload: {} };
	appendFileSync(workspace.paths.trafficFile(session), `${JSON.stringify(TrafficRecord.parse(record))}\n`);
}

/** Every worker in that phase, since long ago. */
async function overviewWith(phase: Phase): Promise<Overview> {
	const { workers } = await workspace.workers(task);
	const state = { phase, source: 'a test', at: new Date(0).toISOString(), since: new Date(0).toISOString() };
	const record = await workspace.task(task);
	return {
		tasks: [{ record, workers: workers.map(each => ({ record: each, state, queued: 0 })), unread: 0 }],
		problems: [],
	};
}

const context = () => contextOf(folder, workspace, { look: () => overviewWith('idle') });

describe('an agent that gives no name', () => {
	it('sees the traffic of its own worker, and a person everybody’s', async () => {
		const seenBy = async (asker: Asker) => {
			const { records } = await perform(await operations.traffic(), asker, { limit: 50 }, context());
			return records.map(({ worker }) => worker);
		};

		expect(await seenBy(agentAt(folder, second))).toEqual(['worker-2']);
		expect(await seenBy(IN_WINDOW)).toEqual(['worker', 'worker-2']);
	});

	it('sees the sessions of its own task', async () => {
		const other = TaskName.parse('other');
		const seen = async (asker: Asker) =>
			(await perform(await operations.sessions(), asker, {}, context())).sessions.map(({ worker }) => worker);

		expect(await seen(agentAt(folder, first))).toEqual(['fix/worker', 'fix/worker-2']);
		await expect(seen(agentAt(folder, { task: other, worker: FIRST_WORKER }))).rejects.toMatchObject({
			code: 'no-task',
		});
	});

	it('asks for its own tokens; a person must say whose', async () => {
		const operation = await operations.tokens();

		expect(await perform(operation, agentAt(folder, second), {}, context())).toMatchObject({
			worker: 'fix/worker-2',
			session: 'session-worker-2',
		});
		await expect(perform(operation, IN_WINDOW, {}, context())).rejects.toMatchObject({ code: 'bad-usage' });
	});
});

describe('status', () => {
	it('is what the asker’s own look at the workspace gives', async () => {
		expect(await perform(await operations.status(), IN_WINDOW, { all: false }, context())).toMatchObject({
			folder: folder.file('project'),
			tasks: [{ task, workers: [{ worker: 'worker', phase: 'idle' }, { worker: 'worker-2' }] }],
		});
	});
});

describe('sessionHistory', () => {
	it('finds a session by the beginning of its id, and by the whole of one that begins another', async () => {
		const historyOf = async (session: string) =>
			perform(await operations.sessionHistory(), IN_WINDOW, { session }, context());

		expect(await historyOf('session-worker')).toMatchObject({
			worker: 'fix/worker',
			entries: [{ what: 'reply' }],
		});
		await expect(historyOf('session-')).rejects.toMatchObject({ code: 'bad-usage' });
		await expect(historyOf('none')).rejects.toMatchObject({ code: 'no-message' });
	});
});

describe('followTraffic', () => {
	it('gives the newest record, then each that comes, each once, until its signal', async () => {
		const until = new AbortController();
		const seen: string[] = [];
		const write = (record: TrafficRecord) => {
			seen.push(record.type === 'event' ? record.event.event : record.type);
			if (seen.length === 1) happens(first, 'Next');
			else until.abort();
		};

		await perform(
			await operations.followTraffic(),
			IN_WINDOW,
			{ of: first, limit: 50 },
			{ ...context(), write, signal: until.signal },
		);

		expect(seen).toEqual(['Stop', 'Next']);
	});
});

describe('wait', () => {
	it('looks again when the workspace has changed, through the asker’s own watch', async () => {
		let overview = await overviewWith('working');
		const watching = contextOf(folder, workspace, {
			watch: work =>
				work({
					overview: () => overview,
					changed: async () => {
						overview = await overviewWith('ended');
					},
				}),
		});

		expect(await perform(await operations.wait(), IN_WINDOW, { of: { task }, until: 'stop' }, watching)).toEqual({
			task,
			until: 'stop',
			workers: [
				{ worker: 'fix/worker', phase: 'ended' },
				{ worker: 'fix/worker-2', phase: 'ended' },
			],
			messages: [],
		});
	});

	it('returns the message of the worker that is meant', async () => {
		const overview = await overviewWith('working');
		const watching = contextOf(folder, workspace, {
			watch: work => work({ overview: () => overview, changed: () => Promise.resolve() }),
		});
		for (const [{ worker }, text] of [
			[first, 'Not this.'],
			[second, 'This.'],
		] as const)
			await workspace.send({ task, worker: ORCHESTRATOR }, messageContent(text), {
				is: 'agent',
				worker: `${task}/${worker}`,
			});

		const { messages } = await perform(
			await operations.wait(),
			IN_WINDOW,
			{ of: second, until: 'message' },
			watching,
		);

		expect(messages.map(({ text }) => text)).toEqual(['This.']);
	});

	it('gives up in time, and names the worker that did not come to it', async () => {
		const overview = await overviewWith('working');
		const watching = contextOf(folder, workspace, {
			watch: work => work({ overview: () => overview, changed: () => Promise.resolve() }),
		});
		const input = { of: first, until: 'idle', timeoutMs: 0 } as const;

		await expect(perform(await operations.wait(), IN_WINDOW, input, watching)).rejects.toMatchObject({
			code: 'timeout',
			message: 'fix/worker did not come to "idle" in time; fix/worker is working',
		});
	});
});

describe('deleteFoundTasks', () => {
	it('is nothing that an agent may do', async () => {
		const operation = await operations.deleteFoundTasks();

		await expect(perform(operation, agentAt(folder, first), { silentForMs: 0 }, context())).rejects.toMatchObject({
			code: 'not-trusted',
		});
	});

	it('names what its look has deleted, too', async () => {
		const looking = contextOf(folder, workspace, {
			look: async () => {
				await rm(workspace.paths.task(task), { recursive: true });
				return { tasks: [], problems: [] };
			},
		});

		expect(await perform(await operations.deleteFoundTasks(), IN_WINDOW, { silentForMs: 0 }, looking)).toEqual({
			deleted: [task],
		});
	});
});
