import { describe, expect, it } from 'vitest';
import { asking } from '../../../src/drivers/opencode/asking.ts';
import type { Answer } from '../../../src/protocol/question.ts';
import { givenAnswer } from '../../support/givenAnswer.ts';

const session = 'ses_e01515da6ffexAQ8l1f1iMlkAQ';

/** As measured with 1.18.33. */
const bash = {
	id: 'per_1',
	sessionID: session,
	permission: 'bash',
	patterns: ['touch a', 'echo two'],
	metadata: { command: 'touch a && echo two' },
	always: ['touch *', 'echo *'],
	tool: { messageID: 'msg_1', callID: 'call_1' },
};
const mcp = { ...bash, permission: 'own_greet', patterns: ['*'], metadata: {}, always: ['*'] };
const edit = {
	...bash,
	permission: 'edit',
	patterns: ['a.txt'],
	metadata: { filepath: '/w/a.txt', diff: '@@ -1 +1 @@\n-one\n+two\n' },
	always: ['*'],
};
const outside = {
	...bash,
	permission: 'external_directory',
	patterns: ['/etc/*'],
	metadata: { filepath: '/etc/hostname', parentDir: '/etc' },
	always: ['/etc/*'],
};
const web = {
	...bash,
	permission: 'webfetch',
	patterns: ['http://a/x'],
	metadata: { url: 'http://a/x', format: 'text' },
};
const questions = [
	{ question: 'Which colours?', header: 'Colours', options: [{ label: 'Blue', description: 'b' }], multiple: true },
	{ question: 'Which name?', header: 'Name', options: [] },
];
const asksUser = { id: 'que_1', sessionID: session, questions, tool: bash.tool };

const called = (request: { questions?: unknown }, more: object = {}) => ({
	event: request.questions ? 'ask-question' : 'ask-permission',
	payload: { sessionID: session, directory: '/w', request, ...more },
	env: {},
});

function read(request: object, more: object = {}) {
	const found = asking.read(called(request, more));
	if (found === 'none') throw new Error('it asks nothing');
	return found;
}

const answered = (request: object, given: Partial<Answer>): unknown =>
	JSON.parse(asking.answer(called(request), givenAnswer(given)).stdout);

describe('what opencode asks', () => {
	it('is a command, with all else that its tool was given', () => {
		const args = { command: 'touch a && echo two', workdir: '/elsewhere', timeout: 5000 };
		expect(read(bash, { args })).toMatchObject({
			session,
			kind: 'tool',
			tool: 'bash',
			call: 'call_1',
			cwd: '/w',
			title: 'touch a && echo two',
			body: 'touch a && echo two',
			bodyIs: 'command',
			also: [
				{ name: 'patterns', value: 'touch a\necho two' },
				{ name: 'workdir', value: '/elsewhere' },
				{ name: 'timeout', value: '5000' },
			],
		});
	});

	it('is an edit, as its diff', () => {
		const args = { filePath: '/w/a.txt', oldString: 'one', newString: 'two', replaceAll: true };
		const { body, bodyIs, also, files } = read(edit, { args });
		expect({ body, bodyIs, files }).toEqual({ body: edit.metadata.diff, bodyIs: 'diff', files: ['/w/a.txt'] });
		expect(also).toContainEqual({ name: 'replaceAll', value: 'true' });
	});

	it('is a patch with each file that its headers name', () => {
		const headers = ['Add File: b', 'Update File: a.txt', 'Move to: ../c, d', 'Delete File: .e'];
		const patchText = ['*** Begin Patch', ...headers.map(each => `*** ${each}`), '+ *** Add File: no'].join('\n');
		const metadata = { ...edit.metadata, filepath: 'b, a.txt, .e' };
		expect(read({ ...edit, metadata }, { args: { patchText } }).files).toEqual(['b', 'a.txt', '../c, d', '.e']);
		expect(read(edit, { args: { patchText: '*** Add File: b' } }).files).toEqual(['b', '/w/a.txt']);
	});

	it('is an edit of a run by its texts, which waits before the CLI has made a diff', () => {
		const held = (args: object) => read({ ...edit, patterns: [], metadata: { filepath: '/w/a.txt' } }, { args });
		const changed = held({ filePath: '/w/a.txt', oldString: 'one', newString: 'two', replaceAll: true });
		expect(changed).toMatchObject({ bodyIs: 'diff', body: '-one\n+two', files: ['/w/a.txt'], title: '/w/a.txt' });
		expect(changed.also).toContainEqual({ name: 'replaceAll', value: 'true' });
		expect(changed.also.map(({ name }) => name)).not.toContain('patterns');
		expect(held({ filePath: '/w/a.txt', content: 'a\nb' })).toMatchObject({ bodyIs: 'diff', body: '+a\n+b' });
		expect(held({ filePath: '/w/a.txt', content: 'a', oldString: 'b' })).toMatchObject({ bodyIs: 'json' });
	});

	it.each([
		['a folder outside', outside, { filePath: '/etc/hostname' }, '/etc/hostname'],
		['a page of the web', web, { url: 'http://a/x', format: 'text' }, 'http://a/x'],
		['a tool of an MCP server', mcp, { name: 'Bo', diff: 'hidden', content: 'too' }, 'hidden'],
	])('is %s, with every part', (_, request, args, part) => {
		const { bodyIs, body, also } = read(request, { args });
		expect(bodyIs).toBe('json');
		for (const [name, value] of Object.entries({ ...args, ...request.metadata }))
			expect(JSON.parse(body)).toHaveProperty([name], value);
		expect(body).toContain(part);
		expect(also).toEqual([{ name: 'patterns', value: request.patterns.join('\n') }]);
	});

	it('shows a tool’s input beside a part of the request that has the same name', () => {
		const { also } = read(bash, { args: { command: 'rm -rf /' } });
		expect(also).toContainEqual({ name: 'input.command', value: 'rm -rf /' });
	});

	it('cannot be allowed here while its input is unknown', () => {
		for (const request of [mcp, bash])
			expect(read(request).choices).toEqual([{ effect: 'no' }, { effect: 'end', isMute: true }]);
	});

	it('can be allowed here where no call of a tool asks', () => {
		const { tool: _, ...loop } = { ...bash, permission: 'doom_loop', metadata: { tool: 'bash', input: {} } };
		expect(read(loop).choices).toContainEqual({ effect: 'once' });
	});

	it('offers the CLI’s own rule word by word, and for how long it holds', () => {
		expect(read(bash, { args: { command: 'touch a && echo two' } }).choices).toEqual([
			{ effect: 'once' },
			{ effect: 'session', rule: 'bash touch *; bash echo *', keptIn: 'opencode, until it is restarted' },
			{ effect: 'no' },
			{ effect: 'end', isMute: true },
		]);
	});

	it('is a subagent’s by its session and name', () => {
		const { subagent, subagentName } = read(bash, { subagent: 'ses_child', agent: 'general' });
		expect({ subagent, subagentName }).toEqual({ subagent: 'ses_child', subagentName: 'general' });
	});

	it('is the model’s question with its fields, to which a No ends the turn', () => {
		const { kind, fields, choices } = read(asksUser);
		expect({ kind, choices }).toEqual({
			kind: 'choice',
			choices: [{ effect: 'once' }, { effect: 'end', isMute: true }],
		});
		expect(fields.map(({ question, isMultiple }) => [question, isMultiple])).toEqual([
			['Which colours?', true],
			['Which name?', false],
		]);
	});

	it('is nothing at another event, and fails for a payload of another form', () => {
		expect(asking.read({ event: 'permission-asked', payload: {}, env: {} })).toBe('none');
		expect(() => asking.read({ event: 'ask-permission', payload: { request: {} }, env: {} })).toThrow();
	});
});

it.each<[string, Partial<Answer>, object]>([
	['once', { effect: 'once' }, { reply: 'once' }],
	['until its restart', { effect: 'session' }, { reply: 'always' }],
	['no', { effect: 'no' }, { reply: 'reject', message: 'The user said no.' }],
	['no with words', { effect: 'no', words: 'Later.' }, { reply: 'reject', message: 'Later.' }],
	['the end of the turn', { effect: 'end' }, { reply: 'reject' }],
])('answers a request for permission: %s', (_, given, reply) => {
	expect(answered(bash, given)).toEqual(reply);
});

it('answers a question in the order of its fields, or dismisses it', () => {
	const values = { 'Which name?': ['Ada, of course'], 'Which colours?': ['Blue', 'Red'] };
	expect(answered(asksUser, { values })).toEqual({ answers: [['Blue', 'Red'], ['Ada, of course']] });
	expect(answered(asksUser, { effect: 'end' })).toEqual({ reject: true });
});

it('knows no rule that is kept in a file', () => {
	expect(() => answered(bash, { effect: 'user' })).toThrow();
});
