import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { inHeldFolderSync } from '../../src/core/files/heldFolder.ts';
import { createJsonFile, readJsonFile, writeJsonFile } from '../../src/core/files/jsonFile.ts';
import { Mailbox } from '../../src/core/mailbox/mailbox.ts';
import { Seals } from '../../src/core/mailbox/seals.ts';
import { makeBell } from '../../src/core/workspace/bell.ts';
import { endHalt } from '../../src/core/sessions/halt.ts';
import { deleteTask, deleteWorker } from '../../src/core/sessions/deletion.ts';
import { foundSince, noteFound } from '../../src/core/workspace/foundTask.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { DriverId, SessionId, type MessageId } from '../../src/protocol/names.ts';
import { address } from '../support/hookedWorker.ts';
import { BY_USER, messageContent } from '../support/messageContent.ts';
import { ownSeals } from '../support/ownSeals.ts';
import { cannotHold } from '../support/skipped.ts';
import { taskRecord } from '../support/taskRecord.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { treeOf } from '../support/tree.ts';

// An agent's program may exchange a folder of its mailbox by a link at any moment, also while Nancy is at work in it.

const FACTS = {
	deliveredAt: '2026-11-22T12:00:00.000Z',
	event: 'PreToolUse',
	driver: DriverId.parse('heron'),
	session: SessionId.parse('s1'),
	rung: 'hook' as const,
};
const STATES = ['inbox', 'claimed', 'delivered', 'archive', 'withdrawn'];

/** Exchanges folders at the moment for which it is called. Calls after the first do nothing. */
type Exchange = () => void;

type Sealing = 'file' | 'hand' | 'deliver' | 'archive' | 'unfile' | 'prepare' | 'noteInContext' | 'ofFiled';

interface Step {
	name: string;
	/** What happens before the exchange can come. */
	before?: (mailbox: Mailbox, id: MessageId) => Promise<unknown>;
	/** Calls `exchange` in its midst, itself or by a seal that is written there. */
	act: (mailbox: Mailbox, id: MessageId, exchange: Exchange) => Promise<unknown>;
	midst?: Sealing;
	/** Where the message is in the end, in the folder that the agent has moved away. */
	ends: string;
}

const deliver = (mailbox: Mailbox, transcript?: string) =>
	mailbox.holding(async () => {
		for (const claim of await mailbox.claim(() => 'take')) claim.deliver({ ...FACTS, transcript });
	});

const steps: Step[] = [
	{
		name: 'a message is chosen',
		act: (mailbox, _, exchange) =>
			mailbox.holding(async () => {
				const claims = await mailbox.claim(
					() => 'take',
					() => Promise.resolve((exchange(), true)),
				);
				for (const claim of claims) claim.deliver(FACTS);
			}),
		ends: 'delivered',
	},
	{ name: 'a message is claimed', act: mailbox => deliver(mailbox), midst: 'hand', ends: 'delivered' },
	{ name: 'a message is handed over', act: mailbox => deliver(mailbox), midst: 'deliver', ends: 'delivered' },
	{
		name: 'a claim is given back',
		act: (mailbox, _, exchange) =>
			mailbox.holding(async () => {
				const claims = await mailbox.claim(() => 'take');
				exchange();
				for (const claim of claims) claim.release();
			}),
		ends: 'inbox',
	},
	{
		name: 'a message is edited',
		act: (mailbox, id, exchange) => mailbox.edit(id, content => (exchange(), { ...content, text: 'Use plan C.' })),
		ends: 'inbox',
	},
	{
		name: 'a message is taken back',
		act: (mailbox, id) => mailbox.withdraw(id),
		midst: 'ofFiled',
		ends: 'withdrawn',
	},
	{ name: 'a message is read', act: (mailbox, id) => mailbox.markRead(id), midst: 'file', ends: 'delivered' },
	{
		name: 'a delivered message is archived',
		before: mailbox => deliver(mailbox),
		act: (mailbox, id) => mailbox.archive(id),
		midst: 'archive',
		ends: 'archive',
	},
	{
		name: 'a delivered message is found in context',
		before: mailbox => deliver(mailbox),
		act: (mailbox, id) => Promise.resolve(mailbox.noteInContext(id, FACTS.deliveredAt)),
		midst: 'noteInContext',
		ends: 'delivered',
	},
	{
		name: 'a lost message is queued again',
		before: mailbox => deliver(mailbox, '/transcript'),
		act: (mailbox, id) => Promise.resolve(mailbox.requeue(id)),
		midst: 'unfile',
		ends: 'inbox',
	},
	{
		name: 'another message is queued',
		act: mailbox => mailbox.put(messageContent('Use plan D.'), BY_USER),
		midst: 'prepare',
		ends: 'inbox',
	},
];

afterEach(() => void vi.restoreAllMocks());

describe.skipIf(cannotHold)(`a folder that is exchanged by a link${cannotHold}`, () => {
	describe.each(['each state', 'the mailbox', 'the task'] as const)('that of %s', which => {
		it.each(steps)('leads nowhere while $name', async ({ before, act, midst, ends }) => {
			await using folder = tempFolder();
			const [workspace, away, outside] = [folder.file('workspace'), folder.file('away'), folder.file('outside')];
			const box = join(workspace, '.nancy/tasks/login/comms/worker');
			const mailbox = new Mailbox(join(workspace, '.nancy'), box, ownSeals(workspace));
			const id = await mailbox.put(messageContent('Use plan B.'), BY_USER);
			await before?.(mailbox, id);
			for (const state of STATES) mkdirSync(join(box, state), { recursive: true });
			const moved = which === 'the task' ? join(box, '../..') : box;
			let atFirst: unknown;
			const exchange = () => {
				if (atFirst) return;
				// The same names wait outside: whoever goes there finds everything.
				cpSync(moved, outside, { recursive: true });
				atFirst = treeOf(outside);
				if (which === 'each state') mkdirSync(away);
				for (const state of which === 'each state' ? STATES : ['']) {
					renameSync(join(moved, state), join(away, state));
					symlinkSync(join(outside, state), join(moved, state));
				}
			};
			if (midst) exchangeAt(midst, exchange);

			await act(mailbox, id, exchange);

			expect(treeOf(outside)).toEqual(atFirst);
			const names = readdirSync(join(away, which === 'the task' ? 'comms/worker' : '', ends));
			expect(names).toContain(`${id}.md`);
		});
	});
});

/** Exchanges the folders right before this step is sealed, or its seal is looked for. */
function exchangeAt(step: Sealing, exchange: Exchange): void {
	const sealing = Seals.prototype[step] as (...args: unknown[]) => unknown;
	vi.spyOn(Seals.prototype as unknown as Record<Sealing, typeof sealing>, step).mockImplementationOnce(function (
		this: Seals,
		...args
	) {
		exchange();
		return sealing.apply(this, args);
	});
}

describe.skipIf(cannotHold)(`a file of a workspace${cannotHold}`, () => {
	it('is written into the folder that was there when the writing began', async () => {
		await using folder = tempFolder();
		const [workers, away, outside] = [
			folder.file('.nancy/tasks/login/workers'),
			folder.file('away'),
			folder.file('outside'),
		];
		const file = join(workers, 'worker.json');
		mkdirSync(outside);
		const value = { toJSON: () => (renameSync(workers, away), symlinkSync(outside, workers), 'new') };
		await writeJsonFile(file, 'old');

		await writeJsonFile(file, value);

		expect(treeOf(outside)).toEqual({});
		expect(treeOf(away)).toEqual({ 'worker.json': '"new"\n' });
	});

	it.each(['.nancy', '.nancy/tasks', '.nancy/tasks/login', '.nancy/tasks/login/workers'])(
		'is not written through a link in the place of %s',
		async place => {
			await using folder = tempFolder();
			const [file, outside] = [folder.file('.nancy/tasks/login/workers/worker.json'), folder.file('outside')];
			await writeJsonFile(file, 'old');
			renameSync(folder.file(place), outside);
			symlinkSync(outside, folder.file(place));
			const before = treeOf(outside);

			await expect(writeJsonFile(file, 'new')).rejects.toThrow(`${folder.file(place)} is a symbolic link`);
			await expect(createJsonFile(join(dirname(file), 'other.json'), 'new')).rejects.toThrow('symbolic link');
			expect(() => inHeldFolderSync(file, held => writeFileSync(held, 'new'))).toThrow('symbolic link');

			expect(treeOf(outside)).toEqual(before);
		},
	);

	it('is not made as a doorbell through a link, nor removed as a halt', async () => {
		await using folder = tempFolder();
		const workspace = new Workspace(folder.file('workspace'));
		await workspace.prepare();
		for (const name of ['bells', 'halts']) {
			const outside = folder.file(name);
			mkdirSync(outside);
			writeFileSync(join(outside, FACTS.session), 'kept');
			rmSync(join(workspace.paths.root, name), { recursive: true, force: true });
			symlinkSync(outside, join(workspace.paths.root, name));
		}
		await expect(makeBell(workspace.paths, FACTS.session)).rejects.toThrow('symbolic link');
		await expect(makeBell(workspace.paths, SessionId.parse('s2'))).rejects.toThrow('symbolic link');
		expect(() => endHalt(workspace, FACTS.session)).toThrow('symbolic link');
		expect([treeOf(folder.file('bells')), treeOf(folder.file('halts'))]).toEqual([{ s1: 'kept' }, { s1: 'kept' }]);
	});

	it.each(['.nancy', '.nancy/tasks', '.nancy/tasks/login', '.nancy/tasks/login/workers'])(
		'is not read through a link in the place of %s',
		async place => {
			await using folder = tempFolder();
			const [file, outside] = [folder.file('.nancy/tasks/login/workers/worker.json'), folder.file('outside')];
			await writeJsonFile(file, 'own');
			expect(await readJsonFile(file, z.string())).toBe('own');
			renameSync(folder.file(place), outside);
			symlinkSync(outside, folder.file(place));

			await expect(readJsonFile(file, z.string())).rejects.toThrow(`${folder.file(place)} is a symbolic link`);
		},
	);

	it('that is not there makes no folder for its reader', async () => {
		await using folder = tempFolder();
		expect(await readJsonFile(folder.file('.nancy/tasks/login/task.json'), z.string())).toBeUndefined();
		expect(existsSync(folder.file('.nancy'))).toBe(false);
	});

	it('that cannot be written is named by its path', async () => {
		await using folder = tempFolder();
		const file = folder.file('.nancy/config.json');
		mkdirSync(join(file, 'x'), { recursive: true });
		await expect(writeJsonFile(file, 'new')).rejects.toThrow(file);
	});
});

describe.skipIf(cannotHold)(`what is behind a link that comes while Nancy deletes${cannotHold}`, () => {
	it.each([
		['a task', 'tasks', (workspace: Workspace) => deleteTask(workspace, address.task)],
		['a worker', `tasks/${address.task}/comms`, (workspace: Workspace) => deleteWorker(workspace, address)],
	])('%s stays where it is', async (_, place, remove) => {
		await using folder = tempFolder();
		const workspace = new Workspace(folder.file('workspace'));
		await workspace.createTask(taskRecord(address.task, DriverId.parse('heron')));
		await workspace.mailbox(address).put(messageContent('Use plan B.'), BY_USER);
		const [exchanged, outside] = [join(workspace.paths.root, place), folder.file('outside')];
		const unseal = workspace.own.remove.bind(workspace.own);
		workspace.own.remove = async (...segments) => {
			await unseal(...segments);
			if (existsSync(outside)) return;
			cpSync(exchanged, outside, { recursive: true });
			renameSync(exchanged, folder.file('away'));
			symlinkSync(outside, exchanged);
		};
		const before = treeOf(join(workspace.paths.root, place));

		noteFound(workspace, address.task);

		await expect(remove(workspace)).rejects.toThrow(`${exchanged} is a symbolic link`);

		expect(treeOf(outside)).toEqual(before);
		expect(foundSince(workspace, address.task)).toBeDefined();
	});
});
