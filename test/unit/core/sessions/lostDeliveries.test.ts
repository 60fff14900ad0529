import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Driver } from '../../../../src/core/driver/driver.ts';
import { claimBatch } from '../../../../src/core/mailbox/batch.ts';
import type { StoredMessage } from '../../../../src/core/mailbox/mailboxFiles.ts';
import { settleDeliveries, settleEarlier, unproven } from '../../../../src/core/sessions/lostDeliveries.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import { FIRST_WORKER, SessionId, TaskName, type MessageId } from '../../../../src/protocol/names.ts';
import type { WorkerRecord } from '../../../../src/protocol/records.ts';
import { fakeDriver } from '../../../support/fakeDriver.ts';
import { messageContent } from '../../../support/messageContent.ts';
import { taskRecord } from '../../../support/taskRecord.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';

const address = { task: TaskName.parse('build'), worker: FIRST_WORKER };
const session = SessionId.parse('s1');
const LONG_AGO = '2026-01-01T00:00:00.000Z';

let folder: TempFolder;
let workspace: Workspace;
let transcript: string;
let worker: WorkerRecord;

beforeEach(async () => {
	folder = tempFolder();
	workspace = new Workspace(folder.path);
	transcript = folder.file('transcript.jsonl');
	await workspace.createTask(taskRecord(address.task, fakeDriver.id));
	worker = {
		version: 1,
		task: address.task,
		name: address.worker,
		agent: fakeDriver.id,
		sessions: [{ id: session, startedAt: LONG_AGO, transcript }],
		startedAt: LONG_AGO,
	};
	await workspace.createWorker(worker);
});
afterEach(() => folder.remove());

/** Sends, and hands over at an event of the session; what the agent was given. */
async function handedOver(text: string, deliveredAt = LONG_AGO): Promise<{ id: MessageId; context: string }> {
	const id = await workspace.send(address, messageContent(text));
	const { claims, text: context } = await claimBatch(
		workspace.mailbox(address),
		{ kind: 'batch-end', slot: 'boundary', session },
		10_000,
	);
	for (const claim of claims)
		claim.deliver({ deliveredAt, event: 'PostToolBatch', driver: fakeDriver.id, session, rung: 'hook' });
	return { id, context };
}

const record = (...lines: object[]) => writeFile(transcript, lines.map(line => `${JSON.stringify(line)}\n`).join(''));
const messages = async (): Promise<StoredMessage[]> => (await workspace.mailbox(address).list()).messages;
const states = async () => (await messages()).map(({ state, content }) => `${state}: ${content.text}`).sort();
const settle = async (driver: Driver = fakeDriver) =>
	settleDeliveries(workspace, [driver], worker, unproven(await messages()));

describe('a delivery whose turn is over', () => {
	it('is queued again when the agent’s own record does not show it, and proven when it does', async () => {
		const shown = await handedOver('shown');
		const lost = await handedOver('lost');
		await record({ text: shown.context }, { model: 'x' });
		expect(await settle()).toEqual([lost.id]);
		expect(await states()).toEqual(['delivered: shown', 'queued: lost']);
		expect((await messages()).find(({ id }) => id === shown.id)?.receipt?.inContextAt).toBeDefined();
	});

	it('is said to the agent to be one that it may know', async () => {
		await handedOver('lost');
		await record();
		await settle();
		const again = await claimBatch(workspace.mailbox(address), { kind: 'prompt', slot: 'turn', session }, 10_000);
		expect(again.text).toContain('You may have received this message before');
	});

	it('stands where there is no record, or the CLI does not keep there what hooks hand over', async () => {
		await handedOver('unknown');
		expect(await settle()).toEqual([]);
		await record();
		const { transcript: format } = fakeDriver;
		if (format === 'none') expect.unreachable();
		expect(await settle({ ...fakeDriver, transcript: { ...format, keepsDeliveries: false } })).toEqual([]);
		expect(await settle({ ...fakeDriver, transcript: 'none' })).toEqual([]);
		expect(await states()).toEqual(['delivered: unknown']);
	});

	it('stands, unproven, when the record shows only its beginning', async () => {
		const { context } = await handedOver(`beginning ${'x'.repeat(2000)} end`);
		await record({ text: context.slice(0, 1000) });
		expect(await settle()).toEqual([]);
		expect(await messages()).toMatchObject([{ state: 'delivered' }]);
		expect((await messages())[0]?.receipt?.inContextAt).toBeUndefined();
	});

	it('is queued again no more than three times: then the record is in doubt', async () => {
		await record();
		await handedOver('again and again');
		for (const round of [1, 2, 3]) {
			expect({ round, again: (await settle()).length }).toEqual({ round, again: 1 });
			const [claim] = await workspace.mailbox(address).claim(() => 'take');
			const deliveredAt = `2026-01-0${round + 1}T00:00:00.000Z`;
			claim?.deliver({ deliveredAt, event: 'Stop', driver: fakeDriver.id, session, rung: 'hook' });
		}
		expect(await settle()).toEqual([]);
		expect(await states()).toEqual(['delivered: again and again']);
	});
});

describe('what an earlier process was handed', () => {
	it('is queued again at once when that process is gone, and after a while when nobody knows', async () => {
		await record();
		await handedOver('a moment ago', new Date().toISOString());
		expect(await settleEarlier(workspace, [fakeDriver], worker, false)).toEqual([]);
		expect(await settleEarlier(workspace, [fakeDriver], worker, true)).toHaveLength(1);
		await handedOver('long ago');
		expect(await settleEarlier(workspace, [fakeDriver], worker, false)).toHaveLength(2);
	});
});
