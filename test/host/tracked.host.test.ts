import assert from 'node:assert/strict';
import { identify } from '../../src/base/liveness.ts';
import type { Overview } from '../../src/core/live/overview.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { WindowOperations } from '../../src/main/windowOperations.ts';
import { FIRST_WORKER, TaskName } from '../../src/protocol/names.ts';
import type { WorkerRecord } from '../../src/protocol/records.ts';
import { fakeDriver } from '../support/fakeDriver.ts';
import { gitRepository, type GitRepository } from '../support/gitRepository.ts';
import { messageContent } from '../support/messageContent.ts';
import { taskRecord } from '../support/taskRecord.ts';
import { unusedFolder } from '../support/unusedFolder.ts';

const task = TaskName.parse('fix');
const address = { task, worker: FIRST_WORKER };

describe('a folder whose .nancy came with the repository', () => {
	let repository: GitRepository;
	let workspace: Workspace;
	let operations: WindowOperations;

	beforeEach(async () => {
		repository = gitRepository();
		workspace = new Workspace(repository.root);
		await workspace.createTask(taskRecord(task, fakeDriver.id));
		repository.git(['add', '--force', '.nancy/tasks']);
		operations = new WindowOperations(repository.root, '0.0.0', () => undefined);
	});
	afterEach(() => repository.remove());

	const folder = () => {
		const startedAt = new Date().toISOString();
		const record: WorkerRecord = {
			version: 1,
			task,
			name: FIRST_WORKER,
			agent: fakeDriver.id,
			sessions: [],
			startedAt,
			process: identify(process.pid),
		};
		const state = { phase: 'idle', source: '', at: startedAt, since: startedAt } as const;
		const overview: Overview = {
			tasks: [
				{
					record: taskRecord(task, fakeDriver.id),
					workers: [{ record, state, queued: 0 }],
					unread: 0,
				},
			],
			problems: [],
		};
		return { ...unusedFolder(workspace), overview: () => overview };
	};
	const queued = async () => (await workspace.mailbox(address).list(['queued'])).messages.length;

	it('gets no message from the window, until it is the user’s own', async () => {
		const send = () =>
			operations.send([{ folder: folder(), address }], { ...messageContent('Go on.'), kind: 'directive' });
		await assert.rejects(send, { code: 'not-trusted' });
		assert.equal(await queued(), 0);
		repository.git(['rm', '-rq', '--cached', '.nancy']);
		assert.deepEqual(await send(), []);
		assert.equal(await queued(), 1);
	});

	it('gets no hooks written again while an agent runs', async () => {
		const request = () => operations.deployRequest(folder(), fakeDriver);
		await assert.rejects(request, { code: 'not-trusted' });
		repository.git(['rm', '-rq', '--cached', '.nancy']);
		// Its CLI is not there: nothing to deploy for.
		assert.equal(await request(), undefined);
	});
});
