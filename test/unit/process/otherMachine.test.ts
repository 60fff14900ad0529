import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
	identify,
	isSameProcess,
	liveness,
	ownIdentity,
	processWord,
	type ProcessIdentity,
} from '../../../src/base/liveness.ts';
import { ownMachine, whereIs } from '../../../src/base/machine.ts';
import { isRunning } from '../../../src/core/workspace/workerLife.ts';
import { Leases } from '../../../src/core/files/leases.ts';
import { ProcessLock } from '../../../src/core/files/processLock.ts';
import { Claims } from '../../../src/core/traffic/claims.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { DriverId, SessionId, TaskName, WorkerName } from '../../../src/protocol/names.ts';
import { ProcessRecord } from '../../../src/protocol/records.ts';
import { stopDelegate } from '../../../src/delegates/delegateQueue.ts';
import { addBoundWorker } from '../../support/boundWorker.ts';
import { bundledChild } from '../../support/bundledChild.ts';
import { DelegateRoom } from '../../support/delegateRoom.ts';
import { reconcile } from '../../../src/core/delegates/ending.ts';
import { claimedBy } from '../../support/claimedBy.ts';
import { BY_USER, messageContent } from '../../support/messageContent.ts';
import { noSecondHost, UNSHARE } from '../../support/secondHost.ts';
import { taskRecord } from '../../support/taskRecord.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

let folder: TempFolder;
let workspace: Workspace;
const agent = DriverId.parse('fake');
const address = { task: TaskName.parse('fix'), worker: WorkerName.parse('worker') };

beforeEach(async () => {
	folder = tempFolder();
	workspace = new Workspace(folder.path);
	await workspace.createTask(taskRecord(address.task, agent));
	await addBoundWorker(workspace, address, { agent, session: SessionId.parse('s1') });
});
afterEach(() => folder.remove());

/** Somebody who was heard of on this disk a while ago. */
async function machine(name: string, secondsAgo: number): Promise<string> {
	await new Leases(workspace.paths.machines).renew();
	const file = join(workspace.paths.machines, name);
	await writeFile(file, 'at work\n');
	const at = Date.now() / 1000 - secondsAgo;
	await utimes(file, at, at);
	return name;
}
const claimedNames = async () =>
	(await readdir(join(workspace.mailbox(address).folder, 'claimed'))).filter(name => name.endsWith('.md'));

describe('a machine', () => {
	it('is known by its boot and its pid namespace, and a process by its machine', () => {
		expect(ownMachine()).toMatch(/^[0-9a-z]+\.[0-9a-f]{8}\.[0-9a-z]+$/);
		expect(identify(process.pid)).toEqual({ ...ownIdentity(), machine: ownMachine() });
		expect(ProcessRecord.parse(ownIdentity())).toEqual(ownIdentity());
	});

	it('may be absent in a record, which is then of this one', () => {
		const { machine: _gone, ...old } = ownIdentity();
		expect(liveness(old)).toBe('alive');
		expect(isSameProcess(old, ownIdentity())).toBe(true);
		expect(liveness({ ...old, startedTicks: old.startedTicks + 1 })).toBe('dead');
	});

	it('that is another one has processes of which nothing is known; what ran here before the last start is dead', () => {
		const [host = '', boot = '', namespace = ''] = ownMachine()?.split('.') ?? [];
		const of = (name: string) => liveness({ ...ownIdentity(), machine: name });
		expect(of(`${host}.${boot}.zz`)).toBe('unknown');
		expect(of(`zz.00000000.${namespace}`)).toBe('unknown');
		expect(whereIs(`0.00000000.${namespace}`)).toBe('elsewhere');
		if (host !== '0') expect(of(`${host}.00000000.${namespace}`)).toBe('dead');
	});
});

describe('what a process of another machine holds', () => {
	async function claimElsewhere(name: string): Promise<void> {
		await workspace.send(address, messageContent('Use the helper.'), BY_USER);
		expect(await workspace.mailbox(address).claim(() => 'take')).toHaveLength(1);
		const [claim = ''] = await claimedNames();
		const claimed = join(workspace.mailbox(address).folder, 'claimed');
		claimedBy(workspace.seals(address), join(claimed, claim), claim.replace(/@[0-9a-z.]+-(\d+)-.*/, `@${name}-$1`));
	}

	it('stays its own while its machine is heard of, and comes back when that has been silent for a minute', async () => {
		await claimElsewhere(await machine('zz.00000000.1', 30));
		expect(await workspace.mailbox(address).recover()).toEqual([]);
		await machine('zz.00000000.1', 90);
		expect(await workspace.mailbox(address).recover()).toHaveLength(1);
		expect(await claimedNames()).toEqual([]);
	});

	it('is given back by the clock of the disk, whatever the own clock says', async () => {
		const lock = join(workspace.paths.root, 'x.lock');
		await mkdir(lock);
		const theirs = join(lock, `${processWord({ ...ownIdentity(), machine: 'zz.00000000.1' })}-0123456789ab`);
		const heardOf = async (secondsAgo: number) => {
			await writeFile(theirs, '');
			await utimes(theirs, Date.now() / 1000 - secondsAgo, Date.now() / 1000 - secondsAgo);
		};
		await heardOf(30);
		const { now } = Date;
		Date.now = () => now() + 3_600_000;
		try {
			expect(await new ProcessLock(lock).hold()).toBe(false);
		} finally {
			Date.now = now;
		}
		await heardOf(90);
		expect(await new ProcessLock(lock).hold()).toBe(true);
	});

	it('are events too', async () => {
		const theirs = join(workspace.paths.spool, `.claimed-1@${await machine('zz.00000000.1', 30)}-1`);
		const event = 'fake~Stop~1-1.json';
		await mkdir(theirs);
		await writeFile(join(theirs, event), '{}');
		await new Claims(workspace.paths).recover([]);
		expect(await readdir(theirs)).toEqual([event]);
		await machine('zz.00000000.1', 90);
		await new Claims(workspace.paths).recover([]);
		expect(await readdir(workspace.paths.spool)).toContain(event);
	});

	it('is a delegate that runs, and that its own machine stops', async () => {
		const { delegates, tickets, queue, folder: place } = await delegateElsewhere(30);
		const { record } = queue;
		expect(await reconcile(delegates, (await delegates.list()).delegates)).toEqual([]);
		await expect(stopDelegate(delegates, tickets, record.id)).rejects.toMatchObject({
			code: 'wrong-state',
			message: `${record.id} runs on another machine; stop it there`,
		});
		// Its runner reads a person's word, and no process here has anything to do with it.
		await tickets.stops.byHuman(record.id);
		await expect(stopDelegate(delegates, tickets, record.id, 10)).rejects.toMatchObject({
			code: 'timeout',
			message: expect.stringContaining('on another machine may hear it late'),
		});
		// The process that has its pid here is a stranger.
		expect(liveness(ownIdentity())).toBe('alive');
		await place.remove();
	});

	it('is a delegate that has died once its machine has been silent for a minute', async () => {
		const { delegates, queue, folder: place } = await delegateElsewhere(90);
		const dead = await reconcile(delegates, (await delegates.list()).delegates);
		expect(dead.map(({ record }) => record.id)).toEqual([queue.record.id]);
		await place.remove();
	});

	/** Its runner has this test's own pid, on another machine. */
	async function delegateElsewhere(secondsAgo: number) {
		const room = new DelegateRoom();
		const queued = await room.queue();
		({ workspace } = room);
		const runner = { ...ownIdentity(), machine: await machine('zz.00000000.1', secondsAgo) };
		await room.tickets.begin(queued.record.id, runner);
		await room.delegates.writeStatus(queued.record.id, { ...queued.status, status: 'running', runner });
		return { delegates: room.delegates, tickets: room.tickets, queue: queued, folder: room.folder };
	}

	it('is an agent that runs until a person says that it has ended', async () => {
		const record = await workspace.worker(address);
		if (!record) throw new Error('no record');
		const process: ProcessIdentity = { pid: 1, startedTicks: 1, machine: 'zz.00000000.1' };
		expect(isRunning({ ...record, process })).toBe(true);
		expect(isRunning({ ...record, process, stoppedAt: new Date().toISOString() })).toBe(false);
	});
});

describe.skipIf(noSecondHost)(`in another pid namespace${noSecondHost}`, () => {
	let child: ChildProcess | undefined;
	afterEach(async () => {
		// What `unshare` has forked is the first of its namespace: it goes with it.
		child?.kill('SIGKILL');
		if (child && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
		child = undefined;
	});

	async function startElsewhere(lock: string) {
		const program = bundledChild('elsewhere');
		const { root } = workspace.paths;
		const own = [process.execPath, program, root, workspace.mailbox(address).folder, lock];
		child = spawn('unshare', [...(UNSHARE ?? []), ...own], { stdio: ['ignore', 'pipe', 'inherit'] });
		if (!child.stdout) throw new Error('no output');
		const [data] = (await once(child.stdout, 'data')) as [Buffer];
		return JSON.parse(data.toString()) as { me: ProcessIdentity; claimed: string[]; hasLock: boolean };
	}

	it('a living claimer keeps its claim, a lock is held by one side, and no process is declared dead', async () => {
		const id = await workspace.send(address, messageContent('Use the helper.'), BY_USER);
		const lock = join(workspace.paths.root, 'x.lock');
		const there = await startElsewhere(lock);
		expect(there).toMatchObject({ claimed: [id], hasLock: true, me: { pid: expect.any(Number) } });
		expect(there.me.machine).not.toBe(ownMachine());
		expect(liveness(there.me)).toBe('unknown');
		expect(await workspace.mailbox(address).recover()).toEqual([]);
		expect(await workspace.mailbox(address).claim(() => 'take')).toEqual([]);
		expect(await new ProcessLock(lock).hold()).toBe(false);
		expect((await stat(join(workspace.paths.machines, there.me.machine ?? ''))).isFile()).toBe(true);
	});

	it('the lock of this side is respected as well', async () => {
		const lock = join(workspace.paths.root, 'x.lock');
		expect(await new ProcessLock(lock).hold()).toBe(true);
		expect(await startElsewhere(lock)).toMatchObject({ hasLock: false });
	});
});

it('a host that was given another name is the same one as long as it runs', () => {
	const { machine = '', ...process } = ownIdentity();
	const renamed = machine.replace(/^[^.]+/, 'zz');
	expect(whereIs(renamed)).toBe('here');
	expect(liveness({ ...process, machine: renamed })).toBe('alive');
	expect(isSameProcess({ ...process, machine: renamed }, ownIdentity())).toBe(true);
	expect(whereIs(machine.replace(/[^.]+$/, '1'))).toBe('elsewhere');
});
