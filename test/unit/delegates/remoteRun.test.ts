import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { NancyError } from '../../../src/base/errors.ts';
import { Delegates } from '../../../src/core/delegates/delegates.ts';
import { JobsElsewhere } from '../../../src/core/delegates/jobsElsewhere.ts';
import { Tickets } from '../../../src/core/delegates/tickets.ts';
import { OwnFolder } from '../../../src/core/files/ownFolder.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { RemoteRun } from '../../../src/delegates/remoteRun.ts';
import { steps } from '../../../src/executors/there.ts';
import { failure } from '../../../src/git/gitFailure.ts';
import { WorkBesides } from '../../../src/git/remoteRepository.ts';
import { delegateElsewhere } from '../../../src/operations/shared/elsewhere.ts';
import { ExecutorId } from '../../../src/protocol/executorId.ts';
import { DelegateRoom } from '../../support/delegateRoom.ts';
import { contextOf } from '../../support/operationContext.ts';
import { NotSubmitted, type Executor } from '../../../src/executors/executor.ts';
import type { Outcome } from '../../../src/core/delegates/delegate.ts';
import { RemotePhase, type RemoteEnd, type RemoteJob, type Seen } from '../../../src/protocol/remoteJob.ts';
import { seedDelegate, smallRepository } from '../../support/delegateSeeds.ts';
import { BY_USER, messageContent } from '../../support/messageContent.ts';
import { folderMachine } from '../../support/folderMachine.ts';
import { DEAD, LAB } from '../../support/leftElsewhere.ts';
import { tempFolder } from '../../support/tempFolder.ts';

afterEach(() => {
	vi.restoreAllMocks();
});

const notAsked = () => Promise.reject(new Error('not asked'));
const unreachable = () => Promise.reject(new NancyError('timeout', 'lab cannot be reached'));
const RUNNING: Seen = { is: 'running', log: '', nextOffset: 0, receipts: [], takenBack: [] };
const MINUTE = 60_000;

/** A delegate on a machine of which a test says how it answers. */
async function remote(on?: ExecutorId) {
	const folder = tempFolder();
	const project = smallRepository(folder, { 'a.txt': 'one' });
	const workspace = new Workspace(project);
	const place = { is: 'worktree', folder: project, withChanges: false } as const;
	const delegate = await seedDelegate(new Delegates(workspace), {
		title: 'T',
		state: 'running',
		place,
		on,
	});
	const tickets = new Tickets(folder.file('data'), project);
	await tickets.issue(delegate.record, [], []);
	const note = ['elsewhere', delegate.record.id] as const;
	const own = new OwnFolder(folder.file('data'), project);
	const stop = new AbortController();
	const asked: string[] = [];
	const freed: (RemotePhase | undefined)[] = [];
	const counted = (name: string) => async () => void asked.push(name);
	const { executor, job } = folderMachine(folder.file('there'));
	return {
		log: () => readFileSync(join(project, `.nancy/delegates/${delegate.record.id}.log`), 'utf8'),
		place: executor.place({ ...job, id: delegate.record.id }),
		stop,
		workspace,
		mailbox: workspace.mailbox(delegate.record),
		phase: () => tickets.remotePhase(delegate.record.id),
		removeTicket: () => tickets.remove(delegate.record.id),
		/** An earlier runner has come so far. */
		earlier: (phase: Partial<RemotePhase>) =>
			tickets.writeRemotePhase(
				delegate.record.id,
				RemotePhase.parse({ version: 1, phase: 'submitted', ...phase }),
			),
		leaveNote: () =>
			own.write({ version: 1, on, repository: job.repository, worktree: null, runner: DEAD }, ...note),
		isNoted: () => existsSync(own.path(...note)),
		/** What was asked of the machine, but for looks. */
		asked,
		/** How far it had come each time that others might begin. */
		freed,
		status: delegate.status,
		/** The clock goes on at once by so many milliseconds. */
		later(ms: number) {
			const now = Date.now() + ms;
			vi.spyOn(Date, 'now').mockReturnValue(now);
		},
		async run(answers: Partial<Executor>, isSteered = false) {
			const machine = {
				...executor,
				cancel: counted('cancel'),
				rescue: async () => asked.push('rescue') > 0,
				collect: () => counted('collect')().then(() => []),
				cleanUp: counted('cleanUp'),
				...answers,
			};
			const run = new RemoteRun(workspace, delegate, 'x', machine, {
				tickets,
				signal: stop.signal,
				env: {},
				show: () => undefined,
				isSteered: () => Promise.resolve(isSteered),
				findAgent: notAsked,
				prepare: notAsked,
				executor: notAsked,
				capacity: notAsked,
				superseded: () => undefined,
				freed: async () => void freed.push(await tickets.remotePhase(delegate.record.id)),
			});
			const outcome = await run.run();
			await run.settle();
			return outcome;
		},
		[Symbol.asyncDispose]: () => folder.remove(),
	};
}

it('brings the work back of a delegate that needs minutes to end after a person has stopped it', async () => {
	await using one = await remote();
	const end = { ok: false, reason: 'cancelled', output: '', tip: 'a'.repeat(40) };
	let looks = 0;
	const outcome = await one.run({
		observe: async () => {
			one.stop.abort();
			if (++looks === 4) one.later(9 * MINUTE);
			return looks < 6 ? RUNNING : { ...RUNNING, is: 'ended', end };
		},
	});
	expect(outcome).toEqual({ ok: false, reason: 'cancelled', output: '' });
	expect(one.asked).toEqual(['cancel', 'collect', 'cleanUp']);
});

it('begins none that was stopped before its machine has heard of it', async () => {
	await using one = await remote();
	await one.earlier({ phase: 'submitting' });
	one.stop.abort();
	const outcome = await one.run({
		observe: async () => ({ ...RUNNING, is: 'absent' }),
		submit: async () => void one.asked.push('submit'),
	});
	expect(outcome).toEqual({ ok: false, reason: 'cancelled', output: '' });
	expect(one.asked).toEqual(['cleanUp']);
});

it('ends a delegate that was not submitted, and never will be', async () => {
	await using one = await remote();
	await one.earlier({ phase: 'submitting' });
	const outcome = await one.run({
		submit: () => Promise.reject(new NotSubmitted('bad-usage', 'KEY is not set here')),
	});
	expect(outcome).toEqual({ ok: false, reason: 'KEY is not set here', output: '' });
	expect(one.asked).toEqual(['cleanUp']);
});

it('kills a stopped delegate there that its machine says for ten minutes to run, and brings its work back', async () => {
	await using one = await remote();
	let looks = 0;
	const outcome = await one.run({
		observe: async () => {
			one.stop.abort();
			if (++looks === 3) one.later(11 * MINUTE);
			return RUNNING;
		},
	});
	expect(outcome).toMatchObject({ ok: false, reason: expect.stringContaining('killed there') });
	expect(one.asked).toEqual(['cancel', 'rescue', 'collect', 'cleanUp']);
});

it('counts that time from when the machine was reached', async () => {
	await using one = await remote();
	let cancels = 0;
	let looks = 0;
	const outcome = await one.run({
		cancel: async () => {
			if (++cancels === 1) await unreachable();
			one.later(MINUTE - 1000);
		},
		observe: async () => {
			one.stop.abort();
			if (++looks === 3) one.later(9 * MINUTE + 30_000);
			return looks < 4 ? RUNNING : { ...RUNNING, is: 'lost' };
		},
	});
	expect(outcome).toMatchObject({ reason: 'its runner on the other machine is lost' });
});

it('gives a machine up that cannot be reached for a minute after a person has stopped the delegate', async () => {
	await using one = await remote();
	let cancels = 0;
	const outcome = await one.run({
		cancel: async () => {
			if (++cancels === 2) one.later(MINUTE + 1000);
			await unreachable();
		},
		observe: async () => {
			one.stop.abort();
			return RUNNING;
		},
	});
	expect(outcome).toEqual({
		ok: false,
		reason: 'cancelled, but it may still run there: lab cannot be reached',
		output: '',
	});
	expect(cancels).toBe(2);
	expect(one.asked).toEqual([]);
});

it('is stopped there by a runner that begins after a person has said so', async () => {
	await using one = await remote();
	await one.earlier({ phase: 'submitted' });
	one.stop.abort();
	const outcome = await one.run({
		observe: async () => (one.asked.length === 0 ? RUNNING : { ...RUNNING, is: 'lost' }),
	});
	expect(outcome).toMatchObject({ ok: false });
	expect(one.asked[0]).toBe('cancel');
});

it('is cancelled on its way there, whether or not its machine can be reached', async () => {
	await using one = await remote();
	const outcome = await one.run({
		prepare: async (_job, _worktree, signal) => {
			one.stop.abort();
			signal.throwIfAborted();
		},
		submit: notAsked,
	});
	expect(outcome).toEqual({ ok: false, reason: 'cancelled', output: '' });
	expect(one.asked).toEqual(['cleanUp']);
});

it('does not say that a machine was reached again which it has given up on the way there', async () => {
	await using one = await remote();
	const outcome = await one.run({
		prepare: async () => {
			one.stop.abort();
			one.later(MINUTE + 1000);
			return unreachable();
		},
		submit: notAsked,
	});
	expect(outcome).toEqual({ ok: false, reason: 'cancelled', output: '' });
	expect(one.log()).not.toContain('reached again');
});

it('leaves nothing there of what was on its way when that failed', async () => {
	await using one = await remote();
	const outcome = await one.run({
		prepare: () => Promise.reject(new NancyError('git', 'git push was killed')),
		submit: notAsked,
	});
	expect(outcome).toEqual({ ok: false, reason: 'git push was killed', output: '' });
	expect(one.asked).toEqual(['cleanUp']);
});

it('is not left alone while it may run there, whatever fails', async () => {
	await using one = await remote();
	const failed = new Set<string>();
	const failsOnce = async (step: string) => {
		if (failed.has(step)) return;
		failed.add(step);
		throw new NancyError('io', `the other machine says: no space left for ${step}`);
	};
	const outcome = await one.run({
		submit: () => failsOnce('submit'),
		observe: async () => {
			await failsOnce('observe');
			return { ...RUNNING, is: 'ended', end: { ok: true, output: 'Done.', tip: 'a'.repeat(40) } };
		},
	});
	expect(outcome).toEqual({ ok: true, output: 'Done.' });
	expect(Array.from(failed)).toEqual(['submit', 'observe']);
	expect(one.log()).toContain('no space left for observe; trying again');
});

it('is stopped by a person while every look at it fails', async () => {
	await using one = await remote();
	let isCancelled = false;
	const outcome = await one.run({
		cancel: async () => void (isCancelled = true),
		observe: async () => {
			one.stop.abort();
			if (!isCancelled) throw new NancyError('io', 'a file there is broken');
			return {
				...RUNNING,
				is: 'ended',
				end: { ok: false, reason: 'cancelled', output: '', tip: 'a'.repeat(40) },
			};
		},
	});
	expect(outcome).toEqual({ ok: false, reason: 'cancelled', output: '' });
	expect(one.asked).toEqual(['collect', 'cleanUp']);
});

it('is given up once its ticket is gone and its machine cannot be reached, and leaves no other record', async () => {
	await using one = await remote();
	const outcome = await one.run({
		observe: async () => {
			await one.removeTicket();
			return unreachable();
		},
	});
	expect(outcome).toEqual({
		ok: false,
		reason: 'its ticket here is gone, and it may still run there: lab cannot be reached',
		output: '',
	});
	expect(await one.phase()).toBeUndefined();
	expect(one.asked).toEqual([]);
});

it('keeps the answer that it has if the clean-up there is given up', async () => {
	await using one = await remote();
	await one.earlier({ phase: 'collected', end: { ok: true, output: 'Done.' } });
	const outcome = await one.run({
		cleanUp: async () => {
			await one.removeTicket();
			return unreachable();
		},
	});
	expect(outcome).toEqual({ ok: true, output: 'Done.' });
});

it('keeps the work there and says where, if it cannot be brought here, and keeps the answer', async () => {
	await using one = await remote();
	const end = { ok: true, output: 'Done.', tip: 'a'.repeat(40) };
	let collects = 0;
	const answers = {
		collect: async () => {
			if (++collects === 1) await unreachable();
			throw new NancyError('git', 'no space left');
		},
		observe: async () => ({ ...RUNNING, is: 'ended', end }) as const,
	};
	const outcome = await one.run(answers);
	expect(outcome).toEqual({ ok: false, reason: expect.stringContaining('no space left'), output: 'Done.' });
	expect(outcome).toMatchObject({ reason: expect.stringContaining(`stays in ${one.place}`) });
	// The next runner changes nothing of that.
	expect(await one.run(answers)).toEqual(outcome);
	expect({ collects, asked: one.asked }).toEqual({ collects: 2, asked: [] });
});

it('keeps the names of the other branches that came from there, also for its next runner', async () => {
	const other_branches = ['nancy/x.fix-a', 'nancy/x.stash'];
	await using one = await remote();
	const end = { ok: true, output: 'Done.', tip: 'a'.repeat(40) };
	await one.run({ observe: async () => ({ ...RUNNING, is: 'ended', end }), collect: async () => other_branches });
	expect(one.status).toMatchObject({ other_branches });
	delete one.status.other_branches;
	await one.run({});
	expect(one.status).toMatchObject({ other_branches });
	await using other = await remote();
	const besides = Object.assign(new WorkBesides('git', 'branch nancy/x.2 holds them'), { others: other_branches });
	await other.run({
		observe: async () => ({ ...RUNNING, is: 'ended', end }),
		collect: () => Promise.reject(besides),
	});
	expect(other.status).toMatchObject({ other_branches });
});

it('says which branch has the work that its worktree does not take, and is cleaned up there', async () => {
	await using one = await remote();
	const end = { ok: true, output: 'Done.', tip: 'a'.repeat(40) };
	const outcome = await one.run({
		collect: () => Promise.reject(new WorkBesides('git', 'branch nancy/x.2 holds them')),
		observe: async () => ({ ...RUNNING, is: 'ended', end }),
	});
	expect(outcome).toEqual({ ok: false, reason: 'branch nancy/x.2 holds them', output: 'Done.' });
	expect(one.asked).toEqual(['cleanUp']);
});

it.each(['kept', 'cleaned'] as const)(
	'has nothing to clean up later once it is %s, wherever its runner was killed',
	async phase => {
		await using one = await remote(LAB);
		await one.earlier({ phase, end: { ok: true, output: 'Done.' } });
		await one.leaveNote();
		expect(await one.run({})).toEqual({ ok: true, output: 'Done.' });
		expect(one.isNoted()).toBe(false);
	},
);

const ended = (end: RemoteEnd): Seen => ({ ...RUNNING, is: 'ended', end });
it.each<[string, Seen, Outcome]>([
	[
		'whose runner there died',
		{ ...RUNNING, is: 'lost' },
		{ ok: false, reason: 'its runner on the other machine is lost', output: '' },
	],
	['that could not commit it there', ended({ ok: true, output: 'Done.' }), { ok: true, output: 'Done.' }],
])('brings the work back of a delegate %s', async (_, seen, outcome) => {
	await using one = await remote();
	expect(await one.run({ observe: async () => seen })).toEqual(outcome);
	expect(one.asked).toEqual(['rescue', 'collect', 'cleanUp']);
	await using other = await remote();
	const rescue = () => Promise.reject(new NancyError('io', 'no space left'));
	expect(await other.run({ observe: async () => seen, rescue })).toEqual({
		ok: false,
		reason: expect.stringContaining(`stays in ${other.place}: no space left`),
		output: outcome.output,
	});
	expect(other.asked).toEqual([]);
});

it('keeps the work there also if a person gives up the wait for it', async () => {
	await using one = await remote();
	const end = { ok: true, output: 'Done.', tip: 'a'.repeat(40) };
	const outcome = await one.run({
		collect: async () => {
			await one.removeTicket();
			return unreachable();
		},
		observe: async () => ({ ...RUNNING, is: 'ended', end }),
	});
	expect(outcome).toMatchObject({ ok: false, reason: expect.stringContaining(one.place), output: 'Done.' });
	expect(one.asked).toEqual([]);
});

it('keeps the answer that it has if the clean-up there fails, and says that in its log', async () => {
	await using one = await remote();
	const end = { ok: true, output: 'Done.', tip: 'a'.repeat(40) };
	const outcome = await one.run({
		observe: async () => ({ ...RUNNING, is: 'ended', end }),
		cleanUp: () => Promise.reject(new NancyError('io', 'a folder may not be removed')),
	});
	expect(outcome).toEqual({ ok: true, output: 'Done.' });
	expect(one.log()).toContain(`not cleaned up in ${one.place}: a folder may not be removed`);
});

it('brings the work back of a delegate without a ticket whose machine can be reached', async () => {
	await using one = await remote();
	const end = { ok: true, output: 'Done.', tip: 'a'.repeat(40) };
	const outcome = await one.run({
		observe: async () => {
			await one.removeTicket();
			return { ...RUNNING, is: 'ended', end };
		},
	});
	expect(outcome).toEqual({ ok: true, output: 'Done.' });
	expect(one.asked).toEqual(['collect', 'cleanUp']);
});

it('notes which messages may be there before it carries them', async () => {
	await using one = await remote();
	const id = await one.mailbox.put(messageContent('one'), BY_USER);
	let noted: Awaited<ReturnType<typeof one.phase>>;
	await one.run(
		{
			carry: async () => void (noted = await one.phase()),
			observe: async () => (noted ? { ...RUNNING, is: 'lost' } : RUNNING),
		},
		true,
	);
	expect(noted).toMatchObject({ phase: 'submitted', carried: [id] });
});

it('ends although its messages cannot go over', async () => {
	await using one = await remote();
	const id = await one.mailbox.put(messageContent('one'), BY_USER);
	let tries = 0;
	const outcome = await one.run(
		{
			carry: () => {
				tries++;
				return unreachable();
			},
			observe: async () =>
				tries < 2 ? RUNNING : { ...RUNNING, is: 'ended', end: { ok: true, output: 'Done.' } },
		},
		true,
	);
	expect(outcome).toEqual({ ok: true, output: 'Done.' });
	expect((await one.mailbox.list()).messages).toMatchObject([{ id, state: 'queued' }]);
});

it('is reached again although the runner that could not reach it was killed', async () => {
	await using one = await remote();
	await one.earlier({ unreachableSince: '2026-11-29T10:00:00Z' });
	const noted: unknown[] = [];
	await one.run({
		observe: async () => {
			noted.push((await one.phase())?.unreachableSince);
			return noted.length < 2 ? RUNNING : { ...RUNNING, is: 'lost' };
		},
	});
	expect(noted).toEqual(['2026-11-29T10:00:00Z', undefined]);
});

it.each(['ended', 'lost', 'absent'] as const)(
	'ends where the machine says %s, whatever it adds to the log for ever',
	async is => {
		for (const growth of [0, 2]) {
			await using one = await remote();
			let looks = 0;
			const outcome = await one.run({
				observe: async (_job, offset) => {
					looks++;
					return { ...RUNNING, is, log: 'x\n', nextOffset: offset + growth };
				},
			});
			expect(outcome).toMatchObject({ ok: false });
			expect(looks).toBeLessThan(300);
		}
	},
);

it('says why it waits in the queue of a cluster, until it has begun and lets another one in', async () => {
	await using one = await remote();
	const phases: Pick<RemotePhase, 'waits' | 'isBegun'>[] = [];
	const looks: Seen[] = [
		{ ...RUNNING, queueSays: 'Resources\u001b[31m' },
		{ ...RUNNING, queueSays: 'Priority' },
		RUNNING,
		{ ...RUNNING, is: 'ended', end: { ok: true, output: 'Done.' } },
	];
	await one.run({
		pauseMs: 1,
		observe: async () => {
			const { waits, isBegun } = (await one.phase()) ?? {};
			phases.push({ waits, isBegun });
			return looks.shift() ?? RUNNING;
		},
	});
	expect(phases).toEqual([
		{},
		{ waits: 'Resources\\x1b[31m', isBegun: false },
		{ waits: 'Priority', isBegun: false },
		{ isBegun: true },
	]);
	expect(one.freed).toMatchObject([{ isBegun: true }]);
});

it.each([
	['ended', 'cancelled (Slurm: TIMEOUT, TimeLimit)'],
	['lost', 'its runner on the other machine is lost (Slurm: NODE_FAIL)'],
] as const)('that the queue of a cluster has %s says how', async (is, reason) => {
	await using one = await remote();
	const end = { ok: false, reason: 'cancelled', output: '' };
	const queueSays = is === 'ended' ? 'Slurm: TIMEOUT, TimeLimit' : 'Slurm: NODE_FAIL';
	const seen: Seen = { ...RUNNING, is, queueSays, ...(is === 'ended' && { end }) };
	expect(await one.run({ observe: () => Promise.resolve(seen) })).toMatchObject({ ok: false, reason });
});

it.each([true, false])(
	'keeps the mailbox that it was submitted with (%s), whatever the user chooses for the next runner',
	async isSteered => {
		await using one = await remote();
		const submitted: RemoteJob[] = [];
		const submit = async (job: RemoteJob) => {
			submitted.push(job);
			// The first runner ends before it knows.
			one.stop.abort();
			one.later(MINUTE + 1000);
			await unreachable();
		};
		for (const now of [isSteered, !isSteered]) await one.run({ submit }, now);
		expect(submitted).toHaveLength(4);
		expect(new Set(submitted.map(job => JSON.stringify(job))).size).toBe(1);
		expect(submitted[0]?.mailbox !== undefined).toBe(isSteered);
	},
);

it.each([true, false])(
	'gets messages as it was submitted (%s), whatever the user has chosen since',
	async isSteered => {
		const room = new DelegateRoom();
		const { id, task, worker } = (await room.queue({ on: ExecutorId.parse('ssh:lab') })).record;
		await room.tickets.writeRemotePhase(id, RemotePhase.parse({ version: 1, phase: 'submitted', isSteered }));
		const asked = delegateElsewhere(
			{ task, worker },
			contextOf(room.folder, room.workspace, {
				settings: { hooks: isSteered ? 'off' : 'on', tokenThreshold: undefined },
			}),
		);
		if (isSteered) expect(await asked).toMatchObject({ isRunning: true });
		else await expect(asked).rejects.toThrow('hears nothing');
		await room.folder.remove();
	},
);

it('says there that no message reaches a job without a mailbox', async () => {
	await expect(steps['mail']?.({ id: 'unknown-job', letters: [] }, '')).rejects.toThrow('no message reaches');
});

it('keeps so much of an endless log, and says so once', async () => {
	await using one = await remote();
	const log = `${'x'.repeat(1023)}\n`.repeat(1024);
	let looks = 0;
	await one.run({
		observe: async (_, offset) => {
			const is = ++looks > 20 ? 'ended' : 'running';
			const end = { ok: true, output: '', tip: 'a'.repeat(40) };
			return {
				...RUNNING,
				is,
				log: `look ${looks}\n${log}`,
				nextOffset: offset + 1,
				...(is === 'ended' && { end }),
			};
		},
		pauseMs: 1,
	});
	const text = one.log();
	expect(text).toContain('look 15\n');
	expect(text).not.toContain('look 17\n');
	expect(text.split('the rest of its log is left out')).toHaveLength(2);
	expect(looks).toBe(21);
});

it('gives its result after a minute in which its machine cannot be reached for the clean-up, which is done later', async () => {
	await using one = await remote(LAB);
	const end = { ok: true, output: 'Done.', tip: 'a'.repeat(40) };
	let cleanUps = 0;
	const outcome = await one.run({
		observe: async () => ({ ...RUNNING, is: 'ended', end }),
		cleanUp: async () => {
			if (++cleanUps === 2) one.later(MINUTE + 1000);
			return unreachable();
		},
	});
	expect(outcome).toEqual({ ok: true, output: 'Done.' });
	expect({ cleanUps, isNoted: one.isNoted() }).toEqual({ cleanUps: 2, isNoted: true });
	expect(await one.phase()).toMatchObject({ phase: 'collected' });
	expect(one.log()).toContain(`not cleaned up in ${one.place}`);
});

it.each([
	['its machine cannot be reached', () => new NancyError('timeout', 'lab cannot be reached')],
	['the disk here is full', () => Object.assign(new Error('no space'), { code: 'ENOSPC' })],
	['git finds no room here', () => failure('/w', ['fetch'], 'error: unable to write file: No space left on device')],
	['somebody else holds its worktree', () => new NancyError('busy', 'somebody merges it')],
])('leaves its work for the next clean-up if %s', async (_, why) => {
	await using one = await remote(LAB);
	const outcome = await one.run({
		observe: async () => {
			one.stop.abort();
			return { ...RUNNING, is: 'lost' };
		},
		rescue: async () => {
			one.later(MINUTE + 1000);
			throw why();
		},
	});
	expect(outcome).toMatchObject({ ok: false, reason: expect.stringContaining(`stays in ${one.place}`) });
	expect(one.isNoted()).toBe(true);
	expect(await one.phase()).toMatchObject({ phase: 'submitted' });
});

it('lets others begin once its machine cannot be reached, and those for that machine once it can', async () => {
	await using one = await remote();
	await one.earlier({ isBegun: true });
	let looks = 0;
	await one.run({ observe: async () => (++looks === 1 ? unreachable() : { ...RUNNING, is: 'lost' }) });
	expect(one.freed.map(phase => phase?.unreachableSince)).toEqual([expect.any(String), undefined]);
});

it('lets others begin on a machine that has answered again, though its own job still waits there', async () => {
	await using one = await remote();
	await one.earlier({ phase: 'preparing' });
	let tries = 0;
	await one.run({
		prepare: async (_job, _worktree, _signal, waits) => {
			if (++tries === 1) await unreachable();
			await waits('Unschedulable');
			expect(await one.phase()).toMatchObject({ isBegun: false, waits: 'Unschedulable' });
			expect((await one.phase())?.unreachableSince).toBeUndefined();
			one.stop.abort();
			return undefined;
		},
	});
	expect(one.freed.map(phase => phase?.unreachableSince)).toEqual([expect.any(String), undefined]);
});

it('goes on watching what may be at work there when its next runner meets a full disk here', async () => {
	await using one = await remote(LAB);
	await one.earlier({ phase: 'submitted' });
	vi.spyOn(JobsElsewhere.prototype, 'begin').mockRejectedValueOnce(new Error('no space left'));
	const end = { ok: true, output: 'Done.', tip: 'a'.repeat(40) };
	expect(await one.run({ observe: async () => ({ ...RUNNING, is: 'ended', end }) })).toEqual({
		ok: true,
		output: 'Done.',
	});
});
