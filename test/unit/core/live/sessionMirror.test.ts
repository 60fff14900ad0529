import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { currentOf, SessionMirror } from '../../../../src/core/live/sessionMirror.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import { bindSession } from '../../../../src/core/sessions/bindings.ts';
import { SessionId, TaskName, WorkerName } from '../../../../src/protocol/names.ts';
import type { WorkerRecord } from '../../../../src/protocol/records.ts';
import { fakeDriver } from '../../../support/fakeDriver.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';
import { failFiles } from '../../../support/failingFiles.ts';

let folder: TempFolder;
let workspace: Workspace;
let mirror: SessionMirror;

beforeEach(() => {
	folder = tempFolder();
	workspace = new Workspace(folder.path, folder.file('data'));
	mkdirSync(workspace.paths.traffic, { recursive: true });
	mirror = new SessionMirror(workspace, [fakeDriver], () => undefined);
});
afterEach(() => folder.remove());

/** A session with one event, some minutes old. */
function session(name: string, minutesAgo: number): SessionId {
	const id = SessionId.parse(name);
	const at = new Date(Date.now() - minutesAgo * 60_000);
	const event = { kind: 'prompt', session: id, driver: 'fake', event: 'prompt' };
	const record = { version: 1, type: 'event', id: `${name}-1`, at: at.toISOString(), event, payload: {} };
	writeFileSync(workspace.paths.trafficFile(id), `${JSON.stringify(record)}\n`);
	utimesSync(workspace.paths.trafficFile(id), at, at);
	return id;
}
const shown = () => mirror.traffic().map(each => each.session);

it('forgets a session whose traffic was removed', async () => {
	const [one, two] = [session('one', 1), session('two', 2)];
	await mirror.read();
	expect(shown()).toEqual([one, two]);
	rmSync(workspace.paths.trafficFile(two));
	expect(await mirror.read()).toBe(true);
	expect(shown()).toEqual([one]);
	expect(await mirror.read()).toBe(false);
});

it('shows the others while one cannot be read, and that one once it can', async () => {
	const [one, two] = [session('one', 1), session('two', 2)];
	{
		using _ = failFiles('open', path => path === workspace.paths.trafficFile(one));
		await mirror.read();
		expect(shown()).toEqual([two]);
	}
	expect(await mirror.read()).toBe(true);
	expect(shown()).toEqual([one, two]);
});

it('keeps the newest sixty and those of workers, whatever has grown meanwhile', async () => {
	const old = Array.from({ length: 60 }, (_, index) => session(`old-${index}`, 200 + index));
	await mirror.read();
	const fresh = Array.from({ length: 10 }, (_, index) => session(`new-${index}`, index));
	await mirror.read();
	expect(shown()).toHaveLength(70);
	const needed = old.at(-1)!;
	mirror.keepOnly(new Set([needed]));
	expect(shown()).toEqual([...fresh, ...old.slice(0, 50), needed]);
});

describe('the sessions of a worker', () => {
	const startedAt = new Date().toISOString();
	const worker = (name: string, ...sessions: SessionId[]): WorkerRecord => ({
		version: 1,
		task: TaskName.parse('fix'),
		name: WorkerName.parse(name),
		agent: fakeDriver.id,
		sessions: sessions.map(id => ({ id, startedAt })),
		startedAt,
	});
	const sessionsOf = (record: WorkerRecord) => [...mirror.of(record)].map(each => each.session);
	const bind = (id: SessionId, { task, name }: WorkerRecord) =>
		bindSession(workspace, id, { address: { task, worker: name }, watched: true });

	it('are those that are bound to it and those that its record names, without one that went to another worker', async () => {
		const [bound, named] = [session('bound', 2), session('named', 1)];
		await bind(bound, worker('one'));
		await mirror.read();
		expect(sessionsOf(worker('one'))).toEqual([bound]);
		expect(sessionsOf(worker('one', bound, named))).toEqual([bound, named]);
		await bind(bound, worker('two'));
		await mirror.follow(bound);
		expect(sessionsOf(worker('one'))).toEqual([]);
		expect(sessionsOf(worker('two'))).toEqual([bound]);
		rmSync(workspace.paths.trafficFile(bound));
		await mirror.read();
		expect(sessionsOf(worker('two'))).toEqual([]);
	});

	it('decide its state by the newest event', async () => {
		const [older, newer] = [session('older', 9), session('newer', 1)];
		await mirror.read();
		for (const order of [worker('one', older, newer), worker('one', newer, older)])
			expect(currentOf(mirror.of(order))?.session).toBe(newer);
	});
});
