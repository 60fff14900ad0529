import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { StdioLine, StdioQuestion } from '../../../src/core/driver/stdio.ts';
import { stdio } from '../../../src/drivers/claude-code/stdio.ts';

/** What 2.1.329 has printed: a Yes, a turn that was broken off at its question, `/clear`, and an error of the model. */
const recorded = readFileSync('test/fixtures/claude-code/talk.jsonl', 'utf8').trim().split('\n');

function told(lines: readonly string[]): StdioLine[] {
	const read = stdio.reader();
	return lines.flatMap(line => read(line) ?? []);
}

const json = (value: object) => JSON.stringify(value);

function asked(more: object): StdioQuestion {
	const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: 'c', ...more };
	const [, line] = told([
		json({ type: 'system', session_id: 's' }),
		json({ type: 'control_request', request_id: 'r', request }),
	]);
	if (line?.is !== 'asked') throw new Error('it is no question');
	return line.question;
}

it('reads what the real CLI prints', () => {
	const lines = told(recorded);
	expect(lines.map(line => (line.is === 'update' ? line.update.sessionUpdate : line.is))).toEqual([
		'session',
		'begun',
		'available_commands_update',
		'turn',
		'read',
		'tool_call',
		'asked',
		'tool_call_update',
		'agent_message_chunk',
		'agent_message_chunk',
		'usage_update',
		'over',
		'turn',
		'read',
		'tool_call',
		'asked',
		'withdrawn',
		'tool_call_update',
		'usage_update',
		'over',
		'note',
		'session',
		'turn',
		'over',
		'turn',
		'read',
		'failed',
	]);
	const sessions = lines.flatMap(line => (line.is === 'session' ? [line.session] : []));
	expect(new Set(sessions).size).toBe(2);
	expect(lines.filter(({ is }) => is === 'over')).toMatchObject([
		{ stopped: 'end_turn' },
		{ stopped: 'cancelled' },
		{ stopped: 'end_turn' },
	]);
	expect(lines.at(-1)).toEqual({ is: 'failed', reason: 'API Error: 400 The double was asked to answer 400' });
	const texts = lines.flatMap(line =>
		line.is === 'update' && line.update.sessionUpdate === 'agent_message_chunk' ? [line.update.content.text] : [],
	);
	expect(texts).toEqual(['Two words', '\n']);
});

it('reads the question with its scopes, and answers in the CLI’s own form', () => {
	const question = told(recorded).find(line => line.is === 'asked')?.question;
	if (!question) throw new Error('nothing is asked');
	expect(question.choices).toEqual([
		{ effect: 'once' },
		{ effect: 'session', rule: 'Bash(touch made *); --add-dir /workspace; acceptEdits' },
		{ effect: 'folder', rule: 'Bash(touch made *)', keptIn: '.claude/settings.local.json' },
		{ effect: 'no' },
		{ effect: 'end' },
	]);
	const replied = (reply: Parameters<typeof stdio.decisionOf>[1]): unknown => {
		const { response } = JSON.parse(stdio.reply(question, stdio.decisionOf(question, reply))) as {
			response: { request_id: string; response: unknown };
		};
		expect(response.request_id).toBe(question.id);
		return response.response;
	};
	const input = { command: 'touch made', description: 'Run touch made' };
	expect(replied({ effect: 'once' })).toEqual({ behavior: 'allow', updatedInput: input });
	expect(replied({ effect: 'folder' })).toMatchObject({
		behavior: 'allow',
		updatedPermissions: [{ type: 'addRules', destination: 'localSettings' }],
	});
	expect(replied({ effect: 'no', words: 'Use pnpm.' })).toEqual({
		behavior: 'deny',
		message: 'The user said no: Use pnpm.',
	});
	expect(replied({ effect: 'end' })).toMatchObject({ behavior: 'deny', interrupt: true });
});

it('takes what the guard prints for an answer only where it decides', () => {
	const printed = (decision: unknown) =>
		json({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });
	expect(stdio.decisionIn(printed({ behavior: 'allow' }))).toMatchObject({ isYes: true, isEnd: false });
	expect(stdio.decisionIn(printed({ behavior: 'deny', interrupt: true }))).toMatchObject({
		isYes: false,
		isEnd: true,
	});
	for (const other of ['', '{}', 'allow', printed(undefined), printed({ behavior: 'maybe' }), printed('allow')])
		expect(stdio.decisionIn(other)).toBeUndefined();
});

it('knows a line that is no JSON from one that says nothing', () => {
	const read = stdio.reader();
	for (const line of ['warning: something', '{"type":', '7', 'null', '[]']) expect(read(line)).toBeUndefined();
	for (const line of [
		'{}',
		'{"type":7}',
		'{"type":"later"}',
		'{"type":"result"}',
		'{"type":"assistant","message":{}}',
	])
		expect(read(line)).toEqual([]);
});

it('leaves out what a subagent says, and refuses a request of another kind', () => {
	const message = { content: [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }] };
	expect(told([json({ type: 'assistant', message, parent_tool_use_id: 'a' })])).toEqual([]);
	expect(told([json({ type: 'assistant', message, parent_tool_use_id: null })])).toHaveLength(1);
	const request = { subtype: 'mcp_message' };
	expect(told([json({ type: 'control_request', request_id: 'r', request })])).toEqual([{ is: 'unknown', id: 'r' }]);
});

it('judges a result by its error alone', () => {
	const result = (more: object) =>
		told([json({ type: 'result', subtype: 'success', is_error: false, ...more })]).at(-1);
	expect(result({})).toEqual({ is: 'over', stopped: 'end_turn' });
	expect(result({ is_error: true, result: 'API Error: 500' })).toEqual({ is: 'failed', reason: 'API Error: 500' });
	expect(result({ is_error: true, errors: ['No conversation found'] })).toEqual({
		is: 'failed',
		reason: 'No conversation found',
	});
	expect(result({ is_error: true, terminal_reason: 'aborted_tools' })).toEqual({ is: 'over', stopped: 'cancelled' });
	expect(result({ stop_reason: 'refusal' })).toEqual({ is: 'over', stopped: 'refusal' });
});

it('shows a plan as its text, and an edit as its diff', () => {
	expect(asked({ tool_name: 'ExitPlanMode', input: { plan: '# Do it' } }).toolCall).toMatchObject({
		title: 'Its plan:',
		content: [{ type: 'content', content: { text: '# Do it' } }],
	});
	const input = { file_path: '/w/a', old_string: 'b', new_string: 'c' };
	expect(asked({ tool_name: 'Edit', input }).toolCall.content).toEqual([
		{ type: 'diff', path: '/w/a', oldText: 'b', newText: 'c' },
	]);
});

it('offers no Yes to a question that it cannot read', () => {
	const question = asked({ tool_name: 'AskUserQuestion', input: { questions: 'odd' } });
	expect(question.choices.map(({ effect }) => effect)).toEqual(['no', 'end']);
	expect(question.toolCall.rawInput).toEqual({ questions: 'odd' });
});

it('has the prompt of a launch for itself, and leaves all else to the CLI', () => {
	expect(stdio.read(['--resume', 's', '-p', '--', '-x is', 'odd'])).toEqual({
		args: ['--resume', 's', '-p'],
		prompt: '-x is odd',
		resume: undefined,
	});
	expect(stdio.read(['-p'])).toEqual({ args: ['-p'], prompt: undefined, resume: undefined });
});
