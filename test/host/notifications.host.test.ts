import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Emitter } from '../../src/base/event.ts';
import type { Attention } from '../../src/core/live/attention.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { SETTINGS } from '../../src/ui/contributions.ts';
import { Notifications } from '../../src/ui/notifications.ts';
import type { Folder } from '../../src/ui/ports.ts';
import type { Failure } from '../../src/ui/tasks/terminals.ts';
import { eventually } from '../support/eventually.ts';
import { taskView } from '../support/taskViews.ts';
import { unusedFolder } from '../support/unusedFolder.ts';

describe('the notification of an agent that has failed', () => {
	const { showWarningMessage } = vscode.window;
	const task = taskView('fix', { title: 'Fix it', workers: ['ended', 'ended'] });
	const overview = () => ({ tasks: [task], problems: [] });
	const folder = Object.assign(unusedFolder(new Workspace('/project')), { overview });
	const said: (readonly string[])[] = [];
	const works: Promise<unknown>[] = [];
	const pressed: string[] = [];
	const failed = new Emitter<{ folder: Folder; attention: Failure }>();
	const needed = new Emitter<{ folder: Folder; attention: Attention }>();
	let notifications: Notifications;

	const fail = (which: number) => {
		const { task: of, name: worker, agent } = task.workers[which]!.record;
		failed.fire({ folder, attention: { kind: 'failed', address: { task: of, worker }, agent, exitCode: 3 } });
	};
	const shown = async () => {
		await eventually('a notification', () => said.length > 0);
		await Promise.all(works.splice(0));
		return said.splice(0);
	};
	const set = (value: string | undefined) =>
		vscode.workspace.getConfiguration().update(SETTINGS.notifyStopped, value, vscode.ConfigurationTarget.Global);

	before(() => {
		const show = (...words: string[]) => {
			said.push(words);
			return Promise.resolve(words.at(-1));
		};
		Object.assign(vscode.window, { showWarningMessage: show });
		notifications = new Notifications({
			folders: { onDidNeedAttention: needed.event },
			terminals: { onDidFail: failed.event },
			failures: { background: work => void works.push(work) },
			reactions: {
				showAll: () => Promise.resolve(void pressed.push('all')),
				choices: () => [{ label: 'Start Again', run: () => Promise.resolve(void pressed.push('again')) }],
			},
			agentName: () => 'Fake',
		});
	});
	after(async () => {
		notifications.dispose();
		Object.assign(vscode.window, { showWarningMessage });
		await set(undefined);
	});

	it('names the task, the agent and the exit code, and starts it again', async () => {
		fail(0);
		assert.deepEqual(await shown(), [['Fix it · worker: Fake ended with exit code 3.', 'Start Again']]);
		assert.deepEqual(pressed.splice(0), ['again']);
	});

	it('is one for a question of which no desk has heard, with the place of the answer and of the file', async () => {
		const { task: of, name: worker } = task.workers[0]!.record;
		const ask = async (tool: string, more: Pick<Attention, 'isOnFile'>) => {
			const text = '/project/src/a.ts';
			const at = new Date().toISOString();
			const address = { task: of, worker };
			needed.fire({ folder, attention: { id: 'q', kind: 'permission', address, tool, text, at, ...more } });
			return (await shown())[0]?.[0];
		};
		const question = 'Fix it · worker waits for your permission:';
		assert.equal(await ask('Write', { isOnFile: true }), `${question} src/a.ts (answer in its terminal)`);
		assert.equal(await ask('Bash', {}), `${question} /project/src/a.ts (answer in its terminal)`);
		pressed.splice(0);
	});

	it('is one for all that fail at the same time', async () => {
		fail(0);
		fail(1);
		assert.deepEqual(await shown(), [['2 workers have failed.', 'Show']]);
		assert.deepEqual(pressed.splice(0), ['all']);
	});

	it('is one for all that ask at the same time what no desk has heard, and says that the terminals take the answers', async () => {
		const ask = (which: number) => {
			const { task: of, name: worker } = task.workers[which]!.record;
			const at = new Date().toISOString();
			const address = { task: of, worker };
			needed.fire({
				folder,
				attention: { id: `q${which}`, kind: 'permission', address, text: 'Which port?', at },
			});
		};
		ask(0);
		ask(1);
		assert.deepEqual(await shown(), [['2 workers wait for you (answer in their terminals).', 'Show']]);
		ask(0);
		fail(1);
		assert.deepEqual(await shown(), [
			['1 worker waits for you (answer in its terminal). 1 worker has failed.', 'Show'],
		]);
		pressed.splice(0);
	});

	it('is shown only if the user wants to hear of agents that stop', async () => {
		await set('badge');
		fail(0);
		await set(undefined);
		fail(1);
		assert.deepEqual(await shown(), [['Fix it · worker-2: Fake ended with exit code 3.', 'Start Again']]);
	});
});
