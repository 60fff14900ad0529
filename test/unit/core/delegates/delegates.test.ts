import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { identify } from '../../../../src/base/liveness.ts';
import { Budgets } from '../../../../src/core/budgets/budgets.ts';
import { admitted, defaultCap, fullMachine, hasPlace, roomiest } from '../../../../src/core/delegates/admission.ts';
import type { Delegate } from '../../../../src/core/delegates/delegate.ts';
import type { Delegates } from '../../../../src/core/delegates/delegates.ts';
import { endDelegate, finish, reconcile } from '../../../../src/core/delegates/ending.ts';
import { OWN_TASK } from '../../../../src/core/delegates/ownTask.ts';
import type { FullRequest } from '../../../../src/core/delegates/queueDelegate.ts';
import { StatusWriter } from '../../../../src/core/delegates/statusWriter.ts';
import { Tickets } from '../../../../src/core/delegates/tickets.ts';
import { sealStart } from '../../../../src/core/sessions/sealedAgents.ts';
import { deleteTask, deleteWorker } from '../../../../src/core/sessions/deletion.ts';
import { newMessageId } from '../../../../src/core/mailbox/messageId.ts';
import { DelegateFiles } from '../../../../src/core/delegates/files.ts';
import { DelegateRecord, DelegateStatus, type DelegateState } from '../../../../src/protocol/delegate.ts';
import { ExecutorId } from '../../../../src/protocol/executorId.ts';
import { DriverId, FIRST_WORKER, ORCHESTRATOR, TaskName, WorkerName } from '../../../../src/protocol/names.ts';
import { DelegateRoom } from '../../../support/delegateRoom.ts';
import { fakeDriver } from '../../../support/fakeDriver.ts';
import { BY_USER, messageContent } from '../../../support/messageContent.ts';
import { taskRecord } from '../../../support/taskRecord.ts';

let room: DelegateRoom;
let delegates: Delegates;

beforeEach(() => {
	room = new DelegateRoom();
	delegates = room.delegates;
});
afterEach(() => room.folder.remove());

const queue = (more?: Partial<FullRequest>) => room.queue(more);

async function taskWithWorker() {
	const task = TaskName.parse('build');
	const now = new Date().toISOString();
	const agent = fakeDriver.id;
	await room.workspace.createTask(taskRecord(task, agent));
	await room.workspace.createWorker({ version: 1, task, name: FIRST_WORKER, agent, sessions: [], startedAt: now });
	return { task, worker: FIRST_WORKER };
}

async function mailOf(task: TaskName, worker = ORCHESTRATOR) {
	const { messages } = await room.workspace.mailbox({ task, worker }).list();
	return messages.map(({ content }) => content);
}

const DEAD = { pid: 999_999_999, startedTicks: 1 };

describe('a delegate', () => {
	it('is queued with a mailbox of its own, its prompt for its user alone', async () => {
		const { record } = await queue();
		const files = delegates.files(record.id);
		expect(readFileSync(files.prompt, 'utf8')).toBe('Write the tests.\nAll of them.');
		expect(statSync(files.prompt).mode & 0o777).toBe(0o600);
		expect(record).toMatchObject({ title: 'Write the tests.', task: 'delegates', worker: 'delegate-1' });
		expect(JSON.parse(readFileSync(files.status, 'utf8'))).toMatchObject({ task_id: record.id, status: 'queued' });
		expect(await room.workspace.worker(record)).toMatchObject({ delegate: record.id });
		expect((await queue()).record.worker).toBe('delegate-2');
	});

	it('has its budget sealed before it is queued', async () => {
		const budgets = new Budgets(room.workspace.own);
		const { record } = await queue({ budget: { tokens: 5000 } });
		expect(await budgets.of({ delegate: record.id })).toEqual({ tokens: 5000 });
		// What ends the program at its ticket, a later one.
		rmSync(room.ticketFolder, { recursive: true });
		writeFileSync(room.ticketFolder, '');
		await expect(queue({ budget: { costUsd: 2 } })).rejects.toThrow();
		expect([...(await budgets.all()).values()]).toContainEqual({ costUsd: 2 });
		expect((await delegates.list()).delegates).toHaveLength(1);
	});

	it('ends with its answer on disk before the word that it is there, and tells who asked', async () => {
		const parent = await taskWithWorker();
		const delegate = await queue({ parent });
		await finish(delegates, delegate, { ok: true, output: 'The answer.' });
		const files = delegates.files(delegate.record.id);
		expect(readFileSync(files.output, 'utf8')).toBe('The answer.');
		expect(readFileSync(files.done, 'utf8')).toBe('success\n');
		expect((await delegates.get(delegate.record.id)).state).toBe('done');
		const [mail, ...others] = await mailOf(parent.task, parent.worker);
		expect(others).toEqual([]);
		expect(mail).toMatchObject({ kind: 'result', from: 'build/delegate-1' });
		expect(mail?.text).toBe(
			`[DELEGATE COMPLETE - Task ID: ${delegate.record.id}]\nWrite the tests.\n\nThe answer.`,
		);
	});

	it('that fails says why, with what it was not allowed to do', async () => {
		const delegate = await queue();
		delegate.status.denied.push('Bash', 'Bash', 'Write', 'Read. Words of somebody else.');
		await finish(delegates, delegate, { ok: false, reason: 'no\nway', output: 'Half.' });
		expect(readFileSync(delegates.files(delegate.record.id).done, 'utf8')).toBe('error: no way\n');
		const [mail] = await mailOf(TaskName.parse('delegates'));
		expect(mail?.text).toBe(
			`[DELEGATE FAILED - Task ID: ${delegate.record.id}] no way\nWrite the tests.\nIt was not allowed to: Bash; Write\n\nHalf.`,
		);
	});

	it.each(['', ' \n'])('without an answer (%j) has failed', async output => {
		const delegate = await queue();
		await finish(delegates, delegate, { ok: true, output });
		expect(await delegates.get(delegate.record.id)).toMatchObject({ state: 'failed', error: /without an answer/ });
	});

	it('whose answer is gone has failed, whatever .done says', async () => {
		const delegate = await queue();
		await finish(delegates, delegate, { ok: true, output: 'x' });
		rmSync(delegates.files(delegate.record.id).output);
		expect((await delegates.get(delegate.record.id)).state).toBe('failed');
	});

	it('with a long answer sends its beginning and the file', async () => {
		const delegate = await queue();
		await finish(delegates, delegate, { ok: true, output: 'ä'.repeat(2_000_000) });
		const [mail] = await mailOf(TaskName.parse('delegates'));
		expect(mail?.text.length).toBeLessThan(101_000);
		expect(mail?.text).toContain(`of 4000000 bytes; all of it is in ${delegates.files(delegate.record.id).output}`);
		expect(mail?.text).not.toContain('\uFFFD');
	});

	it('is reported once, wherever its runner is killed', async () => {
		const delegate = await queue();
		const { id } = delegate.record;
		// A .done that the status knows nothing of.
		await delegates.files(id).writeOutput('The answer.');
		await delegates.files(id).writeDone(undefined);
		await delegates.writeStatus(id, { ...delegate.status, status: 'running', runner: DEAD });
		for (let look = 0; look < 3; look++) {
			expect(await reconcile(delegates, (await delegates.list()).delegates)).toEqual([]);
		}
		expect(await mailOf(TaskName.parse('delegates'))).toHaveLength(1);
		// Killed after the message: there is no .done yet.
		rmSync(delegates.files(id).done);
		expect((await delegates.get(id)).state).toBe('running');
		await reconcile(delegates, (await delegates.list()).delegates);
		expect(await mailOf(TaskName.parse('delegates'))).toHaveLength(1);
		expect(readFileSync(delegates.files(id).done, 'utf8')).toBe('success\n');
		expect((await delegates.get(id)).status).toMatchObject({ status: 'done', reported: true });
	});

	it('whose runner has died is found; one that lives or waits is let be', async () => {
		const died = await queue();
		const lives = await queue();
		await queue();
		await delegates.writeStatus(died.record.id, { ...died.status, status: 'running', runner: DEAD });
		const runner = identify(process.pid);
		await delegates.writeStatus(lives.record.id, { ...lives.status, status: 'running', runner });
		const dead = await reconcile(delegates, (await delegates.list()).delegates);
		expect(dead.map(({ record }) => record.id)).toEqual([died.record.id]);
	});

	it('that was given up and answers after all is taken, and reported again', async () => {
		const delegate = await queue();
		await finish(delegates, delegate, { ok: false, reason: 'runner died', output: '' });
		const late = newMessageId();
		const given = await delegates.get(delegate.record.id);
		// Twice: the first try may have failed half way.
		for (let n = 0; n < 2; n++) await finish(delegates, given, { ok: true, output: 'Late, but here.' }, late);
		expect((await delegates.get(delegate.record.id)).state).toBe('done');
		const mail = await mailOf(TaskName.parse('delegates'));
		const lastLines = mail.map(({ text }) => text.split('\n').at(-1));
		expect(lastLines.toSorted((a = '', b = '') => (a < b ? -1 : 1))).toEqual([
			'Late, but here.',
			'Write the tests.',
		]);
	});

	it('is reported once when its end is repeated, or somebody else has just reported it', async () => {
		const delegate = await queue();
		for (let n = 0; n < 3; n++) await finish(delegates, delegate, { ok: true, output: 'The answer.' });
		await Promise.all([1, 2, 3].map(() => finish(delegates, delegate, { ok: true, output: 'The answer.' })));
		expect(await mailOf(TaskName.parse('delegates'))).toHaveLength(1);
	});

	it('writes .done last of all: what is there before it is whole, and a kill in between is healed with the same outcome', async () => {
		const delegate = await queue();
		const { id } = delegate.record;
		const { files } = delegate;
		await finish(delegates, delegate, { ok: false, reason: 'no way', output: 'Half.' });
		const times = [files.output, files.status, files.done].map(file => statSync(file, { bigint: true }).ctimeNs);
		expect(times).toEqual(times.toSorted((a, b) => (a < b ? -1 : 1)));
		rmSync(files.done);
		await reconcile(delegates, (await delegates.list()).delegates);
		expect(readFileSync(files.done, 'utf8')).toBe('error: no way\n');
		expect(await delegates.get(id)).toMatchObject({ state: 'failed', error: 'no way', status: { reported: true } });
		expect(await mailOf(TaskName.parse('delegates'))).toHaveLength(1);
	});

	it('whose late answer was cut short before .done is reported, and done', async () => {
		const delegate = await queue();
		await finish(delegates, delegate, { ok: false, reason: 'runner died', output: '' });
		const late = newMessageId();
		const { files, status, record } = await delegates.get(delegate.record.id);
		await files.writeOutput('Late, but here.');
		const { error: _gone, ...kept } = status;
		await delegates.writeStatus(record.id, { ...kept, status: 'done', report: late });
		await reconcile(delegates, (await delegates.list()).delegates);
		expect(await delegates.get(record.id)).toMatchObject({ state: 'done', status: { reported: true } });
		expect((await mailOf(TaskName.parse('delegates'))).some(({ text }) => text.endsWith('Late, but here.'))).toBe(
			true,
		);
	});

	it('says which messages it never read, and they stay in its inbox with the reason', async () => {
		const delegate = await queue();
		const address = { task: delegate.record.task, worker: delegate.record.worker };
		for (const text of ['Use the helper.\nNot a new one.', 'And run the tests.']) {
			await room.workspace.send(address, messageContent(text, { kind: 'feedback' }), BY_USER);
		}
		await finish(delegates, delegate, { ok: true, output: 'The answer.' });
		const [mail] = await mailOf(TaskName.parse('delegates'));
		expect(mail?.text).toContain(
			'2 messages to it were never read: from the user (Nancy sidebar) "Use the helper.", from the user (Nancy sidebar) "And run the tests."',
		);
		const { messages } = await room.workspace.mailbox(address).list(['queued']);
		expect(messages.map(({ held }) => held)).toEqual(Array(2).fill({ code: 'ended-unread' }));
	});

	it('gives away no secret that was in its error', async () => {
		const delegate = await queue();
		const reason = 'it ended with code 1: ANTHROPIC_API_KEY=sk-ant-abcdefghijklmnopqrstuvwxyz is wrong';
		await finish(delegates, delegate, { ok: false, reason, output: '' });
		const [mail] = await mailOf(TaskName.parse('delegates'));
		const { files } = delegate;
		for (const text of [mail?.text, readFileSync(files.done, 'utf8'), readFileSync(files.status, 'utf8')]) {
			expect(text).toContain('[redacted]');
			expect(text).not.toContain('abcdefghij');
		}
	});

	it.each(['worker', 'task'])('whose asker’s %s has been deleted tells the human, once', async gone => {
		const parent = await taskWithWorker();
		const delegate = await queue({ parent });
		await (gone === 'task' ? deleteTask(room.workspace, parent.task) : deleteWorker(room.workspace, parent));
		for (let n = 0; n < 2; n++) await finish(delegates, delegate, { ok: true, output: 'The answer.' });
		expect(await delegates.get(delegate.record.id)).toMatchObject({ state: 'done', status: { reported: true } });
		const told = await mailOf(gone === 'task' ? OWN_TASK : parent.task);
		expect(told.map(({ text }) => text.split('\n').at(-1))).toEqual(['The answer.']);
		expect(await mailOf(parent.task, parent.worker)).toEqual([]);
	});

	describe('of a delegate', () => {
		const asks = ({ record }: Delegate) => ({ task: record.task, worker: record.worker });
		const end = (delegate: Delegate, output: string) =>
			endDelegate(delegates, room.tickets, delegate, { ok: true, output });

		it('that has ended tells who had asked that one, however far up', async () => {
			const parent = await taskWithWorker();
			const first = await queue({ parent });
			const second = await queue({ parent: asks(first) });
			const third = await queue({ parent: asks(second) });
			const orphan = await queue({ parent: asks(await end(await queue(), 'Top.')) });
			for (const each of [first, second]) await end(each, 'Mine.');
			for (const each of [third, orphan]) await end(each, 'The answer.');
			const texts = (mail: { text: string }[]) => mail.map(({ text }) => text.split('\n').at(-1));
			expect(texts(await mailOf(parent.task, parent.worker))).toEqual(['Mine.', 'Mine.', 'The answer.']);
			expect(texts(await mailOf(OWN_TASK))).toEqual(['Top.', 'The answer.']);
		});

		it('that somebody has gone on with in a terminal is told itself, until that ends too', async () => {
			const parent = await taskWithWorker();
			const first = await end(await queue({ parent }), 'Mine.');
			const program = spawn('sleep', ['60']);
			const { folder, own } = room.workspace;
			const address = { task: first.record.task, worker: first.record.worker };
			sealStart(own.dataFolder, identify(program.pid ?? 0), { folder, address });
			const count = async () =>
				Promise.all(
					[first.record.worker, parent.worker].map(async each => (await mailOf(parent.task, each)).length),
				);
			await end(await queue({ parent: asks(first) }), 'The answer.');
			expect(await count()).toEqual([1, 1]);
			program.kill();
			await once(program, 'exit');
			await end(await queue({ parent: asks(first) }), 'Another.');
			expect(await count()).toEqual([1, 2]);
		});

		it('that ends without reading it goes on to who had asked that one, once', async () => {
			const parent = await taskWithWorker();
			const first = await queue({ parent });
			const second = await queue({ parent: asks(first) });
			await end(second, 'The answer.');
			expect(await mailOf(parent.task, first.record.worker)).toHaveLength(1);
			for (let n = 0; n < 2; n++) await end(first, 'Mine.');
			await end(second, 'The answer.');
			const told = await mailOf(parent.task, parent.worker);
			expect(told.map(({ from, text }) => [from, text.split('\n').at(-1)])).toEqual([
				['build/delegate-1', 'Mine.'],
				['build/delegate-2', 'The answer.'],
			]);
			expect(told.some(({ text }) => text.includes('never read'))).toBe(false);
		});

		it('that it has asked itself, as nobody but a repository can write, ends with the human', async () => {
			const one = await queue();
			const record = { ...one.record, parent: asks(one) };
			writeFileSync(delegates.filesOfRequest(one.record.id)[0] ?? '', JSON.stringify(record));
			await end({ ...one, record }, 'The answer.');
			await end({ ...one, record }, 'The answer.');
			expect((await delegates.get(one.record.id)).state).toBe('done');
		});
	});

	it('with files that are not its own is named and left alone', async () => {
		const { record } = await queue();
		const file = delegates.files(record.id).status;
		writeFileSync(file, 'garbage');
		const { delegates: found, problems } = await delegates.list();
		expect(found).toEqual([]);
		expect(problems).toMatchObject([{ file: expect.stringContaining(record.id) }]);
		expect(readFileSync(file, 'utf8')).toBe('garbage');
	});
});

describe('a ticket', () => {
	it('that cannot be read keeps nobody else’s from being found', async () => {
		const [damaged, other] = [await queue(), await queue()];
		writeFileSync(room.workspace.own.path('delegates', damaged.record.id, 'ticket.json'), '');
		const { task, worker } = other.record;
		expect(await room.tickets.openAt({ task, worker })).toEqual([other.record.id]);
	});

	it('is of a mailbox of its own, whatever names an agent has written', async () => {
		const { record } = await queue();
		const file = room.workspace.paths.workerRecord(record.task, WorkerName.parse('delegate-999999999'));
		writeFileSync(file, '');
		const names = [(await queue()).record.worker, (await queue()).record.worker];
		expect(names).toEqual(['delegate-1000000000', 'delegate-1000000001']);
	});

	it('is good for what was queued, and for nothing that was brought along or changed', async () => {
		const { record } = await queue();
		const files = delegates.filesOfRequest(record.id);
		expect(await room.tickets.isValid(record.id, files)).toBe(true);
		writeFileSync(delegates.files(record.id).prompt, 'rm -rf everything');
		expect(await room.tickets.isValid(record.id, files)).toBe(false);
		expect(await new Tickets(room.folder.file('other'), room.workspace.folder).isValid(record.id, files)).toBe(
			false,
		);
	});
});

describe('the queue', () => {
	const agent = (name: string) => DriverId.parse(name);
	const delegate = (id: string, state: DelegateState, name = 'heron'): Delegate => ({
		record: DelegateRecord.parse({
			version: 1,
			id,
			title: id,
			createdAt: new Date(0).toISOString(),
			agent: name,
			permissions: 'default',
			place: { is: 'folder', folder: '/' },
			limits: {},
			task: 'build',
			worker: 'delegate-1',
		}),
		status: DelegateStatus.parse({ task_id: id, status: state }),
		files: new DelegateFiles('/nowhere', []),
		state,
	});
	const ids = (found: Delegate[]) => found.map(({ record }) => record.id as string);

	it('admits in order, as many as may run', () => {
		const all = [
			delegate('a', 'running'),
			delegate('b', 'queued'),
			delegate('c', 'queued'),
			delegate('d', 'queued'),
		];
		expect(ids(admitted(all, { cap: 3 }, []))).toEqual(['b', 'c']);
		expect(ids(admitted(all, { cap: 1 }, []))).toEqual([]);
		// What is parked takes no place, but the next one once it may go on.
		const parked = delegate('p', 'parked');
		parked.status.parked_until = new Date(2000).toISOString();
		expect(ids(admitted([parked, ...all], { cap: 3 }, [], 1999))).toEqual(['b', 'c']);
		expect(ids(admitted([parked, ...all], { cap: 3 }, [], 2000))).toEqual(['b']);
	});

	it('keeps to the limit of another machine, whose delegates take no place here', () => {
		const [big, other] = [ExecutorId.parse('ssh:big'), ExecutorId.parse('ssh:other')];
		const at = (on: ExecutorId, found: Delegate) => ({ ...found, record: { ...found.record, on } });
		const all = [
			at(big, delegate('a', 'running')),
			at(big, delegate('b', 'queued')),
			at(big, delegate('c', 'queued')),
			at(other, delegate('d', 'queued')),
			delegate('e', 'queued'),
			delegate('f', 'queued'),
		];
		const capacity = { cap: 2, places: { [big]: 2 } };
		expect(ids(admitted(all, capacity, []))).toEqual(['b', 'd', 'e']);
		expect(all.map(each => fullMachine(each, all, { cap: 2, places: { [big]: 1 } }))).toEqual([
			undefined,
			big,
			big,
			undefined,
			undefined,
			undefined,
		]);
		expect(hasPlace(all, { cap: 1, places: { [big]: 2 } })).toBe(true);
		expect(hasPlace(all, { cap: 1 })).toBe(false);
	});

	it('is kept from nothing here by those whose machine cannot be reached', () => {
		const gone = ExecutorId.parse('ssh:gone');
		const running = delegate('a', 'running');
		const lost = { ...running, record: { ...running.record, on: gone }, unseenSince: '2026-11-30T10:00:00.000Z' };
		const all = [lost, delegate('b', 'queued'), delegate('c', 'queued')];
		expect(ids(admitted(all, { cap: 1 }, []))).toEqual(['b']);
		// One more would only wait there, beside the one that tries again and again.
		const queued = delegate('0', 'queued');
		const there = { ...queued, record: { ...queued.record, on: gone } };
		expect(ids(admitted([there, ...all], { cap: 8 }, []))).toEqual(['b', 'c']);
		expect(ids(admitted([there, ...all], { cap: 8, places: { [gone]: 8 } }, []))).toEqual(['b', 'c']);
		const seen = { ...running, record: lost.record };
		expect(ids(admitted([there, seen], { cap: 8 }, []))).toEqual(['0']);
		// Their own limit counts them.
		expect(fullMachine({ ...lost, state: 'queued' }, all, { cap: 1, places: { [gone]: 1 } })).toBe(gone);
	});

	it('takes of several machines the one with the most room', () => {
		const [small, big] = ['ssh:small', 'ssh:big'].map(each => ExecutorId.parse(each)) as [ExecutorId, ExecutorId];
		const at = (on: ExecutorId, found: Delegate) => ({ ...found, record: { ...found.record, on } });
		const capacity = { cap: 1, places: { [big]: 4 } };
		const chosen = (...all: Delegate[]) => roomiest([small, big], all, capacity);
		expect(chosen()).toBe(small);
		expect(chosen(at(small, delegate('a', 'done')))).toBe(small);
		expect(chosen(at(small, delegate('a', 'queued')))).toBe(big);
		expect(chosen({ ...at(small, delegate('a', 'queued')), isForeign: true })).toBe(small);
		const four = ['b', 'c', 'd', 'e'].map(each => at(big, delegate(each, 'running')));
		expect(chosen(at(small, delegate('a', 'running')), ...four)).toBe(small);
		const lost = { ...at(small, delegate('a', 'running')), unseenSince: '2026-12-01T10:00:00.000Z' };
		expect(chosen(lost, ...four)).toBe(big);
	});

	it('keeps to the limit of a cluster for those that wait in its queue', () => {
		const on = ExecutorId.parse('slurm:hpc@login1');
		const at = (found: Delegate, isBegun = false) => ({
			...found,
			record: { ...found.record, on },
			...(isBegun && { isBegun: true as const }),
		});
		const all = [
			at(delegate('a', 'running'), true),
			at(delegate('b', 'running')),
			at(delegate('c', 'queued')),
			at(delegate('d', 'queued')),
			delegate('e', 'queued'),
		];
		expect(ids(admitted(all, { cap: 1, queues: { [on]: 2 } }, []))).toEqual(['c', 'e']);
		expect(ids(admitted(all, { cap: 1, queues: { [on]: 2 }, places: { [on]: 2 } }, []))).toEqual(['e']);
		expect(all.map(each => fullMachine(each, all, { cap: 1, queues: { [on]: 1 } }))).toEqual([
			undefined,
			undefined,
			on,
			on,
			undefined,
		]);
	});

	it('leaves a parked agent waiting, and lets another agent go past', () => {
		const all = [delegate('a', 'parked'), delegate('b', 'queued'), delegate('c', 'queued', 'other')];
		const parked = [{ version: 1 as const, agent: agent('heron'), until: '', reason: '' }];
		expect(ids(admitted(all, { cap: 2 }, parked))).toEqual(['c']);
	});

	it('has room for at least one, and for more on a larger machine', () => {
		expect(defaultCap(0, 1, 0)).toBe(1);
		expect(defaultCap(0, 8, 64e9)).toBe(16);
		expect(defaultCap(0, 8, 2e9)).toBe(3);
		// What runs has its memory already.
		expect(defaultCap(3, 8, 0)).toBe(3);
		expect(defaultCap(3, 8, 2e9)).toBe(6);
	});

	it('is parked until the reset, and not longer', async () => {
		await room.workspace.prepare();
		const until = new Date(Date.now() + 60_000).toISOString();
		await delegates.park({ version: 1, agent: fakeDriver.id, until, reason: 'limit' });
		expect(await delegates.parked(Date.now())).toHaveLength(1);
		expect(await delegates.parked(Date.now() + 61_000)).toEqual([]);
		expect((await delegates.list()).problems).toEqual([]);
	});

	it('is held by no limit for ever, as a repository could say, and by none that somebody does not want to wait for', async () => {
		await room.workspace.prepare();
		const park = (name: string, until: string) =>
			delegates.park({ version: 1, agent: agent(name), until, reason: 'limit' });
		await park('heron', '2223-01-01T00:00:00.000Z');
		expect(await delegates.parked(Date.now())).toEqual([]);
		const soon = new Date(Date.now() + 60_000).toISOString();
		for (const name of ['heron', 'egret', 'crane']) await park(name, soon);
		expect(await delegates.unpark(agent('egret'))).toEqual(['egret']);
		expect((await delegates.parked(Date.now())).map(each => each.agent)).toEqual(['heron', 'crane']);
		expect(await delegates.unpark()).toEqual(['heron', 'crane']);
		expect(await delegates.unpark()).toEqual([]);
	});
});

describe('a status file', () => {
	it('is written whole, at most four times a second, and at the end as it is', async () => {
		const delegate = await queue();
		const file = delegates.files(delegate.record.id).status;
		const writer = new StatusWriter(delegate.status, status => delegates.writeStatus(delegate.record.id, status));
		const seen = new Set<string>();
		const begun = Date.now();
		for (let calls = 1; Date.now() - begun < 1000; calls++) {
			writer.change({ tool_calls: calls });
			await new Promise(resolve => setTimeout(resolve, 5));
			seen.add(readFileSync(file, 'utf8'));
		}
		const seconds = Math.ceil((Date.now() - begun) / 1000);
		for (const text of seen) expect(() => JSON.parse(text)).not.toThrow();
		// What was there before, and as many as may begin in that time.
		expect(seen.size).toBeLessThanOrEqual(2 + 4 * seconds);
		writer.change({ tool_calls: 4711 });
		await writer.flush();
		expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ tool_calls: 4711 });
		expect(existsSync(`${file}.tmp`)).toBe(false);
	});

	it('is not written more often however often somebody waits for it', async () => {
		const delegate = await queue();
		let writes = 0;
		const writer = new StatusWriter(delegate.status, () => Promise.resolve(void writes++));
		const begun = Date.now();
		while (Date.now() - begun < 1800) {
			writer.change({ tool_calls: writes });
			await writer.flush();
		}
		await writer.close();
		const seconds = Math.ceil((Date.now() - begun) / 1000);
		// The first one and the last, and as many as may begin in that time.
		expect(writes).toBeLessThanOrEqual(2 + 4 * seconds);
	});
});

describe('an answer', () => {
	it('is written once, and again only where somebody has replaced it', async () => {
		const { files } = await queue();
		await files.writeOutput('The answer.');
		const first = statSync(files.output).ino;
		await files.writeOutput('The answer.');
		expect(statSync(files.output).ino).toBe(first);
		writeFileSync(files.output, '');
		await files.writeOutput('The answer.');
		expect(readFileSync(files.output, 'utf8')).toBe('The answer.');
		await files.writeOutput('Another.');
		expect(readFileSync(files.output, 'utf8')).toBe('Another.');
		rmSync(files.output);
		await files.writeOutput('Another.');
		expect(readFileSync(files.output, 'utf8')).toBe('Another.');
	});
});
