import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Driver } from '../../../../src/core/driver/driver.ts';
import { claimBatch } from '../../../../src/core/mailbox/batch.ts';
import type { StoredMessage } from '../../../../src/core/mailbox/mailboxFiles.ts';
import { settleDeliveries, settleEarlier, unproven } from '../../../../src/core/sessions/lostDeliveries.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import { FIRST_WORKER, SessionId, TaskName, type MessageId } from '../../../../src/protocol/names.ts';
import type { WorkerRecord } from '../../../../src/protocol/records.ts';
import { transcript as ownRecord } from '../../../../src/drivers/acp/transcript.ts';
import { mayWake } from '../../../../src/core/mailbox/due.ts';
import { HANG_MS } from '../../../support/eventually.ts';
import { fakeDriver } from '../../../support/fakeDriver.ts';
import { BY_USER, messageContent } from '../../../support/messageContent.ts';
import { taskRecord } from '../../../support/taskRecord.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';

const address = { task: TaskName.parse('build'), worker: FIRST_WORKER };
const session = SessionId.parse('s1');
const NOTHING = { again: [], proven: [] };
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
	const id = await workspace.send(address, messageContent(text), BY_USER);
	const { claims, text: context } = await claimBatch(
		workspace.mailbox(address),
		{ kind: 'batch-end', slot: 'boundary', session },
		10_000,
	);
	for (const claim of claims)
		claim.deliver({
			deliveredAt,
			event: 'PostToolBatch',
			driver: fakeDriver.id,
			session,
			rung: 'hook',
			transcript,
		});
	return { id, context };
}

const record = (...lines: object[]) => writeFile(transcript, lines.map(line => `${JSON.stringify(line)}\n`).join(''));
const messages = async (): Promise<StoredMessage[]> => (await workspace.mailbox(address).list()).messages;
const states = async () => (await messages()).map(({ state, content }) => `${state}: ${content.text}`).sort();
const settle = async (driver: Driver = fakeDriver) =>
	settleDeliveries(workspace, [driver], address, unproven([driver], await messages()));

describe('a delivery whose turn is over', () => {
	it('is queued again when the agent’s own record does not show it, and proven when it does', async () => {
		const shown = await handedOver('shown');
		const lost = await handedOver('lost');
		await record({ text: shown.context }, { model: 'x' });
		expect(await settle()).toEqual({ again: [lost.id], proven: [shown.id] });
		expect(await states()).toEqual(['delivered: shown', 'queued: lost']);
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
		expect(await settle()).toEqual(NOTHING);
		await record();
		const { transcript: format } = fakeDriver;
		if (format === 'none') expect.unreachable();
		expect(await settle({ ...fakeDriver, transcript: { ...format, keepsDelivery: () => false } })).toEqual(NOTHING);
		expect(await settle({ ...fakeDriver, transcript: 'none' })).toEqual(NOTHING);
		expect(await states()).toEqual(['delivered: unknown']);
	});

	it('stands where the CLI does not keep what it was handed at that event, though it keeps others', async () => {
		await record();
		const { id } = await handedOver('kept');
		await workspace.send(address, messageContent('not kept'), BY_USER);
		const [claim] = await workspace.mailbox(address).claim(() => 'take');
		claim?.deliver({
			deliveredAt: LONG_AGO,
			event: 'Stop',
			driver: fakeDriver.id,
			session,
			rung: 'hook',
			transcript,
		});
		const { transcript: format } = fakeDriver;
		if (format === 'none') expect.unreachable();
		const keepsDelivery: typeof format.keepsDelivery = ({ event }) => event !== 'Stop';
		expect(await settle({ ...fakeDriver, transcript: { ...format, keepsDelivery } })).toEqual({
			again: [id],
			proven: [],
		});
	});

	it('stands, unproven, when the record shows only its beginning', async () => {
		const { context } = await handedOver(`beginning ${'x'.repeat(2000)} end`);
		await record({ text: context.slice(0, 1000) });
		expect(await settle()).toEqual(NOTHING);
		expect(await messages()).toMatchObject([{ state: 'delivered' }]);
		expect((await messages())[0]?.receipt?.inContextAt).toBeUndefined();
	});

	/** Lost in so many rounds, and handed over again after each. */
	async function lostAgainAndAgain(driver: Driver, rounds: readonly number[]): Promise<void> {
		await record({ at: '2025-01-01T00:00:00.000Z' });
		await handedOver('again and again');
		for (const round of rounds) {
			expect({ round, again: (await settle(driver)).again.length }).toEqual({ round, again: 1 });
			const [queued] = await messages();
			expect({ round, mayWake: queued && mayWake(queued) }).toEqual({ round, mayWake: round <= 3 });
			const [claim] = await workspace.mailbox(address).claim(() => 'take');
			const deliveredAt = `2026-01-0${round + 1}T00:00:00.000Z`;
			claim?.deliver({ deliveredAt, event: 'Stop', driver: fakeDriver.id, session, rung: 'hook', transcript });
		}
	}

	it('is queued again however often if the record is Nancy’s own, and wakes nobody after the third time', async () => {
		await lostAgainAndAgain({ ...fakeDriver, transcript: ownRecord }, [1, 2, 3, 4, 5]);
		expect(await states()).toEqual(['delivered: again and again']);
	});

	it('stands, unproven, when Nancy’s own record was begun after it', async () => {
		await record({ at: '2026-01-01T00:00:00.000Z' });
		await handedOver('before', '2025-12-31T23:59:59.000Z');
		await handedOver('after', '2026-01-01T00:00:01.000Z');
		await settle({ ...fakeDriver, transcript: ownRecord });
		expect(await states()).toEqual(['delivered: before', 'queued: after']);
	});

	it('is queued again no more than three times by a CLI’s record: then the record is in doubt', async () => {
		await lostAgainAndAgain(fakeDriver, [1, 2, 3]);
		expect(await settle()).toEqual(NOTHING);
		expect(await states()).toEqual(['delivered: again and again']);
	});
});

describe('a long message that was handed over in parts', () => {
	/** Hands it over as far as it goes; what the session was given at each event. */
	async function inParts(text: string): Promise<{ id: MessageId; contexts: string[] }> {
		const id = await workspace.send(address, messageContent(text), BY_USER);
		const contexts: string[] = [];
		const mailbox = workspace.mailbox(address);
		for (let isLast = false; !isLast;) {
			const occasion = { kind: 'batch-end', slot: 'boundary', session } as const;
			const { claims, text: context, parts } = await claimBatch(mailbox, occasion, 3000);
			contexts.push(context);
			isLast = parts?.isLast ?? true;
			const facts = {
				deliveredAt: LONG_AGO,
				event: 'PostToolBatch',
				driver: fakeDriver.id,
				session,
				rung: 'hook' as const,
				transcript,
			};
			if (parts && !isLast) claims[0]?.keep({ session, parts: parts.lengths });
			else claims[0]?.deliver({ ...facts, ...(parts && { parts: parts.lengths }) });
		}
		return { id, contexts };
	}
	const LONG = Array.from({ length: 1200 }, (_, number) => `w${number}`).join(' ');

	it('is proven by all of its parts', async () => {
		const { id, contexts } = await inParts(LONG);
		expect(contexts.length).toBeGreaterThan(2);
		await record(...contexts.map(text => ({ text })));
		expect(await settle()).toEqual({ again: [], proven: [id] });
	});

	it('is queued again whole when the record lacks a part of it', async () => {
		const { id, contexts } = await inParts(LONG);
		await record(...contexts.toSpliced(1, 1).map(text => ({ text })));
		expect(await settle()).toEqual({ again: [id], proven: [] });
		const again = await claimBatch(workspace.mailbox(address), { kind: 'prompt', slot: 'turn', session }, 3000);
		expect(again.text).toMatch(/part 1 of/);
		expect(again.text).toContain('w0 w1 ');
	});
});

describe('what an earlier process was handed', () => {
	it('is queued again at once when that process is gone, and after a while when nobody knows', async () => {
		await record();
		await handedOver('a moment ago', new Date(Date.now() + HANG_MS).toISOString());
		await settleEarlier(workspace, [fakeDriver], worker, false);
		expect(await states()).toEqual(['delivered: a moment ago']);
		await settleEarlier(workspace, [fakeDriver], worker, true);
		expect(await states()).toEqual(['queued: a moment ago']);
		await handedOver('long ago');
		await settleEarlier(workspace, [fakeDriver], worker, false);
		expect(await states()).toEqual(['queued: a moment ago', 'queued: long ago']);
	});
});
