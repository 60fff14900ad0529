import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ENDED, identify } from '../../../../src/base/liveness.ts';
import { planWorker } from '../../../../src/core/start/launch.ts';
import { workerToResume } from '../../../../src/core/start/resuming.ts';
import { hasBegun, isRunning } from '../../../../src/core/workspace/workerLife.ts';
import { abandonStart, recordProcess, recordStop } from '../../../../src/core/start/workerProcess.ts';
import { wakeLimit, type Held } from '../../../../src/core/mailbox/held.ts';
import { bindCaller, type SessionCaller } from '../../../../src/core/sessions/sessions.ts';
import { Workspace, type WorkerAddress } from '../../../../src/core/workspace/workspace.ts';
import { readCall } from '../../../../src/hook/call.ts';
import { ProjectName } from '../../../../src/protocol/memoryNames.ts';
import { SessionId, TaskName } from '../../../../src/protocol/names.ts';
import { fakeDriver } from '../../../support/fakeDriver.ts';
import { BY_USER, messageContent } from '../../../support/messageContent.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';

const task = TaskName.parse('build');
const second = SessionId.parse('5ec0nd00-0000-4000-8000-000000000002');

let folder: TempFolder;
let workspace: Workspace;
const driver = { ...fakeDriver, limits: { wake: 'Nothing wakes it.' } };
let address: WorkerAddress;
let first: SessionId;

beforeEach(async () => {
	folder = tempFolder();
	workspace = new Workspace(folder.path);
	const createdAt = new Date().toISOString();
	const record = { version: 1, name: task, title: '', prompt: '', agent: fakeDriver.id } as const;
	await workspace.createTask({ ...record, createdAt, origin: 'nancy' });
	const agent = { executable: '/a', version: [1, 0, 0] } as const;
	const plan = await planWorker(workspace, fakeDriver, agent, {
		task,
		bin: folder.path,
		hooks: undefined,
		env: {},
	});
	address = plan.address;
	first = plan.session;
	await recordProcess(workspace, address, identify(process.pid));
});
afterEach(() => folder.remove());

/** A session that begins in the worker's terminal, of a CLI that does not say which process it is. */
const begin = (more: Partial<SessionCaller> = {}) =>
	bindCaller(workspace, {
		session: second,
		driver,
		agent: undefined,
		isNamed: more.agent !== undefined,
		launchedFor: { taskFolder: workspace.paths.task(task), worker: address.worker },
		transcript: undefined,
		begins: true,
		cause: 'startup',
		...more,
	});

const current = async () => (await workspace.worker(address))?.sessions.at(-1)?.id;

describe('a worker whose agent gets an id for its session', () => {
	const start = (launcher: string | undefined, of = fakeDriver) =>
		planWorker(
			workspace,
			of,
			{ executable: '/a', version: [1, 0, 0] },
			{
				task,
				bin: folder.path,
				hooks: launcher === undefined ? undefined : { launcher, dataFolder: folder.file('data') },
				env: {},
			},
		);
	const begun = async (worker: WorkerAddress) => hasBegun((await workspace.worker(worker))!);

	it('has begun a conversation with the first event of it', async () => {
		const { address: worker, session } = await start(folder.file('hook'));
		await recordProcess(workspace, worker, identify(process.pid));
		expect(await begun(worker)).toBe(false);
		const launchedFor = { taskFolder: workspace.paths.task(task), worker: worker.worker };
		await begin({ session, launchedFor });
		expect(await begun(worker)).toBe(true);
		expect((await workspace.worker(worker))?.sessions).toEqual([{ id: session, startedAt: expect.anything() }]);
	});

	it('may have begun one if no hook would tell', async () => {
		expect(await begun((await start(undefined)).address)).toBe(true);
	});

	it('may have begun one if a setting of its CLI switches its hooks off', async () => {
		const file = folder.file('settings.json');
		const hookSwitch = {
			takesComments: false,
			files: () => [file],
			read: (settings: unknown) => ({ setting: 'off', isOff: settings === 'off' }),
		};
		const begunWith = async (settings: string) => {
			writeFileSync(file, JSON.stringify(settings));
			return begun((await start(folder.file('hook'), { ...fakeDriver, hookSwitch })).address);
		};
		expect([await begunWith('off'), await begunWith('on')]).toEqual([true, false]);
	});

	it('is resumed and forked only once it has begun one, but for a delegate: its runner knows the session', async () => {
		const { address: worker } = await start(folder.file('hook'));
		const found = () => workerToResume(workspace, task, worker.worker);
		await expect(found()).rejects.toMatchObject({
			code: 'no-task',
			message: `build/${worker.worker} has not begun a conversation; start it again with nancy orchestrate build --worker ${worker.worker}`,
		});
		await workspace.updateWorker(worker, record => record && { ...record, delegate: 'd' });
		expect((await found()).name).toBe(worker.worker);
	});

	it('still has not after a second start that died too, and has the earlier one if it only was to go on', async () => {
		const { address: worker } = await start(folder.file('hook'));
		const again = (resume: boolean, of: WorkerAddress) =>
			planWorker(
				workspace,
				fakeDriver,
				{ executable: '/a', version: [1, 0, 0] },
				{
					task,
					worker: of.worker,
					resume,
					bin: folder.path,
					hooks: { launcher: folder.file('hook'), dataFolder: folder.file('data') },
					env: {},
				},
			);
		await abandonStart(workspace, worker);
		await again(false, worker);
		expect(await begun(worker)).toBe(false);
		await recordProcess(workspace, address, { pid: process.pid, startedTicks: ENDED });
		await again(true, address);
		expect(await begun(address)).toBe(true);
	});
});

describe('a session of a process that the CLI does not name', () => {
	it('is the worker’s own when it is the one that was planned', async () => {
		expect((await begin({ session: first })).address).toEqual(address);
	});

	it('is not the worker’s when a tool of the worker started it', async () => {
		expect((await begin()).address).toEqual({
			task: expect.stringMatching(new RegExp(`^session-${second.slice(-8)}-[0-9a-f]{16}$`)),
			worker: 'worker',
		});
		expect(
			(await begin({ session: SessionId.parse('third'), begins: false, cause: undefined })).address.task,
		).toMatch(/^session-third-/);
		expect(await current()).toBe(first);
	});

	it('is named after the end of its id, for those of a day can begin alike', async () => {
		const found = await Promise.all(
			['ses_e01515da6ffexAQ8l1f1iMlkAQ', 'ses_e01515da7ffeQb3Zk0v9nTw-Xy'].map(async id => {
				const bound = await begin({ session: SessionId.parse(id) });
				return { name: bound.address.task, title: (await workspace.task(bound.address.task)).title };
			}),
		);
		expect(found).toEqual([
			{ name: expect.stringMatching(/^session-f1imlkaq-[0-9a-f]{16}$/), title: 'Session f1imlkaq' },
			{ name: expect.stringMatching(/^session-v9ntw-xy-[0-9a-f]{16}$/), title: 'Session v9ntw-xy' },
		]);
	});

	it('is named after its project too', async () => {
		const bound = await begin({
			session: SessionId.parse('5e551011-0000-4000-8000-0000d8bee611'),
			project: ProjectName.parse('my-feature'),
		});
		expect((await workspace.task(bound.address.task)).title).toBe('my-feature d8bee611');
	});

	it.each(['clear', 'compact', 'resume', 'fork'])('follows the worker’s last one after %s', async cause => {
		expect((await begin({ cause })).address).toEqual(address);
		expect(await current()).toBe(second);
	});

	it('follows when the worker’s own process has ended, or when the worker had none yet', async () => {
		await recordProcess(workspace, address, identify(spawnSync('true').pid));
		expect((await begin()).address).toEqual(address);
		const record = await workspace.worker(address);
		await workspace.saveWorker({ ...record!, sessions: [], process: identify(process.pid) });
		expect((await begin({ session: SessionId.parse('third') })).address).toEqual(address);
	});
});

describe('a session whose process has ended', () => {
	const gone = () => identify(spawnSync('true').pid);
	const me = identify(process.pid);
	const call = (more: Partial<SessionCaller> = {}) => begin({ session: first, cause: 'resume', agent: me, ...more });
	const end = async () => {
		await recordProcess(workspace, address, gone());
		await recordStop(workspace, address);
	};

	it.each([
		['its start', { begins: true, cause: 'resume' }],
		['any later event', { begins: false, cause: undefined }],
	])('runs in the process of whoever resumes it by hand, from %s on', async (_, event) => {
		await end();
		const { record } = await call(event);
		expect(record.process).toEqual(me);
		const kept = await workspace.worker(address);
		expect(kept && isRunning(kept)).toBe(true);
		expect(kept).not.toHaveProperty('stoppedAt');
		expect(kept).not.toHaveProperty('hooks');
		expect(kept?.sessions).toHaveLength(1);
	});

	it('stays ended when its agent’s last hook comes late, or when nobody knows which process calls', async () => {
		await end();
		for (const agent of [gone(), undefined]) {
			await call({ agent });
			expect(await workspace.worker(address)).toMatchObject({ stoppedAt: expect.any(String) });
		}
	});

	it('goes by its events, once somebody resumes it in a process that nobody names', async () => {
		const byHand = { agent: undefined, launchedFor: { taskFolder: undefined, worker: undefined } };
		await end();
		await call({ ...byHand, begins: false, cause: undefined });
		expect(await workspace.worker(address)).toMatchObject({ stoppedAt: expect.any(String) });
		const { record } = await call(byHand);
		expect(record).not.toHaveProperty('process');
		const kept = await workspace.worker(address);
		expect(kept).toEqual(record);
		expect(kept).not.toHaveProperty('stoppedAt');
		expect(kept?.sessions).toHaveLength(1);

		await recordProcess(workspace, address, me);
		await call(byHand);
		expect((await workspace.worker(address))?.process).toEqual(me);
	});

	it('stays ended when it begins in a process that is gone before its hook runs', async () => {
		await end();
		const ended = await workspace.worker(address);
		const pid = String(gone().pid);
		const read = readCall(['gemini-cli', 'SessionStart', 'program', workspace.paths.root], { NANCY_HOOK_PID: pid });
		expect(read).toMatchObject({ agent: undefined, isNamed: true });
		await call({
			agent: undefined,
			isNamed: read?.isNamed === true,
			launchedFor: { taskFolder: undefined, worker: undefined },
		});
		expect(await workspace.worker(address)).toEqual(ended);
	});

	it('is no reason any more why a message waits, once it is resumed', async () => {
		await end();
		const mailbox = workspace.mailbox(address);
		const own = await workspace.send(address, messageContent('a'), BY_USER);
		const resumes = [
			() => call(),
			() =>
				planWorker(
					workspace,
					driver,
					{ executable: '/a', version: [1, 0, 0] },
					{
						task,
						resume: true,
						bin: folder.path,
						hooks: { launcher: '/n', dataFolder: folder.file('data') },
						env: {},
					},
				),
		];
		const reasons: Held[] = [{ code: 'ended' }, wakeLimit(driver)];
		for (const [resume, reason] of resumes.flatMap(each => reasons.map(reason => [each, reason] as const))) {
			await end();
			await mailbox.setHeld(own, reason);
			await resume();
			const { messages } = await mailbox.list(['queued']);
			expect(messages.map(({ id, held }) => [id, held])).toEqual([[own, undefined]]);
		}
	});

	it('is not taken over from a process that lives', async () => {
		await recordProcess(workspace, address, identify(process.ppid));
		await call();
		expect((await workspace.worker(address))?.process).toEqual(identify(process.ppid));
	});
});
