import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { identify } from '../../../src/base/liveness.ts';
import { sealCall } from '../../../src/core/sessions/sealedAgents.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { perform } from '../../../src/operations/operation.ts';
import { takeFeedback, type HandingContext } from '../../../src/operations/takeFeedback.ts';
import { DriverId, FIRST_WORKER, SessionId, TaskName } from '../../../src/protocol/names.ts';
import { addBoundWorker } from '../../support/boundWorker.ts';
import { killedAt } from '../../support/killedAt.ts';
import { BY_USER, messageContent } from '../../support/messageContent.ts';
import { agentAt, contextOf } from '../../support/operationContext.ts';
import { killPoints, strideOr } from '../../support/rounds.ts';
import { taskRecord } from '../../support/taskRecord.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

/** What is killed here makes about a hundred file calls. */
const STRIDE = strideOr(15);

const address = { task: TaskName.parse('build'), worker: FIRST_WORKER };
const agent = DriverId.parse('claude-code');

let folder: TempFolder;
let workspace: Workspace;
beforeEach(async () => {
	folder = tempFolder();
	workspace = new Workspace(folder.file('project'), folder.file('data'));
	await workspace.prepare();
	await workspace.createTask(taskRecord(address.task, agent));
	await addBoundWorker(workspace, address, { agent, session: SessionId.parse('s1') });
});
afterEach(() => folder.remove());

const send = (text: string) => workspace.send(address, messageContent(text, { kind: 'feedback' }), BY_USER);
const all = async () => (await workspace.mailbox(address).list()).messages;

function take(more: Partial<HandingContext> = {}, waitMs = 0) {
	const signal = new AbortController().signal;
	const context = { ...contextOf(folder, workspace), signal, hand: () => Promise.resolve(true), ...more };
	return perform(takeFeedback, agentAt(folder, address), { event: 'get_feedback', waitMs }, context);
}

describe('feedback that an agent asks for', () => {
	it('waits again if it did not reach the agent', async () => {
		await send('One.');
		expect(await take({ hand: () => Promise.resolve(false) })).toEqual({ handed: [] });
		await expect(take({ hand: () => Promise.reject(new Error('gone')) })).rejects.toThrow('gone');
		expect(await all()).toMatchObject([{ state: 'queued', content: { text: 'One.' } }]);
	});

	it('keeps a pause for the next prompt, as a hook does at Stop', async () => {
		await workspace.send(address, messageContent('Stop here.', { effect: 'pause' }), BY_USER);
		expect(await take()).toEqual({ handed: [] });
	});

	it('comes in parts if it is long, one at each call, and is delivered with the last', async () => {
		const id = await send(`${'a long line\n'.repeat(1500)}The end.`);
		const texts: string[] = [];
		const hand = async (text: string) => texts.push(text) > 0;
		while ((await all())[0]?.state === 'queued') await take({ hand });
		expect(texts.length).toBeGreaterThan(1);
		expect(texts[0]).toContain('part 1 of');
		expect(texts.at(-1)).toContain('The end.');
		expect(await all()).toMatchObject([{ id, state: 'delivered', receipt: { rung: 'tool' } }]);
	});

	it('comes to a session that nobody started with Nancy, if its hooks have called from that very process', async () => {
		const session = SessionId.parse('s1');
		await send('For a found session.');
		const self = identify(process.pid);
		const found = { ...agentAt(folder), process: { ...self, folder: workspace.folder } };
		const call = (named?: SessionId) => {
			const signal = new AbortController().signal;
			const context = { ...contextOf(folder, workspace), signal, hand: () => Promise.resolve(true) };
			return perform(takeFeedback, found, { session: named, event: 'get_feedback', waitMs: 0 }, context);
		};
		await expect(call(session)).rejects.toThrow('no mailbox');
		sealCall(workspace.own.dataFolder, self, { folder: workspace.folder, address });
		await expect(call()).rejects.toThrow('no mailbox');
		await expect(call(SessionId.parse('s2'))).rejects.toThrow('no mailbox');
		expect((await call(session)).handed).toHaveLength(1);
	});

	it('is neither lost nor kept by a process that is killed, wherever that is', async () => {
		let kills = 0;
		for (const killAt of killPoints(STRIDE)) {
			const id = await send('Once.');
			const ended = await killedAt(killAt, 'takeFeedback', [folder.path]);
			await workspace.mailbox(address).recover();
			const message = (await all()).find(each => each.id === id);
			expect({ killAt, state: message?.state }).toEqual({
				killAt,
				state: message?.receipt ? 'delivered' : 'queued',
			});
			if (ended === 'finished') {
				expect(message?.state).toBe('delivered');
				break;
			}
			expect(ended).toBe('SIGKILL');
			kills++;
			if (message?.state === 'queued') await workspace.mailbox(address).withdraw(id);
		}
		expect(kills).toBeGreaterThan(2);
	});
});
