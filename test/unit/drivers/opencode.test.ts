import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { shortcomings } from '../../../src/core/driver/abilities.ts';
import type { LaunchRequest } from '../../../src/core/driver/driver.ts';
import { WAKE_PROMPT, type Delivery } from '../../../src/core/driver/hooks.ts';
import { headlessOf } from '../../../src/core/driver/headlessOf.ts';
import { opencode } from '../../../src/drivers/opencode/driver.ts';
import { wakeAnswer } from '../../../src/drivers/bell.ts';
import { SessionId } from '../../../src/protocol/names.ts';
import type { AgentEvent } from '../../../src/protocol/traffic.ts';

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
	cwd: '/w',
	hooks: { launcher: '/home/me/nancy/runtime/1/nancy-hook', folder: '/home/me/data/1f2e/deployment/launch/opencode' },
	prompt: '-fix it',
	session,
	resume: undefined,
	fork: undefined,
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
		expect(event('permission-replied', { reply: 'reject' })).toMatchObject({ kind: 'permission-denied' });
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
	const plugin = 'file:///home/me/data/1f2e/deployment/launch/opencode/nancy.js';
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
		expect(held).toMatchObject({ lsp: false, formatter: false });
		const commented = '{ "share": "disabled", /* mine */ "plugin": ["mine",], }';
		const read = configuration(opencode.launch({ ...request, env: { OPENCODE_CONFIG_CONTENT: commented } }).env);
		expect(read).toEqual({ share: 'disabled', plugin: ['mine', plugin], agent: {} });
		for (const broken of ['{', '[]', '{"plugin":7}', '{"share"}'])
			expect(() => opencode.launch({ ...request, env: { OPENCODE_CONFIG_CONTENT: broken } }), broken).toThrow(
				'OPENCODE_CONFIG_CONTENT',
			);
	});

	it('without a terminal gets its prompt on standard input', () => {
		const { args, stdin, startsIn, env } = headlessOf(opencode).launch({
			...run,
			permissions: 'configured',
			extra: ['--agent=plan'],
		});
		expect(args).toEqual(['run', '--format=json', '--dir=/w', '--model=some/model', '--agent=plan']);
		expect(startsIn).toBe('/');
		// No snapshots, which git would take in a folder that the project names.
		expect(configuration(env)).toMatchObject({ snapshot: false });
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
		for (const mode of ['ask', 'ask-me', 'edit', 'no such']) {
			expect(Object.values(rulesOf(mode)), mode).not.toContain('allow');
			expect(rulesOf(mode), mode).toMatchObject({ bash: 'ask', task: 'deny', '*_*': 'ask' });
		}
		expect([rulesOf('ask')['edit'], rulesOf('edit')['edit']]).toEqual(['ask', undefined]);
		expect(launch('ask').args).not.toEqual(launch('ask').args);
		expect(launch('all').args).toContain('--auto');
		for (const mode of ['configured', 'all']) expect(launch(mode).args.join(' ')).not.toContain('--agent');
	});
});

describe('reading a run', () => {
	function readRun(name: string, exitCode: number | null = 0) {
		const reader = headlessOf(opencode).reader();
		const events = lines(name).flatMap(line => reader.read(line));
		return { events, ending: reader.end(exitCode) };
	}

	it('tells the session once, the steps, and the answer with what it used', () => {
		const { events, ending } = readRun('run-done.jsonl');
		expect(events.map(({ is }) => is)).toEqual(['session', 'tool', 'use', 'text', 'use']);
		const result = { text: 'All good', inputTokens: 200, outputTokens: 40, costUsd: undefined, failure: undefined };
		expect(ending).toEqual([{ is: 'result', result }]);
	});

	it('tells no tokens and no cost where the CLI tells none, and adds up what it tells', () => {
		const used = (...parts: object[]) => {
			const reader = headlessOf(opencode).reader();
			for (const part of parts) reader.read(JSON.stringify({ type: 'step_finish', part }));
			const [ended] = reader.end(0);
			return ended?.is === 'result' ? ended.result : undefined;
		};
		expect(used({ reason: 'stop' })).toMatchObject({ inputTokens: undefined, outputTokens: undefined });
		expect(used({ tokens: { output: 2 }, cost: 0.5 }, { tokens: { output: 3 }, cost: 0.25 })).toMatchObject({
			inputTokens: undefined,
			outputTokens: 5,
			costUsd: 0.75,
		});
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
