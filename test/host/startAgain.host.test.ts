import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Delegate } from '../../src/core/delegates/delegate.ts';
import type { Phase, TaskView } from '../../src/core/live/overview.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { DriverId, FIRST_WORKER, SessionId, WorkerName } from '../../src/protocol/names.ts';
import { DelegateItem } from '../../src/ui/delegates/delegatesView.ts';
import type { AgentChoice, Folder } from '../../src/ui/ports.ts';
import { reactions } from '../../src/ui/reactions.ts';
import { Presets } from '../../src/ui/start/presets.ts';
import { StartMemory } from '../../src/ui/start/startMemory.ts';
import { resumeWorker, startAgain } from '../../src/ui/tasks/afterEnd.ts';
import { askTask } from '../../src/ui/tasks/orchestrateHub.ts';
import { Orchestrator } from '../../src/ui/tasks/orchestrate.ts';
import { WorkerItem } from '../../src/ui/tasks/tasksView.ts';
import { PromptEditors } from '../../src/ui/start/promptEditors.ts';
import { DelegateRoom } from '../support/delegateRoom.ts';
import { eventually } from '../support/eventually.ts';
import { mementoOf } from '../support/memento.ts';
import { taskView } from '../support/taskViews.ts';
import { unusedFolder } from '../support/unusedFolder.ts';

const FAKE = DriverId.parse('fake');
const { record } = taskView('fix', { title: 'Fix it' });
const address = { task: record.name, worker: FIRST_WORKER };

/** A folder with one task, which changes. */
function folderWith(task: TaskView): { folder: Folder; become: (task: TaskView) => void } {
	let tasks = [task];
	const overview = () => ({ tasks, problems: [] });
	return {
		folder: Object.assign(unusedFolder(new Workspace('/project')), { overview, delegates: () => [] }),
		become: next => {
			tasks = [next];
		},
	};
}

function task(phase: Phase, hasBegun = false): TaskView {
	const view = taskView('fix', { workers: [phase] });
	const sessions = hasBegun ? [{ id: SessionId.parse('s1'), startedAt: record.createdAt }] : [];
	return { ...view, record, workers: view.workers.map(each => ({ ...each, record: { ...each.record, sessions } })) };
}

function itemOf(view: TaskView): WorkerItem {
	return new WorkerItem(folderWith(view).folder, view, view.workers[0]!);
}

describe('a worker whose agent has ended', () => {
	const done: string[] = [];
	const orchestrator = {
		resume: () => Promise.resolve(void done.push('resume')),
		startAgain: () => Promise.resolve(void done.push('start')),
	};
	beforeEach(() => done.splice(0));

	it('is resumed if it has begun a conversation, and otherwise the user reads what to do instead', async () => {
		await assert.rejects(resumeWorker(orchestrator, itemOf(task('ended'))), {
			message: 'Fix it has not begun a conversation. Use “Start Again”.',
		});
		await resumeWorker(orchestrator, itemOf(task('ended', true)));
		assert.deepEqual(done, ['resume']);
	});

	it('starts again only if it neither runs nor has a conversation by then', async () => {
		await assert.rejects(startAgain(orchestrator, itemOf(task('starting'))), {
			message: 'Fix it is running.',
		});
		await assert.rejects(startAgain(orchestrator, itemOf(task('ended', true))), {
			message: 'Fix it has begun a conversation. Use “Resume Worker”.',
		});
		await startAgain(orchestrator, itemOf(task('ended')));
		assert.deepEqual(done, ['start']);
	});
});

describe('the buttons of a notification', () => {
	const room = new DelegateRoom();
	after(() => room.folder.remove());
	const said: unknown[] = [];
	const called: unknown[] = [];
	beforeEach(() => {
		said.splice(0);
		called.splice(0);
	});
	const note = ([item]: readonly unknown[]) => void called.push(item);
	const reacting = (folder: Folder) =>
		reactions({
			folders: { list: () => [folder] },
			failures: {
				guard: async run => {
					try {
						await run();
					} catch (error) {
						said.push(error instanceof Error ? error.message : error);
					}
				},
			},
			compose: { open: () => Promise.resolve() },
			handlers: {
				'nancy.showAttention': note,
				'nancy.focusTerminal': note,
				'nancy.resumeWorker': note,
				'nancy.startAgain': note,
				'nancy.openDelegateLog': note,
				'nancy.showDelegateOutput': note,
				'nancy.reviewDelegate': note,
			},
		});

	it('act on the worker that was named, as it is by then, and on no later one of its name', async () => {
		const { folder, become } = folderWith(task('ended'));
		const attention = { kind: 'failed', address, agent: 'fake', exitCode: 3 } as const;
		const [again] = reacting(folder).choices({ folder, attention });
		assert.equal(again?.label, 'Start Again');
		const begun = task('ended', true);
		become(begun);
		await again.run();
		assert.equal(called[0] instanceof WorkerItem && called[0].task, begun);
		become({ ...begun, record: { ...begun.record, createdAt: '2026-11-24T12:00:00.000Z' } });
		await again.run();
		assert.deepEqual(said, ['This worker can no longer be reached.']);
		assert.equal(called.length, 1);
	});

	it('act on the delegate that was named, as it is by then, and say so if it is gone', async () => {
		const failed: Delegate = { ...(await room.queue({ title: 'Dig' })), state: 'failed' };
		let delegates = [failed];
		const folder = Object.assign(unusedFolder(room.workspace), { delegates: () => delegates });
		const { id, task: of, worker } = failed.record;
		const attention = {
			id: 'delegate',
			kind: 'delegate',
			address: { task: of, worker },
			text: 'Dig',
			at: failed.record.createdAt,
			delegate: { id, state: 'failed' },
		} as const;
		const [log] = reacting(folder).choices({ folder, attention });
		const late: Delegate = { ...failed, state: 'done' };
		delegates = [late];
		await log?.run();
		assert.equal(called[0] instanceof DelegateItem && called[0].delegate, late);
		delegates = [];
		await log?.run();
		assert.deepEqual(said, ['This delegate is no longer there.']);
	});
});

describe('the list of Start Again', () => {
	const agents = ['heron', 'egret'].map((id): AgentChoice => ({
		id: DriverId.parse(id),
		displayName: id,
		installCommand: '',
		isUntried: false,
		lacks: [],
		limits: [],
		model: undefined,
		permissionModes: [],
		launchModes: [],
		takesImages: false,
	}));
	const { createQuickPick } = vscode.window;
	const lists: vscode.QuickPick<vscode.QuickPickItem>[] = [];
	before(() => {
		const create = () => {
			const list = createQuickPick();
			lists.push(list);
			return list;
		};
		Object.assign(vscode.window, { createQuickPick: create });
	});
	after(() => Object.assign(vscode.window, { createQuickPick }));

	const shownFor = async (ids: readonly string[]) => {
		const view = taskView('fix', { title: 'Fix it', workers: ['ended', 'ended'] });
		const { folder } = folderWith(view);
		const asked = askTask({
			order: {
				folder,
				task: { name: address.task, label: 'Fix it', agent: 'heron' },
				worker: WorkerName.parse('worker-2'),
				again: { agents: [...ids], models: '', place: 'folder', permissions: {} },
			},
			written: 'Go.',
			agents,
			memory: new StartMemory(mementoOf(), mementoOf()),
			presets: new Presets(mementoOf()),
		}).catch(() => undefined);
		await eventually('the list', () => lists.length > 0);
		const [list] = lists.splice(0);
		const shown = {
			title: list?.title,
			where: list?.items.filter(({ label }) => label === 'Where').map(({ detail }) => detail),
		};
		list?.hide();
		await asked;
		return shown;
	};

	it('names the worker, and asks where to work for further agents alone', async () => {
		const title = 'Start “Fix it · worker-2” Again';
		assert.deepEqual(await shownFor(['heron']), { title, where: [] });
		assert.deepEqual(await shownFor(['heron', 'egret']), {
			title,
			where: ['The first agent works where this worker did.'],
		});
	});
});

describe('a worker that is started', () => {
	const temp = mkdtempSync(join(tmpdir(), 'nancy-again-'));
	after(() => rmSync(temp, { recursive: true, force: true }));

	/** How it is started, and what is remembered when its terminal opens. */
	async function started(here: ReturnType<typeof mementoOf>) {
		const workspace = new Workspace(join(temp, crypto.randomUUID()));
		await workspace.createTask(record);
		const folder = unusedFolder(workspace);
		const memory = new StartMemory(mementoOf(), here);
		const works: Promise<unknown>[] = [];
		const told: unknown[] = [];
		let atTerminal: unknown;
		const plan = { address, command: 'fake', args: [], env: {}, cwd: workspace.folder, warnings: [] };
		const orchestrator = new Orchestrator({
			folders: { list: () => [folder] },
			operations: { agents: () => Promise.resolve([]), orchestrate: () => Promise.resolve(plan) },
			terminals: {
				start: async () => {
					await Promise.allSettled(works);
					atTerminal = here.get('starts');
				},
			},
			failures: { background: work => void works.push(work.catch((error: unknown) => told.push(error))) },
			memory,
			presets: new Presets(mementoOf()),
			editors: new PromptEditors({ title: 'Start Task with This', id: 'nancy.startThis' }),
		});
		await orchestrator.start(folder, { task: address.task, agent: FAKE, prompt: 'Go.' });
		return { atTerminal: JSON.stringify(atTerminal ?? {}), told };
	}

	it('is remembered before its terminal opens', async () => {
		const { atTerminal, told } = await started(mementoOf());
		assert.match(atTerminal, /Go\./);
		assert.deepEqual(told, []);
	});

	it('has started, also if that cannot be remembered', async () => {
		const full = { ...mementoOf(), update: () => Promise.reject(new Error('no room')) };
		const { told } = await started(full);
		assert.equal(told.length, 1);
	});
});
