import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { NancyError } from '../../src/base/errors.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { DriverId, FIRST_WORKER, TaskName } from '../../src/protocol/names.ts';
import type { AgentChoice, Folder, WorkerRequest } from '../../src/ui/ports.ts';
import { PromptEditors } from '../../src/ui/start/promptEditors.ts';
import { runsOf } from '../../src/ui/start/startChoice.ts';
import { StartMemory } from '../../src/ui/start/startMemory.ts';
import { draftOf, type TaskOrder } from '../../src/ui/tasks/orchestrateHub.ts';
import { startWorkers, type WorkersStart } from '../../src/ui/tasks/startWorkers.ts';
import { mementoOf } from '../support/memento.ts';
import { unusedFolder } from '../support/unusedFolder.ts';

const agents = ['heron', 'egret', 'ibis'].map((id): AgentChoice => ({
	id: DriverId.parse(id),
	displayName: id,
	installCommand: '',
	isUntried: false,
	lacks: [],
	limits: [],
	model: undefined,
	permissionModes: [],
	launchModes: id === 'ibis' ? [] : [{ id: 'plan', label: 'Plan', detail: 'Plans.' }],
	takesImages: id === 'egret',
}));
const folder: Folder = {
	...unusedFolder(new Workspace('/project')),
	overview: () => ({ tasks: [], problems: [] }),
};
const order: TaskOrder = { folder };
const choice = {
	agents: agents.map(({ id }) => id),
	models: '',
	place: 'worktree' as const,
	permissions: { heron: 'plan', egret: 'everything' },
};
const begun: WorkersStart = {
	order,
	answer: {
		prompt: 'Paint it.\nGreen.',
		title: 'Paint it',
		choice,
		runs: runsOf(choice, agents),
		images: ['/a.png'],
	},
	document: undefined,
};

describe('a prompt for several agents', () => {
	let editors: PromptEditors<TaskOrder>;
	let memory: StartMemory;
	const asked: WorkerRequest[] = [];
	/** Fails for these, each with its own reason. */
	const startBut = (failing: readonly string[], code: 'io' | 'task-exists' = 'io', what = begun) =>
		startWorkers(
			{
				editors,
				memory,
				start: request => {
					asked.push(request);
					return failing.includes(request.agent)
						? Promise.reject(new NancyError(code, `no ${request.agent}`))
						: Promise.resolve();
				},
			},
			what,
		);

	beforeEach(async () => {
		asked.length = 0;
		memory = new StartMemory(mementoOf(), mementoOf());
		await memory.keepDraft(draftOf(order), 'Paint it.');
		editors = new PromptEditors<TaskOrder>({ title: 'Start Task with This', id: 'nancy.startThis' });
	});
	afterEach(async () => {
		editors.dispose();
		await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
	});

	it('is tried with each, and stays in an editor for all that failed, which are named together', async () => {
		await assert.rejects(startBut(['heron', 'ibis']), {
			message:
				'Started: egret. Not started: heron, ibis. heron: No heron. ibis: No ibis. ' +
				'“Start Task with This” in the prompt’s editor tries that again.',
		});
		assert.deepEqual(
			asked.map(({ agent, task }) => [agent, task]),
			[
				['heron', 'paint-it'],
				['egret', 'paint-it'],
				['ibis', 'paint-it'],
			],
		);
		const document = vscode.window.activeTextEditor?.document;
		assert.ok(document?.isUntitled);
		assert.equal(document.getText(), 'Paint it.\nGreen.');
		assert.deepEqual(editors.orderOf(document), {
			folder,
			task: { name: 'paint-it', label: 'Paint it', agent: 'heron' },
			again: { ...choice, agents: ['heron', 'ibis'] },
			images: ['/a.png'],
		});
		assert.equal(memory.draft(draftOf(order)), '');
	});

	it('starts each with the permissions that are chosen for it, of those that it has in a terminal', async () => {
		await startBut([]);
		assert.deepEqual(
			asked.map(({ permissions }) => permissions),
			['plan', undefined, undefined],
		);
	});

	it('gives its images to each agent that takes some', async () => {
		await startBut([]);
		assert.deepEqual(
			asked.map(({ images }) => images),
			[undefined, ['/a.png'], undefined],
		);
	});

	it('starts a worker again with the first of its agents, where it worked, and new ones with the others', async () => {
		const task = { name: TaskName.parse('paint-it'), label: 'Paint it', agent: 'heron' };
		const again = { ...begun, order: { ...order, task, worker: FIRST_WORKER } };
		await startBut(['heron'], 'io', again).catch(() => undefined);
		assert.deepEqual(
			asked.map(({ worker, place }) => [worker, place]),
			[
				[FIRST_WORKER, undefined],
				[FIRST_WORKER, undefined],
				[undefined, 'worktree'],
			],
		);
	});

	it('makes one task, also if the first agent fails once the task is made', async () => {
		await assert.rejects(startBut(['heron']));
		assert.deepEqual(
			asked.map(({ title, isNew }) => [title, isNew]),
			[
				['Paint it', true],
				['Paint it', undefined],
				['Paint it', undefined],
			],
		);
	});

	it('never joins a task of somebody else who was faster', async () => {
		const everyone = agents.map(({ id }) => id);
		await assert.rejects(startBut(everyone, 'task-exists'));
		assert.deepEqual(
			asked.map(({ isNew }) => isNew),
			[true, true, true],
		);
	});

	it('stays a draft if none could be started', async () => {
		const before = vscode.workspace.textDocuments.length;
		await assert.rejects(startBut(agents.map(({ id }) => id)), {
			message: 'heron: No heron. egret: No egret. ibis: No ibis.',
		});
		assert.equal(vscode.workspace.textDocuments.length, before);
		assert.equal(memory.draft(draftOf(order)), 'Paint it.');
	});

	it('is no draft any more once all were started', async () => {
		await startBut([]);
		assert.equal(asked.length, 3);
		assert.equal(memory.draft(draftOf(order)), '');
	});
});
