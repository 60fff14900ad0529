import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LaunchRequest } from '../../../src/core/driver/driver.ts';
import { WAKE_PROMPT, type Delivery } from '../../../src/core/driver/hooks.ts';
import { NO_FACTS } from '../../../src/core/driver/transcript.ts';
import { headlessOf } from '../../../src/core/driver/headlessOf.ts';
import { codex } from '../../../src/drivers/codex/driver.ts';
import { failureOf, resetOf } from '../../../src/drivers/codex/failures.ts';
import { trustHash } from '../../../src/drivers/codex/flags.ts';
import { hookEntries } from '../../../src/drivers/codex/hooks.ts';
import { SessionId } from '../../../src/protocol/names.ts';
import type { AgentEvent } from '../../../src/protocol/traffic.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const samples = join(import.meta.dirname, '../../fixtures/codex');
const text = (name: string) => readFileSync(join(samples, name), 'utf8');
const sample = (name: string) => JSON.parse(text(`hook-${name}.json`)) as Record<string, unknown>;
const lines = (name: string) => text(name).trim().split('\n');
const { hooks } = codex;

function read(payload: Record<string, unknown>, env: Record<string, string> = {}): AgentEvent | 'silent' {
	return hooks.read({ event: String(payload['hook_event_name']), payload, env });
}

function event(name: string, more: Record<string, unknown> = {}): AgentEvent {
	const found = read({ ...sample(name), ...more });
	if (found === 'silent') throw new Error(`${name} is silent`);
	return found;
}

const delivery = (more: Partial<Delivery> = {}): Delivery => ({
	text: 'words',
	effect: 'none',
	version: undefined,
	...more,
});
const answered = (name: string, more: Partial<Delivery> = {}): unknown =>
	JSON.parse(hooks.answer(event(name), delivery(more)).stdout);

const session = SessionId.parse('01a1fca0-734f-77e0-9e96-5421212d88ce');
const launcher = `/home/it's me/nancy/runtime/1/nancy-hook`;
const request: LaunchRequest = {
	version: [0, 169, 0],
	workspaceFolder: '/w',
	cwd: '/w',
	hooks: { launcher, folder: '/w/.nancy/launch/codex' },
	env: {},
	prompt: '-fix it',
	session,
	resume: undefined,
	fork: undefined,
	model: 'some-model',
	title: 'Fix',
	extra: ['--search'],
};

describe('reading Codex’s hook payloads', () => {
	it('reads every recorded payload', () => {
		const names = readdirSync(samples).filter(name => name.startsWith('hook-'));
		expect(names.length).toBeGreaterThan(12);
		for (const name of names) {
			const payload = JSON.parse(text(name)) as Record<string, unknown>;
			const found = read(payload);
			expect(found, name).toMatchObject({
				driver: 'codex',
				session: payload['session_id'],
				event: payload['hook_event_name'],
			});
			expect(found, name).not.toMatchObject({ kind: 'other' });
		}
	});

	it('tells kinds, tools, causes and interruptions apart', () => {
		const command = { tool_name: 'Bash', tool_input: { command: 'echo  hi' } };
		expect(event('PreToolUse', command)).toMatchObject({ kind: 'tool-start', tool: 'Bash', summary: 'echo hi' });
		expect(event('PermissionRequest')).toMatchObject({ kind: 'permission-asked', summary: 'touch madex' });
		expect(event('SessionStart')).toMatchObject({ kind: 'session-start', cause: 'startup' });
		expect(event('Interrupt')).toMatchObject({ kind: 'interrupted' });
		expect(event('Stop', { stop_hook_active: true })).toMatchObject({ kind: 'stop', continuing: true });
	});

	it('knows a subagent’s events, also those that name only its record', () => {
		expect(event('PreToolUse.in-subagent').subagent).toBe('01a1fca0-741e-71d0-8613-7d8edde24a1c');
		expect(event('PreModelRequest').subagent).toBeUndefined();
		const record = sample('PreToolUse.in-subagent')['transcript_path'];
		expect(event('PreModelRequest', { session_id: session, transcript_path: record }).subagent).toBe(
			'01a1fca0-741e-71d0-8613-7d8edde24a1c',
		);
		expect(event('SubagentStop').subagent).toBeTypeOf('string');
	});

	it('tells who gave a prompt: a person, Nancy by the CLI’s queue, or Nancy by typing', () => {
		const queued = hooks.wake !== 'none' && hooks.wake.by === 'command' ? hooks.wake.command(session).args : [];
		expect(queued.slice(0, -1)).toEqual(['queue', '--thread', session, '--message']);
		expect(event('UserPromptSubmit', { prompt: queued.at(-1) })).toMatchObject({ isWake: true, wakeRung: 'queue' });
		expect(event('UserPromptSubmit', { prompt: WAKE_PROMPT })).toMatchObject({ isWake: false, wakeRung: 'keys' });
		expect(event('UserPromptSubmit').wakeRung).toBeUndefined();
	});

	it('is silent for whatever else runs these hooks', () => {
		const payload = sample('Stop');
		expect(read(payload, { CODEX_THREAD_ID: 'the-outer-one' })).toBe('silent');
		expect(read(payload, { CODEX_THREAD_ID: String(payload['session_id']) })).not.toBe('silent');
		expect(read({ ...payload, transcript_path: '/home/user/.other/x.jsonl' })).toBe('silent');
		expect(read({ ...payload, transcript_path: null })).not.toBe('silent');
	});

	it('keeps an event that it does not know, and refuses what does not look like its event', () => {
		expect(read({ ...sample('Stop'), hook_event_name: 'FromTheFuture' })).toMatchObject({ kind: 'other' });
		expect(() => event('PreToolUse', { tool_name: 7 })).toThrow();
		expect(() => event('Stop', { session_id: '../../etc/passwd' })).toThrow();
		for (const called of ['Stop', 'FromTheFuture']) {
			const mixedUp = () => hooks.read({ event: called, payload: sample('PreToolUse'), env: {} });
			expect(mixedUp).toThrow(`the hook of ${called} was called for PreToolUse`);
		}
	});
});

describe('answering Codex', () => {
	it('hands words over as context alone, which decides about no permission', () => {
		for (const name of ['PreToolUse', 'PostToolUse', 'UserPromptSubmit']) {
			expect(answered(name)).toEqual({
				hookSpecificOutput: { hookEventName: name, additionalContext: 'words' },
			});
		}
	});

	it('denies a tool call for a halt and a pause, and never says “continue”, which would void the denial', () => {
		for (const effect of ['halt', 'pause'] as const) {
			expect(answered('PreToolUse', { effect })).toEqual({
				hookSpecificOutput: {
					hookEventName: 'PreToolUse',
					permissionDecision: 'deny',
					permissionDecisionReason: expect.stringMatching(/^words/),
				},
			});
		}
		expect(JSON.stringify(answered('PostToolUse', { effect: 'pause' }))).toMatch(/end your turn now/);
	});

	it('keeps a stopping agent going', () => {
		expect(answered('Stop')).toEqual({ decision: 'block', reason: 'words' });
	});
});

describe('launching Codex', () => {
	it('stays off the shared daemon, and takes no prompt for an option', () => {
		const { args, sessionIsKnown } = codex.launch(request);
		expect(args.slice(0, 3)).toEqual(['--no-daemon', '--model', 'some-model']);
		expect(args.slice(-3)).toEqual(['--search', '--', '-fix it']);
		expect(sessionIsKnown).toBe(false);
		const twice = codex.launch({ ...request, extra: ['--no-daemon'] });
		expect(twice.args.filter(arg => arg === '--no-daemon')).toHaveLength(1);
	});

	it('goes on with an earlier session', () => {
		const { args, sessionIsKnown } = codex.launch({ ...request, hooks: undefined, resume: session, extra: [] });
		expect(args).toEqual(['resume', '--no-daemon', '--model', 'some-model', '--', session, '-fix it']);
		expect(sessionIsKnown).toBe(true);
	});

	it('brings its hooks along, each with the hash it is trusted by, and never bypasses trust', () => {
		const { args } = codex.launch(request);
		const flags = args.filter((_, index) => args[index - 1] === '-c');
		const state = flags.at(-1) ?? '';
		const entries = hookEntries('launch', launcher, '/w');
		expect(state.match(/"trusted_hash"="sha256:[0-9a-f]{64}"/g)).toHaveLength(entries.length);
		for (const entry of entries) expect(state).toContain(trustHash(entry));
		expect(state).toContain('"/<session-flags>/config.toml:stop:1:0"');
		expect(flags.find(flag => flag.startsWith('hooks.Stop='))).toMatch(
			/^hooks\.Stop=\[\{"hooks"=\[\{"type"="command"/,
		);
		expect(args.join(' ')).not.toMatch(/bypass/);
	});

	it('knows a hook by the hash that Codex 0.169.0 gave it', () => {
		const entry = { event: 'PreModelRequest', command: 'x', timeout: 10, isAsync: true };
		expect(trustHash(entry)).toBe('sha256:93ea2919c239442ae7cc932361a038fbbe3592bd1e7e90c406c11ee4f605b23b');
	});

	it('writes nothing for its own launches, and says what to trust for the user’s', () => {
		const deployment = { version: request.version, launcher, workspaceFolder: '/w' };
		const none = { edits: [], files: [], launchFiles: [], events: [], warnings: [] };
		expect(codex.deployment({ ...deployment, scope: 'launch' })).toEqual(none);
		const { edits, warnings } = codex.deployment({ ...deployment, scope: 'workspace' });
		expect(edits.map(edit => edit.file)).toEqual(['.codex/hooks.json']);
		expect(warnings.join(' ')).toMatch(/trust/);
	});
});

describe('a hook’s line', () => {
	const line = (place: 'launch' | 'workspace', slot: string, env: Record<string, string>, shell = '/bin/sh') => {
		const folder = tempFolder('nancy-line-');
		const program = folder.file(`it's a guard`);
		writeFileSync(
			program,
			`#!/bin/sh\necho "$* key=$NANCY_HOOK_KEY pid=$NANCY_HOOK_PID parent=$PPID"\n[ -z "$FAIL" ]\n`,
		);
		chmodSync(program, 0o755);
		const command = hookEntries(place, program, '/w').find(entry => entry.command.includes(` ${slot} '`))?.command;
		const run = () =>
			spawnSync(shell, ['-c', command ?? ''], { encoding: 'utf8', env: { PATH: '/usr/bin:/bin', ...env } });
		return { run, program, remove: () => folder.remove() };
	};

	it.each(['/bin/sh', '/bin/bash'])('calls the guard with who asks, under %s', async shell => {
		const { run, remove } = line('launch', 'turn', {}, shell);
		const { stdout, status } = run();
		expect(stdout).toMatch(new RegExp(`^codex UserPromptSubmit turn /w key=session_id pid=${process.pid} `));
		expect(status).toBe(0);
		await remove();
	});

	it('says nothing and ends well when the guard fails, or is gone', async () => {
		const { run, program, remove } = line('launch', 'turn', { FAIL: '1' });
		expect(run()).toMatchObject({ stdout: '', stderr: '', status: 0 });
		await remove();
		expect(existsSync(program)).toBe(false);
		expect(run()).toMatchObject({ stdout: '', stderr: '', status: 0 });
	});

	it('does nothing in the workspace’s file for an agent that Nancy started, or its tools', async () => {
		const { run, remove } = line('workspace', 'turn', { NANCY_TASK_DIR: '/w/.nancy/tasks/a' });
		expect(run().stdout).toBe('');
		await remove();
		const other = line('workspace', 'turn', {});
		expect(other.run().stdout).toMatch(/key=session_id pid= /);
		await other.remove();
	});

	it('waits in the CLI’s own child, and not beside a run that nobody attends', async () => {
		const { run, remove } = line('launch', 'wait', {});
		expect(run().stdout).toContain(`parent=${process.pid}`);
		await remove();
		const unattended = line('launch', 'wait', { NANCY_ATTENDED: '0' });
		expect(unattended.run().stdout).toBe('');
		await unattended.remove();
	});
});

describe('reading Codex’s record of a session', () => {
	const facts = (extra: readonly string[] = []) =>
		[...lines('rollout.jsonl'), ...extra].map(each => JSON.parse(each) as unknown).reduce(fold, NO_FACTS);
	const fold = codex.transcript === 'none' ? () => NO_FACTS : codex.transcript.fold.bind(codex.transcript);

	it('tells model, tokens, and what was delivered', () => {
		expect(facts()).toMatchObject({
			model: 'some-model',
			contextTokens: 120,
			contextWindow: 258_400,
			inputTokens: 200,
			outputTokens: 40,
			interruptedAt: undefined,
		});
		expect(facts().deliveredTexts).toHaveLength(1);
		expect(facts().deliveredTexts[0]).toContain('Use the retry helper.');
	});

	it('tells how much of the account’s limits is used, until a line says otherwise', () => {
		const count = (rate_limits: unknown, info: unknown = null) =>
			JSON.stringify({ type: 'event_msg', payload: { type: 'token_count', info, rate_limits } });
		const primary = { used_percent: 62.4, window_minutes: 300, resets_at: 1_795_000_000 };
		const secondary = { used_percent: 7, window_minutes: null, resets_at: null };
		const resetsAt = new Date(1_795_000_000_000).toISOString();
		expect(facts().limits).toEqual([]);
		const told = count({ limit_id: 'codex', primary, secondary });
		const limits = [
			{ minutes: 300, usedPercent: 62.4, resetsAt },
			{ minutes: undefined, usedPercent: 7, resetsAt: undefined },
		];
		expect(facts([told])).toMatchObject({ limits, inputTokens: 200 });
		expect(facts([told, count(null), count({ primary: { used_percent: 'x' }, secondary: null })]).limits).toEqual(
			limits,
		);
		expect(facts([told, count({ primary: { ...primary, used_percent: 1 }, secondary: null })]).limits).toHaveLength(
			1,
		);
	});

	it('tells that a turn was broken off or failed, until the next begins', () => {
		const at = '2026-11-21T13:20:00.000Z';
		const said = (payload: object) => JSON.stringify({ timestamp: at, type: 'event_msg', payload });
		const aborted = said({ type: 'turn_aborted', reason: 'interrupted' });
		const failed = said({ type: 'task_complete', error: { message: 'no' } });
		expect(facts([aborted]).interruptedAt).toBe(at);
		expect(facts([failed]).interruptedAt).toBe(at);
		expect(facts([aborted, said({ type: 'task_started' })]).interruptedAt).toBeUndefined();
	});

	it('leaves what it does not know', () => {
		for (const line of [
			null,
			7,
			{},
			{ type: 'x' },
			{ type: 'event_msg', payload: { type: 'token_count', info: null } },
		])
			expect(fold(NO_FACTS, line)).toBe(NO_FACTS);
	});
});

describe('a run of Codex without a terminal', () => {
	const format = headlessOf(codex);
	const events = (name: string) => {
		const reader = format.reader();
		return [...lines(name).flatMap(line => reader.read(line)), ...reader.end(0)];
	};

	it('takes its prompt from standard input, in the sandbox it is given', () => {
		const { args, stdin } = format.launch({ ...request, permissions: 'read-only', prompt: 'a'.repeat(1_000_000) });
		expect(args.slice(0, 3)).toEqual(['exec', '--json', '--skip-git-repo-check']);
		expect(args).toContain('sandbox_mode="read-only"');
		expect(args.at(-1)).toBe('-');
		expect(stdin).toHaveLength(1_000_000);
		const resumed = format.launch({ ...request, permissions: 'read-only', resume: session, prompt: 'on' });
		expect(resumed.args.slice(-3)).toEqual(['resume', session, '-']);
	});

	it('tells what the agent does, and its last words as the result', () => {
		expect(events('exec-ok.jsonl')).toEqual([
			{ is: 'session', session: '01a1fe42-9d1d-7df2-ba3d-c3332ed18d89' },
			{ is: 'text', text: 'First I look.' },
			{ is: 'tool', tool: 'Bash', summary: 'echo a > made' },
			{ is: 'tool', tool: 'apply_patch', file: '/workspace/new2.txt', summary: '/workspace/new2.txt' },
			{ is: 'tool', tool: 'Bash', summary: 'touch denied.txt' },
			{ is: 'tool-failed', reason: `touch: cannot touch 'denied.txt': Read-only file system` },
			{ is: 'text', text: 'All is done.' },
			{
				is: 'result',
				result: { text: 'All is done.', inputTokens: 200, outputTokens: 40, costUsd: undefined },
			},
		]);
	});

	it('tells no tokens where the CLI tells none', () => {
		expect(headlessOf(codex).reader().read('{"type":"turn.completed"}')).toMatchObject([
			{ is: 'result', result: { inputTokens: undefined, outputTokens: undefined, costUsd: undefined } },
		]);
	});

	it('tells what it tries again, and how it failed', () => {
		const found = events('exec-failed-500.jsonl');
		expect(found).toContainEqual(expect.objectContaining({ is: 'retrying' }));
		expect(found.at(-1)).toMatchObject({ is: 'result', result: { failure: { kind: 'transient' } } });
	});

	it.each([
		['exceeded retry limit, last status: 429 Too Many Requests', 'too-many'],
		["You've hit your usage limit. Try again later.", 'too-many'],
		['Your workspace is out of credits. Add credits to continue.', 'too-many'],
		['exceeded retry limit, last status: 529 <unknown status code>', 'transient'],
		['stream disconnected before completion: error sending request', 'transient'],
		['unexpected status 401 Unauthorized: Missing bearer', 'final'],
		['{"error":{"message":"The double was asked to answer 400"}}', 'final'],
	])('calls “%s” %s', (reason, kind) => {
		expect(failureOf(reason)).toEqual({ reason, kind });
	});

	it('reads when a limit resets, in local time', () => {
		const now = new Date(2026, 10, 21, 13, 0).getTime();
		expect(resetOf('You’ve hit your usage limit. Try again at 3:05 PM.', now)).toBe(
			new Date(2026, 10, 21, 15, 5).getTime(),
		);
		expect(resetOf('… or try again at Nov 23rd, 2026 9:00 AM.', now)).toBe(new Date(2026, 10, 23, 9).getTime());
		expect(resetOf('… or try again later.', now)).toBeUndefined();
	});

	it('is not upset by what is no line of its own', () => {
		const reader = format.reader();
		for (const line of ['', 'hello', '{', '[]', 'null', '{"type":"item.completed"}', '{"type":"turn.failed"}'])
			expect(reader.read(line)).toEqual([]);
	});
});
