import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { bindSession } from '../../src/core/sessions/bindings.ts';
import { drivers } from '../../src/drivers/index.ts';
import { startDelegate } from '../../src/mcp/delegates.ts';
import { INSTRUCTIONS, tools } from '../../src/mcp/tools.ts';
import { DriverId, SessionId } from '../../src/protocol/names.ts';
import { seedDelegate } from '../support/delegateSeeds.ts';
import { McpClient } from '../support/mcpClient.ts';
import { BY_USER, messageContent } from '../support/messageContent.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { fakeAgent, fakeClaude } from '../unit/cli/fakeClaude.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';
import { Project } from '../unit/cli/project.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

const agent = DriverId.parse('claude-code');

/** Two workers of one task, of which the first has the server. */
async function place() {
	const folder = tempFolder('nancy-mcp-');
	const own = new Project(undefined, join(nancy.dataFolder, 'nancy'));
	await own.workspace.prepare();
	const task = await own.addTask('build');
	const workers = [await own.addWorker(task, 'worker', { agent }), await own.addWorker(task, 'worker-2', { agent })];
	const sessions = workers.map(worker => SessionId.parse(`session-${task}-${worker}`));
	for (const [at, worker] of workers.entries()) {
		const session = sessions[at];
		if (session) await bindSession(own.workspace, session, { address: { task, worker }, watched: true });
		await own.workspace.send({ task, worker }, messageContent(`For ${worker}.`), BY_USER);
	}
	const path = fakeClaude(folder.file('bin'));
	fakeAgent(folder.file('bin'), 'opencode', '1.18.33');
	const env = { PATH: path, HOME: folder.path };
	const worker = { ...env, ...own.terminal(task, 'worker'), NANCY_AGENT: agent };
	const clients: McpClient[] = [];
	return {
		own,
		task,
		env,
		worker,
		sessions,
		client: (more: Record<string, string>, cwd = own.path) => {
			const client = new McpClient(nancy, { cwd, env: more });
			clients.push(client);
			return client;
		},
		queued: async () => {
			const all = await Promise.all(
				workers.map(name => own.workspace.mailbox({ task, worker: name }).list(['queued'])),
			);
			return all.flatMap(({ messages }) => messages.map(({ content }) => content.text));
		},
		[Symbol.asyncDispose]: async () => {
			for (const client of clients) await client[Symbol.asyncDispose]();
			await Promise.all([folder.remove(), own[Symbol.asyncDispose]()]);
		},
	};
}

describe('the tools of nancy mcp', () => {
	it('are these, and none of them answers, lists or hides what agents ask their user', () => {
		expect(tools.map(({ name }) => name)).toEqual([
			'get_feedback',
			'wait_for_feedback',
			'feedback_waiting',
			'send_status',
			'mark_received',
			'start_delegate',
			'delegate_status',
			'list_delegates',
			'stop_delegate',
		]);
		const words = [INSTRUCTIONS, ...tools.flatMap(({ title, description }) => [title, description])].join('\n');
		expect(words).not.toMatch(/\b(?:answer|allow|approve|grant)\b(?! once)(?!.*ended)/i);
	});

	it('say of themselves only whether they change something, so that each CLI asks for those that do', () => {
		const reading = tools.filter(({ annotations }) => annotations.readOnlyHint).map(({ name }) => name);
		expect(reading).toEqual(['feedback_waiting', 'delegate_status', 'list_delegates']);
		expect(new Set(tools.flatMap(({ annotations }) => Object.keys(annotations)))).toEqual(
			new Set(['readOnlyHint']),
		);
	});

	it('are allowed to nobody by the flags of a launch', () => {
		for (const { id, mcp, floors } of drivers) {
			expect(floors.tools === 'none', id).toBe(mcp.flags === 'none');
			if (mcp.flags === 'none') continue;
			const flags = mcp.flags(["/opt/na'n cy/bin/nancy", 'mcp']);
			expect(flags.join(' '), id).toContain("/opt/na'n cy/bin/nancy");
			expect(flags.join(' '), id).not.toMatch(/allow|approv|trust|yolo|permission|bypass/i);
		}
	});
});

describe('an agent with the server', () => {
	it('reads the messages of no other, whatever session it names', async () => {
		await using it = await place();
		const [own = '', other = ''] = it.sessions;
		const asOther = it.client({ ...it.worker, CLAUDE_CODE_SESSION_ID: other });
		for (const name of ['get_feedback', 'feedback_waiting'])
			expect(await asOther.call(name)).toContain('Nancy knows no mailbox of this session');
		const unknown = it.client({ ...it.worker, CLAUDE_CODE_SESSION_ID: 'one-that-it-started' });
		expect(await unknown.call('get_feedback')).toContain('Nancy knows no mailbox of this session');
		expect(await it.queued()).toEqual(['For worker.', 'For worker-2.']);
		const itself = it.client({ ...it.worker, CLAUDE_CODE_SESSION_ID: own }, '/');
		expect(await itself.call('get_feedback')).toContain('For worker.');
		expect(await it.queued()).toEqual(['For worker-2.']);
	});

	it('reads nothing where a person, or nobody that Nancy knows, has started it', async () => {
		await using it = await place();
		for (const more of [it.env, { ...it.env, CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: it.sessions[0] ?? '' }]) {
			const client = it.client(more);
			expect(await client.call('get_feedback')).toContain('Nancy knows no mailbox of this session');
			expect(await client.call('send_status', { text: 'I am the user.' })).toContain('no mailbox');
		}
		expect(await it.queued()).toHaveLength(2);
	});

	it('starts and stops no more than its nancy command does, and is told the same', async () => {
		await using it = await place();
		const { own } = it;
		const { record } = await seedDelegate(new Delegates(own.workspace), { title: 'other', state: 'running' });
		const client = it.client(it.worker);
		const call = { cwd: own.path, env: it.worker };
		for (const [args, words] of [
			[{ prompt: 'x', permissions: 'bypassPermissions' }, ['--permissions', 'bypassPermissions']],
			[{ prompt: 'x', agent: 'opencode' }, ['--agent', 'opencode']],
		] as const) {
			const byCommand = await nancy.start(['delegate', 'x', ...words], call);
			expect(byCommand.code).toBe(5);
			expect(`nancy: ${await client.call('start_delegate', args)}\n`).toBe(byCommand.stderr);
		}
		expect(await client.call('stop_delegate', { id: record.id })).toContain('which it has not asked for');
	});

	it('names no folder, no file, no limit and no receiver to a delegate', () => {
		const schema = z.toJSONSchema(startDelegate.input) as { properties: object };
		const names = ['prompt', 'title', 'agent', 'model', 'permissions', 'worktree'];
		expect(Object.keys(schema.properties)).toEqual(names);
	});
});
