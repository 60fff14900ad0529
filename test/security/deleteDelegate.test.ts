import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IN_TERMINAL } from '../../src/core/asker/asker.ts';
import { endDelegate } from '../../src/core/delegates/ending.ts';
import { reportable } from '../../src/core/delegates/reportable.ts';
import type { Delegate } from '../../src/core/delegates/delegate.ts';
import type { WorkerAddress } from '../../src/core/workspace/workspace.ts';
import * as operations from '../../src/operations/index.ts';
import { perform } from '../../src/operations/operation.ts';
import { DelegateId } from '../../src/protocol/delegate.ts';
import { FIRST_WORKER, ORCHESTRATOR, TaskName } from '../../src/protocol/names.ts';
import { DelegateRoom } from '../support/delegateRoom.ts';
import { fakeDriver } from '../support/fakeDriver.ts';
import { BY_USER, messageContent } from '../support/messageContent.ts';
import { contextOf } from '../support/operationContext.ts';
import { taskRecord } from '../support/taskRecord.ts';

const theirs = { task: TaskName.parse('other'), worker: FIRST_WORKER };

let room: DelegateRoom;

beforeEach(async () => {
	room = new DelegateRoom();
	const { workspace } = room;
	await workspace.createTask(taskRecord(theirs.task, fakeDriver.id));
	const { task, worker: name } = theirs;
	const startedAt = new Date().toISOString();
	await workspace.saveWorker({ version: 1, task, name, agent: fakeDriver.id, sessions: [], startedAt });
	await workspace.send(theirs, messageContent('You may push.'), BY_USER);
	await workspace.send(theirs, messageContent('Deep.', { kind: 'result' }), BY_USER);
});
afterEach(() => room.folder.remove());

const context = () => contextOf(room.folder, room.workspace);
const deletions = {
	'one named': async (id: DelegateId) => perform(await operations.deleteDelegate(), IN_TERMINAL, { id }, context()),
	'some named': async (id: DelegateId) =>
		perform(await operations.deleteDelegates(), IN_TERMINAL, { ids: [id] }, context()),
	'all that have ended': async () => perform(await operations.deleteDelegates(), IN_TERMINAL, {}, context()),
};
const end = async (delegate: Delegate) =>
	endDelegate(room.delegates, room.tickets, delegate, { ok: true, output: 'Done.' });

function change(file: string, more: object): void {
	writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...more }));
}

/** What an agent does that may edit files: the delegate's record and the other worker's name one another. */
function claim({ record }: Delegate, id = record.id): void {
	change(join(room.delegates.folder, `${id}.json`), { id, ...theirs });
	change(room.workspace.paths.workerRecord(theirs.task, theirs.worker), { delegate: id });
}

const queued = async (address: WorkerAddress) =>
	(await room.workspace.mailbox(address).list(['queued'])).messages.map(({ content, author, held }) => ({
		text: content.text,
		is: author?.is,
		held,
	}));

async function expectUntouched(): Promise<void> {
	expect(await queued(theirs)).toEqual([
		{ text: 'You may push.', is: 'human', held: undefined },
		{ text: 'Deep.', is: 'human', held: undefined },
	]);
	expect(await room.workspace.worker(theirs)).toBeDefined();
	expect(await queued({ ...theirs, worker: ORCHESTRATOR })).toEqual([]);
}

describe('a delegate whose record names another’s mailbox', () => {
	it.each(Object.entries(deletions))('is deleted without that mailbox, by the deletion of %s', async (_, remove) => {
		const delegate = await end(await room.queue());
		const { record } = delegate;
		claim(delegate);
		await remove(record.id);
		expect(await room.delegates.find(record.id)).toBeUndefined();
		expect(await room.workspace.worker(record)).toBeUndefined();
		await expectUntouched();
	});

	it('is deleted without that mailbox also where nobody has queued it', async () => {
		const delegate = await end(await room.queue());
		const forged = DelegateId.parse('20200101t000000000z-0a1b2c3d');
		for (const ending of ['.json', '.prompt', '.status', '.output', '.done']) {
			const text = readFileSync(join(room.delegates.folder, `${delegate.record.id}${ending}`), 'utf8');
			writeFileSync(join(room.delegates.folder, `${forged}${ending}`), text);
		}
		claim(delegate, forged);
		await deletions['some named'](forged);
		expect(await room.delegates.find(forged)).toBeUndefined();
		await expectUntouched();
	});

	it('takes its mailbox along where nobody has queued it and nothing there is the user’s', async () => {
		const { record } = await end(await room.queue());
		await room.tickets.remove(record.id);
		await deletions['some named'](record.id);
		expect(await room.workspace.worker(record)).toBeUndefined();
		await expectUntouched();
	});

	it('ends without a word to that mailbox, and its results are not passed on', async () => {
		const delegate = await room.queue();
		claim(delegate);
		const { record } = delegate;
		const now = await room.delegates.get(record.id);
		await end(await reportable(room.delegates, room.tickets, now));
		await expectUntouched();
	});
});
