import { beforeEach, describe, expect, it, vi } from 'vitest';
import { UpdateLines } from '../../../src/conversations/updateLines.ts';

let said: string[];
let lines: UpdateLines;
beforeEach(() => {
	said = [];
	lines = new UpdateLines(line => said.push(line));
});
const text = (words: string) =>
	lines.take({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: words } });

describe('what an agent does is shown', () => {
	it('line by line, whatever the pieces are, and the last line at the end of the turn', () => {
		for (const piece of ['Fir', 'st\nSec', 'ond\n\nLa', 'st']) text(piece);
		expect(said).toEqual(['First', 'Second', '']);
		lines.flush();
		lines.flush();
		expect(said).toEqual(['First', 'Second', '', 'Last']);
	});

	it('with a line for each tool once it runs, and one for a failure, below what was said before', () => {
		text('I look');
		lines.take({ sessionUpdate: 'tool_call', toolCallId: 'a', title: 'Shell', status: 'pending' });
		lines.take({ sessionUpdate: 'tool_call_update', toolCallId: 'a', title: 'npm test', status: 'in_progress' });
		lines.take({ sessionUpdate: 'tool_call_update', toolCallId: 'a', status: 'failed' });
		expect(said).toEqual(['I look', '● npm test', '  ✗ failed']);
	});

	it('with how long a tool took, if anybody had to wait', () => {
		const call = (id: string, status: 'in_progress' | 'completed' | 'failed') =>
			lines.take({ sessionUpdate: 'tool_call_update', toolCallId: id, title: id, status });
		vi.useFakeTimers();
		for (const id of ['a', 'b', 'c']) call(id, 'in_progress');
		vi.advanceTimersByTime(400);
		call('a', 'completed');
		vi.advanceTimersByTime(2800);
		call('b', 'completed');
		vi.advanceTimersByTime(72_000);
		call('c', 'failed');
		vi.useRealTimers();
		expect(said).toEqual(['● a', '● b', '● c', '  ✓ 3 s', '  ✗ failed after 1 min 15 s']);
	});

	it('with the tokens in its context at the end of a turn that has changed them', () => {
		const usage = (used: number, cost?: number) =>
			lines.take({
				sessionUpdate: 'usage_update',
				used,
				size: 200_000,
				...(cost !== undefined && { cost: { amount: cost, currency: 'USD' } }),
			});
		usage(9000);
		usage(12_345);
		lines.endTurn();
		lines.endTurn();
		usage(13_000, 0.126);
		lines.endTurn();
		expect(said).toEqual([
			'— 12,345 of 200,000 tokens in context —',
			'— 13,000 of 200,000 tokens in context, 0.13 USD —',
		]);
	});

	it('and a call that a turn has broken off is forgotten', () => {
		const call = (status: 'in_progress' | 'completed') =>
			lines.take({ sessionUpdate: 'tool_call_update', toolCallId: 'a', title: 'Shell', status });
		call('in_progress');
		lines.endTurn();
		call('completed');
		expect(said).toEqual(['● Shell', '● Shell']);
	});

	it('and its commands are known, but for names that nobody can type', () => {
		const availableCommands = ['review', 'mcp:docs.find', 'two words', '\u001b[2J'].map(name => ({
			name,
			description: '',
		}));
		lines.take({ sessionUpdate: 'available_commands_update', availableCommands });
		expect(lines.commands).toEqual(['review', 'mcp:docs.find']);
	});

	it('and of very many commands the first ones are', () => {
		const availableCommands = Array.from({ length: 5000 }, (_, at) => ({ name: `c${at}`, description: '' }));
		lines.take({ sessionUpdate: 'available_commands_update', availableCommands });
		expect(lines.commands).toHaveLength(1000);
	});

	it('also for a tool of which only the end is told', () => {
		lines.take({ sessionUpdate: 'tool_call_update', toolCallId: 'a', title: 'Read', status: 'completed' });
		expect(said).toEqual(['● Read']);
	});

	it('with the command or the file, in one line, where the title does not say it', () => {
		const call = (id: string, title: string, rawInput: unknown) => {
			lines.take({ sessionUpdate: 'tool_call', toolCallId: id, title, status: 'pending', rawInput: {} });
			lines.take({ sessionUpdate: 'tool_call_update', toolCallId: id, rawInput });
			lines.take({ sessionUpdate: 'tool_call_update', toolCallId: id, status: 'completed' });
		};
		call('a', 'Shell', { command: 'npm\ntest\u001b[2J' });
		call('b', 'Write new.txt', { file_path: 'new.txt' });
		call('c', 'Other', 'no object');
		expect(said).toEqual([String.raw`● Shell npm test\x1b[2J`, '● Write new.txt', '● Other']);
	});

	it('and of a long answer its last words are kept', () => {
		text(`${'First. '.repeat(1000)}\n`);
		text('All done.');
		expect(lines.said).toHaveLength(4000);
		expect(lines.said).toMatch(/First\. \nAll done\.$/);
	});

	it('with its plan, and nothing of kinds that a terminal has no line for', () => {
		lines.take({
			sessionUpdate: 'plan',
			entries: [
				{ content: 'Look', priority: 'high', status: 'completed' },
				{ content: 'Build', priority: 'low', status: 'pending' },
			],
		});
		lines.take({ sessionUpdate: 'current_mode_update', currentModeId: 'plan' });
		expect(said).toEqual(['  ✓ Look', '  ○ Build']);
	});

	const edit = (id: string, status: 'in_progress' | 'completed' | 'failed', newText?: string) =>
		lines.take({
			sessionUpdate: 'tool_call_update',
			toolCallId: id,
			title: 'Edit',
			status,
			...(newText !== undefined && {
				content: [{ type: 'diff', path: 'a.txt', oldText: 'one\ntwo\n', newText }],
			}),
		});

	it('with what a call has changed, whenever it told, and nothing controls the terminal', () => {
		const styles: unknown[] = [];
		lines = new UpdateLines((line, style) => styles.push([line, style]));
		edit('a', 'in_progress', 'one\nthree\r\n');
		edit('a', 'completed');
		expect(styles).toEqual([
			['● Edit', undefined],
			['  a.txt:', undefined],
			['    one', undefined],
			['  - two', 'red'],
			[String.raw`  + three\x0d`, 'green'],
		]);
	});

	it('but not of a call that has failed, or that a question has shown', () => {
		edit('a', 'failed', 'other\n');
		lines.askedFor('b');
		edit('b', 'completed', 'other\n');
		expect(said).toEqual(['● Edit', '  ✗ failed', '● Edit']);
	});

	it('of a long change its first lines, with how many are left out, and of a long line its beginning', () => {
		edit('a', 'completed', `${'x'.repeat(1000)}\n${'more\n'.repeat(99)}`);
		// The path, two removed and a hundred added.
		expect(said).toHaveLength(1 + 60 + 1);
		expect(said.at(-1)).toBe('  … (43 further lines not shown here)');
		expect(Math.max(...said.map(({ length }) => length))).toBe(2 + 400 + 1);
	});

	it('as Markdown, with blocks of code that end where they should', () => {
		const styles: unknown[] = [];
		lines = new UpdateLines((_, style) => styles.push(style));
		text('# Title\nWords\n````ts\n# no title\n```\n````\nWords\n```inline``` words\n~~~\nopen');
		lines.endTurn();
		text('Words\n');
		expect(styles).toEqual([
			'heading',
			'prose',
			'code',
			'code',
			'code',
			'code',
			'prose',
			'prose',
			'code',
			'code',
			'prose',
		]);
	});
});
