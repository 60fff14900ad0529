import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Collector, type CollectorOptions } from '../../../../src/core/live/collector.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import { SessionId, TaskName, WorkerName } from '../../../../src/protocol/names.ts';
import { TrafficRecord } from '../../../../src/protocol/traffic.ts';
import { bundledChild } from '../../../support/bundledChild.ts';
import { killedAt } from '../../../support/killedAt.ts';
import { fakeDriver } from '../../../support/fakeDriver.ts';
import { roundsOr } from '../../../support/rounds.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';
import { bindSession } from '../../../../src/core/sessions/bindings.ts';
import { failFiles } from '../../../support/failingFiles.ts';

let folder: TempFolder;
let workspace: Workspace;
const open: Collector[] = [];
const session = SessionId.parse('s1');

beforeEach(async () => {
	folder = tempFolder();
	workspace = new Workspace(folder.path);
	await workspace.prepare();
});
afterEach(async () => {
	for (const collector of open.splice(0)) await collector.close();
	await folder.remove();
});

function collector(options: CollectorOptions = {}): Collector {
	const made = new Collector(workspace, [fakeDriver], options);
	open.push(made);
	return made;
}

let clock = 1_700_000_000;
async function spool(payload: unknown, name = `fake~PreToolUse~${++clock}.json`): Promise<string> {
	const file = join(workspace.paths.spool, name);
	await writeFile(file, typeof payload === 'string' ? payload : JSON.stringify(payload));
	await utimes(file, ++clock, clock);
	return file;
}

async function records(id = session): Promise<TrafficRecord[]> {
	const text = await readFile(workspace.paths.trafficFile(id), 'utf8');
	return text
		.split('\n')
		.filter(Boolean)
		.map(line => TrafficRecord.parse(JSON.parse(line)));
}

const spoolNames = async () => (await readdir(workspace.paths.spool)).sort();

describe('Collector', () => {
	it('stores events in the order of their time, whatever they are called', async () => {
		await spool({ session: 's1', kind: 'tool-start', tool: 'A' }, 'fake~PreToolUse~z.json');
		await spool({ session: 's1', kind: 'tool-start', tool: 'B' }, 'fake~PreToolUse~a.json');
		expect(await collector().collect()).toEqual({
			isCollector: true,
			records: 2,
			sessions: ['s1'],
			hasMore: false,
		});
		expect((await records()).map(record => record.type === 'event' && record.event.tool)).toEqual(['A', 'B']);
		expect(await spoolNames()).toEqual([]);
	});

	it('orders events of the same moment by the process that wrote them', async () => {
		for (const [event, pid] of [
			['PostToolUse', 998],
			['PostToolBatch', 999],
			['Stop', 1000],
		] as const) {
			const file = await spool({ session: 's1', kind: 'other' }, `fake~${event}~${pid}-1.json`);
			await utimes(file, 1_700_000_000, 1_700_000_000);
		}
		await collector().collect();
		const events = (await records()).map(record => record.type === 'event' && record.event.event);
		expect(events).toEqual(['PostToolUse', 'PostToolBatch', 'Stop']);
	});

	it('notes the mailbox of a bound session, and stores those of others too', async () => {
		const address = { task: TaskName.parse('t'), worker: WorkerName.parse('worker') };
		await bindSession(workspace, session, { address: address, watched: true });
		await spool({ session: 's1', kind: 'stop' });
		await spool({ session: 's2', kind: 'stop' });
		await collector().collect();
		expect(await records()).toMatchObject([address]);
		expect((await records(SessionId.parse('s2')))[0]).not.toHaveProperty('task');
	});

	it('stores what a hook delivered, and what troubled it', async () => {
		const at = new Date().toISOString();
		const base = { at, driver: 'fake', event: 'PreToolUse' };
		await spool({
			nancy: 'delivery',
			...base,
			session: 's1',
			task: 't',
			worker: 'worker',
			messages: ['m1'],
			rung: 'hook',
			effect: 'none',
		});
		await spool({ nancy: 'trouble', ...base, session: 's1', reason: 'password=hunter2' }, 'any-name.json');
		await collector().collect();
		expect(await records()).toMatchObject([
			{ type: 'delivery', task: 't', worker: 'worker', delivery: { messages: ['m1'] } },
			{ type: 'trouble', trouble: { reason: 'password=[redacted]' } },
		]);
	});

	it('stores no secret, neither in the payload nor in the summary', async () => {
		await spool({
			session: 's1',
			kind: 'tool-start',
			summary: 'curl -H "Authorization: Bearer abcdefgh1234"',
			password: 'hunter2',
		});
		await collector().collect();
		const text = await readFile(workspace.paths.trafficFile(session), 'utf8');
		expect(text).not.toMatch(/hunter2|abcdefgh1234/);
	});

	it('waits for a file that is still being written, and rejects one that stays half', async () => {
		let now = 0;
		const subject = collector({ now: () => now, unfinishedMs: 30_000 });
		const whole = JSON.stringify({ session: 's1', kind: 'stop' });
		const growing = await spool(whole.slice(0, 10));
		await spool('{"half', 'fake~Stop~half.json');
		expect(await subject.collect()).toMatchObject({ records: 0 });
		await writeFile(growing, whole);
		expect(await subject.collect()).toMatchObject({ records: 1 });
		now = 31_000;
		await subject.collect();
		expect(await readdir(join(workspace.paths.spool, 'rejected'))).toEqual(['fake~Stop~half.json']);
		expect(subject.problems).toMatchObject([{ file: expect.stringContaining('rejected/fake~Stop~half.json') }]);
	});

	it('keeps what it rejects without secrets, cut, and not for ever', async () => {
		let now = 0;
		const subject = collector({ now: () => now, unfinishedMs: 30_000 });
		await spool({ kind: 'no session', password: 'hunter2', big: 'x'.repeat(500_000) }, 'fake~Stop~wrong.json');
		await spool(`{"command": "make", "db_password": "hunter2 and m`, 'fake~Stop~half.json');
		await subject.collect();
		now = 31_000;
		await subject.collect();
		const rejected = join(workspace.paths.spool, 'rejected');
		const texts = await Promise.all(
			['wrong', 'half'].map(name => readFile(join(rejected, `fake~Stop~${name}.json`), 'utf8')),
		);
		expect(texts.join('')).not.toContain('hunter2');
		expect(texts[1]).toContain('make');
		expect(texts[0]?.length).toBeLessThan(70_000);
		for (let made = 0; made < 70; made++) await spool({ kind: 'no session' }, `fake~Stop~${made}.json`);
		await subject.collect();
		expect(await readdir(rejected)).toHaveLength(50);
		expect(await spoolNames()).toEqual(['rejected']);
	});

	it('leaves garbage alone and reports it once', async () => {
		await spool('not ours', 'notes.txt');
		await mkdir(join(workspace.paths.spool, 'a-folder'));
		await symlink('/etc/hostname', join(workspace.paths.spool, 'fake~Stop~link.json'));
		await spool({ kind: 'no session' }, 'fake~Stop~wrong.json');
		await spool({ session: 's1', kind: 'stop' }, 'unknown~Stop~1.json');
		await spool({ silent: true }, 'fake~Stop~silent.json');
		const subject = collector();
		await subject.collect();
		await subject.collect();
		expect(await spoolNames()).toEqual(['a-folder', 'fake~Stop~link.json', 'notes.txt', 'rejected']);
		expect(subject.problems).toHaveLength(5);
	});

	it('leaves collecting to the one that has the lock, until it closes', async () => {
		const first = collector();
		await first.collect();
		const second = collector();
		await spool({ session: 's1', kind: 'stop' });
		expect(await second.collect()).toMatchObject({ isCollector: false, records: 0 });
		await first.close();
		expect(await second.collect()).toMatchObject({ isCollector: true, records: 1 });
	});

	it('takes over from a dead process, neither losing nor repeating what that had claimed', async () => {
		const dead = spawn('true');
		await new Promise(resolve => dead.on('exit', resolve));
		const lock = join(workspace.paths.root, 'collector.lock');
		await mkdir(lock);
		await writeFile(join(lock, `${dead.pid}-1-0123456789ab`), '');
		// Stored but not yet removed: what the dead one left is put back by hand.
		const first = await spool({ session: 's1', kind: 'tool-start', tool: 'A' }, 'fake~PreToolUse~1.json');
		const bytes = await readFile(first);
		const at = clock;
		const before = collector();
		await before.collect();
		await before.close();
		const claimed = join(workspace.paths.spool, `.claimed-${dead.pid}-1`);
		await mkdir(claimed);
		await writeFile(join(claimed, 'fake~PreToolUse~1.json'), bytes);
		await utimes(join(claimed, 'fake~PreToolUse~1.json'), at, at);
		await writeFile(
			join(claimed, 'fake~PreToolUse~2.json'),
			JSON.stringify({ session: 's1', kind: 'tool-start', tool: 'B' }),
		);
		// Half a line, as a killed write leaves it.
		await writeFile(
			workspace.paths.trafficFile(session),
			`${await readFile(workspace.paths.trafficFile(session), 'utf8')}{"version":1,"id":"ha`,
		);
		await collector().collect();
		const text = await readFile(workspace.paths.trafficFile(session), 'utf8');
		const lines = text.split('\n').filter(Boolean);
		expect(lines.map(line => /"tool":"(.)"/.exec(line)?.[1])).toEqual(['A', undefined, 'B']);
		expect(await spoolNames()).toEqual([]);
	});

	it('keeps events in the spool while they cannot be stored', async () => {
		await spool({ session: 's1', kind: 'stop' }, 'fake~Stop~1.json');
		await mkdir(workspace.paths.trafficFile(session));
		let now = 0;
		const subject = collector({ now: () => now });
		expect(await subject.collect()).toMatchObject({ records: 0 });
		expect(await spoolNames()).toEqual(['fake~Stop~1.json']);
		expect(subject.problems).toHaveLength(1);
	});

	it('stores the events of others while one session’s file refuses its own, however many those are', async () => {
		const other = SessionId.parse('s2');
		for (let count = 0; count < 600; count++) await spool({ session: 's1', kind: 'tool-start', tool: 'A' });
		await spool({ session: 's2', kind: 'stop' });
		await mkdir(workspace.paths.trafficFile(session));
		let now = 0;
		const subject = collector({ now: () => now });
		await subject.collect();
		expect(await records(other)).toHaveLength(1);
		expect(await spoolNames()).toHaveLength(600);
		expect(subject.problems).toHaveLength(1);
		// Its file is put right, and it is tried again after a while, in the order of its events.
		await rm(workspace.paths.trafficFile(session), { recursive: true });
		await spool({ session: 's1', kind: 'stop' });
		await subject.collect();
		expect(await spoolNames()).toHaveLength(601);
		now = 10_000;
		await subject.collect();
		expect(await spoolNames()).toEqual([]);
		const kinds = (await records()).map(record => record.type === 'event' && record.event.kind);
		expect(kinds).toEqual([...Array<string>(600).fill('tool-start'), 'stop']);
	});

	it('recovers what it can where a folder of claims cannot be looked at', async () => {
		const [closed, open] = ['.claimed-999999998-1', '.claimed-999999999-1'].map(name =>
			join(workspace.paths.spool, name),
		) as [string, string];
		for (const claimed of [closed, open]) {
			await mkdir(claimed);
			const file = join(claimed, `fake~PreToolUse~${claimed === open ? 1 : 2}.json`);
			await writeFile(file, JSON.stringify({ session: 's1', kind: 'stop' }));
		}
		let now = 0;
		const subject = collector({ now: () => now });
		{
			using _ = failFiles('readdir', path => path === closed);
			await subject.collect();
			await subject.collect();
		}
		expect(await records()).toHaveLength(1);
		expect(await spoolNames()).toEqual(['.claimed-999999998-1']);
		now = 10_000;
		await subject.collect();
		expect(await records()).toHaveLength(2);
		expect(await spoolNames()).toEqual([]);
	});

	it('finds again what it had claimed when a pass failed', async () => {
		await spool({ session: 's1', kind: 'stop' });
		const subject = collector();
		{
			using _ = failFiles('rm', path => path.includes('.claimed-'), 'EIO');
			await expect(subject.collect()).rejects.toThrow('EIO');
		}
		await subject.collect();
		expect(await records()).toHaveLength(1);
		expect(await spoolNames()).toEqual([]);
	});

	it('rotates a session and keeps the whole within its size', async () => {
		const subject = collector({ limits: { sessionBytes: 4000, totalBytes: 6000 } });
		for (let i = 0; i < 20; i++) {
			await spool({ session: `s${i % 4}`, kind: 'tool-end', filler: 'x'.repeat(1000) });
			await subject.collect();
		}
		await subject.close();
		await collector({ limits: { sessionBytes: 4000, totalBytes: 6000 } }).collect();
		const names = await readdir(workspace.paths.traffic);
		expect(names).toContain('s3.jsonl');
		expect(names.length).toBeLessThan(8);
	});

	it('loses nothing and repeats nothing when it is killed again and again', async () => {
		const total = 2000;
		const sessions = ['k0', 'k1', 'k2'].map(id => SessionId.parse(id));
		for (let i = 0; i < total; i++) {
			await writeFile(
				join(workspace.paths.spool, `fake~PreToolUse~${i}.json`),
				JSON.stringify({ session: `k${i % 3}`, kind: 'tool-start', tool: `T${i}` }),
			);
		}
		for (let round = 0; round < 8; round++) {
			const args = [bundledChild('collectForever'), folder.path];
			const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
			await new Promise(resolve => child.stdout.once('data', resolve));
			await sleep(round * 7);
			child.kill('SIGKILL');
			await new Promise(resolve => child.once('exit', resolve));
		}
		await collector().collect();
		const tools: string[] = [];
		for (const id of sessions) {
			for (const line of (await readFile(workspace.paths.trafficFile(id), 'utf8')).split('\n')) {
				const tool = /"tool":"(T\d+)".*"payload".*\}$/.exec(line)?.[1];
				if (tool !== undefined) tools.push(tool);
			}
		}
		expect(tools.length).toBe(total);
		expect(new Set(tools).size).toBe(total);
	});

	it('loses no event whose name comes again while its collector is killed, before any file call', async () => {
		// The guard's names are made of pids, and pids come again.
		const names = ['fake~PreToolUse~7-1.json', 'fake~PreToolUse~8-1.json'];
		const written: string[] = [];
		const write = async (name: string) => {
			const tool = `T${written.length}`;
			const text = JSON.stringify({ session: 's1', kind: 'tool-start', tool });
			// As the guard does, which overwrites nothing.
			await writeFile(join(workspace.paths.spool, name), text, { flag: 'wx' }).then(
				() => written.push(tool),
				() => undefined,
			);
		};
		// A pass over what is left of all passes before comes to its end ever later.
		for (let killAt = 0; killAt < roundsOr(28); killAt++) {
			for (const name of names) await write(name);
			const ended = await killedAt(killAt, 'collectOnce', [folder.path]);
			if (ended === 'finished') break;
			expect(ended).toBe('SIGKILL');
		}
		await collector().collect();
		const lines = (await readFile(workspace.paths.trafficFile(session), 'utf8')).split('\n');
		const tools = lines.flatMap(line => /"tool":"(T\d+)".*"payload".*\}$/.exec(line)?.[1] ?? []);
		expect(written.length).toBeGreaterThan(5);
		expect(tools.toSorted()).toEqual(written.toSorted());
		expect(await spoolNames()).toEqual([]);
	});
});
