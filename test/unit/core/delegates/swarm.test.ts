import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { identify } from '../../../../src/base/liveness.ts';
import { endDelegate } from '../../../../src/core/delegates/ending.ts';
import { deleteDelegate } from '../../../../src/core/delegates/deleteDelegate.ts';
import { DelegateFiles } from '../../../../src/core/delegates/files.ts';
import { beginSwarmRun, swarmFeature, swarmFiles, swarmOf } from '../../../../src/core/delegates/swarm.ts';
import { DelegateStatus } from '../../../../src/protocol/delegate.ts';
import { DelegateRoom } from '../../../support/delegateRoom.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';

let folder: TempFolder;

beforeEach(() => {
	folder = tempFolder();
});
afterEach(() => folder.remove());

describe('the files that are kept for a swarm', () => {
	it('are written through no link, of which the delegate’s log tells once', async () => {
		const workers = folder.file('project', '.claude', 'orchestrator', 'workers');
		mkdirSync(workers, { recursive: true });
		writeFileSync(folder.file('precious'), 'mine\n');
		symlinkSync(folder.file('precious'), join(workers, 'login.log'));
		const copy = () => swarmFiles(folder.file('project'), swarmFeature('login'));
		const files = new DelegateFiles(folder.file('own'), [], copy);
		await files.appendLog('one\n');
		await files.appendLog('two\n');
		expect(readFileSync(folder.file('precious'), 'utf8')).toBe('mine\n');
		expect(readFileSync(files.log, 'utf8')).toMatch(/^one\ncopy: .*ELOOP.*\ntwo\n$/);
	});

	it('say nothing through a link either', async () => {
		writeFileSync(folder.file('precious'), 'mine\n');
		symlinkSync(folder.file('precious'), folder.file('own.log'));
		const files = new DelegateFiles(folder.file('own'), [], () => {
			throw new Error('no copy');
		});
		await files.writeOutput('The answer.');
		expect(readFileSync(folder.file('precious'), 'utf8')).toBe('mine\n');
	});
});

describe('a swarm’s worker', () => {
	it.each(['login', 'Auth_v2.API', 'zwölf', 'a'.repeat(200), 'ö'.repeat(100)])('can be called %s', name => {
		expect(swarmFeature(name)).toBe(name);
	});

	it.each([
		['hidden', '.login'],
		['in a folder', 'a/b'],
		['empty', ''],
		['longer than a file’s name may be', 'a'.repeat(201)],
		['longer than that in bytes', '🎉'.repeat(51)],
		['turned around', 'a\u202etxt.exe'],
		['with what nobody sees', 'log\u200bin'],
		['of several lines', 'a\nb'],
	])('cannot be %s', (_, name) => {
		expect(() => swarmFeature(name)).toThrow('cannot be the name');
	});
});

describe('a delegate that is queued', () => {
	let room: DelegateRoom;

	beforeEach(() => {
		room = new DelegateRoom();
	});
	afterEach(() => room.folder.remove());

	/** As the window and the command queue it. */
	async function queued(swarmWorker: boolean, env: Record<string, string>, feature?: string) {
		return (await room.queue({ swarm: swarmOf(feature, env, { swarmWorker }) })).record;
	}

	it('is a swarm’s worker where that is set, or the environment says so', async () => {
		expect((await queued(false, {})).swarm).toBeUndefined();
		expect((await queued(true, {})).swarm).toEqual({ feature: 'delegates.delegate-2' });
		expect((await queued(true, { CLAUDE_SWARM_WORKER: 'false' })).swarm).toBeUndefined();
		expect((await queued(false, { CLAUDE_SWARM_WORKER: 'true' })).swarm).toEqual({
			feature: 'delegates.delegate-4',
		});
	});

	it('has the name that a new worker of a swarm is given', async () => {
		expect((await queued(true, {}, 'login')).swarm).toEqual({ feature: 'login' });
		expect((await queued(false, {}, 'login')).swarm).toBeUndefined();
	});

	it('is none whose files another run has that lives, and takes none of them along when it is deleted', async () => {
		const delegate = await room.queue({ swarm: { feature: 'login' } });
		await delegate.files.writeStatus({ ...delegate.status, status: 'running' });
		const ended = await endDelegate(room.delegates, room.tickets, delegate, { ok: true, output: 'The answer.' });
		const files = swarmFiles(room.workspace.folder, swarmFeature('login'));
		const run = (pid: number) =>
			DelegateStatus.parse({ task_id: 'login', status: 'running', runner: { ...identify(process.pid), pid } });
		await beginSwarmRun(files, 'Of the run.', run(process.pid));
		await expect(room.queue({ swarm: { feature: 'login' } })).rejects.toMatchObject({
			code: 'busy',
			message: expect.stringContaining(`${process.pid} is the swarm's worker "login"`),
		});
		await deleteDelegate(room.delegates, room.tickets, ended.record.id, () => Promise.resolve());
		expect(readFileSync(files.prompt, 'utf8')).toBe('Of the run.');
		await files.writeStatus(run(2 ** 22 + 1));
		expect((await room.queue({ swarm: { feature: 'login' } })).state).toBe('queued');
	});
});
