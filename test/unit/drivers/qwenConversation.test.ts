import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ASKS_PERMISSION } from '../../../src/core/driver/acp.ts';
import { acp } from '../../../src/drivers/qwen-code/acp.ts';
import { asking } from '../../../src/drivers/qwen-code/asking.ts';
import { qwenCode } from '../../../src/drivers/qwen-code/driver.ts';
import type { Answer } from '../../../src/protocol/question.ts';
import { SessionId } from '../../../src/protocol/names.ts';
import { tempFolder } from '../../support/tempFolder.ts';

// As the real 0.24.4 has sent it.
const options = [
	{ optionId: 'proceed_once', name: 'Allow', kind: 'allow_once' },
	{ optionId: 'proceed_once_and_switch_to_default', name: 'Switch to Default Mode', kind: 'allow_once' },
	{ optionId: 'proceed_always_project', name: 'Always Allow in project', kind: 'allow_always' },
	{ optionId: 'cancel', name: 'Reject', kind: 'reject_once' },
];
const asked = (toolCall: object, more: object = {}) => ({
	event: ASKS_PERMISSION,
	payload: {
		session: 's1',
		cwd: '/w',
		request: { options, toolCall: { toolCallId: 'c1', title: 'Shell', ...toolCall }, ...more },
	},
	env: {},
});
const shell = { rawInput: { command: 'touch a' }, _meta: { toolName: 'run_shell_command' } };

describe('a permission question of a conversation', () => {
	it('shows the command, and takes a plain Yes or the No that ends the turn', () => {
		expect(asking.read(asked(shell))).toMatchObject({
			kind: 'tool',
			tool: 'run_shell_command',
			title: 'touch a',
			body: 'touch a',
			bodyIs: 'command',
			choices: [{ effect: 'once' }, { effect: 'end', isMute: true }],
		});
		const kindFor = (effect: Answer['effect']) =>
			JSON.parse(asking.answer(asked(shell), { effect } as Answer).stdout) as unknown;
		expect([kindFor('once'), kindFor('end')]).toEqual([{ kind: 'allow_once' }, { kind: 'reject_once' }]);
	});

	it('can only be denied where nobody sees what would run, or no plain Yes is offered', () => {
		const denied = [{ effect: 'end', isMute: true }];
		for (const rawInput of [undefined, {}, 'touch a'])
			expect(asking.read(asked({ ...shell, rawInput }))).toMatchObject({ choices: denied });
		const always = options.filter(({ kind }) => kind !== 'allow_once');
		expect(asking.read(asked(shell, { options: always }))).toMatchObject({ choices: denied });
	});

	it('is left to the terminal if the model itself asks, or the tool has no name', () => {
		for (const toolName of ['ask_user_question', 'exit_plan_mode', undefined])
			expect(asking.read(asked({ ...shell, _meta: { toolName } }))).toBe('none');
		expect(asking.read({ ...asked(shell), event: 'PermissionRequest' })).toBe('none');
	});

	it('knows the folders that the agent was given besides, by its options and by settings with comments', async () => {
		await using folder = tempFolder();
		mkdirSync(folder.file('.qwen'));
		const settings = '{ // mine\n"context": { "includeDirectories": ["../other"] } }';
		writeFileSync(folder.file('.qwen', 'settings.json'), settings);
		const call = { ...asked(shell), env: { HOME: folder.file('home') } };
		const args = ['qwen', '--include-directories=/a,b'];
		expect(await asking.addedFolders(call, folder.path, args)).toEqual([
			'/a',
			folder.file('b'),
			join(folder.path, '../other'),
		]);
	});
});

describe('a launch of which the answers are carried', () => {
	const place = { version: qwenCode.oldestVersion, workspaceFolder: '/w', cwd: '/w', hooks: undefined, env: {} };
	const request = {
		...place,
		prompt: '-- do it',
		session: SessionId.parse('s1'),
		resume: undefined,
		fork: undefined,
		model: 'm',
		title: 't',
		extra: ['--acp', '--approval-mode=plan'],
	};

	it('leaves session and prompt to the protocol, and every other option to the CLI', () => {
		const { args, sessionIsKnown } = qwenCode.launch(request);
		expect(sessionIsKnown).toBe(false);
		expect(acp.read(args)).toEqual({
			args: ['--model=m', '--acp', '--approval-mode=plan'],
			prompt: '-- do it',
			resume: undefined,
		});
		const again = qwenCode.launch({ ...request, prompt: undefined, resume: SessionId.parse('s2') });
		expect(again.sessionIsKnown).toBe(true);
		expect(acp.read(again.args)).toMatchObject({ prompt: undefined, resume: 's2' });
	});

	it('is the CLI’s own terminal for a copy of a session', () => {
		const { answersByChoice } = qwenCode;
		if (answersByChoice === 'none') throw new Error('it carries none');
		const { args } = qwenCode.launch({ ...request, fork: SessionId.parse('s0') });
		const hooks = { launcher: '/n/nancy-hook', folder: '/n' };
		expect(
			answersByChoice.inPlaceOf?.({ executable: 'qwen', args }, hooks, {
				workspaceFolder: '/w',
				cwd: '/w',
				env: {},
			}),
		).toEqual({
			executable: 'qwen',
			args: expect.not.arrayContaining(['--acp']),
		});
	});
});

describe('words for an agent between two steps', () => {
	it('are what the guard prints for the hook that is not fired, and none if it prints nothing', () => {
		const { steering } = acp;
		if (steering === 'none') throw new Error('it has no steering');
		for (const cut of ['', '{"hookSpecificOutput":{']) expect(steering.words(cut)).toBeUndefined();
		expect(
			steering.words('{"hookSpecificOutput":{"hookEventName":"PostToolBatch","additionalContext":"Stop"}}'),
		).toBe('Stop');
		expect(
			qwenCode.hooks.read({ event: steering.event, payload: steering.payload('s1', '/w'), env: {} }),
		).toMatchObject({
			kind: 'batch-end',
		});
	});
});

it('goes on in the last mode that its launch names, if it names one', () => {
	expect(acp.modeIn?.(['--acp', '--approval-mode=plan', '--approval-mode=auto-edit'])).toBe('auto-edit');
	expect(acp.modeIn?.(['--acp', '--yolo'])).toBeUndefined();
});
