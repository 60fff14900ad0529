import { cpSync, mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CAN_HOLD } from '../../src/core/files/heldFolder.ts';
import { Mailbox } from '../../src/core/mailbox/mailbox.ts';
import { Seals } from '../../src/core/mailbox/seals.ts';
import { DriverId, SessionId, type MessageId } from '../../src/protocol/names.ts';
import { BY_USER, messageContent } from '../support/messageContent.ts';
import { ownSeals } from '../support/ownSeals.ts';
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

describe.runIf(CAN_HOLD)('a folder that is exchanged by a link', () => {
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
