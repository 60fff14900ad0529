import { beforeEach, describe, expect, it } from 'vitest';
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
});
