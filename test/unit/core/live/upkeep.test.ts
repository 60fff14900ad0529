import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ownIdentity } from '../../../../src/base/liveness.ts';
import type { Driver } from '../../../../src/core/driver/driver.ts';
import { Upkeep } from '../../../../src/core/live/upkeep.ts';
import { wakeLimit } from '../../../../src/core/mailbox/held.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import type { WorkerRecord } from '../../../../src/protocol/records.ts';
import { FIRST_WORKER, SessionId, TaskName } from '../../../../src/protocol/names.ts';
import { fakeDriver } from '../../../support/fakeDriver.ts';
import { BY_USER, messageContent } from '../../../support/messageContent.ts';
import { tempFolder } from '../../../support/tempFolder.ts';
import { bindSession } from '../../../../src/core/sessions/bindings.ts';

/** A task with one queued message, and what keeps its mailbox. */
async function lab(driver: Driver = fakeDriver) {
	const folder = tempFolder();
	const workspace = new Workspace(folder.path);
	const name = TaskName.parse('build');
	const at = new Date().toISOString();
	const task = { name, title: 'x', prompt: '', agent: driver.id, createdAt: at, origin: 'nancy' } as const;
	await workspace.createTask({ version: 1, ...task });
	const address = { task: name, worker: FIRST_WORKER };
	await workspace.send(address, messageContent('x'), BY_USER);
	const clock = { ms: Date.now() };
	const session = SessionId.parse('11111111-1111-4111-8111-111111111111');
	const worker: WorkerRecord = {
		version: 1,
		task: name,
		name: FIRST_WORKER,
		agent: driver.id,
		sessions: [{ id: session, startedAt: at }],
		startedAt: at,
	};
	await workspace.createWorker(worker);
	await bindSession(workspace, session, { address: address, watched: true });
	return {
		clock,
		workspace,
		address,
		bell: workspace.paths.bell(session),
		upkeep: new Upkeep(workspace, [driver], () => clock.ms),
		worker,
		state: { phase: 'idle', source: '', at, since: at, session } as const,
		queued: async () => (await workspace.mailbox(address).list(['queued'])).messages,
		[Symbol.asyncDispose]: () => folder.remove(),
	};
}

it('a pause for an idle agent says that it waits for the next prompt, until the agent works', async () => {
	await using it = await lab();
	const { upkeep, worker, state, queued } = it;
	await it.workspace.send(it.address, messageContent('rest', { effect: 'pause' }), BY_USER);

	await upkeep.tend(worker, state, await queued());
	const reasons = new Map((await queued()).map(({ content, held }) => [content.text, held]));
	expect(reasons.get('rest')).toEqual({ code: 'resting' });
	expect(reasons.get('x')).toBeUndefined();
	await upkeep.tend(worker, { ...state, phase: 'working' }, await queued());
	expect((await queued()).map(({ held }) => held)).toEqual([undefined, undefined]);
});

it('a message for an agent without hooks waits with the reason, until the agent has them', async () => {
	await using it = await lab();
	const { upkeep, state, queued } = it;
	const worker: WorkerRecord = { ...it.worker, hooks: 'off' };

	await upkeep.tend(worker, state, await queued());
	expect(await queued()).toMatchObject([{ held: { code: 'no-hooks' } }]);
	await upkeep.tend(worker, { ...state, phase: 'ended' }, await queued());
	expect(await queued()).toMatchObject([{ held: { code: 'ended' } }]);
	await upkeep.tend(it.worker, state, await queued());
	expect((await queued())[0]?.held).toBeUndefined();
});

it('a message for an idle agent that nothing can wake says so at once, rings no bell, and says it no longer when the agent works', async () => {
	const floors = { ...fakeDriver.floors, wake: 'none' } as const;
	await using it = await lab({ ...fakeDriver, floors, limits: { wake: 'Nothing wakes it.' } });
	const { upkeep, worker, state, queued } = it;
	for (let look = 0; look < 3; look++) {
		await upkeep.tend(worker, state, await queued());
		expect(await queued()).toMatchObject([{ held: wakeLimit(fakeDriver) }]);
		it.clock.ms += 3_600_000;
	}
	expect(existsSync(it.bell)).toBe(false);
	await upkeep.tend(worker, { ...state, phase: 'working' }, await queued());
	expect((await queued())[0]?.held).toBeUndefined();
});

it('an agent too old to be woken gets no bell either; one of an unknown version does', async () => {
	await using it = await lab({ ...fakeDriver, floors: { ...fakeDriver.floors, wake: [2, 0, 0] } });
	const { upkeep, worker, state, queued } = it;
	await upkeep.tend({ ...worker, agentVersion: '1.9.0' }, state, await queued());
	expect(await queued()).toMatchObject([{ held: wakeLimit(fakeDriver) }]);
	for (const agentVersion of ['2.0.0', undefined]) {
		await upkeep.tend({ ...worker, ...(agentVersion !== undefined && { agentVersion }) }, state, await queued());
		expect((await queued())[0]?.held).toBeUndefined();
	}
	expect(existsSync(it.bell)).toBe(true);
});

it('a message for an idle agent whose session watches no bell says so at the first look, and is rung for all the same', async () => {
	await using it = await lab({ ...fakeDriver, limits: { wake: 'It is woken only where you let it.' } });
	const session = it.state.session;
	await bindSession(it.workspace, session, { address: it.address, watched: false });
	await it.upkeep.tend(it.worker, it.state, await it.queued());
	expect(await it.queued()).toMatchObject([{ held: wakeLimit(fakeDriver) }]);
	expect(existsSync(it.bell)).toBe(true);

	await mkdir(it.workspace.paths.waiters, { recursive: true });
	const { pid, startedTicks } = ownIdentity();
	await writeFile(join(it.workspace.paths.waiters, session), `${pid} ${startedTicks}\n\n`);
	await it.upkeep.tend(it.worker, it.state, await it.queued());
	expect((await it.queued())[0]?.held).toBeUndefined();
});

it('a reason in the words of an earlier version is shown as it is, until the next look gives its own', async () => {
	await using it = await lab();
	const [message] = await it.queued();
	const file = message?.file.replace(/\.md$/, '.held') ?? '';
	const sentence = 'the agent has ended; resume it to deliver';
	await writeFile(file, `${sentence}\n`);
	expect((await it.queued())[0]?.held).toEqual({ code: 'text', text: sentence });

	await it.upkeep.tend(it.worker, { ...it.state, phase: 'ended' }, await it.queued());
	expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ code: 'ended' });
});

it('a message that a delegate ended without reading says so, until the agent goes on', async () => {
	await using it = await lab();
	const [message] = await it.queued();
	if (message) await it.workspace.mailbox(it.address).setHeld(message.id, { code: 'ended-unread' });
	await it.upkeep.tend(it.worker, { ...it.state, phase: 'ended' }, await it.queued());
	expect((await it.queued())[0]?.held).toEqual({ code: 'ended-unread' });
	await it.upkeep.tend(it.worker, { ...it.state, phase: 'working' }, await it.queued());
	expect((await it.queued())[0]?.held).toBeUndefined();
});

it('an agent that waits for its first prompt and hears nothing before says so', async () => {
	const deaf = { ...fakeDriver, floors: { ...fakeDriver.floors, wake: [1, 0, 0] } } satisfies Driver;
	await using it = await lab({ ...deaf, hooks: { ...deaf.hooks, hearsWhenResumed: false } });
	const { upkeep, worker, state, queued } = it;
	await upkeep.tend(worker, { ...state, isUnprompted: true }, await queued());
	expect((await queued()).map(({ held }) => held)).toEqual([{ code: 'unprompted' }]);
});
