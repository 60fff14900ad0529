import { mkdirSync, readdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NancyError } from '../../../../src/base/errors.ts';
import { deleteDelegate } from '../../../../src/core/delegates/deleteDelegate.ts';
import { endDelegate, writeAnswer } from '../../../../src/core/delegates/ending.ts';
import { OWN_TASK } from '../../../../src/core/delegates/ownTask.ts';
import type { Delegate } from '../../../../src/core/delegates/delegate.ts';
import type { Delegates } from '../../../../src/core/delegates/delegates.ts';
import { DelegateId } from '../../../../src/protocol/delegate.ts';
import { ORCHESTRATOR, SessionId, WorkerName } from '../../../../src/protocol/names.ts';
import { DelegateRoom } from '../../../support/delegateRoom.ts';
import { BY_USER, messageContent } from '../../../support/messageContent.ts';
import { bindSession } from '../../../../src/core/sessions/bindings.ts';

let room: DelegateRoom;
let delegates: Delegates;

beforeEach(() => {
	room = new DelegateRoom();
	delegates = room.delegates;
});
afterEach(() => room.folder.remove());

const queue = (feature?: string) => room.queue({ swarm: feature === undefined ? undefined : { feature } });
const remove = ({ record }: Delegate, refuse = () => Promise.resolve()) =>
	deleteDelegate(delegates, room.tickets, record.id, refuse);
const refuse = () => Promise.reject(new NancyError('not-trusted', 'came with the repository'));
const names = (path: string) => readdirSync(path).toSorted();
const mail = async ({ record }: Delegate) =>
	(await room.workspace.mailbox({ task: record.task, worker: ORCHESTRATOR }).list()).messages;

/** As its runner leaves it; its session is known to the guard. */
async function ended(feature?: string): Promise<Delegate> {
	const delegate = await queue(feature);
	const { record } = delegate;
	const session = SessionId.parse(`5e551011-0000-4000-8000-${record.id.slice(-8)}0000`);
	await bindSession(room.workspace, session, { address: record, watched: true });
	await room.workspace.updateWorker(
		record,
		known => known && { ...known, sessions: [{ id: session, startedAt: record.createdAt }] },
	);
	await delegate.files.appendLog('● Bash\n');
	return endDelegate(delegates, room.tickets, delegate, { ok: true, output: 'They are written.' });
}

/** Files of a delegate without its record, written some days ago. */
function leave(id: string, endings: readonly string[], days: number): void {
	mkdirSync(delegates.folder, { recursive: true });
	const written = new Date(Date.now() - days * 24 * 60 * 60 * 1000);
	for (const ending of endings) {
		writeFileSync(join(delegates.folder, `${id}${ending}`), '');
		utimesSync(join(delegates.folder, `${id}${ending}`), written, written);
	}
}

describe('deleting a delegate', () => {
	it('takes its files, its mailbox, its session and its ticket, and nothing of another', async () => {
		const gone = await ended();
		const other = await queue();
		const before = names(delegates.folder).filter(name => !name.startsWith(gone.record.id));
		await remove(gone);
		expect(names(delegates.folder)).toEqual(before);
		expect(names(room.workspace.paths.workers(other.record.task))).toEqual(['delegate-2.json']);
		expect(names(room.workspace.paths.comms(other.record.task))).toEqual(['delegate-2', 'orchestrator']);
		expect(names(room.workspace.paths.sessions)).toEqual([]);
		expect(names(room.workspace.paths.tasks)).toEqual(['delegates']);
		expect(names(room.ticketFolder)).toEqual([other.record.id]);
		expect((await delegates.list()).delegates.map(({ record }) => record.id)).toEqual([other.record.id]);
	});

	it('takes the files of the swarm’s worker that it was, but for those of another delegate or behind a link', async () => {
		const workers = join(room.workspace.folder, '.claude', 'orchestrator', 'workers');
		const first = await ended('login');
		const again = await ended('login');
		const other = await ended('logout');
		await remove(first);
		expect(names(workers).filter(name => name.startsWith('login.'))).toHaveLength(5);
		await remove(again);
		expect(new Set(names(workers).map(name => name.split('.')[0]))).toEqual(new Set(['logout']));
		expect((await delegates.list()).delegates.map(({ record }) => record.title)).toEqual([other.record.title]);
		renameSync(workers, room.folder.file('elsewhere'));
		symlinkSync(room.folder.file('elsewhere'), workers);
		await remove(other);
		expect(names(room.folder.file('elsewhere'))).toHaveLength(5);
		expect(await delegates.find(other.record.id)).toBeUndefined();
	});

	it('leaves its result with whoever asked, and hands it over first where that was not done', async () => {
		const delegate = await ended();
		const [{ id } = { id: '' }] = await mail(delegate);
		const unreported = await queue();
		await writeAnswer(room.tickets, unreported, 'Late, but here.');
		writeFileSync(unreported.files.done, 'success\n');
		await room.tickets.end(unreported.record.id, { report: unreported.status.report, isReported: false });
		await remove(delegate);
		await remove(unreported);
		const kept = await mail(delegate);
		expect(kept.map(message => message.id)).toContain(id);
		expect(kept.at(-1)?.content.text).toContain('Late, but here.');
	});

	it('hands on first what its own delegates have answered and it has not read', async () => {
		const asker = await ended();
		const { task, worker } = asker.record;
		// As left by a Nancy that sent it there although nobody read it any more.
		await room.workspace.send({ task, worker }, messageContent('Deep.', { kind: 'result' }), BY_USER);
		await remove(asker);
		expect((await mail(asker)).map(({ content }) => content.text)).toContain('Deep.');
	});

	it('hands on nothing of one that was never queued here', async () => {
		const brought = await ended();
		await room.workspace.send(brought.record, messageContent('Evil.', { kind: 'result' }), BY_USER);
		await room.tickets.remove(brought.record.id);
		await remove(brought, refuse);
		expect((await mail(brought)).map(({ content }) => content.text)).not.toContain('Evil.');
		expect(await delegates.find(brought.record.id)).toBeUndefined();
	});

	it('keeps one with a result to hand on where nothing may be sent, and takes it once that was read', async () => {
		const asker = await ended();
		const id = await room.workspace.send(asker.record, messageContent('Deep.', { kind: 'result' }), BY_USER);
		const before = names(delegates.folder);
		await expect(remove(asker, refuse)).rejects.toMatchObject({ code: 'not-trusted' });
		expect(names(delegates.folder)).toEqual(before);
		expect(await room.tickets.has(asker.record.id)).toBe(true);
		expect((await mail(asker)).map(({ content }) => content.text)).not.toContain('Deep.');
		await room.workspace.mailbox(asker.record).withdraw(id);
		await remove(asker, refuse);
		expect(await delegates.find(asker.record.id)).toBeUndefined();
	});

	it('refuses one that has not ended, and changes nothing', async () => {
		const delegate = await queue();
		const before = names(delegates.folder);
		await expect(remove(delegate)).rejects.toMatchObject({ code: 'busy' });
		expect(names(delegates.folder)).toEqual(before);
		expect(await room.tickets.isValid(delegate.record.id, delegates.filesOfRequest(delegate.record.id))).toBe(true);
	});

	it('leaves a mailbox alone that is not the delegate’s, whatever its record says', async () => {
		const delegate = await ended();
		await room.workspace.updateWorker(delegate.record, known => {
			if (!known) return undefined;
			const { delegate: _other, ...rest } = known;
			return rest;
		});
		await remove(delegate);
		expect(names(room.workspace.paths.workers(delegate.record.task))).toEqual(['delegate-1.json']);
	});

	it('may be repeated, and sweeps what a kill has left of an earlier one', async () => {
		const delegate = await ended();
		leave('20200101t000000000z-0a1b2c3d', ['.prompt', '.output'], 8);
		leave('20200101t000000000z-ffffffff', ['.prompt'], 0);
		await remove(delegate);
		await remove(delegate);
		expect(names(delegates.folder)).toEqual(['20200101t000000000z-ffffffff.prompt']);
	});

	it('sweeps what is left of one whose record vanished, but never of one with a ticket, once nobody has written there for a week', async () => {
		const vanished = '20200101t000000000z-0a1b2c3d';
		const younger = '20200101t000000000z-1a1b2c3d';
		const moved = DelegateId.parse('20200101t000000000z-2a1b2c3d');
		const worker = WorkerName.parse('delegate-9');
		await room.tickets.issue({ id: moved, task: OWN_TASK, worker }, [], []);
		leave(moved, ['.status'], 8);
		leave(vanished, ['.done', '.output', '.status'], 8);
		leave(younger, ['.done', '.output', '.status'], 8);
		leave(younger, ['.log'], 6);
		leave('parked', ['.json'], 8);
		leave('my-notes', ['.log'], 8);
		await remove(await ended());
		expect(names(delegates.folder)).toEqual([
			...['.done', '.log', '.output', '.status'].map(ending => younger + ending),
			`${moved}.status`,
			'my-notes.log',
			'parked.json',
		]);
		expect(names(room.ticketFolder)).toEqual([moved]);
	});
});
