import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NancyError } from '../../../src/base/errors.ts';
import { IN_TERMINAL, IN_WINDOW, type Asker } from '../../../src/core/asker/asker.ts';
import { Budgets } from '../../../src/core/budgets/budgets.ts';
import type { Overview } from '../../../src/core/live/overview.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import * as operations from '../../../src/operations/index.ts';
import { perform, type OperationContext } from '../../../src/operations/operation.ts';
import { foundIn } from '../../../src/operations/shared/agents.ts';
import {
	DriverId,
	FIRST_WORKER,
	MessageId,
	ORCHESTRATOR,
	SessionId,
	TaskName,
	WorkerName,
} from '../../../src/protocol/names.ts';
import type { Budget } from '../../../src/protocol/budget.ts';
import { fakeDriver } from '../../support/fakeDriver.ts';
import { BY_USER, messageContent } from '../../support/messageContent.ts';
import { taskRecord } from '../../support/taskRecord.ts';

const byName = { ...operations };

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'nancy-operations-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const receipt = {
	deliveredAt: new Date().toISOString(),
	event: 'UserPromptSubmit',
	driver: fakeDriver.id,
	session: SessionId.parse('s1'),
	rung: 'hook',
} as const;

const empty: Overview = { tasks: [], problems: [] };
const agentIn = (calledIn: string): Asker => ({
	is: 'agent',
	driver: undefined,
	worker: undefined,
	process: undefined,
	calledIn,
	because: 'a test says so',
});

const worktree = {
	repository: '/project',
	folder: '/project.worktrees/20261121t101112123z-0a1b2c3d',
	branch: 'nancy/20261121t101112123z-0a1b2c3d',
	base: '0'.repeat(40),
};

function contextIn(more: Partial<OperationContext> = {}): OperationContext {
	return {
		workspace: new Workspace(join(folder, 'project'), join(folder, 'data')),
		dataFolder: join(folder, 'data'),
		env: { HOME: folder, PATH: join(folder, 'bin') },
		isTrusted: true,
		settings: { hooks: undefined, tokenThreshold: undefined },
		readSettings: () => Promise.resolve({}),
		installRuntime: () => Promise.reject(new Error('nothing is installed in this test')),
		look: () => Promise.resolve(empty),
		watch: work => work({ overview: () => empty, changed: () => Promise.resolve() }),
		note: () => undefined,
		...more,
	};
}

describe('every operation', () => {
	it('but lists and the doctor’s look is refused in Restricted Mode', async () => {
		const all = await Promise.all(Object.values(operations).map(load => load()));
		expect(
			all
				.filter(({ worksUntrusted }) => worksUntrusted)
				.map(({ name }) => name)
				.sort(),
		).toEqual(['doctor', 'inbox', 'listAgents', 'sessions']);

		const repair = perform(await operations.doctor(), IN_WINDOW, { fix: true }, contextIn({ isTrusted: false }));
		await expect(repair).rejects.toMatchObject({ code: 'not-trusted' });
	});

	it('is in the table by its own name', async () => {
		for (const [name, load] of Object.entries(operations)) expect((await load()).name).toBe(name);
	});
});

describe.each([
	{
		name: 'setUp',
		act: async (asker: Asker, context: OperationContext) => perform(await operations.setUp(), asker, {}, context),
	},
	{
		name: 'update',
		act: async (asker: Asker, context: OperationContext) => perform(await operations.update(), asker, {}, context),
	},
	{
		name: 'cleanUp',
		act: async (asker: Asker, context: OperationContext) => perform(await operations.cleanUp(), asker, {}, context),
	},
	{
		name: 'doctor with fix',
		act: async (asker: Asker, context: OperationContext) =>
			perform(await operations.doctor(), asker, { fix: true }, context),
	},
	{
		name: 'mergeWorktree',
		act: async (asker: Asker, context: OperationContext) =>
			perform(await operations.mergeWorktree(), asker, { worktree, message: 'Merged' }, context),
	},
	{
		name: 'undoMerge',
		act: async (asker: Asker, context: OperationContext) =>
			perform(await operations.undoMerge(), asker, { worktree }, context),
	},
	{
		name: 'removeWorktree',
		act: async (asker: Asker, context: OperationContext) =>
			perform(await operations.removeWorktree(), asker, { worktree, discard: false, anyway: true }, context),
	},
])('$name', ({ act }) => {
	it('is refused in Restricted Mode', async () => {
		await expect(act(IN_WINDOW, contextIn({ isTrusted: false }))).rejects.toMatchObject({
			code: 'not-trusted',
			message: expect.stringContaining('Trust this workspace first'),
		});
	});

	it('is no agent’s, whatever program it asks through', async () => {
		await expect(act(agentIn(join(folder, 'project')), contextIn())).rejects.toMatchObject({
			code: 'not-trusted',
			message: expect.stringContaining('You count as an agent because a test says so'),
		});
	});
});

it('stop is refused in Restricted Mode', async () => {
	const stopped = perform(await operations.stop(), IN_WINDOW, { workers: [] }, contextIn({ isTrusted: false }));

	await expect(stopped).rejects.toMatchObject({ code: 'not-trusted' });
});

describe('doctor without fix', () => {
	it('runs no program and installs nothing in Restricted Mode', async () => {
		const ran = join(folder, 'ran');
		mkdirSync(join(folder, 'bin'));
		writeFileSync(join(folder, 'bin', 'claude'), `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 });

		const { checks, healthy } = await perform(
			await operations.doctor(),
			IN_WINDOW,
			{ fix: false },
			contextIn({ isTrusted: false }),
		);

		const textsOf = (what: string) => checks.filter(({ check }) => check === what).map(({ text }) => String(text));
		expect(textsOf('runtime')).toEqual([expect.stringContaining('Restricted Mode')]);
		// Nobody has looked, so there is nothing to install or to repair.
		expect(textsOf('agent')).toContain('Claude Code: not looked for in Restricted Mode.');
		expect(healthy).toBe(true);
		expect(() => readFileSync(ran)).toThrow('ENOENT');
	});
});

describe.each([IN_WINDOW, IN_TERMINAL])('cleanUp of a person in the $via', asker => {
	it('takes back nothing where nothing was deployed', async () => {
		const done = await perform(await operations.cleanUp(), asker, {}, contextIn());

		expect(done).toMatchObject({ undeployed: true, changed: [], failed: [] });
	});
});

describe('a worktree that only its status names', () => {
	it.each(['verifyWorktree', 'worktreeChanges', 'worktreeLoss'] as const)('is not touched by %s', async name => {
		const operation = await byName[name]();

		await expect(
			perform<{ worktree: typeof worktree }, unknown>(operation, IN_WINDOW, { worktree }, contextIn()),
		).rejects.toMatchObject({
			code: 'not-trusted',
			message: expect.stringContaining('is not touched'),
		});
	});
});

describe('delegate', () => {
	it('is refused in Restricted Mode', async () => {
		const done = perform(
			await operations.delegate(),
			IN_WINDOW,
			{ prompt: 'Do it.' },
			contextIn({ isTrusted: false }),
		);

		await expect(done).rejects.toMatchObject({ code: 'not-trusted' });
	});
});

describe('send', () => {
	const to = { task: TaskName.parse('fix'), worker: FIRST_WORKER };
	const letter = { to, priority: 'normal', effect: 'none', text: 'Go on.' } as const;

	it('says whose words a message is by who asks, window or terminal', async () => {
		const context = contextIn();
		await context.workspace.createTask(taskRecord(to.task, fakeDriver.id));

		for (const asker of [IN_WINDOW, IN_TERMINAL])
			expect(await perform(await operations.send(), asker, letter, context)).toMatchObject({
				author: { is: 'human', via: asker.via },
				kind: 'directive',
				running: false,
			});
	});

	it.each([
		{ more: { kind: 'feedback', effect: 'halt' }, says: 'are for directives' },
		{ more: { to: { ...to, worker: ORCHESTRATOR }, effect: 'pause' }, says: 'the human cannot be' },
	] as const)('refuses $more.effect where it means nothing, and queues nothing', async ({ more, says }) => {
		const context = contextIn();
		await context.workspace.createTask(taskRecord(to.task, fakeDriver.id));

		await expect(perform(await operations.send(), IN_WINDOW, { ...letter, ...more }, context)).rejects.toThrow(
			says,
		);
		expect((await context.workspace.mailbox(to).list(['queued'])).messages).toEqual([]);
	});

	it('is refused in Restricted Mode', async () => {
		const sent = perform(await operations.send(), IN_WINDOW, letter, contextIn({ isTrusted: false }));

		await expect(sent).rejects.toMatchObject({ code: 'not-trusted' });
	});
});

describe.each(['archive', 'withdraw'] as const)('%s', name => {
	const to = { task: TaskName.parse('fix-login'), worker: FIRST_WORKER };
	const act = async (asker: Asker, context: OperationContext, ids: readonly MessageId[]) =>
		perform(await byName[name](), asker, { messages: ids.map(id => ({ ...to, id })) }, context);
	const states = async ({ workspace }: OperationContext) =>
		(await workspace.mailbox(to).list()).messages.map(({ state }) => state);
	const withMessage = async (more: Partial<OperationContext> = {}) => {
		const context = contextIn(more);
		await context.workspace.createTask(taskRecord(to.task, fakeDriver.id));
		return { context, id: await context.workspace.send(to, messageContent('Go on.'), BY_USER) };
	};

	it('is refused in Restricted Mode', async () => {
		const { context, id } = await withMessage({ isTrusted: false });

		await expect(act(IN_WINDOW, context, [id])).rejects.toMatchObject({ code: 'not-trusted' });
		expect(await states(context)).toEqual(['queued']);
	});

	it('is refused to an agent for what is not its own', async () => {
		const { context, id } = await withMessage();
		for (const claim of name === 'archive' ? await context.workspace.mailbox(to).claim(() => 'take') : [])
			claim.deliver(receipt);
		const before = await states(context);

		await expect(act(agentIn(context.workspace.folder), context, [id])).rejects.toMatchObject({
			code: 'not-trusted',
		});
		expect(await states(context)).toEqual(before);
	});

	it('does nothing at all where one of several is not there', async () => {
		const { context, id } = await withMessage();
		const done = act(IN_WINDOW, context, [id, MessageId.parse('gone')]);

		await expect(done).rejects.toMatchObject({ code: name === 'archive' ? 'busy' : 'no-message' });
		expect(await states(context)).toEqual(['queued']);
	});
});

it('archive keeps no message from the agent that has not read it, in the window either', async () => {
	const to = { task: TaskName.parse('fix-login'), worker: FIRST_WORKER };
	const context = contextIn();
	await context.workspace.createTask(taskRecord(to.task, fakeDriver.id));
	const id = await context.workspace.send(to, messageContent('Go on.'), BY_USER);
	const act = async (asker: Asker) =>
		perform(await operations.archive(), asker, { messages: [{ ...to, id }] }, context);

	await expect(act(IN_WINDOW)).rejects.toMatchObject({ code: 'busy' });
	for (const claim of await context.workspace.mailbox(to).claim(() => 'take')) claim.deliver(receipt);
	expect(await act(IN_WINDOW)).toEqual({ messages: [{ id, mailbox: 'fix-login/worker', state: 'archived' }] });
});

describe('the user’s mail, queue and tasks', () => {
	const to = { task: TaskName.parse('fix'), worker: FIRST_WORKER };
	const was = { kind: 'directive', priority: 'normal', effect: 'none', text: 'One.' } as const;
	const words = { ...was, text: 'Stop that.' } as const;
	const seeded = async (more: Partial<OperationContext> = {}) => {
		const context = contextIn(more);
		const { workspace } = context;
		await workspace.createTask({ ...taskRecord(to.task, fakeDriver.id), archivedAt: new Date().toISOString() });
		const first = await workspace.send(to, messageContent('One.'), BY_USER);
		const second = await workspace.send(to, messageContent('Two.'), BY_USER);
		const mail = await workspace.send({ ...to, worker: ORCHESTRATOR }, messageContent('Done.'), BY_USER);
		const texts = async () =>
			(await workspace.mailbox(to).list(['queued'])).messages.map(each => each.content.text);
		return { context, workspace, first, second, mail, texts };
	};
	type Seeded = Awaited<ReturnType<typeof seeded>>;
	const acts = {
		readMail: async (asker: Asker, { context, mail }: Seeded) =>
			perform(await operations.readMail(), asker, { task: to.task, id: mail }, context),
		editMessage: async (asker: Asker, { context, first }: Seeded) =>
			perform(await operations.editMessage(), asker, { message: { ...to, id: first }, was, ...words }, context),
		reorder: async (asker: Asker, { context, first, second }: Seeded) =>
			perform(await operations.reorder(), asker, { mailbox: to, ids: [second, first] }, context),
		archiveTask: async (asker: Asker, { context }: Seeded) =>
			perform(await operations.archiveTask(), asker, { task: to.task }, context),
		restoreTask: async (asker: Asker, { context }: Seeded) =>
			perform(await operations.restoreTask(), asker, { task: to.task }, context),
		renameTask: async (asker: Asker, { context }: Seeded) =>
			perform(await operations.renameTask(), asker, { task: to.task, title: ' Mend\n the login ' }, context),
		setBudget: async (asker: Asker, { context }: Seeded) =>
			perform(
				await operations.setBudget(),
				asker,
				{ owner: { task: to.task }, budget: { tokens: 5000 } },
				context,
			),
		deleteTasks: async (asker: Asker, { context }: Seeded) =>
			perform(await operations.deleteTasks(), asker, { tasks: [to.task] }, context),
	};

	it.each(Object.entries(acts))('%s is a person’s alone, and not done in Restricted Mode', async (_, act) => {
		for (const [asker, isTrusted] of [
			[agentIn(join(folder, 'project')), true],
			[IN_WINDOW, false],
		] as const) {
			const it = await seeded({ isTrusted });
			await expect(act(asker, it)).rejects.toMatchObject({ code: 'not-trusted' });
			expect(await it.texts()).toEqual(['One.', 'Two.']);
			expect(await it.workspace.task(to.task)).toHaveProperty('archivedAt');
			expect((await new Budgets(it.workspace.own).all()).size).toBe(0);
			rmSync(folder, { recursive: true });
		}
	});

	it('is changed by a person, who is then the author', async () => {
		const it = await seeded();
		await acts.reorder(IN_TERMINAL, it);
		expect(await it.texts()).toEqual(['Two.', 'One.']);
		await acts.editMessage(IN_TERMINAL, it);
		const { messages } = await it.workspace.mailbox(to).list(['queued']);
		expect(messages[1]).toMatchObject({ content: words, author: IN_TERMINAL });
		const { file } = await acts.readMail(IN_WINDOW, it);
		expect(readFileSync(file, 'utf8')).toContain('Done.');

		await acts.restoreTask(IN_WINDOW, it);
		expect(await it.workspace.task(to.task)).not.toHaveProperty('archivedAt');
		await acts.archiveTask(IN_WINDOW, it);
		expect(await it.workspace.task(to.task)).toHaveProperty('archivedAt');
		await acts.renameTask(IN_WINDOW, it);
		expect(await it.workspace.task(to.task)).toMatchObject({ name: to.task, title: 'Mend the login' });
		const nameless = perform(await operations.renameTask(), IN_WINDOW, { task: to.task, title: ' \n' }, it.context);
		await expect(nameless).rejects.toMatchObject({ code: 'bad-usage' });
		expect(await acts.deleteTasks(IN_WINDOW, it)).toEqual({ deleted: [to.task] });
		await expect(it.workspace.task(to.task)).rejects.toMatchObject({ code: 'no-task' });
	});

	it('has a budget that a person sets, by what its agents tell, until the task is deleted', async () => {
		const it = await seeded();
		const owner = { task: to.task };
		const known = async () => perform(await operations.budget(), IN_WINDOW, { owner }, it.context);
		const set = async (budget: Budget | undefined) =>
			perform(await operations.setBudget(), IN_WINDOW, { owner, budget }, it.context);
		const join = async (agent: string, name: string) =>
			it.workspace.saveWorker({
				version: 1,
				task: to.task,
				name: WorkerName.parse(name),
				agent: DriverId.parse(agent),
				sessions: [],
				startedAt: new Date().toISOString(),
			});

		await join('opencode', 'worker');
		expect(await known()).toEqual({ units: [], silent: ['opencode'] });
		await expect(set({ tokens: 5000 })).rejects.toMatchObject({
			code: 'bad-usage',
			message: expect.stringContaining('opencode does not tell tokens'),
		});
		await join('claude-code', 'worker-2');
		await expect(set({ costUsd: 2 })).rejects.toMatchObject({ code: 'bad-usage' });
		await set({ tokens: 5000 });
		expect(await known()).toEqual({ budget: { tokens: 5000 }, units: ['tokens'], silent: ['opencode'] });
		await acts.deleteTasks(IN_WINDOW, it);
		expect((await new Budgets(it.workspace.own).all()).size).toBe(0);
	});

	it.each([
		['text', { text: 'Third.' }],
		['urgency', { priority: 'urgent' }],
	] as const)('keeps the %s of the first of two who edit it at once', async (_, change) => {
		const it = await seeded();
		const message = { ...to, id: it.first };
		const edit = async (more: Partial<typeof was> | typeof change) =>
			perform(await operations.editMessage(), IN_WINDOW, { message, was, ...was, ...more }, it.context);
		await edit(change);
		await expect(acts.editMessage(IN_TERMINAL, it)).rejects.toMatchObject({
			code: 'wrong-state',
			message: expect.stringContaining('was changed elsewhere'),
		});
		const { messages } = await it.workspace.mailbox(to).list(['queued']);
		expect(messages.find(({ id }) => id === it.first)).toMatchObject({ content: change, author: IN_WINDOW });
	});

	it('cannot be edited into a halt that nobody can obey', async () => {
		const it = await seeded();
		const message = { ...to, id: it.first };
		const edit = perform(
			await operations.editMessage(),
			IN_WINDOW,
			{ ...words, was, message, kind: 'feedback', effect: 'halt' },
			it.context,
		);
		await expect(edit).rejects.toMatchObject({ code: 'bad-usage' });
	});

	it('is listed by task, by mailbox, and as a whole', async () => {
		const it = await seeded({ isTrusted: false });
		const list = async (of?: { task: TaskName; worker?: WorkerName }) => {
			const found = await perform(await operations.inbox(), IN_WINDOW, { of, all: false }, it.context);
			return found.messages.map(({ mailbox, text }) => `${mailbox}: ${text}`);
		};
		const own = ['fix/worker: One.', 'fix/worker: Two.'];
		expect(await list(to)).toEqual(own);
		expect(await list({ task: to.task })).toEqual(['fix/orchestrator: Done.', ...own]);
		expect(await list()).toEqual(['fix/orchestrator: Done.', ...own]);
	});
});

describe('orchestrate', () => {
	const task = TaskName.parse('fix');
	const request = { task, isNew: false, resume: false, extra: [], hooks: true };
	const start = async (more: object, context = contextIn(), asker: Asker = IN_WINDOW) =>
		perform(await operations.orchestrate(), asker, { ...request, ...more }, context);

	it.each([
		{ more: {}, code: 'no-task' },
		{ more: { title: 'Fix', worker: ORCHESTRATOR }, code: 'bad-name' },
		{ more: { title: 'Fix', prompt: 'x'.repeat(130_000) }, code: 'bad-message' },
		{ more: { title: 'Fix', agent: 'nobody' }, code: 'bad-usage' },
		{ more: { title: 'Fix', agent: 'claude-code' }, code: 'no-agent' },
	])('refuses with $code, and makes no task', async ({ more, code }) => {
		const context = contextIn();
		await expect(start(more, context)).rejects.toMatchObject({ code });
		expect(existsSync(context.workspace.paths.root)).toBe(false);
	});

	it('makes no new task of a name that is taken', async () => {
		const context = contextIn();
		await context.workspace.createTask(taskRecord(task, fakeDriver.id));
		await expect(start({ title: 'Fix', isNew: true }, context)).rejects.toMatchObject({ code: 'task-exists' });
	});

	it('forks a conversation for a person alone', async () => {
		const context = contextIn();
		await context.workspace.createTask(taskRecord(task, fakeDriver.id));
		await expect(start({ fork: true }, context, agentIn(context.workspace.folder))).rejects.toMatchObject({
			code: 'not-trusted',
			message: expect.stringContaining('forks no conversation'),
		});
		await expect(start({ fork: true }, context)).rejects.toMatchObject({ code: 'no-task' });
	});

	it('gives an MCP server to an agent for a person alone', async () => {
		const context = contextIn();
		const asker = agentIn(context.workspace.folder);
		await expect(start({ title: 'Fix', mcp: true }, context, asker)).rejects.toMatchObject({
			code: 'not-trusted',
			message: expect.stringContaining('gives no other an MCP server'),
		});
	});

	it('takes images from a person alone, with a prompt, for an agent that has a flag for them', async () => {
		const context = contextIn();
		const images = [join(folder, 'a.png')];
		const asker = agentIn(context.workspace.folder);
		const refused = (more: object, by?: Asker) => start({ title: 'Fix', images, ...more }, context, by);
		await expect(refused({ prompt: 'Look.' }, asker)).rejects.toMatchObject({ code: 'not-trusted' });
		mkdirSync(join(folder, 'bin'), { recursive: true });
		const install = (command: string, version: string) =>
			writeFileSync(join(folder, 'bin', command), `#!/bin/sh\necho "${version}"\n`, { mode: 0o755 });
		install('claude', '2.1.329 (Claude Code)');
		install('codex', 'codex-cli 0.169.0');
		await expect(refused({ prompt: 'Look.', agent: 'claude-code' })).rejects.toMatchObject({ code: 'bad-usage' });
		await expect(refused({ agent: 'codex' })).rejects.toMatchObject({ code: 'bad-message' });
		await expect(refused({ prompt: 'Look.', agent: 'codex', images: ['/a,b.png'] })).rejects.toThrow(
			'Codex takes no image with "," in its path: /a,b.png',
		);
		await expect(refused({ prompt: 'Look.', agent: 'codex' })).rejects.toThrow('nothing is installed in this test');
		expect(existsSync(context.workspace.paths.tasks)).toBe(false);
	});

	it('lets a person alone choose what the agent may do unasked', async () => {
		const context = contextIn();
		const asker = agentIn(context.workspace.folder);
		await expect(start({ title: 'Fix', permissions: 'plan' }, context, asker)).rejects.toMatchObject({
			code: 'not-trusted',
			message: expect.stringContaining('chooses no permissions'),
		});
		await expect(start({ title: 'Fix', permissions: 'plan' }, context)).rejects.toMatchObject({ code: 'no-agent' });
	});

	it('is refused in Restricted Mode', async () => {
		await expect(start({ title: 'Fix' }, contextIn({ isTrusted: false }))).rejects.toMatchObject({
			code: 'not-trusted',
		});
	});
});

describe('listAgents', () => {
	it('runs no program in Restricted Mode, and tells every agent of Nancy', async () => {
		const here = { env: contextIn().env, isTrusted: false };
		const { agents } = await perform(await operations.listAgents(), IN_WINDOW, {}, here);

		expect(agents.length).toBeGreaterThan(5);
		expect(new Set(agents.map(({ problem }) => String(problem)))).toEqual(
			new Set(['not looked for in Restricted Mode']),
		);
	});

	it('says which version is too old', async () => {
		mkdirSync(join(folder, 'bin'));
		writeFileSync(join(folder, 'bin', 'claude'), '#!/bin/sh\necho "0.1.0 (Claude Code)"\n', { mode: 0o755 });
		const { agents } = await perform(await operations.listAgents(), IN_WINDOW, {}, contextIn());

		const old = agents.find(({ id }) => id === 'claude-code');
		expect(old).toMatchObject({
			obstacle: 'too-old',
			oldVersion: '0.1.0',
			installCommand: 'npm install -g @anthropic-ai/claude-code',
			isUntried: false,
		});
		expect(String(old?.problem)).toContain('is version 0.1.0; Nancy needs');
		expect(old).not.toHaveProperty('found');
	});

	it('says of a CLI that did not answer in time, if no other is found, that one may try again, and not that none is installed', () => {
		const none = new NancyError('no-agent', 'there is no "heron" on the PATH');
		const late = new NancyError('timeout', 'egret did not answer; try again');
		expect(foundIn([none, none])).toEqual([]);
		expect(() => foundIn([none, late])).toThrow(late);
		const found = { driver: fakeDriver, agent: { executable: '/bin/ibis', version: [1, 0, 0] as const } };
		expect(foundIn([late, found])).toEqual([found]);
	});
});

describe('a machine', () => {
	const named = () => join(folder, '.config', 'nancy', 'settings.json');
	const name = async (asker: Asker, host: string) =>
		perform(await operations.nameExecutor(), asker, { name: ' gpu1 ', host }, contextIn());

	it('is named in the user’s settings by a person', async () => {
		expect(await name(IN_WINDOW, 'me@gpu1')).toEqual({ file: named() });
		const executors = { gpu1: { type: 'ssh', host: 'me@gpu1' } };
		expect(JSON.parse(readFileSync(named(), 'utf8'))).toMatchObject({ delegates: { executors } });
		const other = name(IN_WINDOW, 'gpu2');
		await expect(other).rejects.toMatchObject({ code: 'bad-usage' });
	});

	it('was reached also if it does not say whether it has the commands of its queue', async () => {
		const shell = join(folder, 'shell');
		writeFileSync(shell, '#!/bin/sh\nmkdir "$0.once" && exec /bin/sh "$@"\n', { mode: 0o755 });
		vi.stubEnv('SHELL', shell);
		const words = ['qqueue'];
		const settings = {
			executors: { own: { type: 'command' as const, submit: words, look: words, cancel: words } },
		};
		const context = contextIn({ readSettings: () => Promise.resolve(settings) });
		const input = { names: ['own'], isProbed: true };
		const { executors } = await perform(await operations.listExecutors(), IN_WINDOW, input, context);
		vi.unstubAllEnvs();
		expect(executors).toMatchObject([{ isReachable: true, has: { git: expect.stringContaining('git version') } }]);
		expect(executors[0]?.lacks.map(String)[0]).toContain('whether it has the commands of the queue is not known');
	});

	it('is neither named nor asked for by an agent, and a host is no option of ssh', async () => {
		const agent = agentIn(join(folder, 'project'));
		await expect(name(agent, 'gpu1')).rejects.toMatchObject({ code: 'not-trusted' });
		const list = perform(await operations.listExecutors(), agent, { names: [], isProbed: false }, contextIn());
		await expect(list).rejects.toMatchObject({ code: 'not-trusted' });
		await expect(name(IN_WINDOW, '-oProxyCommand=x')).rejects.toThrow();
		expect(existsSync(named())).toBe(false);
	});
});
