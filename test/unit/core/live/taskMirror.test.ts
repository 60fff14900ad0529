import { existsSync } from 'node:fs';
import { readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TaskMirror } from '../../../../src/core/live/taskMirror.ts';
import type { Mailbox } from '../../../../src/core/mailbox/mailbox.ts';
import { deleteTask } from '../../../../src/core/sessions/deletion.ts';
import { noteScreen } from '../../../../src/core/workspace/shownScreens.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import { DriverId, SessionId, TaskName, WorkerName, type MessageId } from '../../../../src/protocol/names.ts';
import type { ShownState } from '../../../../src/protocol/records.ts';
import { addBoundWorker } from '../../../support/boundWorker.ts';
import { countCalls, type CountedCalls } from '../../../support/countedCalls.ts';
import { SEALS } from '../../../../src/core/mailbox/sealReader.ts';
import { BY_USER, messageContent } from '../../../support/messageContent.ts';
import { taskRecord } from '../../../support/taskRecord.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';

let folder: TempFolder;
let workspace: Workspace;
let mailbox: Mailbox;
let mirror: TaskMirror;
let calls: CountedCalls;
const agent = DriverId.parse('fake');
const session = SessionId.parse('s1');
const address = { task: TaskName.parse('fix'), worker: WorkerName.parse('worker') };
const delivered = ['fix', 'comms', 'worker', 'delivered'];

beforeEach(async () => {
	folder = tempFolder();
	workspace = new Workspace(folder.path);
	await workspace.createTask(taskRecord(address.task, agent));
	await addBoundWorker(workspace, address, { agent, session });
	mailbox = workspace.mailbox(address);
	mirror = new TaskMirror(workspace);
	calls = countCalls('open', 'readFile');
});
afterEach(async () => {
	calls.stop();
	await folder.remove();
});

async function deliver(text: string): Promise<MessageId> {
	const id = await mailbox.put(messageContent(text), BY_USER);
	const [claim] = await mailbox.claim(() => 'take');
	claim?.deliver({ deliveredAt: new Date().toISOString(), event: 'Stop', driver: agent, session, rung: 'hook' });
	return id;
}

const reads = () => calls.count('readFile') + calls.count('open');
const receiptOf = (id: MessageId) => mirror.inState(address, 'delivered').find(each => each.id === id)?.receipt;

const shownScreen = (state: ShownState) => ({
	state,
	at: '2023-11-14T22:13:20.000Z',
	workedAt: '2023-11-14T22:13:20.000Z',
});

describe('TaskMirror', () => {
	it('has what the terminals of its workers show, and names a file of them that it cannot read', async () => {
		await mirror.readAll();
		expect(mirror.screen(address)).toBeUndefined();
		noteScreen(workspace, address, shownScreen('asking'));
		await mirror.readFolder(['fix', 'screens']);
		expect(mirror.screen(address)).toMatchObject({ state: 'asking', at: '2023-11-14T22:13:20.000Z' });
		await mirror.readTasks();
		expect(mirror.screen(address)?.state).toBe('asking');
		await writeFile(workspace.paths.screen(address.task, address.worker), '{"version":1,"state":"dreaming"}');
		await mirror.readFolder(['fix', 'screens']);
		expect(mirror.screen(address)).toBeUndefined();
		expect(mirror.problems()).toMatchObject([{ file: expect.stringMatching(/screens.worker\.json$/) }]);
		noteScreen(workspace, address, shownScreen('idle'));
		await mirror.readFolder(['fix', 'screens']);
		expect(mirror.problems()).toEqual([]);
	});

	it('does not bring back a task that was deleted while its terminal was watched', async () => {
		await deleteTask(workspace, address.task);
		noteScreen(workspace, address, shownScreen('idle'));
		expect(existsSync(workspace.paths.task(address.task))).toBe(false);
	});

	it('shows the same list until its mailbox was read again', async () => {
		const other = { ...address, worker: WorkerName.parse('worker-2') };
		await addBoundWorker(workspace, other, { agent, session: SessionId.parse('s2') });
		await mailbox.put(messageContent('One'), BY_USER);
		await mirror.readAll();
		const [before, ofOther] = [mirror.messages(address), mirror.messages(other)];
		expect(before.messages).toHaveLength(1);
		expect(mirror.messages(address)).toBe(before);
		await mailbox.put(messageContent('Two'), BY_USER);
		await mirror.readFolder(['fix', 'comms', 'worker', 'inbox']);
		expect(mirror.messages(address).messages).toHaveLength(2);
		expect(mirror.messages(other)).toBe(ofOther);
	});

	it('reads only the message that came, however many were delivered before', async () => {
		for (let i = 0; i < 60; i++) await deliver(`Message ${i}`);
		await mirror.readAll();
		expect(mirror.inState(address, 'delivered')).toHaveLength(60);
		const id = await deliver('The last one');
		calls.clear();
		await mirror.readFolder(delivered);
		expect(mirror.inState(address, 'delivered')).toHaveLength(61);
		expect(receiptOf(id)).toMatchObject({ event: 'Stop', session });
		expect(reads()).toBeLessThanOrEqual(2);
	});

	it('sees what was added to a receipt, and reads a receipt that is complete no more', async () => {
		const id = await deliver('Use the helper.');
		await mirror.readAll();
		const inContextAt = new Date().toISOString();
		mailbox.noteInContext(id, inContextAt);
		await mirror.readFolder(delivered);
		expect(receiptOf(id)).toMatchObject({ inContextAt });
		calls.clear();
		await mirror.readFolder(delivered);
		expect(reads()).toBe(0);
	});

	it('sees the receipt of an earlier version that was repaired in the same moment', async () => {
		const id = await deliver('Use the helper.');
		const { task, worker } = address;
		const text = await readFile(join(mailbox.folder, 'delivered', `${id}.md`), 'utf8');
		const earlier = { version: 1, author: BY_USER, file: text };
		await workspace.own.write(earlier, SEALS, task, worker, 'filed', `${id}.json`);
		const file = join(mailbox.folder, 'delivered', `${id}.receipt.json`);
		const whole = await readFile(file, 'utf8');
		await writeFile(file, 'x'.repeat(whole.length));
		await utimes(file, 1_700_000_000, 1_700_000_000);
		await mirror.readAll();
		expect(receiptOf(id)).toBeUndefined();
		expect(mirror.problems()).toMatchObject([{ file }]);
		await mirror.readFolder(delivered);
		expect(mirror.problems()).toMatchObject([{ file }]);
		await writeFile(file, whole);
		await mirror.readFolder(delivered);
		expect(receiptOf(id)).toMatchObject({ event: 'Stop' });
		expect(mirror.problems()).toEqual([]);
	});

	it('forgets what is filed no more', async () => {
		const id = await deliver('Use the helper.');
		await mirror.readAll();
		await mailbox.archive(id);
		await mirror.readFolder(delivered);
		await mirror.readFolder(delivered.with(3, 'archive'));
		expect(mirror.messages(address).messages).toMatchObject([{ id, state: 'archived', receipt: { id } }]);
	});

	it('reads the mailboxes of a task that has come, and not those of the others', async () => {
		for (let i = 0; i < 20; i++) {
			const task = TaskName.parse(`other-${i}`);
			await workspace.createTask(taskRecord(task, agent));
			await workspace.saveWorker({ ...(await recordOf(address.worker)), task });
		}
		await mirror.readAll();
		const task = TaskName.parse('new');
		await workspace.createTask(taskRecord(task, agent));
		await workspace.saveWorker({ ...(await recordOf(address.worker)), task });
		await workspace.send({ ...address, task }, messageContent('Begin.'), BY_USER);
		calls.clear();
		await mirror.readTasks();
		expect(mirror.inState({ ...address, task }, 'queued')).toHaveLength(1);
		expect(calls.count('open', path => path.endsWith(`/${address.worker}.json`))).toBe(1);
	});
});

async function recordOf(worker: WorkerName) {
	const record = await workspace.worker({ ...address, worker });
	if (!record) throw new Error('no record');
	return record;
}
