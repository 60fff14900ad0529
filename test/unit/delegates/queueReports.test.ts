import { appendFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Delegate } from '../../../src/core/delegates/delegate.ts';
import { Delegates } from '../../../src/core/delegates/delegates.ts';
import { IN_TERMINAL } from '../../../src/core/asker/asker.ts';
import { endDelegate } from '../../../src/core/delegates/ending.ts';
import { queueDelegate } from '../../../src/core/delegates/queueDelegate.ts';
import { Tickets } from '../../../src/core/delegates/tickets.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { lookAtQueue, stopDelegate } from '../../../src/delegates/delegateQueue.ts';
import { FIRST_WORKER, ORCHESTRATOR, TaskName, WorkerName } from '../../../src/protocol/names.ts';
import { fakeDriver } from '../../support/fakeDriver.ts';
import { gitRepository, type GitRepository } from '../../support/gitRepository.ts';
import { BY_USER, messageContent } from '../../support/messageContent.ts';
import { taskRecord } from '../../support/taskRecord.ts';

const DEAD = { pid: 999_999_999, startedTicks: 1 };
const task = TaskName.parse('build');

let repository: GitRepository;
let workspace: Workspace;
let delegates: Delegates;
let tickets: Tickets;
let delegate: Delegate;
const look = () => lookAtQueue(delegates, { tickets, nancy: '/nowhere/nancy', cap: 1 });

beforeEach(async () => {
	repository = gitRepository();
	workspace = new Workspace(repository.root, `${repository.root}-data`);
	delegates = new Delegates(workspace);
	tickets = new Tickets(`${repository.root}-data`, repository.root);
	const agent = fakeDriver.id;
	const startedAt = new Date().toISOString();
	await workspace.createTask(taskRecord(task, agent));
	await workspace.createWorker({ version: 1, task, name: FIRST_WORKER, agent, sessions: [], startedAt });
	delegate = await queueDelegate(delegates, tickets, IN_TERMINAL, {
		prompt: 'Write the tests.',
		agent,
		permissions: 'default',
		folder: workspace.folder,
		parent: { task, worker: FIRST_WORKER },
	});
});
afterEach(() => repository.remove());

async function mail(): Promise<string[]> {
	const lists = await Promise.all(
		[FIRST_WORKER, ORCHESTRATOR].map(worker => workspace.mailbox({ task, worker }).list()),
	);
	return lists.flatMap(({ messages }) => messages.map(({ content }) => content.text));
}

async function lost(): Promise<void> {
	await delegates.writeStatus(delegate.record.id, { ...delegate.status, status: 'running', runner: DEAD });
	await tickets.begin(delegate.record.id, DEAD);
}

/** How far it has come on disk. */
const STANDS: Record<string, () => unknown> = {
	'waits for its turn': () => undefined,
	'has an answer that nobody has been told of': async () => {
		writeFileSync(delegate.files.output, 'The answer.');
		writeFileSync(delegate.files.done, 'success\n');
		await tickets.end(delegate.record.id, { report: delegate.status.report, isReported: false });
	},
	'has failed, and has no word of it': async () => {
		await delegates.writeStatus(delegate.record.id, { ...delegate.status, status: 'failed', error: 'no' });
		await tickets.end(delegate.record.id, { error: 'no', report: delegate.status.report, isReported: false });
	},
	'has lost its runner': lost,
};

describe.each(Object.entries(STANDS))('a delegate that %s', (_, stand) => {
	it('ends and is reported, where this user queued it', async () => {
		await stand();
		await look();
		expect(await mail()).toEqual([expect.stringContaining(delegate.record.id)]);
	});

	it.each([
		['is looked at', look],
		['is stopped', () => stopDelegate(delegates, tickets, delegate.record.id)],
	])('and came from elsewhere ends, and nobody gets a word of it, when it %s', async (__, end) => {
		await stand();
		await tickets.remove(delegate.record.id);
		await end();
		expect(['done', 'failed']).toContain((await delegates.get(delegate.record.id)).state);
		expect(await mail()).toEqual([]);
	});

	it.each([
		['is looked at', look],
		['is stopped', () => stopDelegate(delegates, tickets, delegate.record.id)],
	])('and was changed since is reported in Nancy’s own words alone when it %s', async (__, end) => {
		await stand();
		appendFileSync(delegate.files.prompt, 'And more.');
		await end();
		await look();
		expect(['done', 'failed']).toContain((await delegates.get(delegate.record.id)).state);
		const [text, ...more] = await mail();
		expect(more).toEqual([]);
		expect(text).toMatch(`[DELEGATE FAILED - Task ID: ${delegate.record.id}] it was not queued by you`);
		expect(text).not.toMatch(/Write the tests|The answer/);
	});

	it('and came with the repository is listed, and stays as it is', async () => {
		await stand();
		repository.git(['add', '--force', '.nancy']);
		const before = repository.state();
		await expect(look()).rejects.toMatchObject({ code: 'not-trusted' });
		await expect(stopDelegate(delegates, tickets, delegate.record.id)).rejects.toMatchObject({
			code: 'not-trusted',
		});
		expect((await delegates.list()).delegates).toHaveLength(1);
		expect(repository.state()).toEqual(before);
	});
});

describe('a delegate that was changed while it ran', () => {
	beforeEach(async () => {
		appendFileSync(delegate.files.prompt, 'And more.');
		await lost();
		await workspace.send(delegate.record, messageContent('Deep.', { kind: 'result' }), BY_USER);
		await workspace.send(delegate.record, messageContent('And do Y.'), BY_USER);
	});
	const waiting = async () => {
		const { messages } = await workspace.mailbox(delegate.record).list(['queued']);
		return messages.map(({ content, held }) => [content.text, held]);
	};

	it('passes on what its own delegates have answered, and says of what was sent to it why that waits', async () => {
		await look();
		const [ended, ...passedOn] = await mail();
		expect(ended).not.toContain('And do Y.');
		expect(passedOn).toEqual(['Deep.']);
		expect(await waiting()).toEqual([['And do Y.', { code: 'ended-unread' }]]);
	});

	it('goes by its ticket, whatever mailbox and whatever asker its files name', async () => {
		const startedAt = new Date().toISOString();
		const thief = WorkerName.parse('worker-2');
		const victim = WorkerName.parse('worker-3');
		for (const name of [thief, victim])
			await workspace.createWorker({ version: 1, task, name, agent: fakeDriver.id, sessions: [], startedAt });
		const { id } = delegate.record;
		await workspace.updateWorker({ task, worker: victim }, record => record && { ...record, delegate: id });
		await workspace.send({ task, worker: victim }, messageContent('Stolen.', { kind: 'result' }), BY_USER);
		const [file = ''] = delegates.filesOfRequest(id);
		const forged = { ...delegate.record, worker: victim, parent: { task, worker: thief } };
		writeFileSync(file, JSON.stringify(forged));
		await look();
		const boxes = await Promise.all(
			[thief, victim].map(worker => workspace.mailbox({ task, worker }).list(['queued'])),
		);
		expect(boxes.map(({ messages }) => messages.map(({ content }) => content.text))).toEqual([[], ['Stolen.']]);
		expect((await mail()).slice(1)).toEqual(['Deep.']);
		expect(await waiting()).toEqual([['And do Y.', { code: 'ended-unread' }]]);

		const below = await queueDelegate(delegates, tickets, IN_TERMINAL, {
			prompt: 'Go on.',
			agent: fakeDriver.id,
			permissions: 'default',
			folder: workspace.folder,
			parent: { task, worker: delegate.record.worker },
		});
		await endDelegate(delegates, tickets, below, { ok: true, output: 'Below.' });
		expect((await mail()).at(-1)).toContain('Below.');
	});
});
