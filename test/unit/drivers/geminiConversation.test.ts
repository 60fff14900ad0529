import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ASKS_PERMISSION, DENIED } from '../../../src/core/driver/acp.ts';
import { acp } from '../../../src/drivers/gemini-cli/acp.ts';
import { asking } from '../../../src/drivers/gemini-cli/asking.ts';
import { geminiCli } from '../../../src/drivers/gemini-cli/driver.ts';
import { maySandbox } from '../../../src/drivers/gemini-cli/sandbox.ts';
import type { Answer } from '../../../src/protocol/question.ts';
import { SessionId } from '../../../src/protocol/names.ts';
import { tempFolder } from '../../support/tempFolder.ts';

// As the real 0.61.0 has sent it.
const options = [
	{ optionId: 'proceed_always', name: 'Allow for this session', kind: 'allow_always' },
	{ optionId: 'proceed_once', name: 'Allow', kind: 'allow_once' },
	{ optionId: 'cancel', name: 'Reject', kind: 'reject_once' },
];
const asked = (toolCall: object, more: object = {}) => ({
	event: ASKS_PERMISSION,
	payload: { session: 's1', cwd: '/w', request: { options, toolCall, ...more } },
	env: {},
});
const shell = {
	toolCallId: 'run_shell_command__call_1',
	kind: 'execute',
	title: 'touch a\ntouch b',
	content: [{ type: 'content', content: { type: 'text', text: '[current working directory /w] (Makes two)' } }],
	locations: [],
};
const NO = { effect: 'no', isMute: true };

describe('a permission question of a conversation', () => {
	it('shows the whole command with what the CLI says of it, and takes a plain Yes or a No', () => {
		expect(asking.read(asked(shell))).toMatchObject({
			kind: 'tool',
			tool: 'run_shell_command',
			title: 'touch a touch b',
			body: 'touch a\ntouch b',
			bodyIs: 'command',
			also: [{ name: 'explanation', value: '[current working directory /w] (Makes two)' }],
			choices: [{ effect: 'once' }, NO],
		});
		const kindFor = (effect: Answer['effect']) =>
			JSON.parse(asking.answer(asked(shell), { effect } as Answer).stdout) as unknown;
		expect([kindFor('once'), kindFor('no')]).toEqual([{ kind: 'allow_once' }, { kind: 'reject_once' }]);
	});

	it('shows an edit as the lines that change, with some around them', () => {
		const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`);
		const edit = {
			toolCallId: 'replace__call_2',
			title: 'Writing to a.txt',
			content: [
				{
					type: 'diff',
					path: '/w/a.txt',
					oldText: lines.join('\n'),
					newText: lines.with(10, '… new').join('\n'),
				},
			],
			locations: [{ path: '/w/a.txt' }],
		};
		expect(asking.read(asked(edit))).toMatchObject({
			tool: 'replace',
			body: '@@\n line 7\n line 8\n line 9\n-line 10\n+… new\n line 11\n line 12\n line 13\n@@',
			bodyIs: 'diff',
			files: ['/w/a.txt'],
			choices: [{ effect: 'once' }, NO],
		});
	});

	it.each([
		['another tool, whose description may leave something out', { ...shell, toolCallId: 'mcp_own_run__call_3' }],
		['a command without its words', { ...shell, title: '' }],
		['an edit without its text', { ...shell, toolCallId: 'replace__c', content: [{ type: 'diff', path: '/w/a' }] }],
		[
			'an edit of two files',
			{
				...shell,
				toolCallId: 'replace__c',
				content: ['/w/a', '/w/b'].map(path => ({ type: 'diff', path, newText: 'x' })),
			},
		],
	])('can only be denied at the desk for %s', (_, toolCall) => {
		expect(asking.read(asked(toolCall))).toMatchObject({ choices: [NO] });
	});

	it('can only be denied where no plain Yes is offered, and is none without the name of a tool', () => {
		const always = options.filter(({ kind }) => kind !== 'allow_once');
		expect(asking.read(asked(shell, { options: always }))).toMatchObject({ choices: [NO] });
		expect(asking.read(asked({ ...shell, toolCallId: 'x' }))).toBe('none');
		expect(asking.read({ ...asked(shell), event: 'Notification' })).toBe('none');
	});
});

describe('the hooks that the CLI does not run when it is talked with', () => {
	const { silent } = acp;
	if (silent === 'none') throw new Error('it has some');
	const read = ({ event, payload }: { event: string; payload: object }) =>
		geminiCli.hooks.read({ event, payload, env: {} });
	const call = { toolCallId: 'run_shell_command__1', title: 'touch a' };
	const told = (status: string, more: object = {}) => silent.told({ ...call, status, ...more }, 's1', '/w');

	it('are told with payloads of its own', () => {
		expect(read(silent.begun('s1', '/w', false))).toMatchObject({
			kind: 'session-start',
			session: 's1',
			cwd: '/w',
		});
		expect(read(silent.ended('s1', '/w'))).toMatchObject({ kind: 'session-end' });
		expect(read(silent.asked(call, 's1', '/w'))).toMatchObject({ kind: 'permission-asked', summary: 'touch a' });
		expect(read(told('in_progress')!)).toMatchObject({
			kind: 'tool-start',
			tool: 'run_shell_command',
			summary: 'touch a',
		});
		expect(read(told('completed')!)).toMatchObject({ kind: 'tool-end', tool: 'run_shell_command' });
		expect(read(told('failed')!)).toMatchObject({ kind: 'tool-failed' });
		expect(read(told(DENIED)!)).toMatchObject({ kind: 'tool-failed', summary: 'denied' });
		const file = { toolCallId: 'read_file__2', locations: [{ path: '/w/a.txt' }] };
		expect(read(told('in_progress', file)!)).toMatchObject({ tool: 'read_file', summary: '/w/a.txt' });
		const { brokenOff } = acp;
		expect(read({ event: brokenOff.event, payload: brokenOff.payload('s1', '/w') })).toMatchObject({
			kind: 'interrupted',
		});
	});

	it('are none of a call that waits', () => {
		expect(told('pending')).toBeUndefined();
	});
});

it('a launch of which the answers are carried is left to the CLI’s own terminal where a session goes on', () => {
	const { answersByChoice } = geminiCli;
	if (answersByChoice === 'none') throw new Error('it carries none');
	const request = {
		version: geminiCli.oldestVersion,
		workspaceFolder: '/w',
		cwd: '/w',
		hooks: undefined,
		env: {},
		prompt: '-- do it',
		session: SessionId.parse('s1'),
		fork: undefined,
		model: 'm',
		title: 't',
		extra: ['--acp'],
	};
	const program = (resume: SessionId | undefined) =>
		answersByChoice.inPlaceOf?.(
			{ executable: 'gemini', args: geminiCli.launch({ ...request, resume }).args },
			{ launcher: '/n/nancy-hook', folder: '/n' },
			{ workspaceFolder: '/w', cwd: '/w', env: { HOME: '/h', GEMINI_CLI_SYSTEM_SETTINGS_PATH: '/none' } },
		);
	expect(program(undefined)).toMatchObject({
		executable: '/n/terminal',
		args: expect.arrayContaining(['gemini', '--acp']),
	});
	expect(program(SessionId.parse('s2'))).toMatchObject({
		executable: 'gemini',
		args: ['--resume=s2', '--model=m', '--prompt-interactive=-- do it'],
	});
	expect(acp.read(geminiCli.launch({ ...request, resume: undefined }).args)).toEqual({
		args: ['--model=m', '--acp'],
		prompt: '-- do it',
		resume: undefined,
	});
});

describe('a launch that may run commands in a sandbox is left to the CLI’s own terminal', () => {
	it.each([
		['its option', ['--sandbox'], {}],
		['its short option', ['-ds'], {}],
		['its variable', [], { GEMINI_SANDBOX: 'docker' }],
		['a sandbox around it', [], { SANDBOX: 'sandbox-exec' }],
		[
			'the settings of the folder above',
			[],
			{},
			'project/.gemini/settings.json',
			'{"security": {"toolSandboxing": true}}',
		],
		['a file of variables', [], {}, 'project/sub/.env', 'GEMINI_SANDBOX=true'],
		['the settings of the user', [], {}, 'home/.gemini/settings.json', '{"tools": {"sandbox": "docker"}}'],
		['the settings of the system', [], {}, 'system/settings.json', '{"tools": {"sandbox": "docker"}}'],
	] as const)('by %s', async (_, words, env, file?: string, text?: string) => {
		await using folder = tempFolder();
		const place = {
			workspaceFolder: folder.file('project'),
			cwd: folder.file('project', 'sub'),
			env: {
				HOME: folder.file('home'),
				GEMINI_CLI_SYSTEM_SETTINGS_PATH: folder.file('system', 'settings.json'),
				...env,
			},
		};
		expect(
			maySandbox(['--acp', '--model=gemini-flash'], {
				...place,
				env: { ...place.env, GEMINI_SANDBOX: '', SANDBOX: '' },
			}),
		).toBe(false);
		if (file !== undefined) {
			mkdirSync(dirname(folder.file(file)), { recursive: true });
			writeFileSync(folder.file(file), text ?? '');
		}
		expect(maySandbox(words, place)).toBe(true);
	});
});

it('a call to which the model gave no id is known by the name that the CLI puts before its own', () => {
	expect(asking.read(asked({ ...shell, toolCallId: 'run_shell_command-1795881234567-3' }))).toMatchObject({
		tool: 'run_shell_command',
		choices: [{ effect: 'once' }, NO],
	});
});

it('goes on in the mode that its launch names, by the protocol’s id', () => {
	expect(acp.modeIn?.(['--acp', '--approval-mode=auto_edit'])).toBe('autoEdit');
	expect(acp.modeIn?.(['--acp', '--approval-mode=plan'])).toBe('plan');
	expect(acp.modeIn?.(['--acp'])).toBeUndefined();
});
