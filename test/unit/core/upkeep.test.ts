import { expect, it } from 'vitest';
import { Upkeep } from '../../../src/core/upkeep.ts';
import { Workspace } from '../../../src/core/workspace.ts';
import { FIRST_WORKER, TaskName } from '../../../src/protocol/names.ts';
import { fakeDriver } from '../../support/fakeDriver.ts';
import { messageContent } from '../../support/messageContent.ts';
import { tempFolder } from '../../support/tempFolder.ts';

it('a message for an agent without hooks waits with the reason, until the agent has them', async () => {
	await using folder = tempFolder();
	const workspace = new Workspace(folder.path);
	const name = TaskName.parse('build');
	const at = new Date().toISOString();
	const task = { name, title: 'x', prompt: '', agent: fakeDriver.id, createdAt: at, origin: 'nancy' } as const;
	await workspace.createTask({ version: 1, ...task });
	const address = { task: name, worker: FIRST_WORKER };
	await workspace.send(address, messageContent('x'));
	const queued = async () => (await workspace.mailbox(address).list(['queued'])).messages;
	const upkeep = new Upkeep(workspace, Date.now);
	const state = { phase: 'idle', source: '', at } as const;

	await upkeep.tend(address, state, await queued(), false);
	expect(await queued()).toMatchObject([{ held: expect.stringContaining('without hooks') }]);
	await upkeep.tend(address, { ...state, phase: 'ended' }, await queued(), false);
	expect(await queued()).toMatchObject([{ held: expect.stringContaining('resume it') }]);
	await upkeep.tend(address, state, await queued(), true);
	expect((await queued())[0]?.held).toBeUndefined();
});
