import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { identify } from '../../src/base/liveness.ts';
import { dataFolder } from '../../src/base/folders.ts';
import { sweepLeftovers } from '../../src/core/live/leftovers.ts';
import { bindSession, sessionBinding } from '../../src/core/sessions/bindings.ts';
import { prepareAnswer } from '../../src/core/sessions/prepareAnswer.ts';
import { sealedAgent, sealStart } from '../../src/core/sessions/sealedAgents.ts';
import { bindCaller, type SessionCaller } from '../../src/core/sessions/sessions.ts';
import { deleteWorker } from '../../src/core/sessions/deletion.ts';
import type { Workspace, WorkerAddress } from '../../src/core/workspace/workspace.ts';
import { claudeCode } from '../../src/drivers/claude-code/driver.ts';
import { ORCHESTRATOR, SessionId, TaskName } from '../../src/protocol/names.ts';
import type { WorkerRecord } from '../../src/protocol/records.ts';
import { addBoundWorker } from '../support/boundWorker.ts';
import { address as mine, hookedWorker } from '../support/hookedWorker.ts';
import { makeOld } from '../support/makeOld.ts';
import { BY_USER, messageContent } from '../support/messageContent.ts';
import { taskRecord } from '../support/taskRecord.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

// An agent may write anything below its workspace. Who hears the words of a mailbox is sealed in the user's data folder.

const WORDS = 'You may push.';
const session = SessionId.parse('5e551011-0000-4000-8000-0000000b1d01');
const othersSession = SessionId.parse('5e551011-0000-4000-8000-0000000b1d02');
const unknown = SessionId.parse('5e551011-0000-4000-8000-0000000b1d03');
const other: WorkerAddress = { task: TaskName.parse('other'), worker: mine.worker };
const human: WorkerAddress = { task: other.task, worker: ORCHESTRATOR };

let folder: TempFolder;
let workspace: Workspace;
let launcher: string;

beforeEach(async () => {
	folder = tempFolder();
	({ workspace, launcher } = await hookedWorker(folder.path, { agent: claudeCode.id, session }));
	await workspace.createTask(taskRecord(other.task, claudeCode.id));
	await addBoundWorker(workspace, other, { agent: claudeCode.id, session: othersSession });
});
afterEach(() => folder.remove());

async function send(to: WorkerAddress): Promise<void> {
	await workspace.send(to, messageContent(WORDS), BY_USER);
	makeOld(join(workspace.mailbox(to).folder, 'inbox'));
}
const waiting = async (at: WorkerAddress) => (await workspace.mailbox(at).list(['queued'])).messages.length;

const recordOf = (to: WorkerAddress, id: SessionId): WorkerRecord => ({
	version: 1,
	task: to.task,
	name: to.worker,
	agent: claudeCode.id,
	process: identify(process.pid),
	sessions: [{ id, startedAt: new Date().toISOString(), transcript: join(folder.path, 'transcript.jsonl') }],
	startedAt: new Date().toISOString(),
});

/** Writes the guard's file of a session, as an agent would. */
function forge(of: SessionId, to: WorkerAddress): void {
	writeFileSync(workspace.paths.session(of), `tasks/${to.task}/comms/${to.worker}\nunwatched\n`);
}

function hear(as: SessionId, [event, slot]: readonly [string, string] = ['PostToolBatch', 'boundary']): string {
	const { stdout } = spawnSync(launcher, [claudeCode.id, event, slot, folder.path], {
		input: JSON.stringify({
			session_id: as,
			transcript_path: join(folder.path, 'transcript.jsonl'),
			cwd: folder.path,
			hook_event_name: event,
			source: 'startup',
			tool_calls: [],
		}),
		encoding: 'utf8',
		env: { PATH: process.env['PATH'], NANCY_HOOK_SESSION: as, NANCY_HOOK_PROJECT: folder.path },
	});
	return stdout;
}

it.each([
	['its own session', session, other],
	['the session of another', othersSession, mine],
	['its own session to the human’s mailbox', session, human],
	['a session that it is about to start', unknown, other],
	['a session that it is about to start to the human’s mailbox', unknown, human],
])('no agent hears words to another when it binds %s', async (_, bound, to) => {
	await send(to);
	await workspace.saveWorker(recordOf(to, bound));
	forge(bound, to);
	for (const at of [
		['PostToolBatch', 'boundary'],
		['SessionStart', 'program'],
		['Stop', 'end'],
	] as const) {
		expect(hear(bound, at)).not.toContain(WORDS);
		forge(bound, to);
	}
	expect(await waiting(to)).toBe(1);
});

it('no agent hears words to another where the record is damaged that says since when sessions are sealed', async () => {
	const since = workspace.own.path('sessions-since.json');
	for (const damaged of ['', '{"version":2}']) {
		writeFileSync(since, damaged);
		forge(unknown, other);
		expect((await sessionBinding(workspace, unknown))?.address).toBeUndefined();
		await bindSession(workspace, session, { address: mine, watched: true });
		await workspace.own.remove('sessions', `${unknown}.json`);
		expect((await sessionBinding(workspace, unknown))?.address).toBeUndefined();
		rmSync(workspace.paths.session(session));
		// It is sealed again.
		expect((await sessionBinding(workspace, session))?.address).toEqual(mine);
		await workspace.own.remove('sessions', `${session}.json`);
	}
});

it('a session whose id ends as that of another gets no words to that, also if the other’s record names it', async () => {
	const [theirs, chosen] = ['5e551011', '5e551012'].map(begin =>
		SessionId.parse(`${begin}-0000-4000-8000-0000f00dc0de`),
	) as [SessionId, SessionId];
	hear(theirs, ['SessionStart', 'program']);
	const to = (await sessionBinding(workspace, theirs))?.address ?? mine;
	expect(to).not.toEqual(mine);
	await send(to);
	await workspace.saveWorker(recordOf(to, chosen));
	hear(chosen, ['SessionStart', 'program']);
	expect(hear(chosen)).not.toContain(WORDS);
	expect(hear(theirs)).toContain(WORDS);
});

it('nothing is prepared for a session that another’s record and the guard’s file name', async () => {
	const prepared = join(dataFolder(), 'prepared', session);
	const prepareFor = async (to: WorkerAddress) => {
		const id = await workspace.send(to, messageContent(WORDS), BY_USER);
		await prepareAnswer(workspace, claudeCode, recordOf(to, session), id, undefined);
		return existsSync(prepared);
	};
	forge(session, other);
	expect(await prepareFor(other)).toBe(false);
	expect(await prepareFor(mine)).toBe(true);
	await workspace.prepared.forget(session);
});

it('a session hears its own words after somebody has bound it to another, or to none', async () => {
	await send(mine);
	forge(session, other);
	hear(session, ['SessionStart', 'program']);
	expect(hear(session)).toContain(WORDS);
	await send(mine);
	rmSync(workspace.paths.session(session));
	expect(hear(session)).toContain(WORDS);
});

const caller = (id: SessionId) => ({
	session: id,
	driver: claudeCode,
	agent: identify(process.pid),
	isNamed: true,
	launchedFor: { taskFolder: undefined, worker: undefined },
	transcript: undefined,
	begins: true,
	cause: 'clear',
});

describe('a new session whose environment names another worker', () => {
	const begin = (more: Partial<SessionCaller> = {}) =>
		bindCaller(workspace, {
			...caller(unknown),
			cause: 'startup',
			launchedFor: { taskFolder: workspace.paths.task(other.task), worker: other.worker },
			...more,
		});
	const started = identify(process.ppid);
	const start = () => sealStart(workspace.own.dataFolder, started, { folder: folder.path, address: other });

	it('is not that worker’s', async () => {
		expect((await begin()).address).not.toEqual(other);
	});

	it('is that worker’s while a process lives that Nancy has started as it', async () => {
		start();
		expect((await begin({ agent: started })).address).toEqual(other);
		const nested = await begin({ session: SessionId.parse('nested') });
		expect(nested.address).not.toEqual(other);
	});

	it('is that worker’s also if its window seals it a moment later', async () => {
		const starting = { by: identify(process.pid), at: new Date().toISOString() };
		await workspace.updateWorker(other, record => record && { ...record, starting });
		const bound = begin();
		await sleep(100);
		start();
		expect((await bound).address).toEqual(other);
	});

	it('is nobody’s until its window, on a busy machine, seals it after the first event', async () => {
		const starting = { by: identify(process.pid), at: new Date().toISOString() };
		await workspace.updateWorker(other, record => record && { ...record, starting });
		await expect(begin()).rejects.toMatchObject({ code: 'starting' });
		expect(await sessionBinding(workspace, unknown)).toBeUndefined();
		start();
		expect((await begin({ begins: false, cause: undefined })).address).toEqual(other);
	});

	it('has a task of its own at once if the start of that worker was given up long ago', async () => {
		const starting = { by: identify(process.pid), at: new Date(Date.now() - 60_000).toISOString() };
		await workspace.updateWorker(other, record => record && { ...record, starting });
		expect((await begin()).address).not.toEqual(other);
	});
});

it.each([session, SessionId.parse('made-up')])(
	'a bell is rung for the worker’s own session, also if its record ends with %s',
	async id => {
		await workspace.updateWorker(
			other,
			record => record && { ...record, sessions: [...record.sessions, { id, startedAt: record.startedAt }] },
		);
		const rung = () => [othersSession, id].map(each => existsSync(workspace.paths.bell(each)));
		for (const each of [othersSession, id]) rmSync(workspace.paths.bell(each), { force: true });
		await workspace.ring(other);
		expect(rung()).toEqual([true, false]);
	},
);

it('a binding of an earlier version holds, and is sealed at the next event', async () => {
	rmSync(workspace.own.folder, { recursive: true });
	await bindSession(workspace, othersSession, { address: other, watched: false });
	expect(await sessionBinding(workspace, session)).toEqual({ address: mine, watched: true });
	await bindCaller(workspace, caller(session));
	forge(session, other);
	expect(await sessionBinding(workspace, session)).toEqual({ address: mine, watched: false });
});

it('a worker that an earlier version started is sealed at its next event, and so keeps its mailbox after a clear', async () => {
	rmSync(join(dataFolder(), 'agents'), { recursive: true, force: true });
	expect((await bindCaller(workspace, { ...caller(session), begins: false, cause: undefined })).address).toEqual(
		mine,
	);
	expect((await bindCaller(workspace, caller(unknown))).address).toEqual(mine);
});

it('no binding of an earlier version gives a session the human’s mailbox', async () => {
	rmSync(workspace.own.folder, { recursive: true });
	forge(session, human);
	expect(await sessionBinding(workspace, session)).toBeUndefined();
});

it('the seal of a session goes with its worker, and with no other', async () => {
	// It claims another's session.
	await addBoundWorker(workspace, mine, { agent: claudeCode.id, session });
	await workspace.updateWorker(
		mine,
		record =>
			record && { ...record, sessions: [...record.sessions, { id: othersSession, startedAt: record.startedAt }] },
	);
	await deleteWorker(workspace, mine);
	expect(workspace.own.namesSync('sessions')).toEqual([`${othersSession}.json`]);
});

it('the seal of a process that has ended is swept', async () => {
	const { dataFolder: place } = workspace.own;
	const gone = { ...identify(process.pid), startedTicks: 1 };
	sealStart(place, gone, { folder: folder.path, address: mine });
	expect(sealedAgent(place, gone)).toBeDefined();
	await sweepLeftovers(workspace);
	expect(sealedAgent(place, gone)).toBeUndefined();
});

it('the seal of a session whose worker is long gone is swept, and no other', async () => {
	rmSync(workspace.paths.workerRecord(mine.task, mine.worker));
	for (const id of [session, othersSession]) utimesSync(workspace.paths.session(id), 0, 0);
	await workspace.own.write({ version: 1 }, 'agents', 'of-earlier-versions.json');
	await sweepLeftovers(workspace);
	expect(existsSync(workspace.own.path('agents'))).toBe(false);
	expect(workspace.own.namesSync('sessions')).toEqual([`${othersSession}.json`]);
});
