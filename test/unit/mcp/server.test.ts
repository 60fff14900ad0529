import { join } from 'node:path';
import * as z from 'zod/mini';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimBatch } from '../../../src/core/mailbox/batch.ts';
import { bindSession } from '../../../src/core/sessions/bindings.ts';
import { drivers } from '../../../src/drivers/index.ts';
import { jsonSchema } from '../../../src/mcp/jsonSchema.ts';
import { tools } from '../../../src/mcp/tools.ts';
import { waitMsOf } from '../../../src/mcp/feedback.ts';
import { DriverId, SessionId } from '../../../src/protocol/names.ts';
import { eventually } from '../../support/eventually.ts';
import { McpClient } from '../../support/mcpClient.ts';
import { BY_USER, messageContent } from '../../support/messageContent.ts';
import { NancyCommand } from '../cli/nancyCommand.ts';
import { Project } from '../cli/project.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build();
});
afterAll(() => nancy[Symbol.asyncDispose]());

const claude = DriverId.parse('claude-code');

/** A worker that Nancy has started, and the MCP server that its CLI has started. */
async function served() {
	const project = new Project(undefined, join(nancy.dataFolder, 'nancy'));
	const { workspace } = project;
	await workspace.prepare();
	const task = await project.addTask('fix-login');
	const worker = await project.addWorker(task, 'worker', { agent: claude });
	const address = { task, worker };
	const session = SessionId.parse(`session-${task}-${worker}`);
	await bindSession(workspace, session, { address, watched: true });
	const env = { ...project.terminal(task, worker), NANCY_AGENT: claude, CLAUDE_CODE_SESSION_ID: session };
	const client = new McpClient(nancy, { cwd: project.path, env });
	const mailbox = workspace.mailbox(address);
	const send = (text: string) => workspace.send(address, messageContent(text, { kind: 'feedback' }), BY_USER);
	/** What a hook takes at Stop. */
	const hook = () => claimBatch(mailbox, { kind: 'stop', slot: 'end', session }, 10_000);
	/** The message in that state, once there is one: a tool answers before the receipt is written. */
	const oneIn = (state: 'queued' | 'delivered' | 'archived') =>
		eventually(`a message is ${state}`, async () => (await mailbox.list([state])).messages[0]);
	return {
		project,
		address,
		session,
		env,
		client,
		send,
		hook,
		oneIn,
		[Symbol.asyncDispose]: async () => {
			await client[Symbol.asyncDispose]();
			await project[Symbol.asyncDispose]();
		},
	};
}

describe('nancy mcp', () => {
	it('speaks the version that its client asks for, and lists its tools by a schema', async () => {
		await using it = await served();
		const { client } = it;
		expect((await client.request('server/discover')).error).toMatchObject({ code: -32601 });
		for (const version of ['2025-06-18', '2025-11-25']) {
			const { result } = await client.request('initialize', { protocolVersion: version, capabilities: {} });
			expect(result).toMatchObject({ protocolVersion: version, serverInfo: { name: 'nancy' } });
			expect(String(result?.['instructions']).match(/\.(?= |$)/g)).toHaveLength(3);
		}
		const newer = await client.request('initialize', { protocolVersion: '2031-01-01', capabilities: {} });
		expect(newer.result).toMatchObject({ protocolVersion: '2025-11-25' });
		client.notify('notifications/initialized');
		const { tools } = (await client.request('tools/list')).result as {
			tools: { name: string; inputSchema: object }[];
		};
		expect(tools.find(({ name }) => name === 'send_status')?.inputSchema).toMatchObject({
			type: 'object',
			required: ['text'],
			properties: { text: { type: 'string', maxLength: 500 }, state: { enum: ['working', 'blocked', 'done'] } },
		});
		client.write('no json');
		client.write('{"jsonrpc":"1.0"}');
		expect((await client.request('tools/call', { name: 'allow' })).error).toMatchObject({ code: -32602 });
		expect(client.answers.filter(({ id }) => id === null).map(({ error }) => error?.code)).toEqual([
			-32700, -32600,
		]);
		expect(await client.call('send_status', { text: 'x'.repeat(501) })).toContain('not valid');
		expect(await client.end()).toBe(0);
	});

	it('hands over what waits, once, with a receipt, and files what was acted on', async () => {
		await using it = await served();
		const { client } = it;
		const id = await it.send('Use the other table.');
		expect(await client.call('feedback_waiting')).toBe('1 message waiting.');
		expect(await client.call('mark_received', { ids: [id] })).toBe(
			JSON.stringify({ archived: [], unknown: [], notHandedOverYet: [id] }),
		);
		const text = await client.call('get_feedback');
		expect(text).toContain('feedback from the user (Nancy sidebar)]\nUse the other table.');
		expect(await client.call('get_feedback')).toBe('No messages wait.');
		expect(await client.call('feedback_waiting')).toBe('No messages wait.');
		const { session } = it;
		const receipt = { event: 'get_feedback', rung: 'tool', session };
		expect(await it.oneIn('delivered')).toMatchObject({ id, receipt });
		expect(JSON.parse(await client.call('mark_received', { ids: [id, 'no-such'] }))).toEqual({
			archived: [id],
			unknown: ['no-such'],
		});
		expect(await it.oneIn('archived')).toMatchObject({ id });
	});

	it('gives each message either to a hook or to its tool, when both take them at once', async () => {
		await using it = await served();
		const ids = [];
		for (let at = 0; at < 12; at++) ids.push(await it.send(`Message ${at}.`));
		const calls = Array.from({ length: 4 }, () => it.client.begin('get_feedback'));
		const hooks = await Promise.all(Array.from({ length: 4 }, it.hook));
		const texts = await Promise.all(
			calls.map(async id => (await it.client.answer(id)).result?.content?.[0]?.text ?? ''),
		);
		const byHook = hooks.flatMap(({ claims }) => claims.map(({ id }) => id));
		const byTool = ids.filter(id => texts.some(text => text.includes(`message ${id}`)));
		expect([...byHook, ...byTool].sort()).toEqual([...ids].sort());
		for (const { claims } of hooks) for (const claim of claims) claim.release();
	});

	it('waits for a message, tells that it waits, and hands it over when it comes', async () => {
		await using it = await served();
		const { client } = it;
		const waiting = client.begin('wait_for_feedback', {}, { progressToken: 'p' });
		await client.call('feedback_waiting');
		const told = () => client.answers.filter(({ method }) => method === 'notifications/progress');
		await eventually('progress', () => told().length > 0);
		expect(told()[0]?.params).toEqual({ progressToken: 'p', progress: 1, message: 'waiting for a message' });
		await it.send('It is the second one.');
		expect((await client.answer(waiting)).result?.content?.[0]?.text).toContain('It is the second one.');
		// A client that wants no progress gets none, and none comes after the answer.
		const before = told().length;
		const unheard = client.begin('wait_for_feedback');
		await client.call('feedback_waiting');
		await it.send('It is the third one.');
		await client.answer(unheard);
		expect(told()).toHaveLength(before);
	});

	it('takes nothing for a wait that was broken off, or that ended with its client', async () => {
		await using it = await served();
		const { client } = it;
		const waiting = client.begin('wait_for_feedback');
		await client.call('feedback_waiting');
		client.notify('notifications/cancelled', { requestId: waiting, reason: 'Esc' });
		await client.request('ping');
		client.begin('wait_for_feedback');
		expect(await client.end()).toBe(0);
		const id = await it.send('Still there.');
		expect(client.answers.some(answer => answer.id === waiting)).toBe(false);
		const { claims } = await it.hook();
		expect(claims).toMatchObject([{ id, earlierClaims: 0 }]);
	});

	it('queues again what was handed to a call that its client had just broken off', async () => {
		await using it = await served();
		const { client } = it;
		const id = await it.send('Crossed.');
		const call = client.begin('get_feedback');
		await client.answer(call);
		await it.oneIn('delivered');
		client.notify('notifications/cancelled', { requestId: call });
		await it.oneIn('queued');
		expect(await client.call('get_feedback')).toContain('Crossed.\n(You may have received this message before.)');
		expect(await it.oneIn('delivered')).toMatchObject({ id, receipt: { lost: [{ event: 'get_feedback' }] } });
	});

	it('loses nothing when it is killed while it waits', async () => {
		await using it = await served();
		it.client.begin('wait_for_feedback');
		await it.client.call('feedback_waiting');
		await it.client.kill();
		const id = await it.send('After the kill.');
		expect((await it.hook()).claims).toMatchObject([{ id }]);
	});

	it('shows the agent’s own words beside its state, as its own', async () => {
		await using it = await served();
		await it.client.call('send_status', { text: 'Waiting for the\u001b[31m key.', state: 'blocked' });
		const call = { cwd: it.project.path };
		const { stdout } = await nancy.run(['status', '--json'], call);
		const [worker] = (JSON.parse(stdout) as { tasks: { workers: unknown[] }[] }).tasks[0]?.workers ?? [];
		expect(worker).toMatchObject({ said: { text: expect.stringContaining('Waiting for the'), word: 'blocked' } });
		expect((await nancy.run(['status'], call)).stdout).toMatch(/says blocked "Waiting for the.*key\."/);
		expect((await nancy.run(['traffic'], call)).stdout).toContain('says blocked: Waiting for the');
	});
});

describe('the schema of a tool', () => {
	it.each(tools.map(({ name, input }) => [name, input] as const))('of %s says what zod itself says', (_, input) => {
		const { $schema: _link, ...own } = z.toJSONSchema(input, { io: 'input' });
		const plain = (value: unknown): unknown =>
			JSON.parse(
				JSON.stringify(value, (key, each: unknown) =>
					key === 'pattern' || key === 'allOf' || key === 'additionalProperties' ? undefined : each,
				),
			);
		expect(plain(jsonSchema(input))).toEqual(plain(own));
	});
});

describe('a wait', () => {
	it.each([
		['claude-code', 110, 110],
		['copilot-cli', 3000, 170],
		['codex', 290, 290],
		['gemini-cli', 590, 590],
		['opencode', 3000, 50],
	])('of %s ends before its CLI gives it up', (id, heard, unheard) => {
		const waits = drivers.find(driver => driver.id === id)?.mcp.waits;
		expect(waitMsOf(undefined, waits, true)).toBe(heard * 1000);
		expect(waitMsOf(100_000, waits, false)).toBe(unheard * 1000);
		expect(waitMsOf(1, waits, true)).toBe(5000);
		expect(waitMsOf(30, waits, false)).toBe(30_000);
	});

	it('of another CLI lasts less than a minute', () => {
		expect(waitMsOf(undefined, undefined, true)).toBe(50_000);
	});
});
