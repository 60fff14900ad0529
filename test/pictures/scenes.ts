import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { Tickets } from '../../src/core/delegates/tickets.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { ExecutorId } from '../../src/protocol/executorId.ts';
import { DriverId, FIRST_WORKER, ORCHESTRATOR, SessionId, TaskName, WorkerName } from '../../src/protocol/names.ts';
import { addBoundWorker } from '../support/boundWorker.ts';
import { seedDelegate, type DelegateSeed, seedWorktree, smallRepository } from '../support/delegateSeeds.ts';
import { BY_USER, messageContent } from '../support/messageContent.ts';
import { spool } from '../support/seedWorkspace.ts';
import { taskRecord } from '../support/taskRecord.ts';
import { seedQuestions } from './questions.ts';
import type { TempFolder } from '../support/tempFolder.ts';

type Doing = 'starting' | 'working' | 'asks' | 'stopped';

/** Title, agent, and what each worker is doing. */
type Seed = readonly [title: string, agent: string, ...workers: Doing[]];

const ONE: readonly Seed[] = [['Fix the login', 'claude-code', 'working']];
const LONG = 'Fix the rounding of the tea timer, which shows 4:60 where it should show 5:00';
const seven = (title: string): readonly Seed[] => [
	['Port the tests', 'copilot-cli', 'working'],
	['Find dead code', 'opencode', 'asks'],
	[title, 'claude-code', 'working', 'asks'],
	['Docs in German', 'gemini-cli', 'stopped'],
	['Add presets', 'codex', 'starting'],
	['Simplify brewing', 'qwen-code', 'working'],
];

export type Scene = (folder: TempFolder, dataFolder: string) => Promise<string>;

/** Each returns the folder to open. What a running Nancy would have written is written by Nancy's own code. */
export const scenes: Readonly<Record<string, Scene>> = {
	empty: async folder => project(folder),
	one: async (folder, dataFolder) => {
		const root = project(folder);
		await seedTasks(new Workspace(root, dataFolder), ONE);
		return root;
	},
	seven: busy(LONG, 8),
	question: asking(1),
	questions: asking(12),
};

/** For the documents: as busy, and hardly anything is too long for its row. */
export const busyScene = busy('Round the minutes', 5);

function busy(title: string, delegates: number): Scene {
	return async (folder, dataFolder) => {
		const root = project(folder);
		const workspace = new Workspace(root, dataFolder);
		await seedTasks(workspace, seven(title));
		await seedMail(workspace, nameOf(title));
		await seedDelegates(new Delegates(workspace), dataFolder, delegates);
		return root;
	};
}

function asking(count: number): Scene {
	return async (folder, dataFolder) => {
		const root = project(folder);
		const workspace = new Workspace(root, dataFolder);
		const seeds = seven('Round the minutes');
		await seedTasks(workspace, seeds);
		await seedQuestions(
			workspace,
			seeds.map(([title]) => `0-${nameOf(title)}`),
			count,
		);
		return root;
	};
}

function project(folder: TempFolder): string {
	return smallRepository(folder, { 'src/timer.js': 'export const minutes = 5;\n', 'README.md': '# Tea timer\n' });
}

async function seedTasks(workspace: Workspace, seeds: readonly Seed[]): Promise<void> {
	for (const [title, agent, ...workers] of seeds) {
		const task = nameOf(title);
		const driver = DriverId.parse(agent);
		await workspace.createTask(taskRecord(task, driver, { title, prompt: `Please: ${title}.` }));
		for (const [at, doing] of workers.entries()) {
			const worker = WorkerName.parse(at === 0 ? FIRST_WORKER : `worker-${at + 1}`);
			const session = `${at}-${task}`;
			await addBoundWorker(workspace, { task, worker }, { agent: driver, session: SessionId.parse(session) });
			happens(workspace, session, title, doing);
		}
	}
}

/** Each event is a file with a name of its own. */
let events = 0;

/** The events of a session. The hooks of all CLIs come to the same, so those of one serve for all. */
function happens(workspace: Workspace, session: string, title: string, doing: Doing): void {
	if (doing === 'starting') return;
	const tool = { tool_name: 'Bash', tool_input: { command: 'npm test' }, tool_use_id: 'toolu_1' };
	const happened = (event: string, payload: object) => spool(workspace, session, event, payload, String(++events));
	happened('UserPromptSubmit', { prompt: `Please: ${title}.` });
	happened('PreToolUse', tool);
	if (doing === 'asks') happened('PermissionRequest', tool);
	if (doing !== 'stopped') return;
	happened('PostToolUse', { ...tool, tool_response: {}, duration_ms: 1200 });
	happened('Stop', { last_assistant_message: 'All pages are translated.' });
}

async function seedMail(workspace: Workspace, timer: TaskName): Promise<void> {
	const from = { is: 'agent', worker: `${timer}/worker-2` } as const;
	const question = 'Shall I round up, or to the nearest minute?\n\n- up: never too early\n- nearest: **shorter**';
	await workspace.send({ task: timer, worker: ORCHESTRATOR }, messageContent(question), from);
	const first = { task: timer, worker: FIRST_WORKER };
	await workspace.send(first, messageContent('Use `src/timer.js`.'), BY_USER);
	await workspace.send(first, messageContent('Then run all tests.', { kind: 'feedback' }), BY_USER);
}

async function seedDelegates(store: Delegates, dataFolder: string, count: number): Promise<void> {
	const tickets = new Tickets(dataFolder, store.workspace.folder);
	// All are over: Nancy would start one that waits, and look for the process of one that runs.
	const seeds: readonly DelegateSeed[] = [
		{ title: 'Measure the start-up time', state: 'done', tool_calls: 3, on: ExecutorId.parse('ssh:gpu1') },
		{ title: 'Review the last commit', state: 'done', tool_calls: 1 },
		{ title: 'Write a changelog', state: 'done', tool_calls: 2 },
		{ title: 'Explain the scheduler', state: 'done', tool_calls: 7 },
		{ title: 'Try another parser', state: 'failed', error: 'the model answered 529' },
		{ title: 'Rename the presets', state: 'failed', error: 'cancelled' },
	];
	// Two more have worktrees.
	for (const seed of seeds.slice(2 - count)) {
		const { record } = await seedDelegate(store, seed);
		const asked = store.filesOfRequest(record.id);
		const contents = asked.map(file => readFileSync(file, 'utf8'));
		await tickets.issue(record, asked, contents);
		if (seed.error === 'cancelled') await tickets.stops.byHuman(record.id);
		await tickets.end(record.id, { isReported: true, ...(seed.error !== undefined && { error: seed.error }) });
	}
	const added = { 'src/presets.js': 'export const green = 3;\n', 'src/timer.js': 'export const minutes = 4;\n' };
	await seedWorktree(store, dataFolder, { title: 'Add the old presets' }, added);
	await seedWorktree(store, dataFolder, { title: 'Draw an icon' }, { [join('src', 'icon.svg')]: '<svg/>\n' });
}

function nameOf(title: string): TaskName {
	return TaskName.parse(title.toLowerCase().replaceAll(/\W+/g, '-').slice(0, 40).replaceAll(/^-|-$/g, ''));
}
