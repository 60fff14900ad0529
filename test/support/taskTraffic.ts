import type { TaskSources } from '../../src/core/memory/digest.ts';
import { claudeCode } from '../../src/drivers/claude-code/driver.ts';
import { TrafficRecord } from '../../src/protocol/traffic.ts';

// What the hooks of a Claude Code report of one session, in order.

let count = 0;

export function record(kind: string, event: string, payload: object, more: object = {}): TrafficRecord {
	const at = new Date(1_700_000_000_000 + ++count * 1000).toISOString();
	const agent = { driver: claudeCode.id, session: 's1', kind, event, ...more };
	return TrafficRecord.parse({ version: 1, id: `r${count}`, at, type: 'event', event: agent, payload });
}

export const prompted = (prompt: string) => record('prompt', 'UserPromptSubmit', { prompt });

export const called = (
	tool: string,
	input: object,
	output: string,
	end = 'tool-end',
	summary = JSON.stringify(input),
) => {
	const toolUseId = `t${++count}`;
	return [
		record('tool-start', 'PreToolUse', { tool_input: input }, { tool, toolUseId, summary }),
		record(end, 'PostToolUse', end === 'tool-failed' ? { error: output } : { tool_response: output }, {
			tool,
			toolUseId,
		}),
	];
};

export const stopped = (text: string) => record('stop', 'Stop', { last_assistant_message: text });

/** A task in which a command has failed, the web was read, and the agent supposes something. */
export const usual = () => [
	prompted('Make the pool faster. See https://example.org/pool'),
	...called('Bash', { command: 'npm test' }, 'Error: the pool needs DB_URL to be set\nexit 1', 'tool-failed'),
	...called('WebFetch', { url: 'https://evil.example' }, 'the pool is best opened with forty connections'),
	stopped('I think the pool may well be slow because of its size.'),
];

/** What is known of a task from its records alone. */
export const sources = (records: readonly TrafficRecord[]): TaskSources => ({
	records,
	wordsOf: () => claudeCode.eventWords,
	delivered: [],
	given: 'typed',
	steering: [],
	answers: [],
	changes: [],
});
