import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { IN_TERMINAL } from '../../../src/core/asker/asker.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { RemoteMail } from '../../../src/delegates/remoteMail.ts';
import { putThere } from '../../../src/executors/mailThere.ts';
import * as operations from '../../../src/operations/index.ts';
import { perform } from '../../../src/operations/operation.ts';
import { UNKNOWN_AUTHOR } from '../../../src/protocol/author.ts';
import { DriverId, MessageId, SessionId } from '../../../src/protocol/names.ts';
import { RemotePhase } from '../../../src/protocol/remoteJob.ts';
import { DelegateRoom } from '../../support/delegateRoom.ts';
import { folderMachine, REMOTE_WORKER } from '../../support/folderMachine.ts';
import { killedAt } from '../../support/killedAt.ts';
import { BY_USER, messageContent } from '../../support/messageContent.ts';
import { contextOf } from '../../support/operationContext.ts';
import { killPoints, strideOr } from '../../support/rounds.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const session = SessionId.parse('s1');

/** Two machines, and the mailbox of one delegate on each. */
function machines() {
	const folder = tempFolder('nancy-remote-mail-');
	const [here, there] = [folder.file('here'), folder.file('there')];
	const mailboxes = [here, there].map(each => new Workspace(each).mailbox(REMOTE_WORKER));
	const [mailHere, mailThere] = mailboxes;
	if (!mailHere || !mailThere) throw new Error('no mailbox');
	const { executor, job } = folderMachine(there);
	return {
		here,
		there,
		mailHere,
		mailThere,
		executor,
		job,
		/** The agent's next tool call. */
		async agentReads(event = 'PreToolUse') {
			const claims = await mailThere.claim(() => 'take');
			const facts = { driver: DriverId.parse('heron'), session, rung: 'hook' as const };
			for (const claim of claims) claim.deliver({ ...facts, deliveredAt: new Date().toISOString(), event });
			return claims.map(({ content, author }) => `${content.text} ${author.is}`);
		},
		[Symbol.asyncDispose]: () => folder.remove(),
	};
}

describe('the messages of a delegate on another machine', () => {
	it('are handed over once each, and their receipts come back, wherever the runner is killed', async () => {
		for (const phase of ['carry', 'receive']) {
			let kills = 0;
			for (const killAt of killPoints(strideOr(61))) {
				await using two = machines();
				const { here, there, mailHere, mailThere } = two;
				await mailHere.put(messageContent('one'), BY_USER);
				await mailHere.put(messageContent('two'), BY_USER);
				const read: string[] = [];
				if (phase === 'receive') {
					await killedAt(1e9, 'steerRemote', [here, there, 'carry']);
					read.push(...(await two.agentReads()));
				}
				const ended = await killedAt(killAt, 'steerRemote', [here, there, phase]);
				const known = (await mailHere.list()).messages.map(({ content }) => content.text).sort();
				expect({ killAt, phase, known }).toEqual({ killAt, phase, known: ['one', 'two'] });
				for (const last of ['carry', 'receive']) {
					expect(await killedAt(1e9, 'steerRemote', [here, there, last])).toBe('finished');
					read.push(...(await two.agentReads()));
				}
				expect({ killAt, phase, read: read.sort() }).toEqual({
					killAt,
					phase,
					read: ['one human', 'two human'],
				});
				const states = (await mailHere.list()).messages.map(({ state, receipt }) => [state, receipt?.event]);
				expect(states).toEqual([
					['delivered', 'PreToolUse'],
					['delivered', 'PreToolUse'],
				]);
				expect((await mailThere.list(['queued', 'claimed'])).messages).toEqual([]);
				if (ended === 'finished') break;
				expect(ended).toBe('SIGKILL');
				kills++;
			}
			expect(kills).toBeGreaterThan(0);
		}
	});

	it('wait here again where the agent has not got them, and nobody takes back one that is there', async () => {
		await using two = machines();
		const id = await two.mailHere.put(messageContent('one'), BY_USER);
		const mail = new RemoteMail(new Workspace(two.here), two.executor, two.job);
		await mail.carry(await mail.collect());
		expect(await mail.collect()).toEqual([]);
		await expect(two.mailHere.withdraw(id)).rejects.toThrow('is being delivered at this moment');
		mail.release();
		expect((await two.mailHere.list()).messages).toMatchObject([{ id, state: 'queued', author: BY_USER }]);
	});

	it('are replaced there by other words of that name, unless the agent has read them', async () => {
		await using two = machines();
		const id = MessageId.parse('note');
		const letter = { id, content: messageContent('one'), author: BY_USER };
		const put = (text: string) =>
			putThere(two.there, REMOTE_WORKER, [{ ...letter, content: messageContent(text) }]);
		for (const each of ['one', 'one', 'other']) await put(each);
		expect(await two.agentReads()).toEqual(['other human']);
		await put('last');
		expect(await two.agentReads()).toEqual(['last human']);
		// A file that somebody dropped proves no author there either.
		for (let time = 0; time < 2; time++)
			await putThere(two.there, REMOTE_WORKER, [{ ...letter, author: UNKNOWN_AUTHOR }]);
		expect((await two.mailThere.list(['queued'])).messages).toMatchObject([{ author: UNKNOWN_AUTHOR }]);
	});

	it('are the same ones in another order, after the runner was killed', async () => {
		await using two = machines();
		const ids = [await two.mailHere.put(messageContent('one'), BY_USER)];
		ids.unshift(await two.mailHere.put(messageContent('two'), BY_USER));
		for (let runner = 0; runner < 2; runner++) {
			const mail = new RemoteMail(new Workspace(two.here), two.executor, two.job);
			await mail.carry(await mail.collect());
			mail.release();
			await two.mailHere.reorder(ids);
		}
		expect((await two.agentReads()).sort()).toEqual(['one human', 'two human']);
	});

	it('are neither taken back nor changed here after the runner was killed, until the machine was asked', async () => {
		const room = new DelegateRoom();
		const { id, task, worker } = (await room.queue()).record;
		const mailbox = { task, worker };
		const context = contextOf(room.folder, room.workspace);
		const words = messageContent('one');
		const message = { ...mailbox, id: await room.workspace.send(mailbox, words, BY_USER) };
		const note = (phase: RemotePhase['phase']) =>
			room.tickets.writeRemotePhase(id, RemotePhase.parse({ version: 1, phase, carried: [message.id] }));
		await note('submitted');
		const { kind, priority, effect, text } = words;
		const change = { message, was: { kind, priority, effect, text }, kind, priority, effect, text: 'other' };
		const edit = async () => perform(await operations.editMessage(), IN_TERMINAL, change, context);
		const withdraw = async () =>
			perform(await operations.withdraw(), IN_TERMINAL, { messages: [message] }, context);
		for (const act of [edit, withdraw]) await expect(act()).rejects.toThrow('is being delivered at this moment');
		expect((await room.workspace.mailbox(mailbox).list()).messages).toMatchObject([
			{ state: 'queued', content: { text: 'one' } },
		]);
		await note('collected');
		// A runner begins to carry it while somebody takes it back.
		let taking: Promise<unknown> | undefined;
		await room.tickets.alone(id, async () => {
			taking = withdraw();
			await Promise.race([taking.catch(() => undefined), sleep(200)]);
			await note('submitted');
		});
		await expect(taking).rejects.toThrow('is being delivered at this moment');
		await note('collected');
		await edit();
		expect((await withdraw()).messages).toMatchObject([{ id: message.id, state: 'withdrawn' }]);
		await room.folder.remove();
	});

	it('are taken back there for good, or the agent has them, wherever the one who takes them back is killed', async () => {
		let kills = 0;
		for (const killAt of killPoints(strideOr(35))) {
			await using two = machines();
			const { here, there, mailHere, executor, job } = two;
			const id = await mailHere.put(messageContent('one'), BY_USER);
			expect(await killedAt(1e9, 'steerRemote', [here, there, 'carry'])).toBe('finished');
			const ended = await killedAt(killAt, 'steerRemote', [here, there, 'takeBack', id]);
			const read = await two.agentReads();
			const { isBack } = await executor.takeBack(job.id, id);
			expect({ killAt, isBack }).toEqual({ killAt, isBack: read.length === 0 });
			expect(await killedAt(1e9, 'steerRemote', [here, there, 'carry'])).toBe('finished');
			expect({ killAt, read: await two.agentReads() }).toEqual({ killAt, read: [] });
			if (ended === 'finished') break;
			kills++;
		}
		expect(kills).toBeGreaterThan(0);
	});

	it('are taken back there or read by the agent, never both, also before they come', async () => {
		const seen = new Set<boolean>();
		for (let round = 0; round < 20; round++) {
			await using two = machines();
			const { executor, job } = two;
			const id = await two.mailHere.put(messageContent('one'), BY_USER);
			const mail = new RemoteMail(new Workspace(two.here), executor, job);
			const letters = await mail.collect();
			const carrying = mail.carry(letters).then(() => two.agentReads());
			const [{ isBack }, read] = await Promise.all([executor.takeBack(job.id, id), carrying]);
			expect(isBack).toBe(read.length === 0);
			seen.add(isBack);
			const { receipts, takenBack } = await executor.observe(job, 0, mail.letters);
			expect([takenBack, receipts.map(each => each.id)]).toEqual(isBack ? [[id], []] : [[], [id]]);
			mail.deliver(receipts);
			mail.giveBack(takenBack);
			// It is the person's, who takes it back here too.
			expect(await mail.collect()).toEqual([]);
			expect((await two.mailHere.list()).messages).toMatchObject([{ state: isBack ? 'queued' : 'delivered' }]);
		}
		expect(seen).toContain(true);
	});

	it('are taken back there with the words that waited, though the agent has read earlier ones', async () => {
		await using two = machines();
		const id = MessageId.parse('note');
		const put = (text: string) =>
			putThere(two.there, REMOTE_WORKER, [{ id, content: messageContent(text), author: BY_USER }]);
		await put('one');
		expect(await two.agentReads()).toEqual(['one human']);
		for (const each of ['other', 'last']) await put(each);
		expect(await two.executor.takeBack(two.job.id, id)).toEqual({ isBack: true, mayBeRead: true });
		expect(await two.agentReads()).toEqual([]);
	});

	it('bring back no word of the other machine as it stands', async () => {
		await using two = machines();
		const id = await two.mailHere.put(messageContent('one'), BY_USER);
		const mail = new RemoteMail(new Workspace(two.here), two.executor, two.job);
		await mail.carry(await mail.collect());
		const other = MessageId.parse('other');
		mail.deliver([
			{ id: other, deliveredAt: '2026-11-29T10:00:00Z', event: 'x', session },
			{ id, deliveredAt: '2026-11-29T10:00:00Z', event: 'Stop\u001b[2J\u202e', session, tool: 'a\nb' },
		]);
		expect((await two.mailHere.list()).messages).toMatchObject([
			{ id, state: 'delivered', receipt: { event: 'Stop\\x1b[2J⟨U+202E⟩', tool: 'a b', driver: 'heron' } },
		]);
	});
});
