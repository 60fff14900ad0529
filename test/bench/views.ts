import { mkdirSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Emitter } from '../../src/base/event.ts';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { Tickets } from '../../src/core/delegates/tickets.ts';
import { WorkspaceModel } from '../../src/core/live/model.ts';
import type { SessionTraffic } from '../../src/core/live/sessionView.ts';
import { idTime } from '../../src/core/mailbox/messageId.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { TaskSnapshots } from '../../src/core/worktrees/taskSnapshots.ts';
import { driverById, drivers, limitOf } from '../../src/drivers/index.ts';
import { DriverId, FIRST_WORKER, MessageId, ORCHESTRATOR, SessionId, TaskName } from '../../src/protocol/names.ts';
import type { TreePart, Views } from '../../src/ui/nancy.ts';
import type { Changes, Folder } from '../../src/ui/ports.ts';
import { addBoundWorker } from '../support/boundWorker.ts';
import { seedDelegate } from '../support/delegateSeeds.ts';
import { BY_USER, messageContent } from '../support/messageContent.ts';
import { spool } from '../support/seedWorkspace.ts';
import { taskRecord } from '../support/taskRecord.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { median, milliseconds, type Row } from './table.ts';

const AGENT = DriverId.parse('claude-code');
const TASKS = 200;
const DELEGATES = 500;
const MESSAGES = 20_000;
const WOKEN_TURNS = 1000;

/** Of each task. */
const CHANGES: Changes = {
	files: Array.from({ length: 60 }, (_, number) => ({
		path: `src/room/file-${number}.ts`,
		status: 'modified',
		lines: { insertions: number, deletions: 1 },
	})),
	insertions: 1770,
	deletions: 60,
};

const UPDATES = 20;
/** Longer than the model and the views take to come to rest. */
const REST_MS = 1500;
/** The collector and the keeper of the mailboxes have had their first looks. */
const SETTLES_MS = 10_000;
const IDLE_MS = 20_000;

/** The whole window on a large folder, with its rows drawn: an update, and what it costs while nothing happens. Processor time. */
export async function benchViews(): Promise<Row[]> {
	await using folder = tempFolder();
	const workspace = new Workspace(join(folder.path, 'project'), join(folder.path, 'data'));
	mkdirSync(workspace.folder);
	const tickets = new Tickets(join(folder.path, 'data'), workspace.folder);
	await seed(workspace);
	const model = new WorkspaceModel(workspace, drivers, { tickets });
	// The model's own timers keep no process alive.
	const alive = setInterval(() => undefined, 1000);
	const window = await openOn(model);
	await model.refresh();
	await sleep(REST_MS * 2);
	window.draw();
	// The rows have changed files only once they were asked for.
	await sleep(REST_MS);
	const rows = window.draw();
	await sleep(SETTLES_MS);

	const paints: number[] = [];
	const changes: number[] = [];
	const idle = await share();
	for (let number = 0; number < UPDATES; number++) {
		window.spent.length = 0;
		const address = { task: nameOf(number * 7), worker: FIRST_WORKER };
		const whole = await processorTime(async () => {
			await workspace.send(address, messageContent(`Mind the gap ${number}`), BY_USER);
			await sleep(REST_MS);
		});
		paints.push(Math.max(0, ...window.spent));
		changes.push(whole - idle * REST_MS);
	}
	clearInterval(alive);
	await model.close();
	await window.close();
	const size = `${TASKS} tasks, ${DELEGATES} delegates, ${MESSAGES} messages`;
	return [
		{
			what: `an update of all views, ${size}`,
			value: `p50 ${milliseconds(median(paints))}, most ${milliseconds(Math.max(...paints))}`,
			against: `${rows} rows drawn`,
			goal: '≤ 50 ms',
			met: median(paints) <= 50,
		},
		{
			what: 'the same, with all that a sent message sets off',
			value: `p50 ${milliseconds(median(changes))}`,
			against: '',
			goal: 'none set',
		},
		{
			what: 'the same window while nothing happens',
			value: `${(idle * 100).toFixed(2)} % of a core`,
			against: '',
			goal: '< 1 %',
			met: idle < 0.01,
		},
	];
}

/** Of a core, while nothing happens. */
async function share(): Promise<number> {
	return (await processorTime(() => sleep(IDLE_MS))) / IDLE_MS;
}

/** In milliseconds; other work on the machine does not count. */
async function processorTime(work: () => Promise<void> | void): Promise<number> {
	const before = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

/** Opens a window on the folder of a model, in a stand-in for VS Code that draws nothing. */
async function openOn(model: WorkspaceModel): Promise<{
	/** How long each update took, in milliseconds of processor time. */
	spent: number[];
	/** Asks for all rows that are open, as VS Code does. Returns how many there are. */
	draw(): number;
	close(): Promise<void>;
}> {
	const standIn = pathToFileURL(join(import.meta.dirname, 'vscodeStandIn.ts')).href;
	registerHooks({ resolve: (name, context, next) => next(name === 'vscode' ? standIn : name, context) });
	const { openWindow } = await import('../../src/ui/window.ts');
	const { workspaceFolders, EventEmitter, nothing } = await import('./vscodeStandIn.ts');
	const path = model.workspace.folder;
	workspaceFolders.push({ uri: { scheme: 'file', fsPath: path }, name: 'project' });
	const changed = new Emitter<void>();
	const spent: number[] = [];
	model.onDidChange(() => {
		const before = process.cpuUsage();
		changed.fire();
		const { user, system } = process.cpuUsage(before);
		spent.push((user + system) / 1000);
	});
	const woken = wokenSession();
	const folder: Folder = {
		name: 'project',
		path,
		workspace: model.workspace,
		onDidChange: changed.event,
		onDidNeedAttention: model.onDidNeedAttention,
		overview: () => model.overview(),
		messages: address => model.messages(address),
		delegates: () => model.delegates(),
		questions: () => [],
		pastQuestions: () => [],
		question: () => undefined,
		sessions: () => [...model.sessions(), woken],
		eventDetail: () => Promise.reject(new Error('nobody asks')),
		refresh: () => model.refresh(),
		dispose: () => undefined,
	};
	const events = { onDidChangeSelection: new EventEmitter().event, onDidExpandElement: new EventEmitter().event };
	const view = () => nothing<Views['inbox']>({ visible: true, selection: [], ...events });
	const memory = nothing<object>({ get: () => undefined, update: () => Promise.resolve() });
	const window = openWindow({
		context: nothing({ workspaceState: memory, globalState: memory }),
		views: { questions: view(), tasks: view(), delegates: view(), inbox: view(), memory: view(), traffic: view() },
		failures: nothing({ background: () => undefined }),
		operations: nothing({
			agents: () => Promise.resolve([]),
			worktrees: { changes: () => Promise.resolve(CHANGES) },
		}),
		desk: nothing({}),
		projects: nothing({ projects: () => Promise.resolve({ projects: [], problems: [] }) }),
		executors: nothing({ list: () => Promise.resolve([]) }),
		openFolder: () => folder,
		agentName: driver => driverById(driver)?.displayName ?? driver,
		modeName: (_, mode) => mode,
		agentShortName: driver => driverById(driver)?.shortName ?? driver,
		limitOf,
		readerOf: driverById,
		interruptOf: agent => driverById(agent)?.interrupt ?? 'none',
		canFork: agent => (driverById(agent)?.floors.fork ?? 'none') !== 'none',
	});
	const parts = [window.tasks, window.delegates, window.inbox, window.traffic];
	return {
		spent,
		draw: () => parts.reduce((count, { provider }) => count + drawn(provider), 0),
		close: () => window.stop(),
	};
}

function drawn(provider: TreePart['provider'], parent?: unknown): number {
	const rows = provider.getChildren(parent);
	if (!Array.isArray(rows)) return 0;
	let count = 0;
	for (const row of rows) {
		const item = provider.getTreeItem(row);
		count++;
		// TreeItemCollapsibleState.Expanded
		if ('collapsibleState' in item && item.collapsibleState === 2) count += drawn(provider, row);
	}
	return count;
}

async function seed(workspace: Workspace): Promise<void> {
	for (let number = 0; number < TASKS; number++) {
		const task = nameOf(number);
		const session = `session-${number}`;
		await workspace.createTask(taskRecord(task, AGENT, { title: `Fix it ${number}` }));
		const address = { task, worker: FIRST_WORKER };
		await addBoundWorker(workspace, address, { agent: AGENT, session: SessionId.parse(session) });
		spool(workspace, session, 'UserPromptSubmit', { prompt: `Please fix it ${number}` }, `${number}-1`);
		spool(workspace, session, 'Stop', { last_assistant_message: 'It is fixed.' }, `${number}-2`);
		const snapshot = { repository: workspace.folder, tree: '0'.repeat(40), ref: `refs/nancy/snapshots/${number}` };
		await new TaskSnapshots(workspace.own).note(task, snapshot);
		for (const worker of [FIRST_WORKER, ORCHESTRATOR]) await fill(workspace, task, worker);
	}
	const delegates = new Delegates(workspace);
	for (let number = 0; number < DELEGATES; number++)
		await seedDelegate(delegates, { title: `Do ${number}`, state: 'done', tool_calls: number });
}

/** Messages of the last days that were delivered. */
async function fill(workspace: Workspace, task: TaskName, worker: typeof FIRST_WORKER): Promise<void> {
	const mailbox = workspace.mailbox({ task, worker });
	await mailbox.makeFolders();
	const each = MESSAGES / TASKS / 2;
	for (let number = 0; number < each; number++) {
		const minutesAgo = number * 37 + Number(task.slice('task-'.length));
		const id = MessageId.parse(`${idTime(Date.now() - minutesAgo * 60_000)}-${number}`);
		writeFileSync(join(mailbox.folder, 'delivered', `${id}.md`), `Message ${number} of ${task}\n`);
	}
}

function nameOf(number: number): TaskName {
	return TaskName.parse(`task-${number % TASKS}`);
}

/** Each of its turns began with a message that is gone. */
function wokenSession(): SessionTraffic {
	const at = new Date().toISOString();
	const task = nameOf(0);
	const session = SessionId.parse('woken');
	const delivery = { nancy: 'delivery', driver: AGENT, session, at, task, worker: FIRST_WORKER } as const;
	const gone = { messages: [MessageId.parse('gone')], event: 'Prompt', effect: 'none', rung: 'wake' } as const;
	return {
		session,
		address: { task, worker: FIRST_WORKER },
		startedAt: at,
		lastAt: at,
		turns: Array.from({ length: WOKEN_TURNS }, (_, turn) => ({
			id: `t${turn}`,
			at,
			nodes: [
				{
					id: `n${turn}`,
					at,
					event: { kind: 'prompt', event: 'Prompt', driver: AGENT, session, isWake: true },
					deliveries: [{ ...delivery, ...gone, messages: [...gone.messages] }],
					troubles: [],
				},
			],
		})),
	};
}
