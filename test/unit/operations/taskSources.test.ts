import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { copilotCli } from '../../../src/drivers/copilot-cli/driver.ts';
import { changedSince, uncommitted } from '../../../src/operations/shared/changedByTask.ts';
import { bindSession } from '../../../src/core/sessions/bindings.ts';
import { answersOf, recordsOf, steeringOf } from '../../../src/operations/shared/taskSources.ts';
import { DriverId, SessionId, TaskName, WorkerName } from '../../../src/protocol/names.ts';
import { TrafficRecord } from '../../../src/protocol/traffic.ts';
import { countCalls } from '../../support/countedCalls.ts';
import { eventually, HANG_MS } from '../../support/eventually.ts';
import { fakeDriver } from '../../support/fakeDriver.ts';
import { gitRepository } from '../../support/gitRepository.ts';
import { BY_USER, messageContent } from '../../support/messageContent.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

const session = SessionId.parse('s1');
const began = '2026-01-02T00:00:00.000Z';

let folder: TempFolder;
let workspace: Workspace;
beforeEach(async () => {
	folder = tempFolder();
	workspace = new Workspace(folder.path, folder.file('data'));
	await workspace.prepare();
});
afterEach(() => {
	vi.restoreAllMocks();
	return folder.remove();
});

function record(id: string, at: string, kind: string, more: object = {}): TrafficRecord {
	const event = { driver: 'fake', session, kind, event: kind, ...more };
	return TrafficRecord.parse({ version: 1, id, at, type: 'event', event, payload: 'x'.repeat(1000) });
}
const lineOf = (each: TrafficRecord) => `${JSON.stringify(each)}\n`;

describe('what the hooks of a task have reported', () => {
	it('is read once, however long the last of it is waited for, and from both files of a session', async () => {
		const { paths } = workspace;
		mkdirSync(paths.traffic, { recursive: true });
		const file = paths.trafficFile(session);
		writeFileSync(
			file.replace('.jsonl', '.1.jsonl'),
			lineOf(record('r0', began, 'prompt')) + lineOf(record('early', '2025-01-01T00:00:00.000Z', 'prompt')),
		);
		writeFileSync(
			file,
			Array.from({ length: 5000 }, (_, at) => lineOf(record(`r${at + 1}`, began, 'stop'))).join(''),
		);
		const size = readFileSync(file).length;

		let bytes = 0;
		const handle = await open(file, 'r');
		const reading = vi.spyOn(Object.getPrototypeOf(handle), 'read');
		await handle.close();
		const counted = countCalls('open');
		const found = recordsOf(workspace, [session], { beganAt: began, endedMs: Date.now() + HANG_MS });
		await eventually('several looks', () => counted.count('open', path => path === file) > 5);
		appendFileSync(file, lineOf(record('end', began, 'session-end')));
		const records = await found;
		counted.stop();
		for (const { value } of reading.mock.results) bytes += (await value).bytesRead;

		expect(records).toHaveLength(5002);
		expect([records[0]?.id, records.at(-1)?.id]).toEqual(['r0', 'end']);
		expect(bytes).toBeGreaterThan(size);
		expect(bytes).toBeLessThan(size * 1.2);
	});
});

it('what steered a task is what its user has sent to one of its sessions since it began', async () => {
	const address = { task: TaskName.parse('t'), worker: WorkerName.parse('w') };
	const mailbox = workspace.mailbox(address);
	await mailbox.makeFolders();
	await bindSession(workspace, session, { address, watched: true });
	const deliver = async (
		text: string,
		at: string,
		to: string,
		author: Parameters<typeof mailbox.put>[1] = BY_USER,
	) => {
		await mailbox.put(messageContent(text), author);
		const rest = { event: 'PreToolUse', driver: DriverId.parse('fake'), rung: 'hook' as const };
		for (const claim of await mailbox.claim(() => 'take'))
			claim.deliver({ ...rest, deliveredAt: at, session: SessionId.parse(to) });
	};
	const later = (seconds: number) => new Date(Date.parse(began) + seconds * 1000).toISOString();
	await deliver('Before it.', '2026-01-01T00:00:00.000Z', 's1');
	await deliver('First.', later(1), 's1');
	await deliver('By an agent.', later(2), 's1', { is: 'agent', worker: 'x/y' });
	await deliver('To another session.', later(3), 's2');
	await deliver('Second.', later(4), 's1');
	await mailbox.put(messageContent('Still waits.'), BY_USER);

	expect(await steeringOf(workspace, [session], began)).toEqual([
		{ at: later(1), text: 'First.' },
		{ at: later(4), text: 'Second.' },
	]);
	expect(await steeringOf(workspace, [SessionId.parse('unbound')], began)).toEqual([]);
});

describe('the words of an agent by its own record', () => {
	const transcript = new URL('../../fixtures/copilot-cli/transcript-aborted.jsonl', import.meta.url).pathname;
	const reported = [record('r1', began, 'stop', { transcript })];

	it('are those of the real Copilot CLI, since the task began', async () => {
		const said = await answersOf(copilotCli, reported, '2026-11-21T00:00:00.000Z');
		expect(said).toEqual([{ at: expect.stringMatching(/^2026-11-21T13:22:46/), text: 'after fail' }]);
		expect(await answersOf(copilotCli, reported, '2026-11-22T00:00:00.000Z')).toEqual([]);
	});

	it('are none of a subagent’s, and none where there is no record, or where its events have them', async () => {
		const file = folder.file('events.jsonl');
		const line = { type: 'assistant.message', timestamp: began, data: { content: 'Below' }, agentId: 'a' };
		writeFileSync(file, `${JSON.stringify(line)}\n`);
		expect(await answersOf(copilotCli, [record('r1', began, 'stop', { transcript: file })], began)).toEqual([]);
		expect(await answersOf(copilotCli, [record('r1', began, 'stop', { transcript: '/none' })], began)).toEqual([]);
		expect(await answersOf(copilotCli, [], began)).toEqual([]);
		expect(await answersOf(fakeDriver, reported, began)).toEqual([]);
	});
});

describe('the files that a task has changed', () => {
	it('are those beyond its commit, committed or not, without what was there before', async () => {
		await using repo = gitRepository();
		repo.commit({ 'a.ts': '1\n', 'b.ts': '1\n', 'c.ts': '1\n' }, 'Begin');
		const before = repo.git(['rev-parse', 'HEAD']).trim();
		expect(await uncommitted(repo.root, before)).toEqual([]);
		writeFileSync(`${repo.root}/a.ts`, 'mine\n');
		const had = await uncommitted(repo.root, before);
		expect(had?.map(({ path }) => path)).toEqual(['a.ts']);

		repo.commit({ 'b.ts': '1\n2\n' }, 'Two');
		writeFileSync(`${repo.root}/new.ts`, 'new\n');
		expect(await changedSince(repo.root, before, had)).toMatchObject([
			{ path: 'b.ts', status: 'modified', lines: { insertions: 1, deletions: 0 } },
			{ path: 'new.ts', status: 'added' },
		]);
	});

	it('are unknown outside of git', async () => {
		expect(await uncommitted(folder.path, undefined)).toBeUndefined();
		expect(await changedSince(folder.path, 'c'.repeat(40), [])).toEqual([]);
	});

	it('are unknown if git did not tell what was there before', async () => {
		await using repo = gitRepository();
		repo.commit({ 'a.ts': '1\n' }, 'Begin');
		const before = repo.git(['rev-parse', 'HEAD']).trim();
		writeFileSync(`${repo.root}/a.ts`, 'mine\n');
		expect(await uncommitted(repo.root, 'c'.repeat(40))).toBeUndefined();
		expect(await changedSince(repo.root, before, undefined)).toEqual([]);
	});
});
