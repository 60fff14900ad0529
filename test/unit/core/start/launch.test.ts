import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { phrase } from '../../../../src/base/phrase.ts';
import { ENDED, identify } from '../../../../src/base/liveness.ts';
import type { Version } from '../../../../src/base/version.ts';
import type { HeadlessRequest } from '../../../../src/core/driver/headless.ts';
import type { Driver } from '../../../../src/core/driver/driver.ts';
import { RESUME_PROMPT } from '../../../../src/core/driver/hooks.ts';
import { planWorker } from '../../../../src/core/start/launch.ts';
import { abandonStart, recordProcess } from '../../../../src/core/start/workerProcess.ts';
import { isRunning } from '../../../../src/core/workspace/workerLife.ts';
import { besidePrograms } from '../../../../scripts/lib/beside.mts';
import { installRuntime } from '../../../../src/core/deployment/runtime.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import { bindSession } from '../../../../src/core/sessions/bindings.ts';
import { bindCaller } from '../../../../src/core/sessions/sessions.ts';
import { DriverId, FIRST_WORKER, SessionId, TaskName, WorkerName } from '../../../../src/protocol/names.ts';
import type { WorkerRecord } from '../../../../src/protocol/records.ts';
import { fakeDriver } from '../../../support/fakeDriver.ts';
import { tempFolder } from '../../../support/tempFolder.ts';
import { BY_USER, messageContent } from '../../../support/messageContent.ts';
import { taskRecord } from '../../../support/taskRecord.ts';

it('an agent started by the installed nancy does not inherit what nancy itself runs with', async () => {
	await using folder = tempFolder();
	const cli = folder.file('nancy.js');
	mkdirSync(folder.file('hook'));
	writeFileSync(cli, 'console.log(JSON.stringify(process.env))');
	for (const { out } of besidePrograms) writeFileSync(folder.file(out), '');
	const root = join(import.meta.dirname, '../../../..');
	const { bin } = await installRuntime(
		{
			guard: join(root, 'hooks/nancy-hook'),
			hooks: folder.file('hook'),
			cli,
			pages: folder.file('hook'),
			skills: join(root, 'skills'),
			plugin: folder.file('hook'),
		},
		'0.1.0',
		folder.file('nancy'),
		{ executable: process.execPath, isElectron: true },
	);
	const env = JSON.parse(execFileSync(join(bin, 'nancy'), { encoding: 'utf8' })) as Record<string, string>;
	expect(env).toMatchObject({ ELECTRON_RUN_AS_NODE: '1', NODE_COMPILE_CACHE: expect.stringContaining('nancy') });

	const { workspace, task } = await workspaceWithTask(folder.file('project'));
	const plan = (inherited: Record<string, string>) =>
		planWorker(
			workspace,
			fakeDriver,
			{ executable: '/a', version: [1, 0, 0] },
			{ task, bin, hooks: undefined, env: inherited },
		);
	expect((await plan(env)).env).toMatchObject({ NODE_COMPILE_CACHE: null, ELECTRON_RUN_AS_NODE: null });
	expect((await plan({ NODE_COMPILE_CACHE: '/home/me/cache' })).env).not.toHaveProperty('NODE_COMPILE_CACHE');
});

it('two windows that start a worker at once start two workers', async () => {
	await using folder = tempFolder();
	const { workspace, task } = await workspaceWithTask(folder.path);
	const plan = () =>
		planWorker(
			workspace,
			fakeDriver,
			{ executable: '/a', version: [1, 0, 0] },
			{ task, bin: folder.path, hooks: undefined, env: {} },
		);
	const plans = await Promise.all(Array.from({ length: 8 }, plan));
	expect(new Set(plans.map(({ address }) => address.worker)).size).toBe(8);
});

it('an agent in a terminal gets the flags of its mode and its images before the user’s own arguments', async () => {
	await using folder = tempFolder();
	const { workspace, task } = await workspaceWithTask(folder.path);
	const mode = { id: 'plan', label: phrase`Plan`, detail: phrase`Plans.`, args: ['--mode', 'plan'] };
	const driver: Driver = {
		...fakeDriver,
		launchModes: { modes: [mode], replacedBy: /^--mode/ },
		images: { flag: '--image=', separator: ',' },
		launch: ({ extra }) => ({ args: [...extra], env: {}, sessionIsKnown: true }),
	};
	const plan = await planWorker(
		workspace,
		driver,
		{ executable: '/a', version: [1, 0, 0] },
		{
			task,
			bin: folder.path,
			hooks: undefined,
			env: {},
			prompt: 'Look.',
			mode: 'plan',
			images: ['/a.png', '/b c.png'],
			extra: ['--verbose'],
		},
	);
	expect(plan.args).toEqual(['--mode', 'plan', '--image=/a.png', '--image=/b c.png', '--verbose']);
});

it('an agent in a terminal gets the flags for answers only with its hooks, a version that has them, and if its user wants', async () => {
	await using folder = tempFolder();
	const { workspace, task } = await workspaceWithTask(folder.path);
	const driver: Driver = {
		...fakeDriver,
		floors: { ...fakeDriver.floors, answers: [1, 0, 0] },
		answersByChoice: { args: ({ folder: own }) => ['--answers', own], explanation: '' },
		launch: ({ extra }) => ({ args: [...extra], env: {}, sessionIsKnown: true }),
	};
	const argsOf = async (more: { takesAnswers?: boolean; hasHooks: boolean; version?: Version }) => {
		const hooks = more.hasHooks ? { launcher: '/l', dataFolder: folder.file('data') } : undefined;
		const { version = [1, 0, 0], takesAnswers } = more;
		const request = { task, bin: folder.path, env: {}, extra: ['--verbose'], takesAnswers, hooks };
		return (await planWorker(workspace, driver, { executable: '/a', version }, request)).args;
	};
	const [flag, own, ...others] = await argsOf({ takesAnswers: true, hasHooks: true });
	expect([flag, ...others]).toEqual(['--answers', '--verbose']);
	expect(own).toContain(folder.file('data'));
	expect(await argsOf({ takesAnswers: true, hasHooks: false })).toEqual(['--verbose']);
	expect(await argsOf({ hasHooks: true })).toEqual(['--verbose']);
	expect(await argsOf({ takesAnswers: true, hasHooks: true, version: [0, 9, 9] })).toEqual(['--verbose']);
});

it('an agent that its user wants Nancy to talk with begins in a program of hers, with its flags, if it can and has its hooks', async () => {
	await using folder = tempFolder();
	const { workspace, task } = await workspaceWithTask(folder.path);
	const talks: Driver = {
		...fakeDriver,
		floors: { ...fakeDriver.floors, answers: [1, 0, 0] },
		ownTerminal: {
			args: () => ['--talk'],
			inPlaceOf: ({ executable, args }) => ({ executable: '/talk', args: [executable, ...args] }),
		},
		launch: ({ extra }) => ({ args: [...extra], env: {}, sessionIsKnown: true }),
	};
	const hooks = { launcher: '/l', dataFolder: folder.file('data') };
	const wordsOf = async (
		driver: Driver,
		more: Partial<Parameters<typeof planWorker>[3]>,
		version: Version = [1, 0, 0],
	) => {
		const request = { task, bin: folder.path, env: {}, extra: ['--verbose'], hooks, isTalkedWith: true, ...more };
		const { command, args } = await planWorker(workspace, driver, { executable: '/a', version }, request);
		return [command, ...args];
	};
	expect(await wordsOf(talks, {})).toEqual(['/talk', '/a', '--talk', '--verbose']);
	expect(await wordsOf(talks, { isTalkedWith: false })).toEqual(['/a', '--verbose']);
	expect(await wordsOf(talks, { hooks: undefined })).toEqual(['/a', '--verbose']);
	expect(await wordsOf(talks, {}, [0, 9, 9])).toEqual(['/a', '--verbose']);
	expect(await wordsOf({ ...talks, ownTerminal: 'none' }, {})).toEqual(['/a', '--verbose']);
});

/** Of a CLI whose launch is all that counts. */
const HEADLESS = {
	permissionModes: [],
	settingsFrom: 'none',
	homeFolders: 'none',
	beside: '',
	reader: () => ({ read: () => [], end: () => [] }),
} as const;

it('a prompt that is too long for an argument is refused before anything is written, but for a run that reads it', async () => {
	await using folder = tempFolder();
	const { workspace, task } = await workspaceWithTask(folder.path);
	const request = { task, bin: folder.path, hooks: undefined, env: {}, prompt: 'é'.repeat(60_001) };
	const agent = { executable: '/a', version: [1, 0, 0] } as const;
	const launch = ({ prompt }: HeadlessRequest) => ({ args: [], stdin: prompt, env: {}, sessionIsKnown: true });
	const driver = {
		...fakeDriver,
		headless: { ...HEADLESS, launch },
	};
	await expect(planWorker(workspace, driver, agent, request)).rejects.toMatchObject({ code: 'bad-message' });
	expect(await workspace.workers(task)).toEqual({ workers: [], problems: [] });
	const plan = await planWorker(workspace, driver, agent, { ...request, headless: { permissions: 'ask' } });
	expect(plan.stdin).toHaveLength(60_001);
});

it('what the arguments of a run name is on disk before it starts, for its user alone', async () => {
	await using folder = tempFolder();
	const path = folder.file('policies/look.toml');
	const launch = () => ({
		args: [path],
		stdin: '',
		env: {},
		files: [{ path, content: 'deny' }],
		sessionIsKnown: true,
	});
	const headless = { ...HEADLESS, launch };
	const { workspace, task } = await workspaceWithTask(folder.path);
	const request = { task, bin: folder.path, hooks: undefined, env: {}, headless: { permissions: 'ask' } };
	await planWorker(workspace, { ...fakeDriver, headless }, { executable: '/a', version: [1, 0, 0] }, request);
	expect(readFileSync(path, 'utf8')).toBe('deny');
	expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('a run in which Nancy talks with the agent starts no version that she cannot talk with', async () => {
	await using folder = tempFolder();
	const { workspace, task } = await workspaceWithTask(folder.path);
	const launch = () => ({ args: [], stdin: '', env: {}, talks: true as const, sessionIsKnown: false });
	const driver = {
		...fakeDriver,
		floors: { ...fakeDriver.floors, answers: [2, 0, 0] },
		headless: { ...HEADLESS, launch },
	} satisfies Driver;
	const hooks = { launcher: '/n/nancy-hook', dataFolder: folder.file('data') };
	const request = { task, bin: folder.path, hooks, env: {}, headless: { permissions: 'ask-me' } };
	const planned = planWorker(workspace, driver, { executable: '/a', version: [1, 0, 0] }, request);
	await expect(planned).rejects.toMatchObject({
		code: 'bad-usage',
		message: expect.stringContaining('need a newer'),
	});
	expect(await workspace.workers(task)).toEqual({ workers: [], problems: [] });
});

describe('a worker record that cannot be read', () => {
	it.each([
		['is no record', (file: string) => writeFileSync(file, 'garbage')],
		['is a folder', (file: string) => mkdirSync(file)],
		['is a link to nothing', (file: string) => symlinkSync('nowhere', file)],
	])('keeps its name when it %s: a new worker gets the next one', async (_, spoil) => {
		await using folder = tempFolder();
		const { workspace, task } = await workspaceWithTask(folder.path);
		const request = { task, bin: folder.path, hooks: undefined, env: {} };
		const agent = { executable: '/a', version: [1, 0, 0] } as const;
		mkdirSync(workspace.paths.workers(task), { recursive: true });
		spoil(workspace.paths.workerRecord(task, FIRST_WORKER));
		spoil(workspace.paths.workerRecord(task, WorkerName.parse('worker-99999999999999999999')));
		const { address } = await planWorker(workspace, fakeDriver, agent, request);
		expect(address.worker).toBe('worker-2');
		await expect(planWorker(workspace, fakeDriver, agent, { ...request, worker: FIRST_WORKER })).rejects.toThrow(
			/worker\.json|EISDIR/,
		);
	});
});

it('what the hook, the terminal and the agent each know of a worker is all kept', async () => {
	// However long each of them waits for the record.
	vi.spyOn(Date, 'now').mockReturnValue(Date.now());
	onTestFinished(() => void vi.restoreAllMocks());
	await using folder = tempFolder();
	const { workspace, task } = await workspaceWithTask(folder.path);
	const process = identify(globalThis.process.pid);
	for (let round = 0; round < 20; round++) {
		const { address } = await planWorker(
			workspace,
			fakeDriver,
			{ executable: '/a', version: [1, 0, 0] },
			{ task, bin: folder.path, hooks: undefined, env: {} },
		);
		const launchedFor = { taskFolder: workspace.paths.task(task), worker: address.worker };
		const sessions = [1, 2, 3].map(number => SessionId.parse(`s${round}-${number}`));
		await Promise.all([
			...sessions.map(session =>
				bindCaller(workspace, {
					session,
					driver: fakeDriver,
					agent: undefined,
					isNamed: false,
					launchedFor,
					transcript: `/${session}.jsonl`,
					begins: true,
					cause: 'clear',
				}),
			),
			recordProcess(workspace, address, process),
		]);
		const record = await workspace.worker(address);
		expect(record?.process).toEqual(process);
		expect(record?.sessions.map(({ id }) => id)).toEqual(expect.arrayContaining(sessions));
	}
});

it('a conversation is resumed by one of those who want to, until its process is known or will not come', async () => {
	await using folder = tempFolder();
	const { workspace, task } = await workspaceWithTask(folder.path);
	const plan = (resume: boolean) =>
		planWorker(
			workspace,
			fakeDriver,
			{ executable: '/a', version: [1, 0, 0] },
			{ task, resume, bin: folder.path, hooks: undefined, env: {} },
		);
	const { address, session } = await plan(false);
	await expect(plan(true)).rejects.toMatchObject({ code: 'busy' });
	await recordProcess(workspace, address, identify(spawnSync('true').pid));

	const plans = await Promise.allSettled([plan(true), plan(true), plan(true)]);
	expect(plans.filter(({ status }) => status === 'fulfilled')).toMatchObject([{ value: { session } }]);
	expect(plans.filter(({ status }) => status === 'rejected')).toMatchObject([
		{ reason: { code: 'busy' } },
		{ reason: { code: 'busy' } },
	]);
	await abandonStart(workspace, address);
	await plan(true);
	const claim = async (starting: WorkerRecord['starting']) => {
		const record = await workspace.worker(address);
		if (record) await workspace.saveWorker({ ...record, starting });
	};
	const now = Date.now();
	await claim({ by: identify(process.pid), at: new Date(now - 25_000).toISOString() });
	await plan(true);
	await claim({ by: identify(spawnSync('true').pid), at: new Date(now).toISOString() });
	await plan(true);
	await expect(plan(true)).rejects.toMatchObject({ code: 'busy' });
});

it('a resume goes on with the worker that ran last, and with a delegate of its only by name', async () => {
	await using folder = tempFolder();
	const { workspace, task } = await workspaceWithTask(folder.path);
	const agent = { executable: '/a', version: [1, 0, 0] } as const;
	const plan = (more: { resume: boolean; worker?: WorkerName }) =>
		planWorker(workspace, fakeDriver, agent, { task, bin: folder.path, hooks: undefined, env: {}, ...more });
	const later = new Date(Date.now() + 1000).toISOString();
	const worker = WorkerName.parse('delegate-1');
	const session = { id: SessionId.parse('5e551011-0000-4000-8000-000000000000'), startedAt: later };
	const record = { version: 1, task, name: worker, agent: fakeDriver.id, startedAt: later, delegate: 'd' } as const;
	await workspace.saveWorker({ ...record, sessions: [session], process: identify(process.pid) });
	await expect(plan({ resume: true })).rejects.toMatchObject({ code: 'no-task' });
	const first = await plan({ resume: false });
	await abandonStart(workspace, first.address);
	const { address, session: resumed } = await plan({ resume: true });
	expect({ address, session: resumed }).toEqual({ address: first.address, session: first.session });
	await expect(plan({ resume: true, worker })).rejects.toMatchObject({ code: 'busy' });
	await workspace.saveWorker({ ...record, sessions: [session] });
	await bindSession(workspace, session.id, { address: { task, worker }, watched: false });
	expect((await plan({ resume: true, worker })).session).toBe(session.id);
	const unheard = {
		...session,
		id: SessionId.parse('5e551012-0000-4000-8000-000000000000'),
		unreported: true,
	} as const;
	await workspace.saveWorker({ ...record, sessions: [session, unheard] });
	expect((await plan({ resume: true, worker })).session).toBe(session.id);
});

it('a conversation is not resumed by another agent, and its record stays', async () => {
	await using folder = tempFolder();
	const { workspace, task } = await workspaceWithTask(folder.path);
	const agent = { executable: '/a', version: [1, 0, 0] } as const;
	const request = { task, bin: folder.path, hooks: undefined, env: {} };
	const { address } = await planWorker(workspace, fakeDriver, agent, request);
	await abandonStart(workspace, address);
	const before = await workspace.worker(address);
	const other = { ...fakeDriver, id: DriverId.parse('other') };
	for (const worker of [undefined, address.worker]) {
		await expect(planWorker(workspace, other, agent, { ...request, resume: true, worker })).rejects.toMatchObject({
			code: 'bad-usage',
			message: expect.stringContaining('one of fake'),
		});
	}
	expect(await workspace.worker(address)).toEqual(before);
});

it('an agent that ended before it was looked at is not whoever has its pid later', async () => {
	await using folder = tempFolder();
	const { workspace, task } = await workspaceWithTask(folder.path);
	const request = { task, bin: folder.path, hooks: undefined, env: {} };
	const { address } = await planWorker(workspace, fakeDriver, { executable: '/a', version: [1, 0, 0] }, request);
	const gone = spawnSync('true').pid;
	await recordProcess(workspace, address, identify(gone));
	const record = await workspace.worker(address);
	expect(record?.process).toEqual({ pid: gone, startedTicks: ENDED });
	expect(record && isRunning(record)).toBe(false);
});

async function workspaceWithTask(folder: string) {
	const workspace = new Workspace(folder);
	const task = TaskName.parse('build');
	await workspace.createTask(taskRecord(task, fakeDriver.id));
	return { workspace, task };
}

it('an agent that is resumed while a message waits gets a first prompt, unless it surely hears its doorbell', async () => {
	const { floors, hooks } = fakeDriver;
	const since2 = { ...fakeDriver, floors: { ...floors, wake: [2, 0, 0] } } satisfies Driver;
	const unsure = { ...fakeDriver, hooks: { ...hooks, hearsWhenResumed: false } } satisfies Driver;
	const cases: [driver: Driver, hasMessage: boolean, prompt: string | undefined][] = [
		[fakeDriver, true, undefined],
		[since2, true, RESUME_PROMPT],
		[unsure, true, RESUME_PROMPT],
		[unsure, false, undefined],
	];
	for (const [driver, hasMessage, prompt] of cases) {
		await using folder = tempFolder();
		const { workspace, task } = await workspaceWithTask(folder.path);
		const asked: (string | undefined)[] = [];
		const launch: Driver['launch'] = request => {
			asked.push(request.prompt);
			return { args: [], env: {}, sessionIsKnown: true };
		};
		const start = async (resume: boolean) => {
			const agent = { executable: '/a', version: [1, 0, 0] } as const;
			const request = {
				task,
				resume,
				bin: folder.path,
				// Without hooks, the first one counts as begun.
				hooks: resume ? { launcher: '/n', dataFolder: folder.file('data') } : undefined,
				env: {},
			};
			const { address } = await planWorker(workspace, { ...driver, launch }, agent, request);
			await abandonStart(workspace, address);
			return address;
		};
		const address = await start(false);
		if (hasMessage) await workspace.send(address, messageContent('x'), BY_USER);
		await start(true);
		expect(asked).toEqual([undefined, prompt]);
	}
});

it('a fork is another worker with a new session, and copies only a conversation that is known as the first worker’s', async () => {
	await using folder = tempFolder();
	const { workspace, task } = await workspaceWithTask(folder.path);
	const agent = { executable: '/a', version: [1, 0, 0] } as const;
	const copied: (string | undefined)[] = [];
	const launch: Driver['launch'] = ({ fork }) => {
		copied.push(fork);
		return { args: [], env: {}, sessionIsKnown: true };
	};
	const driver = { ...fakeDriver, launch };
	const request = { task, bin: folder.path, hooks: undefined, env: {} };
	const first = await planWorker(workspace, driver, agent, request);
	const before = await workspace.worker(first.address);
	const fork = first.address.worker;
	const second = await planWorker(workspace, driver, agent, { ...request, fork });
	expect(copied).toEqual([undefined, first.session]);
	expect(second.address.worker).not.toBe(first.address.worker);
	expect(second.session).not.toBe(first.session);
	expect(await workspace.worker(first.address)).toEqual(before);

	const cannot = { ...driver, floors: { ...fakeDriver.floors, fork: 'none' } } satisfies Driver;
	await expect(planWorker(workspace, cannot, agent, { ...request, fork })).rejects.toMatchObject({
		code: 'agent-too-old',
	});
	const foreign = {
		id: SessionId.parse('5e551011-0000-4000-8000-000000000000'),
		startedAt: new Date().toISOString(),
	};
	await workspace.updateWorker(first.address, record => record && { ...record, sessions: [foreign] });
	await expect(planWorker(workspace, driver, agent, { ...request, fork })).rejects.toMatchObject({
		code: 'not-trusted',
	});
});
