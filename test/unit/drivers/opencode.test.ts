import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { shortcomings, WAKE_PROMPT, type Delivery, type LaunchRequest } from '../../../src/core/driver.ts';
import { headlessOf } from '../../../src/core/launch.ts';
import { opencode } from '../../../src/drivers/opencode/driver.ts';
import { WAKE_WORDS, wakeAnswer } from '../../../src/drivers/opencode/wake.ts';
import { SessionId } from '../../../src/protocol/names.ts';
import type { AgentEvent } from '../../../src/protocol/traffic.ts';
import { eventually } from '../../support/eventually.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

const samples = join(import.meta.dirname, '../../fixtures/opencode');
const text = (name: string) => readFileSync(join(samples, name), 'utf8');
const lines = (name: string) => text(name).trim().split('\n');
const sample = (name: string) => JSON.parse(text(`hook-${name}.json`)) as Record<string, unknown>;
const { hooks } = opencode;

/** The event of a sample: its name begins with the event's. */
function event(name: string, more: Record<string, unknown> = {}): AgentEvent {
	const [own = ''] = name.split('.', 1);
	const found = hooks.read({ event: own, payload: { ...sample(name), ...more }, env: {} });
	if (found === 'silent') throw new Error(`${name} is silent`);
	return found;
}

const answered = (name: string, more: Partial<Delivery> = {}): unknown =>
	JSON.parse(hooks.answer(event(name), { text: 'words', effect: 'none', version: undefined, ...more }).stdout);

const session = SessionId.parse('ses_e0152e2f2ffefbE2opEdrxMASc');
const request: LaunchRequest = {
	version: [1, 18, 33],
	workspaceFolder: '/w',
	hooks: { launcher: '/home/me/nancy/runtime/1/nancy-hook', folder: '/w/it is/.nancy/launch/opencode' },
	prompt: '-fix it',
	session,
	resume: undefined,
	model: 'some/model',
	title: 'Fix',
	extra: ['--agent=plan'],
	env: {},
};

it('tells in the picker what works in part alone', () => {
	const { limits } = shortcomings(opencode, opencode.oldestVersion);
	expect(limits).toEqual(expect.arrayContaining(['feedback', 'headless', 'resume']));
	expect(opencode.limits.status).toMatch(/tokens and the cost/);
});

describe('reading what the plugin told', () => {
	it('reads every recorded payload', () => {
		const names = readdirSync(samples).filter(name => name.startsWith('hook-'));
		expect(names.length).toBeGreaterThan(12);
		for (const file of names) {
			const name = file.slice('hook-'.length, -'.json'.length);
			const found = event(name);
			expect(found, name).toMatchObject({ driver: 'opencode', event: name.split('.', 1)[0] });
			expect(found.kind, name).not.toBe('other');
		}
	});

	it('tells kinds, tools and causes apart', () => {
		expect(event('tool-start')).toMatchObject({ kind: 'tool-start', tool: 'bash', summary: 'echo hi; sleep 1' });
		expect(event('tool-end', { args: { filePath: '/w/a.ts' } })).toMatchObject({ summary: '/w/a.ts' });
		expect(event('permission-asked')).toMatchObject({ kind: 'permission-asked', tool: 'bash' });
		expect(event('permission-replied')).toMatchObject({ kind: 'permission-answered', cause: 'once' });
		expect(event('session-start')).toMatchObject({ kind: 'session-start', cause: 'startup' });
		expect(event('stop', { isContinued: true })).toMatchObject({ kind: 'stop', continuing: true, summary: 'Bye' });
	});

	it('knows a subagent’s events, which are of the agent’s own session', () => {
		const { subagent, session: own } = event('tool-start.in-subagent');
		expect(subagent).toMatch(/^ses_/);
		expect(own).toBe(event('tool-start').session);
		expect(own).not.toBe(subagent);
	});

	it('tells a wake from a person’s prompt', () => {
		expect(event('prompt').isWake).toBe(false);
		expect(event('prompt', { text: wakeAnswer('wake').stderr })).toMatchObject({ isWake: true, wakeRung: 'wake' });
		expect(event('prompt', { text: WAKE_PROMPT })).toMatchObject({ isWake: false, wakeRung: 'keys' });
	});

	it('keeps an event that a newer plugin tells', () => {
		const payload = { sessionID: session };
		expect(hooks.read({ event: 'something-new', payload, env: {} })).toMatchObject({ kind: 'other', session });
	});
});

it('answers: context without a decision, a denial for a halt alone, a prompt at the end', () => {
	expect(answered('tool-end')).toEqual({ context: 'words', pause: false });
	expect(answered('prompt')).toEqual({ context: 'words', pause: false });
	expect(answered('tool-start', { effect: 'halt' })).toEqual({ deny: 'words', pause: false });
	expect(answered('tool-start', { effect: 'pause' })).toEqual({ deny: 'words', pause: true });
	expect(answered('stop')).toEqual({ prompt: 'words' });
});

describe('starting it', () => {
	const plugin = 'file:///w/it%20is/.nancy/launch/opencode/nancy.js';
	const run = { ...request, prompt: 'x'.repeat(500_000), extra: [] };
	const configuration = (env: Readonly<Record<string, string>>) =>
		JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '') as {
			agent: Record<string, { permission: Record<string, string> }>;
		};

	it('brings the plugin in a variable, and the prompt in one word', () => {
		const { args, env, sessionIsKnown } = opencode.launch(request);
		expect(args).toEqual(['--model=some/model', '--agent=plan', '--prompt=-fix it']);
		expect(configuration(env)).toEqual({ plugin: [plugin], agent: {} });
		expect(sessionIsKnown).toBe(false);
		expect(opencode.launch({ ...request, hooks: undefined }).env).toEqual({});
	});

	it('gives a resumed session’s prompt to the plugin', () => {
		const { args, env, sessionIsKnown } = opencode.launch({ ...request, resume: session });
		expect(args).toEqual([`--session=${session}`, '--model=some/model', '--agent=plan']);
		expect(env).toMatchObject({ NANCY_OPENCODE_SESSION: session, NANCY_OPENCODE_PROMPT: '-fix it' });
		expect(sessionIsKnown).toBe(true);
	});

	it('keeps what the user has put into the variable, and takes out what an outer agent inherits of Nancy’s', () => {
		const users = { share: 'disabled', plugin: ['mine', plugin], agent: { mine: { mode: 'primary' } } };
		const env = { OPENCODE_CONFIG_CONTENT: JSON.stringify(users) };
		const found = configuration(opencode.launch({ ...request, env }).env);
		expect(found).toEqual({ ...users, plugin: ['mine', plugin] });
		const held = configuration(headlessOf(opencode).launch({ ...run, permissions: 'ask', env }).env);
		expect(held).toMatchObject({ share: 'disabled', plugin: ['mine', plugin], agent: users.agent });
		expect(() => opencode.launch({ ...request, env: { OPENCODE_CONFIG_CONTENT: '{' } })).toThrow(
			'OPENCODE_CONFIG_CONTENT',
		);
	});

	it('without a terminal gets its prompt on standard input', () => {
		const { args, stdin } = headlessOf(opencode).launch({
			...run,
			permissions: 'configured',
			extra: ['--agent=plan'],
		});
		expect(args).toEqual(['run', '--format=json', '--model=some/model', '--agent=plan']);
		expect(stdin).toHaveLength(500_000);
	});

	it('without a terminal runs as an agent that takes permissions away and gives none, in a name of its own', () => {
		const launch = (permissions: string) => headlessOf(opencode).launch({ ...run, permissions });
		const rulesOf = (permissions: string) => {
			const { args, env } = launch(permissions);
			const [name, ...others] = Object.keys(configuration(env).agent);
			expect(others).toEqual([]);
			expect(args).toContain(`--agent=${name}`);
			expect(args).not.toContain('--auto');
			expect(env['OPENCODE_PERMISSION']).toBeUndefined();
			return configuration(env).agent[name ?? '']?.permission ?? {};
		};
		for (const mode of ['ask', 'edit', 'no such']) {
			expect(Object.values(rulesOf(mode)), mode).not.toContain('allow');
			expect(rulesOf(mode), mode).toMatchObject({ bash: 'ask', task: 'deny', '*_*': 'ask' });
		}
		expect([rulesOf('ask')['edit'], rulesOf('edit')['edit']]).toEqual(['ask', undefined]);
		expect(launch('ask').args).not.toEqual(launch('ask').args);
		expect(launch('all').args).toContain('--auto');
		for (const mode of ['configured', 'all']) expect(launch(mode).args.join(' ')).not.toContain('--agent');
	});

	it.each(['--agent=plan', '--agent', '--attach=http://127.0.0.1:4096'])(
		'without a terminal refuses %s where it would stand in for the agent that holds the permissions',
		word => {
			const launch = (permissions: string) => headlessOf(opencode).launch({ ...run, permissions, extra: [word] });
			expect(() => launch('ask')).toThrow('"configured"');
			expect(() => launch('edit')).toThrow('"configured"');
			expect(launch('configured').args).toContain(word);
		},
	);
});

describe('reading a run', () => {
	function readRun(name: string, exitCode: number | null = 0) {
		const reader = headlessOf(opencode).reader();
		const events = lines(name).flatMap(line => reader.read(line));
		return { events, ending: reader.end(exitCode) };
	}

	it('tells the session once, the steps, and the answer with what it used', () => {
		const { events, ending } = readRun('run-done.jsonl');
		expect(events.map(({ is }) => is)).toEqual(['session', 'tool', 'text']);
		const result = { text: 'All good', inputTokens: 200, outputTokens: 40, costUsd: undefined, failure: undefined };
		expect(ending).toEqual([{ is: 'result', result }]);
	});

	it('takes a refused permission for a denial and a failure, although the CLI ends with 0', () => {
		const { events, ending } = readRun('run-denied.jsonl');
		expect(events).toContainEqual(expect.objectContaining({ is: 'denied', tool: 'bash' }));
		expect(ending).toMatchObject([{ result: { failure: { kind: 'final', reason: /touch never/ } } }]);
	});

	it('tells the model service’s refusals apart', () => {
		expect(readRun('run-failed.jsonl', 1).ending).toMatchObject([
			{ result: { failure: { kind: 'final', reason: /400/ } } },
		]);
		expect(readRun('run-quota.jsonl', 1).ending).toMatchObject([{ result: { failure: { kind: 'too-many' } } }]);
	});

	it.each([
		['FreeUsageLimitError', undefined, { is: 'quota', resetsAtMs: undefined }],
		['GoUsageLimitError', '3600', { is: 'quota', resetsAtMs: 4_600_000 }],
		['invalid_request_error', '3600', undefined],
	])('tells the account’s limit by the word of its service: %s', (type, after, quota) => {
		vi.useFakeTimers({ now: 1_000_000 });
		try {
			const responseHeaders = { 'retry-after': after };
			const data = { message: 'no', statusCode: 429, responseHeaders, responseBody: JSON.stringify({ type }) };
			const line = { type: 'error', error: { name: 'APIError', data } };
			expect(headlessOf(opencode).reader().read(JSON.stringify(line))).toEqual(quota ? [quota] : []);
		} finally {
			vi.useRealTimers();
		}
	});

	it('has no answer when it was killed, or said nothing', () => {
		expect(readRun('run-done.jsonl', null).ending).toEqual([]);
		const reader = headlessOf(opencode).reader();
		for (const noise of ['', '{', 'null', '[]', '{"type":"text"}', '{"type":"text","part":7,"sessionID":"../x"}'])
			expect(reader.read(noise)).toEqual([]);
		expect(reader.end(0)).toEqual([]);
	});
});

describe('the plugin', () => {
	let folder: TempFolder;
	const outer = { ...process.env };
	const { argv } = process;
	afterEach(async () => {
		process.argv = argv;
		process.env = { ...outer };
		await folder.remove();
	});

	type Hook = (input: object, output: object) => Promise<void>;

	/** The plugin as the CLI loads it, with a guard that keeps what it is given and answers with `answer`. */
	async function loaded(
		answer: string,
		{ scope = 'launch' as 'launch' | 'workspace', isInstalled = true, argv = ['/worker.js'] } = {},
	) {
		process.argv = ['bun', ...argv];
		folder = tempFolder();
		const launcher = folder.file('nancy-hook');
		const told = folder.file('told');
		if (isInstalled) {
			writeFileSync(launcher, `#!/bin/sh\necho "$2 $3 $NANCY_HOOK_SESSION" >>'${told}'\n${answer}\n`);
			chmodSync(launcher, 0o755);
		}
		const plan = opencode.deployment({ version: [1, 18, 33], launcher, workspaceFolder: folder.path, scope });
		const [file] = scope === 'launch' ? plan.launchFiles : plan.files;
		const module = folder.file('nancy.mjs');
		writeFileSync(module, file?.content ?? '');
		const { Nancy } = (await import(pathToFileURL(module).href)) as {
			Nancy: (context: object) => Promise<Record<string, Hook>>;
		};
		const prompted: string[] = [];
		/** What the CLI answers to a prompt. */
		const taking = { answer: (): object => ({}) };
		const client = {
			session: {
				get: ({ path }: { path: { id: string } }) =>
					Promise.resolve({ data: path.id === 'ses_child' ? { parentID: 'ses_main' } : {} }),
				messages: () => Promise.resolve({ data: [{ info: { role: 'user', agent: 'plan' } }] }),
				promptAsync: ({ body }: { body: { agent: string; parts: { text: string }[] } }) => {
					prompted.push(`${body.agent}: ${body.parts[0]?.text}`);
					return Promise.resolve(taking).then(({ answer }) => answer());
				},
			},
		};
		const plugin = await Nancy({ client, directory: folder.path });
		const call = async (hook: string, input: object, output: object = {}) => {
			await plugin[hook]?.(input, output);
			return output;
		};
		return {
			plugin,
			prompted,
			taking,
			call,
			told: () => (existsSync(told) ? readFileSync(told, 'utf8').trim().split('\n') : []),
		};
	}

	const tool = { tool: 'bash', sessionID: 'ses_main', callID: 'call_1' };
	const result = () => ({ title: '', metadata: {}, output: 'made' });

	it('does nothing where Nancy is gone, inside of another agent’s tool, or beside a launch’s own', async () => {
		expect((await loaded('', { isInstalled: false })).plugin).toEqual({});
		await folder.remove();
		process.env['NANCY_OPENCODE_PID'] = '1';
		expect((await loaded('')).plugin).toEqual({});
		await folder.remove();
		delete process.env['NANCY_OPENCODE_PID'];
		process.env['NANCY_TASK_DIR'] = '/w/.nancy/tasks/x';
		expect((await loaded('', { scope: 'workspace' })).plugin).toEqual({});
	});

	it.each([
		['says nothing', ''],
		['prints garbage and fails', `echo '}{'; echo no >&2; exit 3`],
		['answers what is no answer', `echo '{"context": 7, "deny": null, "prompt": []}'`],
	])('lets everything pass when the guard %s', async (_how, answer) => {
		const { call, prompted } = await loaded(answer);
		const parts = [{ id: 'prt_1', type: 'text', text: 'Hello', messageID: 'msg_1', sessionID: 'ses_main' }];
		await call('chat.message', { sessionID: 'ses_main' }, { message: {}, parts });
		expect(parts).toHaveLength(1);
		await call('tool.execute.before', tool, { args: {} });
		expect(await call('tool.execute.after', tool, result())).toEqual(result());
		await call('event', { event: { type: 'session.idle', properties: { sessionID: 'ses_main' } } });
		await call('event', { event: { type: 'permission.asked', properties: {} } });
		expect(prompted).toEqual([]);
	});

	it('puts words beside a tool’s result and a prompt, and denies on a denial alone', async () => {
		const { call, told } = await loaded(`echo '{"context":"Words"}'`);
		expect(await call('tool.execute.after', tool, result())).toMatchObject({ output: 'made\n\nWords' });
		await call('tool.execute.before', tool, { args: {} });
		const parts = [{ id: 'prt_1', type: 'text', text: 'Hello', messageID: 'msg_1', sessionID: 'ses_main' }];
		await call('chat.message', { sessionID: 'ses_main' }, { message: {}, parts });
		expect(parts[1]).toMatchObject({ text: 'Words', synthetic: true, messageID: 'msg_1' });
		expect((parts[1]?.id ?? '') > 'prt_1').toBe(true);
		expect(told()).toEqual([
			'session-start program ses_main',
			'tool-end boundary ses_main',
			'tool-start boundary ses_main',
			'prompt turn ses_main',
		]);
		await folder.remove();
		const denying = await loaded(`echo '{"deny":"Stop that"}'`);
		await expect(denying.call('tool.execute.before', tool, { args: {} })).rejects.toThrow('Stop that');
	});

	it('hands nothing to a subagent', async () => {
		const { call, told } = await loaded(`echo '{"context":"Words","deny":"No"}'`);
		const inChild = { ...tool, sessionID: 'ses_child' };
		await call('chat.message', { sessionID: 'ses_child' }, { message: {}, parts: [{ id: 'prt_1', type: 'text' }] });
		await call('event', { event: { type: 'session.idle', properties: { sessionID: 'ses_child' } } });
		expect(told()).toEqual(['subagent-stop report ses_main']);
		await expect(call('tool.execute.after', inChild, result())).resolves.toEqual(result());
	});

	it('goes on with what waited for the end, as the agent that the user had chosen', async () => {
		const { call, prompted, told } = await loaded(`[ "$2" = stop ] && echo '{"prompt":"One thing more"}'`);
		const idle = { event: { type: 'session.idle', properties: { sessionID: 'ses_main' } } };
		await call('tool.execute.after', tool, result());
		await call('event', idle);
		expect(prompted).toEqual(['plan: One thing more']);
		const error = { sessionID: 'ses_main', error: { name: 'MessageAbortedError', data: {} } };
		await call('event', { event: { type: 'session.error', properties: error } });
		await call('event', idle);
		expect(prompted).toHaveLength(1);
		expect(told().at(-1)).toBe('interrupted end ses_main');
	});

	it.each([
		['says so', () => ({ error: { name: 'UnknownError' } })],
		[
			'throws',
			() => {
				throw new Error('gone');
			},
		],
	])('keeps what was to be said at the end when the CLI does not take it and %s', async (_how, answer) => {
		const { call, prompted, taking, told } = await loaded(`[ "$2" = stop ] && echo '{"prompt":"One thing more"}'`);
		const idle = { event: { type: 'session.idle', properties: { sessionID: 'ses_main' } } };
		await call('tool.execute.after', tool, result());
		taking.answer = answer;
		await call('event', idle);
		// Idle again, so that its bell wakes it.
		expect(told().at(-1)).toBe('stop-failed end ses_main');
		const parts = [{ id: 'prt_1', type: 'text', text: 'Hello', messageID: 'msg_1', sessionID: 'ses_main' }];
		await call('chat.message', { sessionID: 'ses_main' }, { message: { agent: 'plan' }, parts });
		expect(parts[1]).toMatchObject({ text: 'One thing more', synthetic: true });
		await call('event', idle);
		expect(await call('tool.execute.after', { ...tool, sessionID: 'ses_child' }, result())).toEqual(result());
		expect(await call('tool.execute.after', tool, result())).toMatchObject({ output: 'made\n\nOne thing more' });
		expect(await call('tool.execute.after', tool, result())).toEqual(result());
		taking.answer = () => ({});
		await call('event', idle);
		expect(prompted).toHaveLength(3);
	});

	it.each([
		[['run', 'Fix it'], true],
		[['-m', 'some/model', 'run', 'serve it'], true],
		[['--print-logs', 'run', '-i'], false],
		[['serve'], false],
	])('knows from %j whether it ends with its turn', async (words, isRun) => {
		const { call, prompted } = await loaded(`[ "$2" = stop ] && echo '{"prompt":"One thing more"}'`, {
			argv: ['/main.js', ...words],
		});
		await call('tool.execute.after', tool, result());
		await call('experimental.text.complete', { sessionID: 'ses_main' }, { text: 'Bye' });
		expect(prompted).toHaveLength(isRun ? 1 : 0);
		await call('event', { event: { type: 'session.idle', properties: { sessionID: 'ses_main' } } });
		expect(prompted).toHaveLength(1);
	});

	it('wakes a resumed session that nobody has typed in, by its bell', async () => {
		folder = tempFolder();
		const bell = folder.file('bell');
		const ofBell = folder;
		writeFileSync(bell, '');
		process.env['NANCY_OPENCODE_SESSION'] = 'ses_main';
		process.env['NANCY_OPENCODE_PROMPT'] = 'Go on';
		const { prompted, call } = await loaded(
			`[ "$2" = session-start ] && echo '{"bell":"${bell}"}'; [ "$3" = wake ] && { echo '${WAKE_WORDS}' >&2; exit 2; }`,
		);
		expect(process.env['NANCY_OPENCODE_PROMPT']).toBeUndefined();
		await eventually('its first prompt', () => prompted.length === 1);
		writeFileSync(bell, 'rung');
		await eventually('it is woken', () => prompted.includes(`plan: ${WAKE_WORDS}`));
		await call('dispose', {});
		await ofBell.remove();
	});
});
