import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { PermissionOption } from '@agentclientprotocol/sdk';
import { expect, it, vi } from 'vitest';
import { acpQuestion } from '../../../src/conversations/acpQuestion.ts';
import { PermissionQuestion } from '../../../src/conversations/permission.ts';
import { PromptedLines } from '../../../src/conversations/promptedLines.ts';
import { styled } from '../../../src/conversations/style.ts';

const YES: PermissionOption = { optionId: 'yes', name: 'Allow', kind: 'allow_once' };
const NO: PermissionOption = { optionId: 'no', name: 'Reject', kind: 'reject_once' };
const NEVER: PermissionOption = { optionId: 'never', name: 'Reject always', kind: 'reject_always' };

/** What the agent is told where nobody types, the desk answers with a kind of option, and how the desk's question ends. */
async function carried(kind: string, options: PermissionOption[]) {
	const said: string[] = [];
	const signals: string[] = [];
	const stdin = new PassThrough();
	const lines = new PromptedLines({
		stdin,
		prompt: '',
		completer: line => [[], line],
		write: text => said.push(text),
		interrupt: () => undefined,
	});
	const request = { sessionId: 's', options, toolCall: { toolCallId: 'c', rawInput: { command: 'ls' } } };
	const over = new AbortController();
	const question = new PermissionQuestion(
		acpQuestion(request),
		{ noYes: [], toolOf: () => 'shell' },
		lines,
		over.signal,
	);
	const guard = {
		printed: Promise.resolve(JSON.stringify({ kind })),
		woken: Promise.resolve(undefined),
		killed: Promise.resolve(false),
		end: (signal: string) => signals.push(signal),
	};
	const answer = await question.answer(() => guard, true);
	lines.close();
	return { chosen: answer?.option.optionId, signals, last: said.at(-1) };
}

/** Lines of a terminal, and what is written there. */
function linesSaid() {
	const said: string[] = [];
	const lines = new PromptedLines({
		stdin: new PassThrough(),
		prompt: '',
		completer: line => [[], line],
		write: text => said.push(text),
		interrupt: () => undefined,
	});
	return { said, lines };
}

it('an answer of the desk chooses the option of its kind', async () => {
	expect(await carried('allow_once', [YES, NO])).toMatchObject({
		chosen: 'yes',
		signals: ['SIGUSR2'],
	});
	expect(await carried('reject_once', [NEVER, YES, NO])).toMatchObject({
		chosen: 'no',
		signals: ['SIGTERM'],
	});
});

it('an answer of the desk for which the agent has no option is its No for once, or cancels: it never waits', async () => {
	expect(await carried('reject_once', [YES, NEVER])).toEqual({
		chosen: undefined,
		signals: ['SIGTERM'],
		last: '→ Cancelled (answered in Nancy)',
	});
	expect(await carried('allow_once', [NO])).toMatchObject({ chosen: 'no' });
});

it('a request without an input is shown by its title, its changes in colour, and the words beside them; a long one has no Yes', async () => {
	const show = async (newText: string) => {
		const { said, lines } = linesSaid();
		const toolCall = {
			toolCallId: 'replace__1',
			title: 'Writing to a.txt',
			content: [
				{ type: 'diff' as const, path: '/w/a.txt', oldText: 'one\ntwo', newText },
				{ type: 'content' as const, content: { type: 'text' as const, text: 'It adds\u001b[2K three.' } },
			],
		};
		const over = new AbortController();
		const request = { sessionId: 's', options: [YES, NO], toolCall };
		const question = new PermissionQuestion(
			acpQuestion(request),
			{ noYes: [], toolOf: () => 'replace' },
			lines,
			over.signal,
		);
		const answered = question.answer(() => undefined, true);
		setTimeout(() => over.abort(), 20);
		await answered;
		lines.close();
		return said.join('\n');
	};
	vi.stubEnv('NO_COLOR', '');
	vi.stubEnv('TERM', 'xterm-256color');
	const bar = styled('│ ', 'dim');
	expect(await show('one\nthree')).toBe(
		[
			'',
			`${bar}replace:`,
			`${bar}Writing to a.txt`,
			`${bar}/w/a.txt:`,
			`${bar}  one`,
			`${bar}\u001b[31m- two\u001b[39m`,
			`${bar}\u001b[32m+ three\u001b[39m`,
			`${bar}It adds\\x1b[2K three.`,
			'  1. Allow',
			'  2. Reject',
			'  3. No, and say why',
		].join('\n'),
	);
	const wide = await show(`${'y'.repeat(100)}${' '.repeat(300)}│ git status\n\t漢`);
	expect(wide).toContain(
		`${bar}\u001b[32m+ ${'y'.repeat(76)}\u001b[39m\n${bar}\u001b[32m${'y'.repeat(24)}⟨300 blanks⟩│ git`,
	);
	expect(wide).toContain('+     漢');
	const long = await show('x'.repeat(30_000));
	expect(long.length).toBeLessThan(21_000);
	expect(long).toContain('too long to be shown whole here');
	expect(long).not.toContain('Allow');
	vi.stubEnv('NO_COLOR', '1');
	expect(await show('one')).not.toContain('\u001b');
	vi.unstubAllEnvs();
});

it('nothing has a colour on a terminal that is dumb, and a line without a style nowhere', () => {
	expect(styled('x', 'red', { TERM: 'dumb' })).toBe('x');
	expect(styled('x', undefined, {})).toBe('x');
	expect(styled('x', 'green', { NO_COLOR: '' })).toBe('\u001b[32mx\u001b[39m');
	expect(styled('**x**', 'prose', { NO_COLOR: '1' })).toBe('**x**');
});

it.each([
	['a **b c** d', 'a \u001b[1m**b c**\u001b[22m d'],
	['`a` and ``b ` c``', '\u001b[36m`a`\u001b[39m and \u001b[36m``b ` c``\u001b[39m'],
	['`**a**` **`', '\u001b[36m`**a**`\u001b[39m **`'],
	['2 ** 3 ** 4, `open, ** b**', '2 ** 3 ** 4, `open, ** b**'],
])('of the agent’s words %j, those in signs have a look, and the signs stay', (text, shown) => {
	expect(styled(text, 'prose', {})).toBe(shown);
});

it.each([
	['beside an input that does not hold it', { title: 'Tidy up', rawInput: { id: 3 } }, ['Tidy up', '"id": 3']],
	[
		'once, where the input holds it',
		{ title: 'ls "a"', rawInput: { command: 'ls "a"' } },
		['"command": "ls \\"a\\""'],
	],
	['in place of an empty input', { title: 'rm a', rawInput: {} }, ['rm a']],
])('the title of a request is shown %s', async (_what, toolCall, shown) => {
	const { said, lines } = linesSaid();
	const request = { sessionId: 's', options: [YES, NO], toolCall: { toolCallId: 'c', ...toolCall } };
	const over = AbortSignal.abort();
	await new PermissionQuestion(acpQuestion(request), { noYes: [], toolOf: () => 'execute' }, lines, over).answer(
		() => undefined,
		true,
	);
	lines.close();
	const rows = stripVTControlCharacters(said.join('\n')).split('\n');
	const ofRequest = rows.flatMap(row => (row.startsWith('│ ') ? [row.slice(2).trim()] : []));
	expect(ofRequest.filter(row => !['{', '}'].includes(row))).toEqual(['execute:', ...shown]);
});

const lines = (of: string, count: number) => Array.from({ length: count }, (_, at) => `${of} ${at}`).join('\n');

it.each([
	[
		'whole, where the change shows other words',
		{ file_path: '/w/a', content: 'rm -rf /' },
		{ oldText: 'one', newText: 'two' },
		['"file_path": "/w/a",', '"content": "rm -rf /"', '/w/a:', '- one', '+ two'],
	],
	[
		'without what the change shows whole, which is named',
		{ file_path: '/w/a', old: 'one', content: 'two\nthree' },
		{ oldText: 'one', newText: 'two\nthree' },
		[
			'"file_path": "/w/a"',
			'"old": a text of the change below',
			'"content": a text of the change below',
			'/w/a:',
			'- one',
			'+ two',
			'+ three',
		],
	],
	[
		'whole, where the change leaves lines out',
		{ content: lines('x', 9) },
		{ oldText: `${lines('x', 8)}\ny`, newText: lines('x', 9) },
		[`"content": ${JSON.stringify(lines('x', 9))}`, '/w/a:', '…', 'x 5', 'x 6', 'x 7', '- y', '+ x 8'],
	],
])('an input is shown beside a change: %s', async (_what, rawInput, change, shown) => {
	const { said, lines: terminal } = linesSaid();
	const content = [{ type: 'diff' as const, path: '/w/a', ...change }];
	const request = { sessionId: 's', options: [YES, NO], toolCall: { toolCallId: 'c', rawInput, content } };
	const over = AbortSignal.abort();
	const question = new PermissionQuestion(acpQuestion(request), { noYes: [], toolOf: () => 'edit' }, terminal, over);
	await question.answer(() => undefined, true);
	terminal.close();
	const rows = stripVTControlCharacters(said.join('\n')).split('\n');
	const ofRequest = rows.flatMap(row => (row.startsWith('│ ') ? [row.slice(2).trim()] : []));
	expect(ofRequest.filter(row => !['{', '}'].includes(row))).toEqual(['edit:', ...shown]);
	expect(said).toContain('  1. Allow');
});
