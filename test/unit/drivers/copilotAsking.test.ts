import { describe, expect, it } from 'vitest';
import { asking } from '../../../src/drivers/copilot-cli/asking.ts';
import { ASKS, ASKS_USER } from '../../../src/drivers/copilot-cli/ownEvents.ts';
import type { Answer } from '../../../src/protocol/question.ts';
import { givenAnswer } from '../../support/givenAnswer.ts';

const session = '38e008a6-a1df-4bc1-b956-1290c0d69057';

/** As measured with 1.0.102. */
const shell = {
	tool: 'bash',
	args: { command: 'touch a; mkdir b', description: 'Make both' },
	request: {
		kind: 'shell',
		toolCallId: 'toolu_1',
		fullCommandText: 'touch a; mkdir b',
		commandSegments: [{ identifier: 'touch', fullCommandText: 'touch a', workingDirectory: '/w/below' }],
		possiblePaths: ['a'],
		hasWriteFileRedirection: false,
	},
	prompt: { kind: 'commands', commandIdentifiers: ['touch', 'mkdir'], canOfferSessionApproval: true },
};
const write = {
	tool: 'create',
	args: { path: '/w/new.txt', file_text: 'hello' },
	request: {
		kind: 'write',
		toolCallId: 'toolu_2',
		fileName: '/w/new.txt',
		diff: '\ndiff --git a/w/new.txt b/w/new.txt\n--- a/dev/null\n+++ b/w/new.txt\n@@ -1,0 +1,1 @@\n+hello\n',
	},
	prompt: { kind: 'write', canOfferSessionApproval: true },
};
const outside = {
	tool: 'view',
	args: { path: '/etc/hostname' },
	request: { kind: 'read', toolCallId: 'toolu_3', path: '/etc/hostname', intention: 'Read file: /etc/hostname' },
	prompt: { kind: 'path', accessKind: 'read', paths: ['/etc/hostname'] },
};
const mcp = {
	tool: 'own-greet',
	args: { name: 'Bo' },
	request: { kind: 'mcp', serverName: 'own', toolName: 'greet', toolTitle: 'Greets', args: { name: 'Bo' } },
	prompt: { kind: 'mcp' },
};
const form = {
	request: {
		message: 'Some facts, please.',
		toolCallId: 'toolu_4',
		requestedSchema: {
			type: 'object',
			properties: {
				color: { type: 'string', title: 'Colour', oneOf: [{ const: 'r', title: 'Red' }] },
				sizes: { type: 'array', items: { anyOf: [{ const: 's', title: 'Small' }] } },
				sure: { type: 'boolean', description: 'No way back' },
				name: { type: 'string' },
			},
		},
	},
};

type Asked = typeof form | { request: { kind: string } };

const called = (asked: object, more: object = {}) => ({
	event: 'prompt' in asked ? ASKS : ASKS_USER,
	payload: { sessionId: session, cwd: '/w', ...asked, ...more },
	env: {},
});

function read(asked: Asked, more: object = {}) {
	const found = asking.read(called(asked, more));
	if (found === 'none') throw new Error('it asks nothing');
	return found;
}

const answered = (asked: Asked, given: Partial<Answer>): unknown =>
	JSON.parse(asking.answer(called(asked), givenAnswer(given)).stdout);

const effects = (asked: Asked, more: object = {}) => read(asked, more).choices.map(({ effect }) => effect);

describe('what Copilot CLI asks', () => {
	it('is a command, with all else that its tool was given and the CLI’s own rule', () => {
		expect(read(shell, { agentId: 'sub', agentName: 'explore' })).toMatchObject({
			session,
			subagent: 'sub',
			subagentName: 'explore',
			tool: 'bash',
			call: 'toolu_1',
			cwd: '/w/below',
			title: 'touch a; mkdir b',
			body: 'touch a; mkdir b',
			bodyIs: 'command',
			also: [{ name: 'description', value: 'Make both' }],
			choices: [
				{ effect: 'once' },
				{
					effect: 'session',
					rule: 'shell(touch), shell(mkdir)',
					keptIn: 'Copilot CLI, until its session ends',
				},
				{ effect: 'no' },
				{ effect: 'end', isMute: true },
			],
		});
	});

	it('shows a command of the input that is not the request’s, a warning, and that the sandbox is left', () => {
		const request = { ...shell.request, warning: 'Dangerous', requestSandboxBypass: true };
		const { also } = read(shell, { request, args: { command: 'touch a', warning: 'Harmless' } });
		expect(also).toEqual([
			{ name: 'command', value: 'touch a' },
			{ name: 'warning', value: 'Harmless' },
			{ name: 'warning', value: 'Dangerous' },
			{ name: 'requestSandboxBypass', value: 'true' },
		]);
	});

	it('is an edit as its diff; what the diff leaves out is shown beside it, and without its input nothing is allowed', () => {
		const { bodyIs, body, also, files } = read(write);
		expect({ bodyIs, body, also, files }).toEqual({
			bodyIs: 'diff',
			body: write.request.diff,
			also: [],
			files: ['/w/new.txt'],
		});
		expect(read(write, { args: { path: '/w/new.txt', file_text: 'hello\nrm -rf /' } }).also).toEqual([
			{ name: 'file_text', value: 'hello\nrm -rf /' },
		]);
		expect(read(write, { args: '*** Begin Patch' }).also).toEqual([{ name: 'input', value: '*** Begin Patch' }]);
		expect(effects(write)).toEqual(['once', 'session', 'no', 'end']);
		expect(effects(write, { args: undefined })).toEqual(['no', 'end']);
	});

	it('is whole without its input, which the CLI may announce later, if the diff has each line that changes', () => {
		const effectsOf = (before: string, after: string) => {
			const fileEdits = [{ before: { content: before }, after: { path: '/w/new.txt', content: after } }];
			return effects(write, { request: { ...write.request, fileEdits }, tool: undefined, args: undefined });
		};
		expect(effectsOf('', 'hello')).toContain('once');
		expect(effectsOf('same\n', 'same\nhello')).toContain('once');
		expect(effectsOf('', 'hello\nrm -rf /')).toEqual(['no', 'end']);
		expect(effectsOf('gone', 'hello')).toEqual(['no', 'end']);
		expect(effectsOf('', 'hello\nhell')).toEqual(['no', 'end']);
		const tools = [shell, outside, mcp].map(asked => read(asked, { tool: undefined, args: undefined }).tool);
		expect(tools).toEqual(['bash', 'view', 'own-greet']);
	});

	it('is a path outside, with no rule for more than once', () => {
		expect(read(outside)).toMatchObject({
			title: '/etc/hostname',
			files: ['/etc/hostname'],
			also: [{ name: 'outside the allowed folders', value: '/etc/hostname' }],
		});
		expect(effects(outside)).toEqual(['once', 'no', 'end']);
		expect(effects(shell, { prompt: outside.prompt })).toEqual(['once', 'no', 'end']);
	});

	it('is a tool of an MCP server with what it is given, without which nothing is allowed', () => {
		const { body, bodyIs, choices } = read(mcp);
		expect(bodyIs).toBe('json');
		expect(JSON.parse(body)).toEqual(mcp.request);
		expect(choices).toContainEqual(expect.objectContaining({ effect: 'session', rule: 'own(greet)' }));
		const { args: _, ...request } = mcp.request;
		expect(effects(mcp, { request })).toEqual(['no', 'end']);
	});

	it('stays in the terminal where it widens what extensions may do, where a policy wants it, and where it is of a new kind', () => {
		const none = (request: object) => asking.read(called(shell, { request }));
		for (const kind of [
			'extension-permission-access',
			'extension-management',
			'extension-env-access',
			'workflow',
			'x',
		])
			expect(none({ kind, toolCallId: 'toolu_1', extensionName: 'evil', capabilities: ['all'] }), kind).toBe(
				'none',
			);
		expect(none({ ...shell.request, managedApprovalRequired: true })).toBe('none');
		expect(asking.read({ ...called(shell), event: 'permissionRequest' })).toBe('none');
		expect(() => read(shell, { sessionId: '../x' })).toThrow(/sessionId/);
	});

	it('is the model’s form, if each of its fields can be shown', () => {
		expect(read(form)).toMatchObject({
			kind: 'choice',
			tool: 'ask_user',
			fields: [
				{ question: 'Colour', options: [{ label: 'Red' }], isMultiple: false },
				{ question: 'sizes', options: [{ label: 'Small' }], isMultiple: true },
				{ question: 'sure: No way back', options: [{ label: 'true' }, { label: 'false' }] },
				{ question: 'name', options: [] },
			],
			choices: [{ effect: 'once' }, { effect: 'end' }],
			// A page shows the fields and what stands beside them.
			also: [{ name: 'message' }],
		});
		expect(effects(form)).toEqual(['once', 'end']);
		// Its turn cannot be ended, and another one must not be.
		expect(read(form, { agentId: 'agent-1' }).choices).toEqual([
			{ effect: 'once' },
			{ effect: 'no', isMute: true },
		]);
		for (const property of [{ type: 'integer' }, { type: 'string', format: 'email' }, 'text']) {
			const requestedSchema = { type: 'object', properties: { property } };
			expect(asking.read(called(form, { request: { ...form.request, requestedSchema } }))).toBe('none');
		}
	});

	it.each([
		{ type: 'string', oneOf: 'two' },
		{ type: 'array', items: { anyOf: 'two' } },
	])('is left to the terminal if two options of a form have one title: %j', property => {
		const formWith = (titles: readonly string[]) => {
			const two = titles.map((title, at) => ({ const: `c${at}`, title }));
			const made: unknown = JSON.parse(JSON.stringify(property).replace('"two"', JSON.stringify(two)));
			const requestedSchema = { type: 'object', properties: { made } };
			return asking.read(called(form, { request: { ...form.request, requestedSchema } }));
		};
		expect(formWith(['Keep', 'Delete'])).toMatchObject({ kind: 'choice' });
		expect(formWith(['Keep', 'Keep'])).toBe('none');
	});
});

it.each<[string, Asked, Partial<Answer>, object]>([
	['once', shell, { effect: 'once' }, { kind: 'approve-once' }],
	[
		'for the session',
		shell,
		{ effect: 'session' },
		{ kind: 'approve-for-session', approval: { kind: 'commands', commandIdentifiers: ['touch', 'mkdir'] } },
	],
	[
		'edits for the session',
		write,
		{ effect: 'session' },
		{ kind: 'approve-for-session', approval: { kind: 'write' } },
	],
	['no', shell, { effect: 'no' }, { kind: 'reject', feedback: 'The user said no.' }],
	['no with words', shell, { effect: 'no', words: 'Later.' }, { kind: 'reject', feedback: 'Later.' }],
	['the end of the turn', shell, { effect: 'end' }, { kind: 'reject' }],
	['no to a form', form, { effect: 'end' }, { action: 'cancel' }],
	['no to a form of a subagent', form, { effect: 'no' }, { action: 'cancel' }],
	[
		'a form',
		form,
		{ values: { Colour: ['Red'], sizes: ['Small', 'huge'], 'sure: No way back': ['false'], name: ['Ada'] } },
		{ action: 'accept', content: { color: 'r', sizes: ['s', 'huge'], sure: false, name: 'Ada' } },
	],
])('answers %s', (_, asked, given, expected) => {
	expect(answered(asked, given)).toEqual(expected);
});

it('says nothing for an answer that it cannot carry', () => {
	expect(() => answered(shell, { effect: 'folder' })).toThrow();
	expect(() => answered(outside, { effect: 'session' })).toThrow();
	expect(() => answered(form, { values: { 'sure: No way back': ['perhaps'] } })).toThrow(/true or false/);
});

it('is allowed beyond its session by nobody here: no rule names a file, and none is sent that would be kept in one', () => {
	for (const asked of [shell, write, mcp, outside]) {
		const [, ...lasting] = read(asked).choices.filter(({ effect }) => effect !== 'no' && effect !== 'end');
		const until = { effect: 'session', keptIn: 'Copilot CLI, until its session ends' };
		expect(lasting).toEqual(lasting.map(() => expect.objectContaining(until)));
		for (const effect of ['folder', 'user'] as const) expect(() => answered(asked, { effect })).toThrow(effect);
	}
});
