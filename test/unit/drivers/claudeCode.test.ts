import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WAKE_PROMPT, type Delivery } from '../../../src/core/driver/hooks.ts';
import { NO_FACTS } from '../../../src/core/driver/transcript.ts';
import { messageMark, newMessageId } from '../../../src/core/mailbox/messageId.ts';
import { claudeCode } from '../../../src/drivers/claude-code/driver.ts';
import { commandLine } from '../../../src/drivers/claude-code/deployment.ts';
import { parsePayload } from '../../../src/drivers/claude-code/payloads.ts';
import { SessionId } from '../../../src/protocol/names.ts';
import type { AgentEvent } from '../../../src/protocol/traffic.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const samples = join(import.meta.dirname, '../../fixtures/claude-code');
const sample = (name: string): Record<string, unknown> =>
	JSON.parse(readFileSync(join(samples, `${name}.json`), 'utf8')) as Record<string, unknown>;
const names = readdirSync(samples)
	.filter(file => file.startsWith('hook-'))
	.map(file => file.replace('.json', ''));
const { hooks } = claudeCode;

function read(payload: Record<string, unknown>, env: Record<string, string> = {}): AgentEvent | 'silent' {
	return hooks.read({ event: String(payload['hook_event_name']), payload, env });
}

function event(name: string): AgentEvent {
	const found = read(sample(name));
	if (found === 'silent') throw new Error(`${name} is silent`);
	return found;
}

const delivery = (more: Partial<Delivery> = {}): Delivery => ({
	text: 'words',
	effect: 'none',
	version: [2, 1, 329],
	...more,
});

describe('reading Claude Code’s hook payloads', () => {
	it('reads every recorded payload', () => {
		expect(names.length).toBeGreaterThan(40);
		for (const name of names) {
			const payload = sample(name);
			expect(read(payload), name).toMatchObject({
				driver: 'claude-code',
				session: payload['session_id'],
				event: payload['hook_event_name'],
			});
			expect(parsePayload(String(payload['hook_event_name']), payload).known, name).toEqual(payload);
		}
	});

	it('tells kinds, tools, subagents and wakes apart', () => {
		expect(event('hook-PreToolUse-Bash')).toMatchObject({ kind: 'tool-start', tool: 'Bash', summary: 'echo hi' });
		expect(event('hook-PreToolUse-in-subagent').subagent).toBeTypeOf('string');
		expect(event('hook-PostToolBatch')).toMatchObject({ kind: 'batch-end', summary: 'Bash, Read, Bash' });
		expect(event('hook-UserPromptSubmit-typed')).toMatchObject({ kind: 'prompt', isWake: false });
		expect(event('hook-UserPromptSubmit-task-notification')).toMatchObject({ isWake: true });
		expect(event('hook-UserPromptSubmit-task-notification').wakeRung).toBeUndefined();
		expect(event('hook-SessionStart-clear')).toMatchObject({ kind: 'session-start', cause: 'clear' });
	});

	it('tells what a notification says of the agent', () => {
		const notified = (type: string) =>
			read({ ...sample('hook-Notification-idle_prompt'), notification_type: type });
		expect(event('hook-Notification-idle_prompt')).toMatchObject({ notification: 'idle_prompt', tells: 'idle' });
		expect(event('hook-Notification-permission_prompt').tells).toBe('asked');
		expect(event('hook-Notification-elicitation_response').tells).toBe('answered');
		for (const type of ['worker_permission_prompt', 'agent_needs_input', 'elicitation_url_dialog'])
			expect(notified(type)).toMatchObject({ notification: type, tells: 'asked' });
		expect(notified('elicitation_complete')).toMatchObject({ tells: 'answered' });
		expect(notified('auth_success')).not.toMatchObject({ tells: expect.anything() });
	});

	it('recognises its own doorbell and no other file', () => {
		const payload = sample('hook-FileChanged');
		const bell = `/w/.nancy/bells/${String(payload['session_id'])}`;
		expect(read({ ...payload, file_path: bell })).toMatchObject({ kind: 'doorbell' });
		expect(read({ ...payload, file_path: bell, event: 'unlink' })).toMatchObject({ kind: 'other' });
		expect(read({ ...payload, file_path: '/w/.nancy/bells/another' })).toMatchObject({ kind: 'other' });
	});

	it('keeps an event that it does not know', () => {
		const payload = { ...sample('hook-Stop'), hook_event_name: 'FromTheFuture', more: 1 };
		expect(read(payload)).toMatchObject({ kind: 'other', event: 'FromTheFuture' });
	});

	it('is silent for another CLI that runs the same settings file', () => {
		const payload = sample('hook-Stop');
		expect(read(payload, { COPILOT_PROJECT_DIR: '/w' })).toBe('silent');
		expect(read(payload, { CLAUDE_CODE_SESSION_ID: 'of-the-outer-one' })).toBe('silent');
		expect(read(payload, { CLAUDE_CODE_SESSION_ID: String(payload['session_id']) })).not.toBe('silent');
	});

	it('refuses what does not look like its event', () => {
		expect(() => read({ ...sample('hook-PreToolUse-Bash'), tool_name: 7 })).toThrow();
		expect(() => read({ ...sample('hook-Stop'), session_id: '../../etc/passwd' })).toThrow();
		for (const called of ['Stop', 'FromTheFuture']) {
			const mixedUp = () => hooks.read({ event: called, payload: sample('hook-PreToolUse-Bash'), env: {} });
			expect(mixedUp).toThrow(`the hook of ${called} was called for PreToolUse`);
		}
		expect(() => hooks.read({ event: 'Stop', payload: null, env: {} })).toThrow();
	});
});

describe('answering Claude Code', () => {
	const output = (name: string, more?: Partial<Delivery>) =>
		JSON.parse(hooks.answer(event(name), delivery(more)).stdout) as Record<string, unknown>;

	it('never decides about a permission but to deny it for a halt or a pause', () => {
		for (const name of names) {
			for (const effect of ['none', 'halt', 'pause'] as const) {
				const { stdout } = hooks.answer(event(name), delivery({ effect }));
				expect(stdout).not.toMatch(/"allow"|"ask"|"approve"|updatedInput|updatedPermissions/);
				if (effect === 'none') expect(stdout).not.toContain('permissionDecision');
			}
		}
	});

	it('hands over context, denies for a halt, and ends the turn for a pause', () => {
		expect(output('hook-PreToolUse-Bash')).toEqual({
			hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: 'words' },
		});
		const denial = {
			hookEventName: 'PreToolUse',
			permissionDecision: 'deny',
			permissionDecisionReason: 'words',
		};
		expect(output('hook-PreToolUse-Bash', { effect: 'halt' })).toEqual({ hookSpecificOutput: denial });
		expect(output('hook-PreToolUse-Bash', { effect: 'pause' })).toMatchObject({
			continue: false,
			hookSpecificOutput: denial,
		});
		expect(output('hook-PostToolBatch', { effect: 'pause' })).toMatchObject({
			continue: false,
			hookSpecificOutput: { hookEventName: 'PostToolBatch', additionalContext: 'words' },
		});
	});

	it('keeps a stop going without an error badge where the version knows how', () => {
		expect(output('hook-Stop')).toEqual({
			hookSpecificOutput: { hookEventName: 'Stop', additionalContext: 'words' },
		});
		expect(output('hook-Stop', { version: [2, 1, 162] })).toEqual({ decision: 'block', reason: 'words' });
	});

	it('has every session watch its doorbell', () => {
		const bell = '/w/.nancy/bells/s';
		for (const answer of [
			hooks.beginAnswer(event('hook-SessionStart-startup'), { bell, words: 'words' }),
			hooks.beginAnswer(event('hook-CwdChanged'), { bell, words: '' }),
		]) {
			expect(answer.watches).toBe(true);
			expect(JSON.parse(answer.stdout)).toMatchObject({ hookSpecificOutput: { watchPaths: [bell] } });
		}
		expect(hooks.beginAnswer(event('hook-Stop'), { bell, words: 'words' }).stdout).toBe('');
	});

	it('names the rung that rang in the prompt that follows', () => {
		for (const rung of ['wake', 'waiter'] as const) {
			if (hooks.wake === 'none' || hooks.wake.by !== 'answer') throw new Error('no wake');
			const { stderr, exitCode } = hooks.wake.answer(rung);
			expect(exitCode).toBe(2);
			const prompt = { ...sample('hook-UserPromptSubmit-wake'), prompt: `<task-notification>\n${stderr}` };
			expect(read(prompt)).toMatchObject({ isWake: true, wakeRung: rung });
		}
	});
});

describe('the stream of a run without a terminal', () => {
	const format = claudeCode.headless === 'none' ? undefined : claudeCode.headless;

	it('is read without a throw whatever a line says, and a limit without a date resets who knows when', () => {
		const reset = (resetsAt: unknown) =>
			JSON.stringify({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt } });
		expect(format?.reader().read(reset(1_795_260_151))).toEqual([{ is: 'quota', resetsAtMs: 1_795_260_151_000 }]);
		for (const line of [reset(1e15), reset(-1), reset('soon')])
			expect(format?.reader().read(line)).toEqual([{ is: 'quota', resetsAtMs: undefined }]);
		const allowed = JSON.stringify({
			type: 'rate_limit_event',
			rate_limit_info: { status: 'allowed', resetsAt: 1 },
		});
		for (const line of [allowed, '{', '', '[]', '"x"', '{"type":1}', '{"type":"assistant"}'])
			expect(format?.reader().read(line)).toEqual([]);
	});

	it('tells of each denied call once, also where only the result does (2.1.9)', () => {
		const denied = (tool_use_id: string) => ({
			tool_name: 'Bash',
			tool_use_id,
			tool_input: { command: 'touch x' },
		});
		const result = (permission_denials: unknown) =>
			JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'done', permission_denials });
		const reader = format?.reader();
		const message = { type: 'system', subtype: 'permission_denied', ...denied('one'), message: 'needs approval' };
		expect(reader?.read(JSON.stringify(message))).toEqual([
			{ is: 'denied', tool: 'Bash', reason: 'needs approval' },
		]);
		const end = reader?.read(result([denied('one'), denied('two')])) ?? [];
		expect(end.map(event => event.is)).toEqual(['denied', 'result']);
		expect(end[0]).toMatchObject({ tool: 'Bash', reason: expect.stringContaining('permissions') });
		for (const odd of [undefined, 'x', [{ tool_name: 1 }]])
			expect(format?.reader().read(result(odd))).toMatchObject([{ is: 'result' }]);
	});

	it('knows an API error of 2.1.9 by its words, and does not take it for the agent’s', () => {
		const failure = (words: string) => {
			const reader = format?.reader();
			const content = [{ type: 'text', text: words }];
			const said = { type: 'assistant', message: { model: '<synthetic>', content }, error: 'unknown' };
			expect(reader?.read(JSON.stringify(said))).toEqual([]);
			const end = { type: 'result', subtype: 'success', is_error: true, result: words, permission_denials: [] };
			return reader?.read(JSON.stringify(end));
		};
		const kind = (expected: string) => [{ result: { failure: { kind: expected } } }];
		const body = '{"type":"error","error":{"type":"api_error","message":"The double was asked to answer it"}}';
		expect(failure(`API Error: 429 ${body}`)).toMatchObject(kind('too-many'));
		expect(failure(`API Error: 529 ${body}`)).toMatchObject(kind('transient'));
		expect(failure(`API Error: 400 ${body}`)).toMatchObject(kind('final'));
		expect(failure('API Error: Connection error.')).toMatchObject(kind('transient'));
		expect(failure('Invalid API key · Please run /login')).toMatchObject(kind('final'));
	});

	it('tells too many requests for now from what goes wrong for good', () => {
		const result = (api_error_status: number) =>
			format?.reader().read(
				JSON.stringify({
					type: 'result',
					subtype: 'success',
					is_error: true,
					terminal_reason: 'api_error',
					api_error_status,
					result: 'API Error',
				}),
			);
		expect(result(429)).toMatchObject([{ result: { failure: { kind: 'too-many' } } }]);
		expect(result(529)).toMatchObject([{ result: { failure: { kind: 'transient' } } }]);
		expect(result(400)).toMatchObject([{ result: { failure: { kind: 'final' } } }]);
	});
});

describe('a prompt', () => {
	it('that Nancy typed is told from one of a person', () => {
		const typed = (prompt: string) => read({ ...sample('hook-UserPromptSubmit-typed'), prompt });
		expect(typed(`${WAKE_PROMPT}\n`)).toMatchObject({ isWake: false, wakeRung: 'keys' });
		expect(typed(`draft ${WAKE_PROMPT}`)).toMatchObject({ isWake: false });
		expect(typed(`draft ${WAKE_PROMPT}`)).not.toHaveProperty('wakeRung');
	});
});

describe('the settings entries', () => {
	const plan = (version: readonly [number, number, number]) =>
		claudeCode.deployment({ version, launcher: '/data/nancy-hook', workspaceFolder: '/w', scope: 'workspace' });

	it('names only events that the version knows', () => {
		expect(plan([2, 1, 118]).events).not.toContain('FileChanged');
		expect(plan([2, 1, 118]).warnings).toHaveLength(2);
		expect(plan([2, 1, 329]).events).toEqual(expect.arrayContaining(['FileChanged', 'PostToolBatch']));
		expect(plan([2, 1, 329]).warnings).toEqual([]);
		const known = names.map(name => sample(name)['hook_event_name']);
		expect(known).toEqual(expect.arrayContaining([...plan([2, 1, 329]).events]));
	});

	it('name no event whose whole line the CLI would show its user', () => {
		expect(plan([2, 1, 329]).events).not.toContain('PostCompact');
	});

	it('writes lines that do nothing once the program is gone, whatever is in a path', () => {
		const line = commandLine(
			{ event: 'PreToolUse', slot: 'boundary' },
			`/no/such/it's "$(touch x)" \`y\``,
			`/w s'/$HOME`,
		);
		expect(spawnSync('sh', ['-c', line], { encoding: 'utf8' })).toMatchObject({
			status: 0,
			stdout: '',
			stderr: '',
		});
	});

	it('lets no other exit code through than the deliberate 2 of a wake', async () => {
		await using folder = tempFolder(`it's "a" $HOME `);
		const launcher = folder.file('nancy-hook');
		const { writeFileSync } = await import('node:fs');
		const outcome = (slot: 'boundary' | 'wake', code: number) => {
			writeFileSync(launcher, `#!/bin/sh\nexit ${code}\n`, { mode: 0o755 });
			return spawnSync('sh', ['-c', commandLine({ event: 'X', slot }, launcher, folder.path)]).status;
		};
		expect([outcome('boundary', 2), outcome('boundary', 1), outcome('wake', 2), outcome('wake', 1)]).toEqual([
			0, 0, 2, 0,
		]);
	});
});

describe('launching Claude Code', () => {
	it('names the session, and passes a prompt that begins with a dash as a prompt', () => {
		const request = {
			prompt: '--help me',
			session: SessionId.parse('11111111-1111-4111-8111-111111111111'),
			resume: undefined,
			fork: undefined,
			model: 'opus',
			title: '',
			extra: ['--verbose'],
			version: [2, 1, 329] as const,
			workspaceFolder: '/w',
			cwd: '/w',
			hooks: undefined,
			env: {},
		};
		expect(claudeCode.launch(request)).toEqual({
			args: ['--session-id', request.session, '--model', 'opus', '--verbose', '--', '--help me'],
			env: {},
			sessionIsKnown: true,
		});
		expect(claudeCode.launch({ ...request, prompt: undefined, resume: request.session }).args).toEqual([
			'--resume',
			request.session,
			'--model',
			'opus',
			'--verbose',
		]);
		const forked = claudeCode.launch({ ...request, prompt: undefined, fork: SessionId.parse('earlier') });
		expect(forked).toMatchObject({ sessionIsKnown: true });
		expect(forked.args.slice(0, 5)).toEqual([
			'--session-id',
			request.session,
			'--resume',
			'earlier',
			'--fork-session',
		]);
	});
});

describe('what Claude Code says about its sessions', () => {
	it('reads `claude agents --json`, and nothing from what is no JSON', () => {
		if (claudeCode.probe === 'none') throw new Error('no probe');
		const found = claudeCode.probe.read(readFileSync(join(samples, 'agents-json-interactive.json'), 'utf8'));
		expect([...found.values()].map(status => status.phase)).toEqual(['idle', 'waiting', 'idle']);
		expect(claudeCode.probe.read('Usage: claude')).toEqual(new Map());
	});

	it('counts each reply once, and finds cost, delivered texts and a turn that was broken off', () => {
		if (claudeCode.transcript === 'none') throw new Error('no transcript');
		const format = claudeCode.transcript;
		const fold = format.fold.bind(format);
		const reply = sample('transcript-assistant-record');
		const context = sample('transcript-hook_additional_context-record');
		const words = `${messageMark(newMessageId())} directive from you]\nUse the helper.`;
		const lines = [
			reply,
			reply,
			sample('transcript-cost-state-record'),
			// What another tool's hook has said.
			context,
			{ ...context, attachment: { type: 'hook_additional_context', content: [words] } },
			{ ...reply, message: { id: 'next', usage: {} } },
		];
		const facts = lines.reduce((known, line) => fold(known, line), NO_FACTS);
		expect(facts).toMatchObject({
			model: 'claude-opus-5-5',
			inputTokens: 650,
			outputTokens: 20,
			costUsd: 0.00195,
			deliveredTexts: [words],
			interruptedAt: undefined,
		});
		const interruption = {
			type: 'user',
			timestamp: '2026-11-21T05:00:00.000Z',
			message: { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user for tool use]' }] },
		};
		expect(fold(facts, interruption).interruptedAt).toBe('2026-11-21T05:00:00.000Z');
		expect(fold(fold(facts, interruption), sample('transcript-user-record')).interruptedAt).toBeUndefined();
		expect(fold(facts, 'garbage')).toBe(facts);
	});

	it('says who answered when a call was asked about, with the result of that call', () => {
		if (claudeCode.transcript === 'none') expect.unreachable();
		const { transcript } = claudeCode;
		const result = (more: object) => ({
			type: 'user',
			message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '' }] },
			...more,
		});
		const byAfter = (more: object) => {
			const { decided } = transcript.fold(NO_FACTS, result(more));
			return decided && [decided.call, decided.by];
		};
		const decision = (source: string) => ({ permissionDecision: { decision: 'accept', source } });
		expect(byAfter(decision('hook'))).toEqual(['toolu_1', 'hook']);
		expect(byAfter(decision('user_temporary'))).toEqual(['toolu_1', 'other']);
		const rejected = { toolUseResult: 'User rejected tool use', toolDenialKind: 'user-rejected' };
		expect(byAfter({ ...rejected, toolDenialBeforeRun: true })).toEqual(['toolu_1', 'nobody']);
		expect(byAfter(rejected)).toEqual(['toolu_1', 'unknown']);
		expect(byAfter({})).toBeUndefined();
	});

	it('takes back what came with a prompt that was broken off before its answer, as the CLI does', () => {
		if (claudeCode.transcript === 'none') expect.unreachable();
		const { transcript } = claudeCode;
		const words = `${messageMark(newMessageId())} directive from you]\nUse the helper.`;
		const prompt = (text: string, parentUuid: string, second: number) => ({
			type: 'user',
			parentUuid,
			timestamp: `2026-11-21T05:00:0${second}.000Z`,
			message: { role: 'user', content: text },
		});
		const context = { type: 'attachment', attachment: { type: 'hook_additional_context', content: [words] } };
		const reply = { type: 'assistant', message: { id: 'reply', usage: {} } };
		const textsAfter = (...lines: object[]) =>
			lines.reduce(transcript.fold.bind(transcript), NO_FACTS).deliveredTexts;
		expect(textsAfter(prompt('one', 'a', 1), context)).toEqual([]);
		expect(textsAfter(prompt('one', 'a', 1), context, reply)).toEqual([words]);
		expect(textsAfter(prompt('one', 'a', 1), context, prompt('in its place', 'a', 2), reply)).toEqual([]);
		expect(textsAfter(prompt('one', 'a', 1), context, prompt('after it', 'b', 2), reply)).toEqual([words]);
	});
});
