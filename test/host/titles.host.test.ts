import assert from 'node:assert/strict';
import { NancyError } from '../../src/base/errors.ts';
import { phrase } from '../../src/base/phrase.ts';
import type { Delegate } from '../../src/core/delegates/delegate.ts';
import { DelegateFiles } from '../../src/core/delegates/files.ts';
import type { TaskView } from '../../src/core/live/overview.ts';
import { theAgent, theDelegate, theTask, theWorker } from '../../src/core/workspace/named.ts';
import { Workspace, taskExists } from '../../src/core/workspace/workspace.ts';
import { DelegateRecord, DelegateStatus } from '../../src/protocol/delegate.ts';
import { DriverId, TaskName, WorkerName } from '../../src/protocol/names.ts';
import { delegateLine } from '../../src/ui/delegates/delegateWords.ts';
import { errorWords, sayTitles } from '../../src/ui/kit/translated.ts';
import type { Folder } from '../../src/ui/ports.ts';
import { titleOf } from '../../src/ui/titles.ts';
import { taskView } from '../support/taskViews.ts';
import { unusedFolder } from '../support/unusedFolder.ts';

const login = TaskName.parse('login');
const second = { task: login, worker: WorkerName.parse('worker-2') };

function folder(path: string, tasks: readonly TaskView[], delegates: readonly Delegate[] = []): Folder {
	const views = { overview: () => ({ tasks, problems: [] }), delegates: () => delegates };
	return Object.assign(unusedFolder(new Workspace(path)), views);
}

function delegate(id: string): Delegate {
	const record = DelegateRecord.parse({
		version: 1,
		id,
		title: 'Find dead code',
		createdAt: '2026-01-01T00:00:00.000Z',
		agent: 'fake',
		permissions: 'default',
		place: { is: 'folder', folder: '/a' },
		limits: {},
		task: 'delegates',
		worker: 'delegate-1',
	});
	const status = DelegateStatus.parse({ task_id: id, status: 'running' });
	return { record, status, files: new DelegateFiles(`/a/${id}`, []), state: 'running' };
}

const two = taskView('login', { title: 'Fix the login', workers: ['idle', 'idle'] });
const one = taskView('login-2', { title: 'Fix the login', workers: ['idle'] });

/** The words of an error for a window with these folders. */
function words(error: NancyError, ...folders: readonly Folder[]): string {
	sayTitles(named => titleOf(named, folders, () => 'Fake CLI'));
	return errorWords(error);
}

describe('an error of the core in the window', () => {
	it('names a task as its row does, also if two have one title', () => {
		const here = folder('/a', [two, one]);
		assert.match(words(taskExists(login), here), /^there is a task “Fix the login” already/);
		assert.match(
			words(taskExists(TaskName.parse('login-2')), here),
			/^there is a task “Fix the login \(2\)” already/,
		);
	});

	it('names a worker as its row does, and leaves a command as it is to be typed', () => {
		const error = new NancyError(
			'busy',
			phrase`${theWorker(second)} is running; end it first: ${'nancy stop login/worker-2'}`,
		);
		const said = words(error, folder('/a', [two]));
		assert.equal(said, '“Fix the login · worker-2” is running; end it first: nancy stop login/worker-2');
		assert.equal(error.message, 'login/worker-2 is running; end it first: nancy stop login/worker-2');
	});

	it('says in the row of a delegate what it asks, in place of its last step', () => {
		const { status, ...running } = { ...delegate('d1'), asks: ['touch made'] };
		const line = delegateLine({ ...running, status: { ...status, last_tool: 'Bash', tool_calls: 2 } });
		assert.equal(line, 'running · asks: touch made · 2 tool calls');
	});

	it('says in the row of a delegate that it is isolated', () => {
		const { record, ...running } = delegate('d1');
		assert.equal(
			delegateLine({ ...running, record: { ...record, isolate: 'bwrap' } }),
			'running · isolated (bwrap)',
		);
	});

	it('names a delegate as its row does, and an agent by its name', () => {
		const delegates = [delegate('d1'), delegate('d2')];
		const id = delegates[1]!.record.id;
		const error = new NancyError(
			'busy',
			phrase`${theDelegate(id)} has not ended; ${theAgent(DriverId.parse('fake'))}`,
		);
		assert.equal(words(error, folder('/a', [], delegates)), '“Find dead code · 2” has not ended; Fake CLI');
	});

	it('says the plain name of what no folder has, or two folders call differently', () => {
		const error = new NancyError('no-task', phrase`${theTask(login)} is here`);
		assert.equal(words(error, folder('/a', [one])), 'login is here');
		const other = taskView('login', { title: 'Another' });
		assert.equal(words(error, folder('/a', [two]), folder('/b', [other])), 'login is here');
		assert.equal(words(error, folder('/a', [two]), folder('/b', [two])), '“Fix the login” is here');
	});
});
