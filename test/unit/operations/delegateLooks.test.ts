import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { IN_WINDOW } from '../../../src/core/asker/asker.ts';
import { Delegates } from '../../../src/core/delegates/delegates.ts';
import { endUnwatched } from '../../../src/core/delegates/ending.ts';
import * as operations from '../../../src/operations/index.ts';
import { perform } from '../../../src/operations/operation.ts';
import { DelegateId } from '../../../src/protocol/delegate.ts';
import { FIRST_WORKER, TaskName } from '../../../src/protocol/names.ts';
import { DelegateRoom } from '../../support/delegateRoom.ts';
import { eventually } from '../../support/eventually.ts';
import { agentAt, contextOf } from '../../support/operationContext.ts';

let room: DelegateRoom;
beforeEach(() => {
	room = new DelegateRoom();
});
afterEach(() => room.folder.remove());

const context = () => contextOf(room.folder, room.workspace);

async function ended(answer: string) {
	const delegate = await room.queue();
	await endUnwatched(room.delegates, room.tickets, delegate, { ok: true, output: answer });
	return delegate;
}

it('the delegates of a workspace are listed without a command line, for a person and an agent alike', async () => {
	const first = await ended('The answer.');
	const second = await room.queue();

	for (const asker of [IN_WINDOW, agentAt(room.folder, { task: TaskName.parse('fix'), worker: FIRST_WORKER })]) {
		const { delegates, problems } = await perform(await operations.listDelegates(), asker, {}, context());
		expect(delegates.map(({ id, status, worker }) => [id, status, worker])).toEqual([
			[first.record.id, 'done', 'delegates/delegate-1'],
			[second.record.id, 'queued', 'delegates/delegate-2'],
		]);
		expect(problems).toEqual([]);
	}
});

it('the answer of a delegate is there once it has ended, and only as its runner has written it', async () => {
	const { record, files } = await ended('The answer.');
	const waiting = await room.queue();
	const result = async (id: DelegateId) => perform(await operations.delegateResult(), IN_WINDOW, { id }, context());

	expect(await result(record.id)).toMatchObject({ delegate: { status: 'done' }, answer: 'The answer.' });
	expect(await result(waiting.record.id)).not.toHaveProperty('answer');

	writeFileSync(files.output, 'Another answer.');
	const changed = await result(record.id);
	expect(changed.delegate).toMatchObject({ status: 'done', isOutputChanged: true });
	expect(changed).not.toHaveProperty('answer');

	const unknown = DelegateId.parse('20261121t101112123z-0a1b2c3d');
	await expect(result(unknown)).rejects.toMatchObject({ code: 'no-task' });
});

it('a wait is over when what it waits for has ended, and is late otherwise', async () => {
	const { record } = await ended('The answer.');
	const { record: waiting } = await room.queue();
	const wait = async (id: DelegateId | undefined) =>
		perform(await operations.waitForDelegates(), IN_WINDOW, { id, timeoutMs: 50 }, context());

	expect(await wait(record.id)).toEqual({});
	await expect(wait(waiting.id)).rejects.toMatchObject({ code: 'timeout' });
	await expect(wait(undefined)).rejects.toMatchObject({
		code: 'timeout',
		message: '1 delegates have not ended yet',
	});

	const ends = endUnwatched(room.delegates, room.tickets, await room.delegates.get(waiting.id), {
		ok: false,
		reason: 'it broke',
		output: '',
	});
	await Promise.all([ends, perform(await operations.waitForDelegates(), IN_WINDOW, {}, context())]);
});

it('a wait for all does not take one for ended whose record is removed while it runs', async () => {
	const { record } = await room.queue();
	const list = vi.spyOn(Delegates.prototype, 'list');
	const wait = perform(await operations.waitForDelegates(), IN_WINDOW, {}, context());
	const refused = expect(wait).rejects.toMatchObject({ code: 'no-task' });
	await eventually('the first look', () => list.mock.settledResults.some(({ type }) => type === 'fulfilled'));
	list.mockRestore();
	rmSync(join(room.delegates.folder, `${record.id}.json`));
	await refused;
});

it('a queue that cannot be looked after is noted, and makes no folder a workspace', async () => {
	const notes: string[] = [];
	const look = async () =>
		perform(
			await operations.lookAfterDelegates(),
			IN_WINDOW,
			{},
			contextOf(room.folder, room.workspace, {
				note: text => notes.push(text),
			}),
		);

	await look();
	expect(notes).toEqual([]);

	await room.queue();
	await look();
	expect(notes).toEqual(['the queue is not looked after: nothing is installed in this test']);
});
