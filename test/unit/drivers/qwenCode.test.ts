import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LaunchRequest } from '../../../src/core/driver/driver.ts';
import { WAKE_PROMPT, type Delivery } from '../../../src/core/driver/hooks.ts';
import { NO_FACTS } from '../../../src/core/driver/transcript.ts';
import { headlessOf } from '../../../src/core/driver/headlessOf.ts';
import { qwenCode } from '../../../src/drivers/qwen-code/driver.ts';
import { SessionId } from '../../../src/protocol/names.ts';
import type { AgentEvent } from '../../../src/protocol/traffic.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const samples = join(import.meta.dirname, '../../fixtures/qwen-code');
const text = (name: string) => readFileSync(join(samples, name), 'utf8');
const sample = (name: string) => JSON.parse(text(`hook-${name}.json`)) as Record<string, unknown>;
const lines = (name: string) => text(name).trim().split('\n');
const { hooks } = qwenCode;

function read(payload: Record<string, unknown>, env: Record<string, string> = {}): AgentEvent | 'silent' {
	return hooks.read({ event: String(payload['hook_event_name']), payload, env });
}

function event(name: string, more: Record<string, unknown> = {}): AgentEvent {
	const found = read({ ...sample(name), ...more });
	if (found === 'silent') throw new Error(`${name} is silent`);
	return found;
}

const answered = (name: string, more: Partial<Delivery> = {}): unknown =>
	JSON.parse(hooks.answer(event(name), { text: 'words', effect: 'none', version: undefined, ...more }).stdout);

const session = SessionId.parse('f2caaec6-34cf-4a41-b2f5-085b63d26ec9');
const request: LaunchRequest = {
	version: [0, 24, 4],
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

describe('reading Qwen Code’s hook payloads', () => {
	it('reads every recorded payload', () => {
		const names = readdirSync(samples).filter(name => name.startsWith('hook-'));
		expect(names.length).toBeGreaterThan(12);
		for (const name of names) {
			const payload = JSON.parse(text(name)) as Record<string, unknown>;
			expect(read(payload), name).toMatchObject({
				driver: 'qwen-code',
				session: payload['session_id'],
				event: payload['hook_event_name'],
			});
		}
	});

	it('tells kinds, tools and subagents apart', () => {
		expect(event('Notification')).toMatchObject({ notification: 'permission_prompt', tells: 'asked' });
		expect(event('PreToolUse')).toMatchObject({ kind: 'tool-start', tool: 'read_file', summary: '/nonexistent/x' });
		expect(event('PreToolUse.in-subagent').subagent).toMatch(/^general-purpose-/);
		expect(event('PreToolUse').subagent).toBeUndefined();
		expect(event('PostToolUse')).toMatchObject({ kind: 'tool-end', tool: 'run_shell_command' });
		expect(event('PostToolUseFailure')).toMatchObject({
			kind: 'tool-failed',
			summary: 'File not found: /nonexistent/x',
		});
		expect(event('PostToolUseFailure.interrupted').kind).toBe('interrupted');
		expect(event('PostToolBatch')).toMatchObject({ kind: 'batch-end', summary: 'read_file' });
		expect(event('PermissionRequest')).toMatchObject({ kind: 'permission-asked', summary: 'touch asked.txt' });
		expect(event('SessionStart')).toMatchObject({ kind: 'session-start', cause: 'startup', model: 'double' });
		expect(event('Stop', { stop_hook_active: true })).toMatchObject({ kind: 'stop', continuing: true });
	});

	it('tells who gave a prompt: a person, Nancy by typing, or feedback that keeps the agent going', () => {
		const prompt = (words: string) => event('UserPromptSubmit', { prompt: words });
		expect(prompt(WAKE_PROMPT)).toMatchObject({ kind: 'prompt', isWake: false, wakeRung: 'keys' });
		expect(prompt('[Nancy message 1 feedback from …')).toMatchObject({ kind: 'prompt', isWake: true });
		expect(event('UserPromptSubmit')).toMatchObject({ kind: 'prompt', isWake: false });
		expect(event('UserPromptSubmit').wakeRung).toBeUndefined();
	});

	it('takes the results of tools for no prompt, though they fire its event', () => {
		const { kind } = event('UserPromptSubmit.of-results');
		expect(kind).toBe('other');
		expect(hooks.slots[kind]).toBeUndefined();
	});

	it('is silent for whatever else runs these hooks', () => {
		expect(read(sample('Stop'), { QWEN_CODE_SESSION_ID: 'the-outer-one' })).toBe('silent');
		expect(read(sample('Stop'), { QWEN_CODE_SESSION_ID: session })).not.toBe('silent');
	});

	it('keeps an event that it does not know, and refuses what does not look like its event', () => {
		expect(read({ ...sample('Stop'), hook_event_name: 'FromTheFuture' })).toMatchObject({ kind: 'other' });
		expect(() => event('PreToolUse', { tool_name: 7 })).toThrow();
		expect(() => event('Stop', { session_id: '../../etc/passwd' })).toThrow();
		const mixedUp = () => hooks.read({ event: 'Stop', payload: sample('PreToolUse'), env: {} });
		expect(mixedUp).toThrow('the hook of Stop was called for PreToolUse');
	});
});

describe('answering Qwen Code', () => {
	it('hands words over as context alone, which decides about no permission', () => {
		for (const name of ['PostToolBatch', 'UserPromptSubmit'])
			expect(answered(name)).toEqual({ hookSpecificOutput: { hookEventName: name, additionalContext: 'words' } });
	});

	it('denies a tool call for a halt and a pause alone, and asks for the end of the turn at a pause', () => {
		expect(hooks.slots['tool-start']).toBe('denial');
		const denial = (reason: unknown) => ({
			hookSpecificOutput: {
				hookEventName: 'PreToolUse',
				permissionDecision: 'deny',
				permissionDecisionReason: reason,
			},
		});
		expect(answered('PreToolUse', { effect: 'halt' })).toEqual(denial('words'));
		const pause = denial(expect.stringMatching(/^words[^]*end your turn now/));
		expect(answered('PreToolUse', { effect: 'pause' })).toEqual(pause);
	});

	it('keeps a stopping agent going', () => {
		expect(answered('Stop')).toEqual({ decision: 'block', reason: 'words' });
	});
});

describe('launching Qwen Code', () => {
	it('names the session, and takes a prompt that begins with a dash for no option', () => {
		const { args, sessionIsKnown } = qwenCode.launch(request);
		expect(args).toEqual([
			`--session-id=${session}`,
			'--model=some-model',
			'--sandbox',
			'--prompt-interactive=-fix it',
		]);
		expect(sessionIsKnown).toBe(true);
	});

	it('goes on with an earlier session', () => {
		const resumed = { ...request, resume: session, model: undefined, extra: [], prompt: undefined };
		expect(qwenCode.launch(resumed).args).toEqual([`--resume=${session}`]);
	});

	it('never passes over a question of trust', () => {
		const run = headlessOf(qwenCode).launch({ ...request, prompt: 'x', permissions: 'yolo' });
		expect(JSON.stringify([qwenCode.launch(request), run])).not.toMatch(/trust/i);
	});
});

describe('a hook’s line', () => {
	const own = { QWEN_CODE_SESSION_ID: session, QWEN_PROJECT_DIR: `/it's a project` };
	/** What the CLI makes of a line as it reads its settings (0.24.4). */
	const asRead = (command: string, env: Readonly<Record<string, string>>) =>
		command.replace(
			/\$(?:(\w+)|{([^}]+)})/g,
			(all, name?: string, braced?: string) => env[name ?? braced ?? ''] ?? all,
		);

	function line(env: Record<string, string>) {
		const folder = tempFolder('nancy-line-');
		const program = folder.file(`it's a guard`);
		const said = 'echo "$* session=$NANCY_HOOK_SESSION project=$NANCY_HOOK_PROJECT pid=$NANCY_HOOK_PID"';
		writeFileSync(program, `#!/bin/sh\n${said}\necho oh no >&2\n[ -z "$FAIL" ] || { echo half; exit 2; }\n`);
		chmodSync(program, 0o755);
		const place = { version: request.version, launcher: program, workspaceFolder: '/w', scope: 'launch' } as const;
		const [edit] = qwenCode.deployment(place).edits;
		const found = JSON.stringify(edit?.entries.find(({ path }) => path.at(-1) === 'Stop')?.value);
		const { hooks: groups } = JSON.parse(found) as { hooks: { command: string }[] };
		const command = asRead(groups[0]?.command ?? '', { QWEN_PROJECT_DIR: '/outer', QWEN_CODE_SESSION_ID: 'outer' });
		// A shell stands for the CLI.
		const run = () =>
			spawnSync('/bin/sh', ['-c', 'bash --norc -c "$1"; exit $?', 'cli', command], {
				encoding: 'utf8',
				env: { PATH: '/usr/bin:/bin', ...env },
			});
		return { run, remove: () => folder.remove() };
	}

	it('calls the guard with who asks, whatever the CLI was started in', async () => {
		const { run, remove } = line(own);
		const { stdout, stderr, status, pid } = run();
		const asks = `session=${session} project=/it's a project pid=${pid}`;
		const said = `qwen-code Stop end /w ${asks}\n`;
		expect({ stdout, stderr, status }).toEqual({ stdout: said, stderr: '', status: 0 });
		await remove();
	});

	it.each([
		['the guard fails', { ...own, FAIL: '1' }],
		['another program runs it', {}],
		['an agent runs it that a tool has started', { ...own, QWEN_CODE: '1' }],
	])('says nothing and ends well when %s', async (_, env) => {
		const { run, remove } = line(env);
		expect(run()).toMatchObject({ stdout: '', stderr: '', status: 0 });
		await remove();
		expect(run()).toMatchObject({ stdout: '', stderr: '', status: 0 });
	});
});

describe('reading Qwen Code’s record of a session', () => {
	const { transcript } = qwenCode;
	const fold = transcript === 'none' ? () => NO_FACTS : transcript.fold.bind(transcript);

	it('says of no feedback, and of no part of a long message, that its record would prove it', () => {
		const keeps = (event: string, parts?: number[]) =>
			transcript !== 'none' && transcript.keepsDelivery({ event, parts });
		expect([keeps('PostToolBatch'), keeps('Stop'), keeps('PostToolBatch', [1, 2])]).toEqual([true, false, false]);
	});

	it('takes what came with a prompt for lost once another prompt follows without an answer', () => {
		const prompt = (text: string) => ({ uuid: text, type: 'user', message: { parts: [{ text }] } });
		const reply = { uuid: 'r', type: 'assistant', usageMetadata: {} };
		const folded = (...all: object[]) => all.reduce(fold, NO_FACTS).deliveredTexts;
		const delivered = prompt('[Nancy message 1: …');
		expect(folded(delivered, prompt('next'), reply)).toEqual([]);
		expect(folded(delivered, reply, prompt('next'))).toHaveLength(1);
	});

	it('tells model, tokens, and what was delivered, with the angle brackets that the message had', () => {
		const facts = lines('session.jsonl')
			.map(each => JSON.parse(each) as unknown)
			.reduce(fold, NO_FACTS);
		expect(facts).toMatchObject({ model: 'double', contextTokens: 120, inputTokens: 300, outputTokens: 60 });
		expect(facts.deliveredTexts.some(each => each.includes('Use <the helper> & go on.'))).toBe(true);
	});
});

describe('running Qwen Code without a terminal', () => {
	const run = (all: readonly string[]) => {
		const reader = headlessOf(qwenCode).reader();
		return [...all.flatMap(each => reader.read(each)), ...reader.end(0)];
	};
	const launch = (permissions: string, prompt: string) =>
		headlessOf(qwenCode).launch({ ...request, extra: ['--sandbox'], prompt, permissions });

	it('passes a prompt of any length by standard input', () => {
		const prompt = 'x'.repeat(1_000_000);
		const { args, stdin } = launch('yolo', prompt);
		expect(stdin).toBe(prompt);
		expect(args).toEqual([
			`--session-id=${session}`,
			'--model=some-model',
			'--output-format=stream-json',
			'--approval-mode=yolo',
			'--sandbox',
		]);
	});

	it('lets no file be read and no command be run that a prompt names', () => {
		expect(launch('default', '/init @secret \\@known').stdin).toBe('\n/init \\@secret \\@known');
	});

	it('denies commands, subagents and servers in a careful mode, and edits in the most careful', () => {
		const held = ['--allowed-mcp-server-names=none', '--exclude-tools=run_shell_command', '--exclude-tools=agent'];
		for (const mode of ['default', 'auto-edit'])
			expect(launch(mode, 'x').args).toEqual(expect.arrayContaining(held));
		expect(launch('default', 'x').args).toContain('--exclude-tools=write_file');
		expect(launch('auto-edit', 'x').args).not.toContain('--exclude-tools=write_file');
	});

	it('tells steps, what failed or was declined, the last answer and tokens', () => {
		expect(run(lines('stream-ok.jsonl'))).toEqual([
			{ is: 'session', session: expect.any(String), model: 'double' },
			{ is: 'tool', tool: 'run_shell_command', file: undefined, summary: 'echo one' },
			// A hook’s word is none of the permissions.
			{ is: 'tool-failed', reason: expect.stringContaining('[Nancy message') },
			{ is: 'tool', tool: 'agent', file: undefined, summary: 'x' },
			{ is: 'denied', tool: 'agent', reason: expect.stringContaining('was declined') },
			{ is: 'text', text: 'Done' },
			{
				is: 'result',
				result: {
					text: 'Done',
					inputTokens: 300,
					outputTokens: 60,
					costUsd: undefined,
					failure: undefined,
				},
			},
		]);
	});

	it('tells failures apart: final, of the quota, transient', () => {
		const failed = (status: number | string) =>
			run(
				lines('stream-failed-400.jsonl').map(each => each.replaceAll('API Error: 400', `API Error: ${status}`)),
			);
		const kind = (is: string) => ({ is: 'result', result: { failure: { kind: is } } });
		expect(failed(400)).toHaveLength(2);
		expect(failed(400).at(-1)).toMatchObject(kind('final'));
		expect(failed(429).at(-1)).toMatchObject(kind('too-many'));
		expect(failed(503).at(-1)).toMatchObject(kind('transient'));
		expect(failed('Connection error.').at(-1)).toMatchObject(kind('transient'));
	});

	it('is not led astray by lines that are none of its own', () => {
		const strange = [
			'',
			'Warning: x',
			'7',
			'null',
			'{"type":7}',
			'{"type":"user"}',
			'{"type":"system","subtype":"x"}',
		];
		expect(run(strange)).toEqual([]);
	});
});
