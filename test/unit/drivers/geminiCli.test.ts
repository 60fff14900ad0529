import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { LaunchRequest } from '../../../src/core/driver/driver.ts';
import { WAKE_PROMPT, type Delivery } from '../../../src/core/driver/hooks.ts';
import { NO_FACTS } from '../../../src/core/driver/transcript.ts';
import { headlessOf } from '../../../src/core/driver/headlessOf.ts';
import { geminiCli } from '../../../src/drivers/gemini-cli/driver.ts';
import { SessionId } from '../../../src/protocol/names.ts';
import type { AgentEvent } from '../../../src/protocol/traffic.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const samples = join(import.meta.dirname, '../../fixtures/gemini-cli');
const text = (name: string) => readFileSync(join(samples, name), 'utf8');
const sample = (name: string) => JSON.parse(text(`hook-${name}.json`)) as Record<string, unknown>;
const lines = (name: string) => text(name).trim().split('\n');
const { hooks } = geminiCli;

function read(payload: Record<string, unknown>, env: Record<string, string> = {}): AgentEvent | 'silent' {
	return hooks.read({ event: String(payload['hook_event_name']), payload, env });
}

function event(name: string, more: Record<string, unknown> = {}, env: Record<string, string> = {}): AgentEvent {
	const found = read({ ...sample(name), ...more }, env);
	if (found === 'silent') throw new Error(`${name} is silent`);
	return found;
}

const answered = (name: string, more: Partial<Delivery> = {}): unknown =>
	JSON.parse(hooks.answer(event(name), { text: 'words', effect: 'none', version: undefined, ...more }).stdout);

const session = SessionId.parse('b427e65c-ab15-419b-9955-9545e6cf03a2');
const request: LaunchRequest = {
	version: [0, 61, 0],
	workspaceFolder: '/w',
	cwd: '/w',
	hooks: undefined,
	env: {},
	prompt: '-fix it',
	session,
	resume: undefined,
	fork: undefined,
	model: 'some-model',
	title: 'Fix',
	extra: ['--sandbox'],
};

describe('reading Gemini CLI’s hook payloads', () => {
	it('reads every recorded payload', () => {
		const names = readdirSync(samples).filter(name => name.startsWith('hook-'));
		expect(names.length).toBeGreaterThan(6);
		for (const name of names) {
			const payload = JSON.parse(text(name)) as Record<string, unknown>;
			const found = read(payload);
			expect(found, name).toMatchObject({
				driver: 'gemini-cli',
				session: payload['session_id'],
				event: payload['hook_event_name'],
			});
			expect(found, name).not.toMatchObject({ kind: 'other' });
		}
	});

	it('tells kinds, tools and questions apart', () => {
		expect(event('BeforeTool')).toMatchObject({
			kind: 'tool-start',
			tool: 'run_shell_command',
			summary: 'echo hello',
		});
		expect(event('AfterTool').kind).toBe('tool-end');
		const failed = { tool_response: { llmContent: 'no', error: { type: 'x', message: 'no such file' } } };
		expect(event('AfterTool', failed)).toMatchObject({ kind: 'tool-failed', summary: 'no such file' });
		expect(event('Notification')).toMatchObject({ kind: 'permission-asked', summary: 'touch one.txt' });
		expect(event('SessionStart')).toMatchObject({ kind: 'session-start', cause: 'startup' });
		expect(event('AfterAgent', { stop_hook_active: true })).toMatchObject({ kind: 'stop', continuing: true });
	});

	it('knows that a user has the conversation compacted, which may drop what a hook has said', () => {
		const compacting = { hook_event_name: 'PreCompress', trigger: 'manual' };
		expect(event('SessionStart', compacting)).toMatchObject({ kind: 'other', cause: 'manual', forgets: true });
	});

	it('knows ends at which the CLI forgets what a hook says, and hands nothing over there', () => {
		const nothing = event('AfterAgent', { prompt_response: '[no response text]' });
		expect(nothing.kind).toBe('stop-failed');
		expect(event('AfterTool.interrupted').kind).toBe('interrupted');
		for (const kind of ['stop-failed', 'interrupted'] as const) expect(hooks.slots[kind]).toBeUndefined();
	});

	it('is not misled by a command that prints what the CLI says of one that was broken off', () => {
		const said = '<untrusted_context>\nOutput: Command was cancelled by user before it could complete.';
		expect(event('AfterTool', { tool_response: { llmContent: said } }).kind).toBe('tool-end');
	});

	it('tells who gave a prompt: a person, Nancy by typing, or feedback that keeps the agent going', () => {
		expect(event('BeforeAgent', { prompt: WAKE_PROMPT })).toMatchObject({ isWake: false, wakeRung: 'keys' });
		expect(event('BeforeAgent', { prompt: '[Nancy message 1 feedback from …' })).toMatchObject({ isWake: true });
		expect(event('BeforeAgent').wakeRung).toBeUndefined();
	});

	it('is silent for whatever else runs these hooks', () => {
		expect(read(sample('AfterAgent'), { GEMINI_SESSION_ID: 'the-outer-one' })).toBe('silent');
		expect(read(sample('AfterAgent'), { GEMINI_SESSION_ID: session })).not.toBe('silent');
	});

	it('keeps an event that it does not know, and refuses what does not look like its event', () => {
		expect(read({ ...sample('AfterAgent'), hook_event_name: 'FromTheFuture' })).toMatchObject({ kind: 'other' });
		expect(() => event('BeforeTool', { tool_name: 7 })).toThrow();
		expect(() => event('AfterAgent', { session_id: '../../etc/passwd' })).toThrow();
		for (const called of ['AfterAgent', 'FromTheFuture']) {
			const mixedUp = () => hooks.read({ event: called, payload: sample('BeforeTool'), env: {} });
			expect(mixedUp).toThrow(`the hook of ${called} was called for BeforeTool`);
		}
	});
});

describe('what only the session’s record tells while a hook runs', () => {
	const inHook = { GEMINI_SESSION_ID: session };
	/** A record of the agent, and one of its subagent that is this many seconds newer. */
	function records(newerBy: number) {
		const folder = tempFolder('nancy-gemini-');
		const record = folder.file('session.jsonl');
		writeFileSync(record, text('session.jsonl'));
		mkdirSync(folder.file(session));
		const other = join(folder.file(session), 'sub.jsonl');
		writeFileSync(other, '{}\n');
		utimesSync(record, 1000, 1000);
		utimesSync(other, 1000 + newerBy, 1000 + newerBy);
		return { record, [Symbol.asyncDispose]: () => folder.remove() };
	}

	it('takes a tool for a subagent’s while its record is the newer one, but not the tool that sent it', async () => {
		await using at = records(1);
		const more = { transcript_path: at.record };
		expect(event('AfterTool', more, inHook).subagent).toBeDefined();
		expect(event('AfterTool', { ...more, tool_name: 'invoke_agent' }, inHook).subagent).toBeUndefined();
		expect(event('BeforeAgent', more, inHook).subagent).toBeUndefined();
		await using after = records(-1);
		expect(event('AfterTool', { transcript_path: after.record }, inHook).subagent).toBeUndefined();
	});

	it('hands nothing over at the end of a turn that the user broke off', async () => {
		await using at = records(-1);
		const more = { transcript_path: at.record };
		expect(event('AfterAgent', more, inHook).kind).toBe('stop');
		const cancelled = {
			id: 'x',
			timestamp: '2026-11-21T15:00:00.000Z',
			type: 'info',
			content: 'Request cancelled.',
		};
		writeFileSync(at.record, `${text('session.jsonl')}${JSON.stringify(cancelled)}\n`);
		expect(event('AfterAgent', more, inHook).kind).toBe('stop-failed');
	});
});

describe('answering Gemini CLI', () => {
	it('hands words over as context alone, which decides about no permission', () => {
		for (const name of ['AfterTool', 'BeforeAgent']) {
			expect(answered(name)).toEqual({ hookSpecificOutput: { hookEventName: name, additionalContext: 'words' } });
		}
	});

	it('denies a tool call for a halt and a pause alone, and asks for the end of the turn at a pause', () => {
		expect(hooks.slots['tool-start']).toBe('denial');
		expect(answered('BeforeTool', { effect: 'halt' })).toEqual({ decision: 'deny', reason: 'words' });
		expect(answered('BeforeTool', { effect: 'pause' })).toEqual({
			decision: 'deny',
			reason: expect.stringMatching(/^words[^]*end your turn now/),
		});
	});

	it('keeps a stopping agent going', () => {
		expect(answered('AfterAgent')).toEqual({ decision: 'deny', reason: 'words' });
	});
});

describe('launching Gemini CLI', () => {
	it('names no session, which the CLI would refuse when it starts itself again after a question of trust', () => {
		const { args, sessionIsKnown } = geminiCli.launch(request);
		expect(args).toEqual(['--model=some-model', '--sandbox', '--prompt-interactive=-fix it']);
		expect(sessionIsKnown).toBe(false);
	});

	it('goes on with an earlier session', () => {
		const { args, env, sessionIsKnown } = geminiCli.launch({
			...request,
			resume: session,
			model: undefined,
			extra: [],
		});
		expect(args).toEqual([`--resume=${session}`, '--prompt-interactive=-fix it']);
		expect(sessionIsKnown).toBe(true);
		expect(env).toEqual({ NANCY_GEMINI_RESUMING: '1' });
		expect(geminiCli.launch({ ...request, resume: session, prompt: undefined }).env).toEqual({});
	});

	it('never passes over a question of trust, and says what the user is to do', () => {
		const launches = [
			geminiCli.launch(request),
			headlessOf(geminiCli).launch({ ...request, prompt: 'x', permissions: 'yolo' }),
		];
		for (const { args, env } of launches) {
			expect(args.join(' ')).not.toMatch(/trust/i);
			expect(JSON.stringify(env)).not.toMatch(/trust/i);
		}
		const deployment = { version: request.version, launcher: '/n/nancy-hook', workspaceFolder: '/w' };
		for (const scope of ['launch', 'workspace'] as const) {
			const { edits, warnings } = geminiCli.deployment({ ...deployment, scope });
			expect(edits.map(edit => edit.file)).toEqual(['.gemini/settings.json']);
			expect(warnings.join(' ')).toMatch(/trust/);
		}
	});
});

it('hears of a compaction only where its user asks for one: the CLI tells of each request, in case it compacts', () => {
	const { edits } = geminiCli.deployment({
		version: request.version,
		launcher: '/n/nancy-hook',
		workspaceFolder: '/w',
		scope: 'launch',
	});
	const matchers = edits[0]?.entries.map(({ path, value }) => [path.at(-1), Object(value)['matcher']]);
	expect(matchers).toContainEqual(['PreCompress', 'manual']);
	expect(matchers?.filter(([, matcher]) => matcher !== undefined)).toHaveLength(1);
});

describe('a hook’s line', () => {
	const own = { GEMINI_SESSION_ID: session, GEMINI_PROJECT_DIR: `/it's a project` };
	function line(env: Record<string, string>, name = 'AfterTool') {
		const folder = tempFolder('nancy-line-');
		const program = folder.file(`it's a guard`);
		const said = 'echo "$* session=$NANCY_HOOK_SESSION project=$NANCY_HOOK_PROJECT pid=$NANCY_HOOK_PID"';
		writeFileSync(program, `#!/bin/sh\n${said}\necho oh no >&2\n[ -z "$FAIL" ] || exit 2\n`);
		chmodSync(program, 0o755);
		const { edits } = geminiCli.deployment({
			version: request.version,
			launcher: program,
			workspaceFolder: '/w',
			scope: 'launch',
		});
		const found = JSON.stringify(edits[0]?.entries.find(({ path }) => path.at(-1) === name)?.value);
		const { hooks: groups } = JSON.parse(found) as { hooks: { command: string }[] };
		// The CLI puts its values into the line itself, each in quotes of its own.
		const command = (groups[0]?.command ?? '').replace(/\$GEMINI_SESSION_ID/g, `'${session}'`);
		// A shell stands for the CLI, which has just begun.
		const run = () =>
			spawnSync('/bin/sh', ['-c', 'bash --norc -c "$1"; exit $?', 'cli', command], {
				encoding: 'utf8',
				env: { PATH: '/usr/bin:/bin', ...env },
			});
		return { run, remove: () => folder.remove() };
	}

	it('calls the guard with who asks', async () => {
		const { run, remove } = line(own);
		const { stdout, stderr, status, pid } = run();
		const asks = `session=${session} project=/it's a project pid=${pid}`;
		expect({ stdout, stderr, status }).toEqual({
			stdout: `gemini-cli AfterTool boundary /w ${asks}\n`,
			stderr: '',
			status: 0,
		});
		await remove();
	});

	it.each([
		['00:07', true, '2'],
		['      00:29', true, '2'],
		['      00:30', true, undefined],
		['      01:05', true, undefined],
		['   01:00:15', true, undefined],
		[' 3-00:00:15', true, undefined],
		['00:07', false, undefined],
	])(
		'holds the prompt back until the CLI has read the earlier conversation: run for “%s”, resumed %s, seconds %s',
		async (elapsed, isResumed, seconds) => {
			await using folder = tempFolder('nancy-ps-');
			const slept = folder.file('slept');
			writeFileSync(folder.file('ps'), `#!/bin/sh\necho '${elapsed}'\n`, { mode: 0o755 });
			writeFileSync(folder.file('sleep'), `#!/bin/sh\nprintf %s "$1" > '${slept}'\n`, { mode: 0o755 });
			const resumed = isResumed ? { NANCY_GEMINI_RESUMING: '1' } : {};
			const env = { ...own, ...resumed, PATH: `${folder.path}:/usr/bin:/bin` };
			const { run, remove } = line(env, 'BeforeAgent');
			expect(run().stdout).toMatch(/^gemini-cli BeforeAgent turn /);
			await remove();
			expect(existsSync(slept) ? readFileSync(slept, 'utf8') : undefined).toBe(seconds);
		},
	);

	it.each([
		['the guard fails', { ...own, FAIL: '1' }],
		['another program runs it', {}],
		['an agent runs it that a tool has started', { ...own, GEMINI_CLI: '1' }],
	])('says nothing and ends well when %s', async (_, env) => {
		const { run, remove } = line(env);
		expect(run()).toMatchObject({ stdout: '', stderr: '', status: 0 });
		await remove();
		expect(run()).toMatchObject({ stdout: '', stderr: '', status: 0 });
	});
});

describe('reading Gemini CLI’s record of a session', () => {
	const facts = (count = Infinity) =>
		lines('session.jsonl')
			.slice(0, count)
			.map(each => JSON.parse(each) as unknown)
			.reduce(fold, NO_FACTS);
	const fold =
		geminiCli.transcript === 'none' ? () => NO_FACTS : geminiCli.transcript.fold.bind(geminiCli.transcript);

	it('tells model, tokens, and what was delivered, and counts a line that stands there twice once', () => {
		expect(facts()).toMatchObject({
			model: 'gemini-3.8-flash',
			contextTokens: 125,
			inputTokens: 400,
			outputTokens: 75,
			interruptedAt: undefined,
		});
		expect(facts().deliveredTexts).toHaveLength(1);
		expect(facts().deliveredTexts[0]).toContain('Use the helper.');
	});

	it('tells that a turn was broken off until the next reply, whatever is recorded between', () => {
		expect(facts(8).interruptedAt).toBeUndefined();
		expect(facts(9).interruptedAt).toBe('2026-11-21T14:25:27.590Z');
		expect(facts(12).interruptedAt).toBe('2026-11-21T14:25:27.918Z');
	});
});

describe('running Gemini CLI without a terminal', () => {
	const run = (all: readonly string[], exitCode: number | null = 0) => {
		const reader = headlessOf(geminiCli).reader();
		return [...all.flatMap(each => reader.read(each)), ...reader.end(exitCode)];
	};

	it('passes a prompt of any length by standard input', () => {
		const prompt = 'x'.repeat(1_000_000);
		const { args, stdin } = headlessOf(geminiCli).launch({ ...request, prompt, permissions: 'yolo' });
		expect(stdin).toBe(prompt);
		expect(args).toEqual([
			`--session-id=${session}`,
			'--model=some-model',
			'--output-format=stream-json',
			'--approval-mode=yolo',
			'--sandbox',
		]);
	});

	it('tells no tokens where the CLI tells none', () => {
		expect(run(['{"type":"result","status":"success","stats":{"output_tokens":3}}'])).toMatchObject([
			{ is: 'result', result: { inputTokens: undefined, outputTokens: 3 } },
		]);
	});

	it('tells steps, the last answer and tokens', () => {
		expect(run(lines('stream-ok.jsonl'))).toEqual([
			{ is: 'session', session: 'c55129a2-6b38-4de9-807c-518b8e4cbc08', model: 'auto' },
			{ is: 'tool', tool: 'run_shell_command', file: undefined, summary: 'echo hello' },
			{ is: 'tool', tool: 'run_shell_command', file: undefined, summary: 'false' },
			{ is: 'text', text: 'all good' },
			{ is: 'text', text: 'Done. turn=7 seen=FEEDBACK-ONE last=FEEDBACK-ONE' },
			{
				is: 'result',
				result: {
					text: 'Done. turn=7 seen=FEEDBACK-ONE last=FEEDBACK-ONE',
					inputTokens: 500,
					outputTokens: 100,
					costUsd: undefined,
					failure: undefined,
				},
			},
		]);
	});

	it('tells failures apart: final, of the quota, transient', () => {
		const failed = (code: number) =>
			run(
				lines('stream-failed-400.jsonl').map(each =>
					each.replace(String.raw`\"code\":400`, String.raw`\"code\":${code}`),
				),
				code & 0xff,
			).at(-1);
		const kind = (is: string) => ({ is: 'result', result: { failure: { kind: is } } });
		expect(failed(400)).toMatchObject(kind('final'));
		expect(failed(429)).toMatchObject(kind('too-many'));
		expect(failed(503)).toMatchObject(kind('transient'));
	});

	it.each([
		['You have exhausted your capacity on this model. Your quota will reset after 8h30m15s.', 30_615_000],
		['You have exhausted your capacity on this model. Your quota will reset after 2d1.5s.', 172_801_500],
		['You have exhausted your daily quota on this model.', undefined],
		['Quota exceeded for requests per minute. Please retry in 21.3s.', null],
	])('tells the account’s limit from that of a minute: %s', (message, afterMs) => {
		vi.useFakeTimers({ now: 1_000_000 });
		try {
			const told = run([JSON.stringify({ type: 'result', status: 'error', error: { message } })]);
			expect(told.at(-1)).toMatchObject({ is: 'result', result: { failure: { kind: 'too-many' } } });
			const resetsAtMs = afterMs && 1_000_000 + afterMs;
			expect(told.slice(0, -1)).toEqual(afterMs === null ? [] : [{ is: 'quota', resetsAtMs }]);
		} finally {
			vi.useRealTimers();
		}
	});

	it('tells what its permissions deny, but not a halt, which is no permission’s', () => {
		const result = (message: string) =>
			run([
				JSON.stringify({
					type: 'tool_result',
					tool_id: 'x',
					status: 'error',
					error: { type: 'policy_violation', message },
				}),
			]);
		expect(result('Tool execution denied by policy.')).toMatchObject([{ is: 'denied' }]);
		expect(result('Tool execution blocked: [Nancy message 1 …')).toMatchObject([{ is: 'tool-failed' }]);
	});

	it('says why a folder that is not trusted runs nothing; a run that a signal ended is no success', () => {
		expect(run([], 55)).toMatchObject([
			{ is: 'result', result: { failure: { kind: 'final', reason: expect.stringContaining('Trust folder') } } },
		]);
		expect(run(lines('stream-ok.jsonl').slice(0, 3), 0).some(({ is }) => is === 'result')).toBe(false);
	});

	it('is not led astray by lines that are none of its own', () => {
		expect(
			run(['', 'YOLO mode is enabled.', '7', 'null', '{"type":7}', '{"type":"tool_result"}', '{"type":"new"}']),
		).toEqual([]);
	});
});
