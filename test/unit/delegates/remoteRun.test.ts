import { afterEach, expect, it, vi } from 'vitest';
import { Delegates } from '../../../src/core/delegates/delegates.ts';
import { Tickets } from '../../../src/core/delegates/tickets.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { RemoteRun } from '../../../src/delegates/remoteRun.ts';
import { seedDelegate, smallRepository } from '../../support/delegateSeeds.ts';
import { folderMachine } from '../../support/folderMachine.ts';
import { tempFolder } from '../../support/tempFolder.ts';

afterEach(() => {
	vi.restoreAllMocks();
});

const notAsked = () => Promise.reject(new Error('not asked'));

it('ends a minute after a person has stopped it, though the machine says for ever that it runs', async () => {
	await using folder = tempFolder();
	const project = smallRepository(folder, { 'a.txt': 'one' });
	const workspace = new Workspace(project);
	const place = { is: 'worktree', folder: project, withChanges: false } as const;
	const delegate = await seedDelegate(new Delegates(workspace), { title: 'T', state: 'running', place });
	const tickets = new Tickets(folder.file('data'), project);
	const stop = new AbortController();
	const { executor } = folderMachine(folder.file('there'));
	const later = Date.now() + 120_000;
	let cancels = 0;
	const run = new RemoteRun(
		workspace,
		delegate,
		'x',
		{
			...executor,
			cancel: async () => void cancels++,
			observe: async (...args) => {
				if (!stop.signal.aborted) stop.abort();
				// Its first look after that is at the time of the stop.
				else if (cancels > 0) setImmediate(() => vi.spyOn(Date, 'now').mockReturnValue(later));
				return executor.observe(...args);
			},
		},
		{
			tickets,
			signal: stop.signal,
			env: {},
			show: () => undefined,
			isSteered: () => Promise.resolve(false),
			findAgent: notAsked,
			prepare: notAsked,
			executor: notAsked,
			capacity: notAsked,
		},
	);
	expect(await run.run()).toEqual({
		ok: false,
		reason: 'cancelled, but it may still run there: the machine says that it does',
		output: '',
	});
	expect(cancels).toBe(1);
	await run.settle();
});
