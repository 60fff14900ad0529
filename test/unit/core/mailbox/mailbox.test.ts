import { statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ownIdentity } from '../../../../src/base/liveness.ts';
import { CAN_HOLD } from '../../../../src/core/files/heldFolder.ts';
import { OwnFolder } from '../../../../src/core/files/ownFolder.ts';
import { Mailbox } from '../../../../src/core/mailbox/mailbox.ts';
import type { Claim } from '../../../../src/core/mailbox/messageClaims.ts';
import { Seals } from '../../../../src/core/mailbox/seals.ts';
import { DriverId, MessageId, SessionId } from '../../../../src/protocol/names.ts';
import { claimedBy, KILLED } from '../../../support/claimedBy.ts';
import { killedAt } from '../../../support/killedAt.ts';
import { makeOld } from '../../../support/makeOld.ts';
import { BY_USER, messageContent } from '../../../support/messageContent.ts';
import { ownSeals } from '../../../support/ownSeals.ts';
import { killPoints, strideOr } from '../../../support/rounds.ts';

/** What is killed here makes 40 to 80 file calls. */
const STRIDE = strideOr(9);

let root: string;
let folder: string;
let mailbox: Mailbox;

beforeEach(async () => {
	root = await mkdtemp(join(tmpdir(), 'nancy-mailbox-'));
	folder = join(root, 'tasks/login/comms/worker');
	mailbox = new Mailbox(root, folder, ownSeals(root));
	await mailbox.makeFolders();
});
afterEach(() => {
	vi.restoreAllMocks();
	return rm(root, { recursive: true, force: true });
});

const facts = () => ({
	deliveredAt: new Date().toISOString(),
	event: 'PreToolUse',
	driver: DriverId.parse('heron'),
	session: SessionId.parse('s1'),
	rung: 'hook' as const,
});

const deliverAll = (claims: Claim[]) => {
	for (const claim of claims) claim.deliver(facts());
};

const texts = async () => (await mailbox.list()).messages.map(({ state, content }) => `${state}: ${content.text}`);

/** The claim of a process that never existed stands for one that was killed. */
async function asIfKilled(): Promise<void> {
	const [name = ''] = (await readdir(join(folder, 'claimed'))).filter(file => file.endsWith('.md'));
	claimedBy(ownSeals(root), join(folder, 'claimed', name), KILLED);
}

/** A file that a person saves there by hand. */
async function drop(text: string): Promise<void> {
	await writeFile(join(folder, 'inbox', 'note.md'), text);
	makeOld(join(folder, 'inbox'));
}

describe('Mailbox', () => {
	it('says whether a message is open: waiting, claimed, or moved by somebody', async () => {
		expect(mailbox.hasOpen()).toBe(false);
		const id = await mailbox.put(messageContent('first'), BY_USER);
		expect(mailbox.hasOpen()).toBe(true);
		const file = join(folder, 'inbox', `${id}.md`);
		await rename(file, join(folder, 'elsewhere.md'));
		expect(mailbox.hasOpen()).toBe(true);
		await rename(join(folder, 'elsewhere.md'), file);
		const claims = await mailbox.claim(() => 'take');
		expect(mailbox.hasOpen()).toBe(true);
		deliverAll(claims);
		expect(mailbox.hasOpen()).toBe(false);
		await drop('by hand');
		expect(mailbox.hasOpen()).toBe(true);
	});

	it('hands messages over urgent first, then by the order set by hand, then by age', async () => {
		const first = await mailbox.put(messageContent('first'), BY_USER);
		await mailbox.put(messageContent('second'), BY_USER);
		const third = await mailbox.put(messageContent('third'), BY_USER);
		await mailbox.put(messageContent('urgent', { priority: 'urgent' }), BY_USER);
		await mailbox.reorder([third, first]);

		const claims = await mailbox.claim(() => 'take');

		expect(claims.map(claim => claim.content.text)).toEqual(['urgent', 'third', 'first', 'second']);
	});

	describe.each([
		['in folders that it holds open', CAN_HOLD],
		['by paths, where the system holds no folder', false],
	])('at work %s', (_, canHold) => {
		beforeEach(() => {
			mailbox = new Mailbox(root, folder, ownSeals(root), canHold);
		});

		it('lists a message once that moves on while the folders are read', async () => {
			const moving = await mailbox.put(messageContent('moves on'), BY_USER);
			await mailbox.put(messageContent('being read meanwhile', { priority: 'urgent' }), BY_USER);
			await mailbox.claim(({ id }) => (id === moving ? 'leave' : 'take'));

			// The first folder is read at once, the last after a wait.
			const listed = mailbox.list();
			await mailbox.withdraw(moving);

			expect((await listed).messages.filter(({ id }) => id === moving).map(({ state }) => state)).toEqual([
				'withdrawn',
			]);
		});

		it('queues, hands over, takes back, archives and queues again', async () => {
			const [first, second] = [
				await mailbox.put(messageContent('one'), BY_USER),
				await mailbox.put(messageContent('two'), BY_USER),
			];
			await mailbox.withdraw(second);
			deliverAll(await mailbox.claim(() => 'take'));
			expect(await texts()).toEqual(['withdrawn: two', 'delivered: one']);

			expect(mailbox.requeue(first)).toBe(true);
			await mailbox.archive(first);

			expect((await readdir(folder)).sort()).toEqual(['archive', 'claimed', 'delivered', 'inbox', 'withdrawn']);
			expect(await texts()).toEqual(['withdrawn: two', 'archived: one']);
		});

		it('files nothing through a folder that was exchanged by a link since the claim', async () => {
			const id = await mailbox.put(messageContent('use plan B'), BY_USER);
			const claims = await mailbox.claim(() => 'take');
			const [delivered, outside] = [join(folder, 'delivered'), join(folder, '..', 'outside')];
			await mkdir(outside);
			await rename(delivered, `${delivered}-away`);
			await symlink(outside, delivered);

			expect(() => deliverAll(claims)).toThrow('symbolic link');

			expect(await readdir(outside)).toEqual([]);
			await rm(delivered);
			await asIfKilled();
			await mailbox.recover();
			expect((await mailbox.list()).messages).toMatchObject([{ id, state: 'delivered', receipt: { id } }]);
		});

		it('says which file is in the place of a folder, and takes the message back once that is moved away', async () => {
			const id = await mailbox.put(messageContent('use plan B'), BY_USER);
			const file = join(folder, 'withdrawn');
			await writeFile(file, '');

			await expect(mailbox.withdraw(id)).rejects.toMatchObject({
				code: 'bad-file',
				message: `${file} is not a folder; move it away and try again`,
			});
			await expect(mailbox.claim(() => 'take')).rejects.toThrow('is not a folder');

			await rm(file);
			await mailbox.withdraw(id);
			expect(await texts()).toEqual(['withdrawn: use plan B']);
		});

		it('names a file by its path where it cannot be read', async () => {
			const file = join(folder, 'inbox', 'note.md');
			await symlink('/etc/hostname', file);
			await writeFile(join(folder, 'inbox', 'long.md'), Buffer.alloc(5_000_000));

			const { problems } = await mailbox.list();

			expect(problems.map(problem => problem.reason).join()).toContain(
				`${join(folder, 'inbox', 'long.md')} has 5000000 bytes`,
			);
		});
	});

	it('files a delivered message with its receipt', async () => {
		const id = await mailbox.put(messageContent('use plan B'), BY_USER);
		deliverAll(await mailbox.claim(() => 'take'));

		const { messages } = await mailbox.list();
		expect(messages).toMatchObject([
			{ id, state: 'delivered', receipt: { id, event: 'PreToolUse', earlierClaims: 0 } },
		]);
	});

	it('takes a file that a person dropped by hand', async () => {
		await writeFile(join(folder, 'inbox', 'note.md'), 'Stop using var.');
		makeOld(join(folder, 'inbox'));
		const claims = await mailbox.claim(() => 'take');
		deliverAll(claims);

		expect(claims.map(claim => claim.content)).toEqual([messageContent('Stop using var.')]);
		expect(await readdir(join(folder, 'delivered'))).toEqual(['note.md', 'note.receipt.json']);
	});

	it('leaves an empty file alone: somebody is still writing it', async () => {
		await writeFile(join(folder, 'inbox', 'note.md'), '');
		expect(await mailbox.claim(() => 'take')).toEqual([]);
		expect(await readdir(join(folder, 'inbox'))).toEqual(['note.md']);
	});

	it('leaves a file that is no message where it is and names the reason', async () => {
		const file = join(folder, 'inbox', 'odd.md');
		await writeFile(file, '**Type:** wish\n\nhello');
		await mailbox.put(messageContent('good'), BY_USER);

		expect((await mailbox.claim(() => 'take')).map(claim => claim.content.text)).toEqual(['good']);
		expect((await mailbox.list()).problems).toEqual([
			{ file, reason: 'header "type" is not valid: use directive, feedback or result' },
		]);
		expect(await readFile(file, 'utf8')).toContain('hello');
	});

	it('leaves a file that is not UTF-8 where it is, also where it becomes so before it is claimed', async () => {
		const utf16 = Buffer.from('\uFEFFStop.', 'utf16le');
		const file = join(folder, 'inbox', 'from Notepad.md');
		const problems = [{ file, reason: 'it is not UTF-8; save it as UTF-8' }];
		await writeFile(file, utf16);
		expect(await mailbox.claim(() => 'take')).toEqual([]);
		expect(await mailbox.list()).toEqual({ messages: [], problems });

		await writeFile(file, 'Stop.');
		makeOld(join(folder, 'inbox'));
		const resaved = () => writeFile(file, utf16).then(() => true);
		expect(await mailbox.claim(() => 'take', resaved)).toEqual([]);
		expect(await mailbox.list()).toEqual({ messages: [], problems });
		expect(await readFile(file)).toEqual(utf16);
		await rename(file, join(folder, 'delivered', 'old.md'));
		expect((await mailbox.list()).problems).toMatchObject([{ reason: problems[0]?.reason }]);

		await mailbox.put(messageContent('The sign \uFFFD itself is text.'), BY_USER);
		expect(await mailbox.claim(() => 'take')).toHaveLength(1);
	});

	it('gives a message to exactly one of many claimers', async () => {
		for (let n = 0; n < 50; n++) await mailbox.put(messageContent(`m${n}`), BY_USER);
		const claimers = Array.from({ length: 20 }, () =>
			new Mailbox(root, folder, ownSeals(root)).claim(() => 'take'),
		);
		const claims = (await Promise.all(claimers)).flat();

		expect(claims.map(claim => claim.content.text).sort()).toEqual(
			Array.from({ length: 50 }, (_, n) => `m${n}`).sort(),
		);
	});

	it('puts a released message back', async () => {
		await mailbox.put(messageContent('again'), BY_USER);
		for (const claim of await mailbox.claim(() => 'take')) claim.release();
		expect(await texts()).toEqual(['queued: again']);
	});

	it('never overwrites: a file saved again under a delivered name is a new message', async () => {
		const note = MessageId.parse('note');
		await mailbox.put(messageContent('old'), BY_USER, note);
		deliverAll(await mailbox.claim(() => 'take'));
		await drop('edited later');
		deliverAll(await mailbox.claim(() => 'take'));

		expect((await texts()).sort()).toEqual(['delivered: edited later', 'delivered: old']);
		await expect(mailbox.put(messageContent('new'), BY_USER, note)).rejects.toMatchObject({ code: 'bad-message' });
	});

	it('takes a reused name for a new message also when its hook is killed', async () => {
		await drop('old');
		deliverAll(await mailbox.claim(() => 'take'));
		await drop('new');
		await mailbox.claim(() => 'take');
		await asIfKilled();
		await mailbox.recover();
		expect((await texts()).sort()).toEqual(['delivered: old', 'queued: new']);
	});

	it('files every message of a name that is used again and again', async () => {
		const note = MessageId.parse('note');
		for (const text of ['one', 'two']) {
			await drop(text);
			deliverAll(await mailbox.claim(() => 'take'));
		}
		for (const { id } of (await mailbox.list(['delivered'])).messages) await mailbox.archive(id);
		for (const [text, file] of [
			['three', (id: MessageId) => mailbox.archive(id)],
			['four', (id: MessageId) => mailbox.withdraw(id)],
			['five', (id: MessageId) => mailbox.withdraw(id)],
			['six', (id: MessageId) => mailbox.markRead(id)],
		] as const) {
			await drop(text);
			await file(note);
		}
		expect((await texts()).sort()).toEqual([
			'archived: one',
			'archived: three',
			'archived: two',
			'delivered: six',
			'withdrawn: five',
			'withdrawn: four',
		]);
	});

	it('is not held up by a file with a name that no claim could have, and says which it is', async () => {
		await mailbox.put(messageContent('fine'), BY_USER);
		await writeFile(join(folder, 'inbox', `${'漢'.repeat(80)}.md`), 'too long');
		const claims = await mailbox.claim(() => 'take');
		expect(claims.map(({ content }) => content.text)).toEqual(['fine']);
		deliverAll(claims);
		await writeFile(join(folder, 'inbox', 'a\tb.md'), 'odd name');
		await writeFile(join(folder, 'claimed', 'note.md'), 'no claim');
		expect((await mailbox.list()).problems.map(({ reason }) => reason).sort()).toEqual([
			'its name has a character that no message may have; rename it',
			'its name is not that of a claim; if it is a message, move it to inbox',
			'its name is too long; rename it',
		]);
	});

	it.each(['inbox', 'claimed', 'delivered', 'archive', 'withdrawn'])('refuses a link for its %s', async state => {
		const elsewhere = await mkdtemp(join(tmpdir(), 'nancy-elsewhere-'));
		await writeFile(join(elsewhere, 'readme.md'), 'not a message');
		await rm(join(folder, state), { recursive: true, force: true });
		await symlink(elsewhere, join(folder, state));
		await expect(mailbox.claim(() => 'take')).rejects.toMatchObject({ code: 'bad-file' });
		await expect(mailbox.put(messageContent('x'), BY_USER)).rejects.toMatchObject({ code: 'bad-file' });
		expect(await readdir(elsewhere)).toEqual(['readme.md']);
		await rm(elsewhere, { recursive: true });
	});

	it('edits and withdraws only what is still queued', async () => {
		const id = await mailbox.put(messageContent('draft'), BY_USER);
		await mailbox.edit(id, content => ({ ...content, text: 'final' }));
		expect(await texts()).toEqual(['queued: final']);

		deliverAll(await mailbox.claim(() => 'take'));
		await expect(mailbox.edit(id, content => content)).rejects.toMatchObject({ code: 'not-queued' });
		await expect(mailbox.withdraw(id)).rejects.toMatchObject({ code: 'not-queued' });

		const second = await mailbox.put(messageContent('never mind'), BY_USER);
		await mailbox.withdraw(second);
		expect((await texts()).sort()).toEqual(['delivered: final', 'withdrawn: never mind']);
	});

	it('archives with the receipt, and twice is once', async () => {
		const id = await mailbox.put(messageContent('done'), BY_USER);
		deliverAll(await mailbox.claim(() => 'take'));
		await mailbox.archive(id);
		await mailbox.archive(id);

		expect((await mailbox.list()).messages).toMatchObject([{ id, state: 'archived', receipt: { id } }]);
		await expect(mailbox.archive(MessageId.parse('nobody'))).rejects.toMatchObject({ code: 'no-message' });
	});

	it('does not follow a symbolic link', async () => {
		const elsewhere = await mkdtemp(join(tmpdir(), 'nancy-elsewhere-'));
		await rm(folder, { recursive: true });
		await symlink(elsewhere, folder);

		await expect(mailbox.put(messageContent('x'), BY_USER)).rejects.toMatchObject({ code: 'bad-file' });
		await rm(elsewhere, { recursive: true });
	});

	it('ignores what is not a message file: folders, links, other endings', async () => {
		await mkdir(join(folder, 'inbox', 'folder.md'));
		await symlink('/etc/hostname', join(folder, 'inbox', 'link.md'));
		await writeFile(join(folder, 'inbox', 'note.txt'), 'x');
		await writeFile(join(folder, 'inbox', '.hidden.md'), 'x');

		expect(await mailbox.list()).toEqual({ messages: [], problems: [] });
	});

	it('loses nothing and files nothing twice, wherever a delivery is killed', async () => {
		let kills = 0;
		for (const killAt of killPoints(STRIDE)) {
			for (const each of [folder, join(root, 'data')]) await rm(each, { recursive: true, force: true });
			await mailbox.makeFolders();
			await mailbox.put(messageContent('one'), BY_USER);
			await mailbox.put(messageContent('two'), BY_USER);

			const ended = await killedAt(killAt, 'deliverAll', [root, folder]);
			await mailbox.recover();
			const { messages, problems } = await mailbox.list();
			const known = messages.map(({ content, author }) => `${content.text} ${author.is}`).sort();
			expect({ killAt, problems, known }).toEqual({ killAt, problems: [], known: ['one human', 'two human'] });
			for (const { state, receipt } of messages) expect(state).toBe(receipt ? 'delivered' : 'queued');
			if (ended === 'finished') break;
			expect(ended).toBe('SIGKILL');
			kills++;
		}
		expect(kills).toBeGreaterThan(5);
	});

	it.each([
		['archive', { isDelivered: true, finished: ['archived: one', 'archived: two'] }],
		['edit', { isDelivered: false, finished: ['queued: one, edited', 'queued: two, edited'] }],
		['reorder', { isDelivered: false, finished: ['queued: two', 'queued: one'] }],
		['withdraw', { isDelivered: false, finished: ['withdrawn: one', 'withdrawn: two'] }],
		['mark read', { isDelivered: false, finished: ['delivered: one', 'delivered: two'] }],
	])('loses no message and no receipt, wherever this is killed: %s', async (what, { isDelivered, finished }) => {
		for (const killAt of killPoints(STRIDE)) {
			for (const each of [folder, join(root, 'data')]) await rm(each, { recursive: true, force: true });
			await mailbox.makeFolders();
			const one = await mailbox.put(messageContent('one'), BY_USER);
			const two = await mailbox.put(messageContent('two'), BY_USER);
			if (isDelivered) deliverAll(await mailbox.claim(() => 'take'));

			const ended = await killedAt(killAt, 'changeMessages', [root, folder, what, two, one]);
			await mailbox.recover();
			const { messages, problems } = await mailbox.list();
			const kept = messages.map(({ content, author }) => `${content.text.replace(', edited', '')} ${author.is}`);
			expect({ killAt, problems, kept: kept.sort() }).toEqual({
				killAt,
				problems: [],
				kept: ['one human', 'two human'],
			});
			if (ended === 'finished') {
				const state = await texts();
				expect(what === 'reorder' ? state : state.sort()).toEqual(finished);
				break;
			}
			expect(ended).toBe('SIGKILL');
			if (!isDelivered) continue;
			// Done again, it is as if it had never been killed.
			for (const id of [one, two]) await mailbox.archive(id);
			for (const { state, receipt } of (await mailbox.list()).messages) {
				expect({ killAt, state, hasReceipt: receipt !== undefined }).toEqual({
					killAt,
					state: 'archived',
					hasReceipt: true,
				});
			}
		}
	});

	it('hands nobody a message that was taken back after its edit was killed, whichever text its file has', async () => {
		for (const killAt of killPoints(STRIDE)) {
			for (const each of [folder, join(root, 'data')]) await rm(each, { recursive: true, force: true });
			await mailbox.makeFolders();
			const id = await mailbox.put(messageContent('one'), BY_USER);
			const ended = await killedAt(killAt, 'changeMessages', [root, folder, 'edit', id]);
			await mailbox.withdraw(id);
			const claims = await mailbox.claim(() => 'take');
			expect({ killAt, claims, ...(await mailbox.list()) }).toMatchObject({
				killAt,
				claims: [],
				problems: [],
				messages: [{ id, state: 'withdrawn', author: BY_USER }],
			});
			if (ended === 'finished') break;
		}
	});

	it('gives a message that was taken back before its edit began no other text', async () => {
		const id = await mailbox.put(messageContent('draft'), BY_USER);
		const begin = vi.spyOn(Seals.prototype, 'beginEdit').mockImplementationOnce(function (this: Seals, ...args) {
			begin.mockRestore();
			expect(this.withdraw(id)).toBe(true);
			this.tidy(id);
			this.beginEdit(...args);
		});
		const edited = mailbox.edit(id, content => ({ ...content, text: 'final' }));
		await expect(edited).rejects.toMatchObject({ code: 'not-queued' });
		expect((await mailbox.list()).messages).toMatchObject([
			{ id, state: 'withdrawn', author: BY_USER, content: { text: 'draft' } },
		]);
	});

	it('takes back both texts of a message whose edit begins meanwhile', async () => {
		const id = await mailbox.put(messageContent('draft'), BY_USER);
		const create = vi.spyOn(OwnFolder.prototype, 'createSync').mockImplementationOnce(function (
			this: OwnFolder,
			...args
		) {
			create.mockRestore();
			ownSeals(root).beginEdit(id, 'final', BY_USER);
			return this.createSync(...args);
		});
		await mailbox.withdraw(id);
		expect(ownSeals(root).ofFiled(id, 'final')).toMatchObject({ as: 'withdrawn', author: BY_USER });
	});

	it.each<[string, 'hand' | 'file', (id: MessageId) => Promise<unknown>]>([
		['handed over', 'hand', () => mailbox.claim(() => 'take')],
		['marked as read', 'file', id => mailbox.markRead(id)],
	])('leaves a message in the inbox that cannot be %s because the disk is full', async (_, step, act) => {
		const id = await mailbox.put(messageContent('wait'), BY_USER);
		vi.spyOn(Seals.prototype, step).mockImplementationOnce(() => {
			throw new Error('ENOSPC');
		});
		await expect(act(id)).rejects.toThrow('ENOSPC');
		expect(await texts()).toEqual(['queued: wait']);
	});

	it('tells of an earlier try where there was one: not of the file that took its name meanwhile', async () => {
		const note = MessageId.parse('note');
		await mailbox.put(messageContent('first'), BY_USER, note);
		await mailbox.claim(() => 'take');
		await asIfKilled();
		await writeFile(join(folder, 'inbox', 'note.md'), 'second');
		makeOld(join(folder, 'inbox'));

		deliverAll(await mailbox.claim(() => 'take'));
		const { messages } = await mailbox.list();
		const tries = messages.map(({ content, author, receipt }) => [content.text, author.is, receipt?.earlierClaims]);
		expect(tries.toSorted((a, b) => (String(a) < String(b) ? -1 : 1))).toEqual([
			['first', 'human', 1],
			['second', 'unknown', 0],
		]);
	});

	it('takes a file that somebody drops only once nobody writes to it any more', async () => {
		const file = join(folder, 'inbox', 'note.md');
		const now = vi.spyOn(Date, 'now');
		const write = async (text: string) => {
			await writeFile(file, text);
			// However long the look at it takes.
			now.mockReturnValue(statSync(file).mtimeMs);
		};
		await write('Delete the build folder');
		expect(await mailbox.claim(() => 'take')).toEqual([]);
		await write('Delete the build folder only after the release is tagged.');
		expect(await mailbox.claim(() => 'take')).toEqual([]);
		expect(await texts()).toEqual(['queued: Delete the build folder only after the release is tagged.']);
		now.mockRestore();
		const future = new Date('2099-01-01');
		await utimes(file, future, future);
		expect(await mailbox.claim(() => 'take')).toHaveLength(1);
	});

	it('says in the receipt that a message was claimed before by a process that died', async () => {
		await mailbox.put(messageContent('repeat me'), BY_USER);
		const [claim] = await mailbox.claim(() => 'take');
		expect(claim).toBeDefined();
		await asIfKilled();

		const [again] = await mailbox.claim(() => 'take');
		again?.deliver(facts());
		expect((await mailbox.list()).messages).toMatchObject([{ state: 'delivered', receipt: { earlierClaims: 1 } }]);
	});

	it('keeps the seal of a hook to whom another recovery has just given the message of a dead one', async () => {
		const id = await mailbox.put(messageContent('once'), BY_USER);
		await mailbox.claim(() => 'take');
		await asIfKilled();
		const move = vi.spyOn(OwnFolder.prototype, 'moveSync').mockImplementationOnce(function (
			this: OwnFolder,
			...args
		) {
			move.mockRestore();
			const seals = ownSeals(root);
			seals.keepQueued(id, seals.handedBy(id));
			expect(seals.hand(id, { author: BY_USER, sha256: 'x' })).toBe(true);
			this.moveSync(...args);
		});
		await mailbox.recover();
		expect(ownSeals(root).handedBy(id)).toEqual(ownIdentity());
		expect(await readdir(dirname(ownSeals(root).filesOf(id).filed))).toHaveLength(1);
	});

	it('queues a lost delivery again, which the next receipt tells of', async () => {
		const id = await mailbox.put(messageContent('lost'), BY_USER);
		deliverAll(await mailbox.claim(() => 'take'));
		expect([mailbox.requeue(id), mailbox.requeue(id)]).toEqual([true, false]);
		const [again] = await mailbox.claim(() => 'take');
		expect(again).toMatchObject({ id, earlierClaims: 1 });
		again?.deliver({ ...facts(), event: 'Stop' });
		const [message] = (await mailbox.list()).messages;
		expect(message).toMatchObject({
			state: 'delivered',
			receipt: { event: 'Stop', earlierClaims: 1, lost: [{ event: 'PreToolUse', session: 's1' }] },
		});
		expect(mailbox.requeue(id)).toBe(true);
		expect((await mailbox.claim(() => 'take'))[0]?.earlierClaims).toBe(2);
	});

	it('does not take the receipt of a lost delivery for one of a hook that was killed after it', async () => {
		const id = await mailbox.put(messageContent('lost'), BY_USER);
		deliverAll(await mailbox.claim(() => 'take'));
		mailbox.requeue(id);
		await mailbox.claim(() => 'take');
		await asIfKilled();
		expect(await mailbox.recover()).toEqual([id]);
		expect(await texts()).toEqual(['queued: lost']);
	});

	it('loses nothing wherever the queueing again of lost deliveries is killed', async () => {
		for (const killAt of killPoints(STRIDE)) {
			for (const each of [folder, join(root, 'data')]) await rm(each, { recursive: true, force: true });
			await mailbox.makeFolders();
			const ids = [
				await mailbox.put(messageContent('one'), BY_USER),
				await mailbox.put(messageContent('two'), BY_USER),
			];
			deliverAll(await mailbox.claim(() => 'take'));

			const ended = await killedAt(killAt, 'changeMessages', [root, folder, 'requeue', ...ids]);
			await mailbox.recover();
			for (const id of ids) mailbox.requeue(id);
			const claims = await mailbox.claim(() => 'take');
			expect({ killAt, claims }).toMatchObject({ killAt, claims: ids.map(id => ({ id, author: BY_USER })) });
			for (const { earlierClaims } of claims) expect(earlierClaims).toBeGreaterThan(0);
			deliverAll(claims);
			const { messages, problems } = await mailbox.list();
			expect(problems).toEqual([]);
			for (const { state, author, receipt } of messages)
				expect({ state, author, lost: receipt?.lost?.length }).toEqual({
					state: 'delivered',
					author: BY_USER,
					lost: 1,
				});
			if (ended === 'finished') break;
			expect(ended).toBe('SIGKILL');
		}
	});
});
