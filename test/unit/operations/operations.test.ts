import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IN_TERMINAL, IN_WINDOW, type Asker } from '../../../src/core/asker/asker.ts';
import type { Overview } from '../../../src/core/live/overview.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { operations } from '../../../src/operations/index.ts';
import { perform, type OperationContext } from '../../../src/operations/operation.ts';
import { FIRST_WORKER, ORCHESTRATOR, TaskName } from '../../../src/protocol/names.ts';
import { fakeDriver } from '../../support/fakeDriver.ts';
import { taskRecord } from '../../support/taskRecord.ts';

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'nancy-operations-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const empty: Overview = { tasks: [], problems: [] };
const agent: Asker = {
	is: 'agent',
	driver: undefined,
	worker: undefined,
	process: undefined,
	because: 'a test says so',
};

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
		watch: work => work({ overview: () => empty, changed: () => Promise.resolve() }),
		note: () => undefined,
		...more,
	};
}

describe('every operation', () => {
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
		await expect(act(agent, contextIn())).rejects.toMatchObject({
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

		const { checks } = await perform(
			await operations.doctor(),
			IN_WINDOW,
			{ fix: false },
			contextIn({ isTrusted: false }),
		);

		expect(checks).toContainEqual(expect.objectContaining({ text: expect.stringContaining('in Restricted Mode') }));
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
		const operation = await operations[name]();

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

	it.each(['setUp', 'tearDown'])('takes no %s command from an agent', async name => {
		const input = { prompt: 'Do it.', worktree: { withChanges: false }, [name]: 'touch here' };

		await expect(perform(await operations.delegate(), agent, input, contextIn())).rejects.toMatchObject({
			code: 'not-trusted',
			message: expect.stringContaining('commands for a worktree'),
		});
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
