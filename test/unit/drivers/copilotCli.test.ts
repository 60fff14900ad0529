import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DeploymentScope } from '../../../src/core/driver/deploymentPlan.ts';
import type { LaunchRequest } from '../../../src/core/driver/driver.ts';
import { WAKE_PROMPT, type Delivery } from '../../../src/core/driver/hooks.ts';
import { NO_FACTS } from '../../../src/core/driver/transcript.ts';
import type { HeadlessEvent } from '../../../src/core/driver/headless.ts';
import { headlessOf } from '../../../src/core/driver/headlessOf.ts';
import { copilotCli } from '../../../src/drivers/copilot-cli/driver.ts';
import { BELL, JOINED } from '../../../src/drivers/copilot-cli/ownEvents.ts';
import { wakeAnswer } from '../../../src/drivers/bell.ts';
import { SessionId } from '../../../src/protocol/names.ts';
import type { AgentEvent } from '../../../src/protocol/traffic.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const samples = join(import.meta.dirname, '../../fixtures/copilot-cli');
const text = (name: string) => readFileSync(join(samples, name), 'utf8');
const lines = (name: string) => text(name).trim().split('\n');
const sample = (name: string) => JSON.parse(text(`hook-${name}.json`)) as Record<string, unknown>;
const { hooks } = copilotCli;

function read(event: string, payload: unknown, env: Record<string, string> = {}): AgentEvent | 'silent' {
	return hooks.read({ event, payload, env });
}

/** The event of a sample: its name begins with the event's. */
function event(name: string, more: Record<string, unknown> = {}, env: Record<string, string> = {}): AgentEvent {
	const [own = ''] = name.split(/[.-]/, 1);
	const found = read(own, { ...sample(name), ...more }, env);
	if (found === 'silent') throw new Error(`${name} is silent`);
	return found;
}

const answered = (name: string, more: Partial<Delivery> = {}): unknown =>
	JSON.parse(hooks.answer(event(name), { text: 'words', effect: 'none', version: undefined, ...more }).stdout);

const session = SessionId.parse('38e008a6-a1df-4bc1-b956-1290c0d69057');

describe('reading Copilot CLI’s hook payloads', () => {
	it('reads every recorded payload', () => {
		const names = readdirSync(samples).filter(name => name.startsWith('hook-'));
		expect(names.length).toBeGreaterThan(18);
		for (const file of names) {
			const name = file.slice('hook-'.length, -'.json'.length);
			expect(event(name), name).toMatchObject({ driver: 'copilot-cli', event: name.split(/[.-]/, 1)[0] });
		}
	});

	it('tells kinds, tools and causes apart', () => {
		expect(event('preToolUse')).toMatchObject({ kind: 'tool-start', tool: 'bash', summary: 'echo step0', session });
		expect(event('postToolUse', { toolArgs: { path: 'a.ts' } })).toMatchObject({
			kind: 'tool-end',
			summary: 'a.ts',
		});
		expect(event('postToolUseFailure')).toMatchObject({ kind: 'tool-failed', tool: 'ask_user' });
		expect(event('sessionStart')).toMatchObject({ kind: 'session-start', cause: 'startup' });
		expect(event('sessionStart', { source: 'resume' })).toMatchObject({ cause: 'resume' });
		expect(event('sessionEnd')).toMatchObject({ kind: 'session-end', cause: 'complete' });
		expect(event('agentStop', { stop_hook_active: true })).toMatchObject({ kind: 'stop', continuing: true });
	});

	it('takes the check before every tool for no question, and the notification for one', () => {
		expect(event('permissionRequest')).toMatchObject({ kind: 'permission-check', tool: 'bash' });
		expect(event('notification-permission_prompt')).toMatchObject({
			kind: 'notification',
			notification: 'permission_prompt',
			tells: 'asked',
		});
		expect(event('notification-elicitation_dialog').tells).toBe('asked');
		for (const other of ['agent_idle', 'shell_completed'])
			expect(event(`notification-${other}`).tells).toBeUndefined();
	});

	it('reads an attempt that failed as no end: the CLI tries again', () => {
		expect(event('errorOccurred')).toMatchObject({ kind: 'other', cause: 'model_call' });
	});

	it('knows a subagent’s events, and whose worker it serves', () => {
		const main = '9478a41e-6c69-4c00-8e74-0c2317c903f4';
		const sub = 'c1367e94-f879-4bc4-9a54-478e8e0268c3';
		const names = readdirSync(samples).filter(name => name.includes('in-subagent'));
		expect(names.length).toBeGreaterThan(3);
		for (const file of names) {
			const found = event(file.slice('hook-'.length, -'.json'.length));
			expect(found, file).toMatchObject({ session: main, subagent: sub });
		}
		expect(event('agentStop').subagent).toBeUndefined();
	});

	it('knows where the record stands before any event names it', () => {
		const at = (env: Record<string, string>) => event('sessionStart', {}, env).transcript;
		expect(at({ HOME: '/home/me' })).toBe(`/home/me/.copilot/session-state/${session}/events.jsonl`);
		expect(at({ HOME: '/home/me', COPILOT_HOME: '/c' })).toBe(`/c/session-state/${session}/events.jsonl`);
		expect(at({})).toBeUndefined();
		expect(event('agentStop', {}, { HOME: '/elsewhere' }).transcript).toMatch(/^\/home\/user\//);
	});

	it('tells by its words who gave a prompt', () => {
		const prompt = (words: string) => event('userPromptSubmitted', { prompt: words });
		expect(prompt('fix  it')).toMatchObject({ kind: 'prompt', isWake: false, summary: 'fix it' });
		expect(prompt('fix it').wakeRung).toBeUndefined();
		expect(prompt(WAKE_PROMPT)).toMatchObject({ wakeRung: 'keys' });
		expect(prompt(wakeAnswer('wake').stderr.trim())).toMatchObject({ isWake: true, wakeRung: 'wake' });
		expect(prompt('[Nancy message 1 feedback from x]\nhi')).toMatchObject({ isWake: true });
		expect(prompt('<system_notification>\nShell command')).toMatchObject({ isWake: true });
	});

	it('is silent for another agent that runs the same file, and refuses what is no event', () => {
		expect(read('preToolUse', { session_id: 'x', hook_event_name: 'PreToolUse' })).toBe('silent');
		expect(() => read('preToolUse', { sessionId: session })).toThrow(/toolName/);
		expect(() => read('preToolUse', 'text')).toThrow(/object/);
		expect(() => read('preToolUse', { ...sample('preToolUse'), sessionId: '../x' })).toThrow(/sessionId/);
	});

	it('keeps an event that it does not know', () => {
		expect(read('somethingNew', { sessionId: session })).toMatchObject({ kind: 'other', event: 'somethingNew' });
	});
});

describe('answering Copilot CLI', () => {
	it('hands words over after a tool and with a prompt without deciding anything', () => {
		for (const name of ['postToolUse', 'postToolUseFailure', 'userPromptSubmitted'])
			expect(answered(name), name).toEqual({ additionalContext: 'words' });
	});

	it('halts before the tool, pauses where the permission is checked, and never allows', () => {
		expect(answered('preToolUse', { effect: 'halt' })).toEqual({
			permissionDecision: 'deny',
			permissionDecisionReason: 'words',
		});
		expect(answered('permissionRequest', { effect: 'halt' })).toEqual({
			behavior: 'deny',
			message: 'words',
			interrupt: false,
		});
		expect(answered('permissionRequest', { effect: 'pause' })).toMatchObject({ behavior: 'deny', interrupt: true });
	});

	it('keeps the agent going with feedback', () => {
		expect(answered('agentStop')).toEqual({ decision: 'block', reason: 'words' });
	});

	it('tells its own extension which bell to watch, and nobody else anything', () => {
		const beginning = { bell: '/w/bell', words: 'words' };
		const joined = read(JOINED, { sessionId: session });
		expect(joined !== 'silent' && hooks.beginAnswer(joined, beginning)).toMatchObject({
			stdout: '/w/bell\n',
			watches: true,
		});
		expect(hooks.beginAnswer(event('sessionStart'), beginning).stdout).toBe('');
		expect(read(BELL, { sessionId: session })).toMatchObject({ kind: 'doorbell' });
	});
});

describe('deploying Copilot CLI’s hooks', () => {
	const launcher = `/home/it's me/nancy/runtime/1/nancy-hook`;
	const plan = (scope: DeploymentScope, program = launcher) =>
		copilotCli.deployment({ version: [1, 0, 102], launcher: program, workspaceFolder: '/w', scope });
	const linesOf = (content: string | undefined) => {
		const { hooks: entries } = JSON.parse(content ?? '') as { hooks: Record<string, { bash: string }[]> };
		return Object.entries(entries).map(([name, [entry]]) => ({ name, line: entry?.bash ?? '' }));
	};
	const own = (scope: DeploymentScope, program?: string) =>
		linesOf(plan(scope, program).launchFiles.find(({ file }) => file === 'hooks/hooks.json')?.content);
	const shared = (program?: string) =>
		linesOf(plan('workspace', program).files.find(({ file }) => file.endsWith('hooks/nancy.json'))?.content);

	it('writes nothing into the workspace for what Nancy starts', () => {
		expect(plan('launch')).toMatchObject({ edits: [], files: [], warnings: [] });
		expect(plan('launch').launchFiles.map(({ file }) => file)).toEqual([
			'plugin.json',
			'hooks/hooks.json',
			'extensions/nancy/extension.mjs',
			'questions/plugin.json',
			'questions/extensions/questions/extension.mjs',
		]);
	});

	it('writes the extension that carries answers where no agent writes: the CLI keeps its user’s consent by name', () => {
		const inWorkspace = plan('workspace').files.filter(({ content }) => content.includes('onPermissionRequest'));
		expect(inWorkspace).toEqual([]);
	});

	it('writes files of its own for what the user starts, and says that the folder must be trusted', () => {
		const { edits, files, warnings } = plan('workspace');
		expect(edits).toEqual([]);
		expect(files.map(({ file }) => file)).toEqual([
			'.github/hooks/nancy.json',
			'.github/extensions/nancy/extension.mjs',
		]);
		expect(warnings.join(' ')).toContain('trust');
	});

	it('waits for no event longer than a person takes for a hang', () => {
		const { hooks: entries } = JSON.parse(plan('launch').launchFiles[1]?.content ?? '') as {
			hooks: Record<string, { timeoutSec: number }[]>;
		};
		for (const [entry] of Object.values(entries)) expect(entry?.timeoutSec).toBeLessThanOrEqual(5);
	});

	describe('the line of a hook', () => {
		const run = (line: string, env: Record<string, string>) =>
			spawnSync('bash', ['--norc', '-c', line], {
				input: '{}',
				encoding: 'utf8',
				env: { PATH: process.env['PATH'], COPILOT_PROJECT_DIR: '/w', ...env },
			});
		const withGuard = (script: string, body: (program: string, log: string) => void) => {
			const folder = tempFolder(`nancy it's `);
			try {
				const program = folder.file('nancy-hook');
				writeFileSync(program, `#!/bin/sh\n${script}\n`);
				chmodSync(program, 0o755);
				body(program, folder.file('log'));
			} finally {
				void folder.remove();
			}
		};

		it('ends well for every event where the program is gone, fails or is killed: else the CLI denies the tool', () => {
			for (const { name, line } of [...own('launch'), ...shared()])
				expect(run(line, {}), name).toMatchObject({ status: 0, stdout: '', stderr: '' });
			for (const script of ['exit 2', 'kill -9 $$', 'exit 1']) {
				withGuard(script, program => {
					for (const { name, line } of [...own('launch', program), ...shared(program)])
						expect(run(line, {}).status, `${name}: ${script}`).toBe(0);
				});
			}
		});

		it('keeps what is no answer from where a permission is checked: the CLI would take it for a denial', () => {
			const lineAt = (program: string) => own('launch', program).find(({ name }) => name === 'permissionRequest');
			for (const script of [`echo '}{ garbage'`, `echo '{}'; exit 3`]) {
				withGuard(script, program => {
					expect(run(lineAt(program)?.line ?? '', {})).toMatchObject({ status: 0, stdout: '' });
				});
			}
			const answer = '{"behavior":"deny","message":"it\\"s","interrupt":true}';
			withGuard(`cat <<'X'\n${answer}\nX`, program => {
				expect(run(lineAt(program)?.line ?? '', {}).stdout).toBe(answer);
			});
		});

		it('tells the guard where the session stands, and the agent’s process', () => {
			const script = 'echo "$NANCY_HOOK_KEY $NANCY_HOOK_SESSION. $NANCY_HOOK_PID $NANCY_HOOK_ATTENDED $*"';
			withGuard(script, program => {
				const [first] = own('launch', program);
				const inherited = { NANCY_HOOK_SESSION: 'of-an-outer-agent' };
				expect(run(first?.line ?? '', inherited).stdout).toBe(
					`sessionId . ${process.pid} 1 copilot-cli sessionStart program /w\n`,
				);
				expect(run(first?.line ?? '', { NANCY_ATTENDED: '0' }).stdout).toContain(` ${process.pid} 0 `);
			});
		});

		it('does nothing for another program, and in a workspace nothing for what Nancy itself starts', () => {
			withGuard("printf '{}'", program => {
				for (const { line } of own('launch', program)) {
					expect(run(line, { NANCY_TASK_DIR: '/w/.nancy/tasks/x' }).stdout).toBe('{}');
					expect(run(line, { COPILOT_PROJECT_DIR: '' }).stdout).toBe('');
				}
				for (const { line } of shared(program)) {
					expect(run(line, {}).stdout).toBe('{}');
					expect(run(line, { NANCY_TASK_DIR: '/w/.nancy/tasks/x' }).stdout).toBe('');
					expect(run(line, { COPILOT_PROJECT_DIR: '' }).stdout).toBe('');
				}
			});
		});
	});

	it('brings extensions along that are modules', () => {
		const modules = plan('launch').launchFiles.filter(({ file }) => file.endsWith('.mjs'));
		expect(modules).toHaveLength(2);
		for (const { content } of modules) {
			const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--check'], {
				input: content,
				encoding: 'utf8',
			});
			expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
		}
	});
});

describe('launching Copilot CLI', () => {
	const request: LaunchRequest = {
		version: [1, 0, 102],
		workspaceFolder: '/w',
		cwd: '/w',
		hooks: { launcher: '/l', folder: '/w/.nancy/launch/copilot-cli' },
		env: {},
		prompt: '-fix it',
		session,
		resume: undefined,
		fork: undefined,
		model: 'some-model',
		title: '-v',
		extra: ['--banner'],
	};

	it('begins a session of a known id, with its hooks', () => {
		expect(copilotCli.launch(request)).toEqual({
			args: [
				`--session-id=${session}`,
				'--model=some-model',
				'--name=-v',
				'--plugin-dir',
				'/w/.nancy/launch/copilot-cli',
				'--banner',
				'--interactive=-fix it',
			],
			env: {},
			sessionIsKnown: true,
		});
	});

	it('brings the extension that carries answers only if its user wants it', () => {
		expect(copilotCli.launch(request).args.join(' ')).not.toContain('questions');
		expect(copilotCli.answersByChoice !== 'none' && copilotCli.answersByChoice.args(request.hooks!)).toEqual([
			'--plugin-dir',
			'/w/.nancy/launch/copilot-cli/questions',
		]);
	});

	it('goes on with a session, without hooks where the user wants none', () => {
		const { args } = copilotCli.launch({
			...request,
			resume: session,
			hooks: undefined,
			prompt: undefined,
			model: undefined,
			extra: [],
		});
		expect(args).toEqual([`--resume=${session}`]);
	});

	it('pipes the prompt of a run without a terminal in', () => {
		const prompt = 'x'.repeat(1_000_000);
		const launch = headlessOf(copilotCli).launch({ ...request, prompt, permissions: 'edit', extra: [] });
		expect(launch.stdin).toBe(prompt);
		expect(launch.args).toEqual([
			`--session-id=${session}`,
			'--model=some-model',
			'--output-format=json',
			'--no-ask-user',
			'--allow-tool=write',
			'--plugin-dir',
			'/w/.nancy/launch/copilot-cli',
		]);
	});

	it('allows nothing for a mode that it does not know', () => {
		const launch = headlessOf(copilotCli).launch({ ...request, prompt: 'x', permissions: 'all of it', extra: [] });
		expect(launch.args.filter(arg => arg.includes('allow'))).toEqual([]);
	});
});

describe('reading a run without a terminal', () => {
	function events(name: string): HeadlessEvent[] {
		const reader = headlessOf(copilotCli).reader();
		return [...lines(name).flatMap(line => reader.read(line)), ...reader.end(0)];
	}
	const result = (name: string) => events(name).find(each => each.is === 'result')?.result;

	it('tells the steps, the session and the answer', () => {
		expect(events('headless-success.jsonl')).toEqual([
			{ is: 'tool', tool: 'bash', file: undefined, summary: expect.stringContaining('env | grep') as unknown },
			{ is: 'tool', tool: 'create', file: 'a.txt', summary: 'a.txt' },
			{ is: 'text', text: 'Ended well' },
			{ is: 'session', session: 'ee97328d-0d5b-43a2-b7f2-3ec8ba7c12da', model: 'claude-sonnet-4' },
			{
				is: 'result',
				result: {
					text: 'Ended well',
					inputTokens: undefined,
					outputTokens: undefined,
					costUsd: undefined,
					failure: undefined,
				},
			},
		]);
	});

	it('leaves a subagent’s steps out', () => {
		const tools = events('headless-subagent.jsonl').filter(each => each.is === 'tool');
		expect(tools.map(each => each.tool)).toEqual(['task']);
	});

	it('tells what permissions denied, but not what a hook did', () => {
		expect(events('headless-denied.jsonl')).toContainEqual({
			is: 'denied',
			tool: 'bash',
			reason: expect.stringContaining('no interactive user response') as unknown,
		});
		const reader = headlessOf(copilotCli).reader();
		const error = { message: 'Denied by preToolUse hook: words', code: 'denied' };
		const line = { type: 'tool.execution_complete', data: { toolCallId: '1', success: false, error } };
		expect(reader.read(JSON.stringify(line))).toEqual([{ is: 'tool-failed', reason: error.message }]);
	});

	it('tells failures by what can be done about them', () => {
		expect(result('headless-failure-400.jsonl')?.failure).toEqual({
			kind: 'final',
			reason: '400 The double was asked to answer 400',
		});
		expect(result('headless-failure-429.jsonl')?.failure?.kind).toBe('too-many');
		expect(events('headless-failure-429.jsonl').filter(each => each.is === 'retrying')).toHaveLength(5);
		const reader = headlessOf(copilotCli).reader();
		reader.read(JSON.stringify({ type: 'session.error', data: { message: 'no answer' } }));
		const [, last] = reader.read(JSON.stringify({ type: 'result', sessionId: session, exitCode: 1 }));
		expect(last).toMatchObject({ result: { failure: { kind: 'transient', reason: 'no answer' } } });
	});

	it.each([
		['quota', 'quota_exceeded', true, 'too-many'],
		['quota', undefined, true, 'too-many'],
		['rate_limit', 'user_weekly_rate_limited', true, 'too-many'],
		['rate_limit', 'user_model_rate_limited', false, 'too-many'],
		['quota', 'billing_not_configured', false, 'final'],
	])('tells a limit of the account from others: %s, %s', (errorType, errorCode, isUsedUp, kind) => {
		const reader = headlessOf(copilotCli).reader();
		reader.read(JSON.stringify({ type: 'session.error', data: { message: 'no', errorType, errorCode } }));
		const told = reader.read(JSON.stringify({ type: 'result', sessionId: session, exitCode: 1 }));
		expect(told.filter(({ is }) => is === 'quota')).toEqual(isUsedUp ? [{ is: 'quota' }] : []);
		expect(told.at(-1)).toMatchObject({ result: { failure: { kind } } });
	});

	it('says nothing of a run that was killed: without a result there was none', () => {
		const reader = headlessOf(copilotCli).reader();
		for (const line of lines('headless-success.jsonl').slice(0, -1)) reader.read(line);
		expect(reader.end(0)).toEqual([]);
	});

	it('is not disturbed by what is no line of it', () => {
		const reader = headlessOf(copilotCli).reader();
		for (const line of ['', 'oops', '[]', 'null', '{"type":1}', '{"type":"result"}', '{"type":"result","data":3}'])
			expect(reader.read(line), line).toEqual([]);
	});
});

describe('reading Copilot CLI’s record of a session', () => {
	const { transcript } = copilotCli;
	const fold = (values: readonly unknown[]) =>
		transcript === 'none' ? NO_FACTS : values.reduce(transcript.fold.bind(transcript), NO_FACTS);
	const record = lines('transcript-aborted.jsonl').map(line => JSON.parse(line) as { type: string });
	const until = (type: string) => record.slice(0, record.findIndex(line => line.type === type) + 1);

	it('knows the model and what it used', () => {
		expect(fold(record)).toMatchObject({
			model: 'claude-sonnet-4',
			contextTokens: 120,
			contextWindow: 128_000,
			inputTokens: 500,
			outputTokens: 100,
		});
	});

	it('tells a turn that was broken off, paused or failed, until the next begins', () => {
		expect(fold(until('permission.completed')).interruptedAt).toBe('2026-11-21T13:22:40.808Z');
		expect(fold(until('abort')).interruptedAt).toBe('2026-11-21T13:22:50.643Z');
		const aborted = until('abort');
		expect(fold([...aborted, { type: 'user.message', data: {} }]).interruptedAt).toBeUndefined();
		const at = '2026-11-21T14:00:00.000Z';
		expect(fold([{ type: 'session.error', timestamp: at, data: { message: 'x' } }]).interruptedAt).toBe(at);
	});

	it('finds what was delivered, and not what a subagent or a hook was told', () => {
		const words = '[Nancy message 1 directive]';
		const told = { type: 'tool.execution_complete', data: { result: { content: `x\n${words}` } } };
		expect(fold([told]).deliveredTexts).toEqual([`x\n${words}`]);
		expect(fold([{ ...told, agentId: 'sub' }]).deliveredTexts).toEqual([]);
		expect(fold([{ type: 'hook.end', data: { output: words } }]).deliveredTexts).toEqual([]);
	});

	it('is not disturbed by lines that it does not know', () => {
		expect(fold([null, 3, {}, { type: 'x' }, { type: 'session.usage_record', data: { usage: 3 } }])).toEqual(
			NO_FACTS,
		);
	});
});

it('removes every mark by which a nested Copilot CLI would take itself for a child', () => {
	for (const name of ['COPILOT_CLI', 'COPILOT_AGENT_SESSION_ID', 'COPILOT_LOADER_PID', 'COPILOT_PROJECT_DIR'])
		expect(copilotCli.foreignVariables).toContain(name);
});
