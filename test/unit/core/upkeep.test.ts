import { expect, it } from 'vitest';
import { Upkeep } from '../../../src/core/upkeep.ts';
import { Workspace } from '../../../src/core/workspace.ts';
import { FIRST_WORKER, TaskName } from '../../../src/protocol/names.ts';
import { fakeDriver } from '../../support/fakeDriver.ts';
import { messageContent } from '../../support/messageContent.ts';
import { tempFolder } from '../../support/tempFolder.ts';

async function workspaceWithTask(folder: string) {
	const workspace = new Workspace(folder);
	const name = TaskName.parse('build');
	const at = new Date().toISOString();
	const task = { name, title: 'x', prompt: '', agent: fakeDriver.id, createdAt: at, origin: 'nancy' } as const;
	await workspace.createTask({ version: 1, ...task });
	const address = { task: name, worker: FIRST_WORKER };
	const queued = async () => (await workspace.mailbox(address).list(['queued'])).messages;
	return { workspace, address, queued, state: { phase: 'idle', source: '', at } as const };
}

it('a pause for an idle agent says that it waits for the next prompt, until the agent works', async () => {
	await using folder = tempFolder();
	const { workspace, address, queued, state } = await workspaceWithTask(folder.path);
	await workspace.send(address, messageContent('rest', { effect: 'pause' }));
	await workspace.send(address, messageContent('work'));
	const upkeep = new Upkeep(workspace, Date.now);

	await upkeep.tend(address, state, await queued());
	const reasons = new Map((await queued()).map(({ content, held }) => [content.text, held]));
	expect(reasons.get('rest')).toContain('waits for the next prompt');
	expect(reasons.get('work')).toBeUndefined();
	await upkeep.tend(address, { ...state, phase: 'working' }, await queued());
	expect((await queued()).map(({ held }) => held)).toEqual([undefined, undefined]);
});

it('a message for an agent without hooks waits with the reason, until the agent has them', async () => {
	await using folder = tempFolder();
	const { workspace, address, queued, state } = await workspaceWithTask(folder.path);
	await workspace.send(address, messageContent('x'));
	const upkeep = new Upkeep(workspace, Date.now);

	await upkeep.tend(address, state, await queued(), false);
	expect(await queued()).toMatchObject([{ held: expect.stringContaining('without hooks') }]);
	await upkeep.tend(address, { ...state, phase: 'ended' }, await queued(), false);
	expect(await queued()).toMatchObject([{ held: expect.stringContaining('resume it') }]);
	await upkeep.tend(address, state, await queued(), true);
	expect((await queued())[0]?.held).toBeUndefined();
});
