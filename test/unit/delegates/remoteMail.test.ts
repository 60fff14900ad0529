import { describe, expect, it } from 'vitest';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { RemoteMail } from '../../../src/delegates/remoteMail.ts';
import { putThere } from '../../../src/executors/mailThere.ts';
import { UNKNOWN_AUTHOR } from '../../../src/protocol/author.ts';
import { DriverId, MessageId, SessionId } from '../../../src/protocol/names.ts';
import { folderMachine, REMOTE_WORKER } from '../../support/folderMachine.ts';
import { killedAt } from '../../support/killedAt.ts';
import { BY_USER, messageContent } from '../../support/messageContent.ts';
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
			for (const killAt of killPoints(strideOr(29))) {
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
			expect(kills).toBeGreaterThan(2);
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

	it('keep the words that went over first, and other words of that name are another message', async () => {
		await using two = machines();
		const id = MessageId.parse('note');
		const letter = { id, content: messageContent('one'), author: BY_USER };
		for (const each of [letter, letter, { ...letter, content: messageContent('other') }])
			await putThere(two.there, REMOTE_WORKER, [each]);
		expect((await two.agentReads()).sort()).toEqual(['one human', 'other human']);
		// A file that somebody dropped proves no author there either.
		for (let time = 0; time < 2; time++)
			await putThere(two.there, REMOTE_WORKER, [{ ...letter, author: UNKNOWN_AUTHOR }]);
		expect((await two.mailThere.list(['queued'])).messages).toMatchObject([{ author: UNKNOWN_AUTHOR }]);
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
