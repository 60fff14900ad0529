import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { NancyError } from '../../../src/base/errors.ts';
import { identify } from '../../../src/base/liveness.ts';
import { Tickets } from '../../../src/core/delegates/tickets.ts';
import { NancyPaths } from '../../../src/core/files/paths.ts';
import { OwnFolder } from '../../../src/core/files/ownFolder.ts';
import { cleanUpElsewhere } from '../../../src/delegates/cleanUpElsewhere.ts';
import type { Executor } from '../../../src/executors/executor.ts';
import { createWorktree } from '../../../src/git/worktree.ts';
import { DelegateId } from '../../../src/protocol/delegate.ts';
import { ExecutorId } from '../../../src/protocol/executorId.ts';
import { TaskName, WorkerName } from '../../../src/protocol/names.ts';
import { RemotePhase } from '../../../src/protocol/remoteJob.ts';
import { WorktreeName } from '../../../src/protocol/worktree.ts';
import { smallRepository } from '../../support/delegateSeeds.ts';
import { folderMachine } from '../../support/folderMachine.ts';
import { DEAD, LAB } from '../../support/leftElsewhere.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const mailbox = { task: TaskName.parse('delegates'), worker: WorkerName.parse('delegate-1') };

/** Jobs on a machine of which a test says how it answers, and what was asked of it. */
async function room() {
	const folder = tempFolder();
	const project = smallRepository(folder, { 'a.txt': 'one' });
	const tickets = new Tickets(folder.file('data'), project);
	const own = new OwnFolder(folder.file('data'), project);
	const { executor } = folderMachine(folder.file('there'));
	const asked: string[] = [];
	const said: string[] = [];
	let jobs = 0;
	return {
		tickets,
		asked,
		said,
		async job({ runner = DEAD, on = LAB, ticket = 'none' as 'none' | 'open' | 'ended' } = {}) {
			const id = DelegateId.parse(`20261129t101538501z-4cc5001${jobs++}`);
			const worktree = await createWorktree({
				folder: project,
				name: WorktreeName.parse(id),
				withChanges: false,
				copyIncludes: false,
			});
			await own.write({ version: 1, on, repository: '0'.repeat(16), worktree, runner }, 'elsewhere', id);
			if (ticket !== 'none') await tickets.issue({ id, ...mailbox, isolate: undefined }, [], []);
			if (ticket === 'ended') await tickets.end(id, { isReported: true });
			return { id, worktree };
		},
		/** The last sign of life of a machine, in milliseconds ago. */
		seesMachine(name: string, agoMs: number) {
			const { machines } = new NancyPaths(project);
			const at = new Date(Date.now() - agoMs);
			mkdirSync(machines, { recursive: true });
			writeFileSync(join(machines, name), '');
			utimesSync(join(machines, name), at, at);
		},
		clean: (answers: Partial<Executor> = {}) => {
			const machine: Executor = {
				...executor,
				rescue: async ({ id }) => asked.push(`rescue ${id}`) > 0,
				collect: async ({ id }) => {
					asked.push(`collect ${id}`);
					return [];
				},
				cleanUp: async ({ id }) => void asked.push(`cleanUp ${id}`),
				...answers,
			};
			return cleanUpElsewhere(tickets, LAB, machine, text => said.push(text));
		},
		[Symbol.asyncDispose]: () => folder.remove(),
	};
}

it('ends, brings here and cleans up, once, what a deleted or an ended delegate has left on the machine', async () => {
	await using it = await room();
	const deleted = await it.job();
	const ended = await it.job({ ticket: 'ended' });
	await it.clean();
	await it.clean();
	expect(it.asked).toEqual([deleted.id, ended.id].flatMap(id => [`rescue ${id}`, `collect ${id}`, `cleanUp ${id}`]));
	expect(it.said).toEqual(
		[deleted, ended].map(({ id, worktree }) => expect.stringMatching(`${id} is in ${worktree.folder}`)),
	);
});

it('leaves alone what is watched, goes on, is on another machine, or may be watched from another one', async () => {
	await using it = await room();
	await it.job({ runner: identify(process.pid) });
	await it.job({ ticket: 'open' });
	await it.job({ on: ExecutorId.parse('ssh:other') });
	await it.job({ runner: { ...DEAD, machine: 'another.1.2' } });
	it.seesMachine('another.1.2', 30_000);
	await it.clean();
	expect(it.asked).toEqual([]);
});

it('cleans up what was watched from a machine that is silent, such as a container that was made anew', async () => {
	await using it = await room();
	const { id } = await it.job({ runner: { ...DEAD, machine: 'another.1.2' } });
	it.seesMachine('another.1.2', 5 * 60_000);
	await it.clean();
	expect(it.asked).toEqual([`rescue ${id}`, `collect ${id}`, `cleanUp ${id}`]);
});

it('brings work once, however often the clean-up there fails', async () => {
	await using it = await room();
	const { id } = await it.job();
	await it.clean({ cleanUp: () => Promise.reject(new NancyError('io', 'a folder may not be removed')) });
	await it.clean();
	expect(it.asked).toEqual([`rescue ${id}`, `collect ${id}`, `cleanUp ${id}`]);
	expect(it.said).toEqual([
		expect.stringContaining(`${id} is in `),
		expect.stringContaining(`${id} is not cleaned up: a folder may not be removed`),
	]);
});

it('keeps there what cannot be brought here, and goes on when it is called again', async () => {
	await using it = await room();
	const first = await it.job();
	const second = await it.job();
	await it.clean({
		collect: ({ id }) => (id === first.id ? Promise.reject(new NancyError('git', 'no')) : Promise.resolve([])),
	});
	expect(it.asked.splice(0)).toEqual([`rescue ${first.id}`, `rescue ${second.id}`, `cleanUp ${second.id}`]);
	await it.clean();
	expect(it.asked).toEqual([`rescue ${first.id}`, `collect ${first.id}`, `cleanUp ${first.id}`]);
});

it('cleans the others up where one job hangs, and leaves a machine alone that does not answer twice', async () => {
	await using it = await room();
	const jobs = [await it.job(), await it.job(), await it.job()];
	const [first, , third] = jobs;
	const timeout = () => Promise.reject(new NancyError('timeout', 'lab cannot be reached'));
	const asked: string[] = [];
	await it.clean({ rescue: ({ id }) => (asked.push(id), timeout()) });
	expect(asked).toEqual(jobs.slice(0, 2).map(({ id }) => id));
	await it.clean({ rescue: ({ id }) => (id === first?.id ? timeout() : Promise.resolve(false)) });
	expect(it.asked).toEqual([`cleanUp ${jobs[1]?.id}`, `cleanUp ${third?.id}`]);
});

it.each(['cleaned', 'kept'] as const)('has nothing left of a delegate that its runner has %s', async phase => {
	await using it = await room();
	const { id } = await it.job({ ticket: 'open' });
	await it.tickets.writeRemotePhase(id, RemotePhase.parse({ version: 1, phase }));
	await it.tickets.end(id, { isReported: true });
	await it.clean();
	expect(it.asked).toEqual([]);
});
