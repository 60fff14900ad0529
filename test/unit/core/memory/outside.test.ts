import { describe, expect, it } from 'vitest';
import { digestOf, entriesOf, isFromOutside } from '../../../../src/core/memory/digest.ts';
import { fetches } from '../../../../src/core/memory/outside.ts';
import { driverById } from '../../../../src/drivers/index.ts';
import { TrafficRecord } from '../../../../src/protocol/traffic.ts';

let count = 0;
function record(driver: string, kind: string, payload: object, more: object = {}): TrafficRecord {
	const at = new Date(1_700_000_000_000 + ++count * 1000).toISOString();
	const event = { driver, session: 's1', kind, event: kind, ...more };
	return TrafficRecord.parse({ version: 1, id: `r${count}`, at, type: 'event', event, payload });
}

/** A call with this input, in the field that the driver reads. */
function called(driver: string, tool: string, input: object = { path: 'x' }, more: object = {}): TrafficRecord[] {
	const [field = ''] = driverById(driver)?.eventWords.input ?? [];
	const call = { tool, toolUseId: `t${++count}`, ...more };
	return [
		record(driver, 'tool-start', { [field]: input }, call),
		record(driver, 'tool-end', { tool_response: 'said', text: 'said' }, call),
	];
}

const digest = (records: readonly TrafficRecord[]) =>
	digestOf(
		{
			records,
			wordsOf: id => driverById(id)?.eventWords,
			given: 'typed',
			delivered: [],
			steering: [],
			answers: [],
			changes: [],
		},
		25_000,
	).text;

/** Of these records, the tools in the digest that may have brought what others wrote. */
const outsideOf = (records: readonly TrafficRecord[]) =>
	[...entriesOf(digest(records)).values()].filter(isFromOutside).map(({ head }) => head.split(' ')[0]);

/** Names that the pinned CLIs offer to a model or report in hooks. */
const names: readonly { driver: string; inside: readonly string[]; outside: readonly string[] }[] = [
	{
		driver: 'claude-code',
		inside: ['Bash', 'Edit', 'Read', 'Write', 'Agent', 'Skill', 'AskUserQuestion', 'ExitPlanMode'],
		outside: ['WebFetch', 'WebSearch', 'mcp__nancy__reply', 'ToolSearch', 'Workflow', 'ReadMcpResourceTool'],
	},
	{
		driver: 'codex',
		inside: ['Bash', 'apply_patch', 'spawn_agent', 'view_image'],
		outside: ['web_search', 'mcp__docs__search', 'wait_agent'],
	},
	{
		driver: 'copilot-cli',
		inside: ['bash', 'read_bash', 'view', 'create', 'edit', 'grep', 'glob', 'task', 'skill', 'ask_user'],
		outside: [
			'github-get_issue',
			'web_fetch',
			'fetch_copilot_cli_documentation',
			'session_store_sql',
			'read_agent',
		],
	},
	{
		driver: 'gemini-cli',
		inside: ['run_shell_command', 'list_directory', 'read_file', 'grep_search', 'glob', 'replace', 'invoke_agent'],
		outside: ['web_fetch', 'google_web_search', 'mcp_docs_search', 'read_mcp_resource', 'discovered_tool_x'],
	},
	{
		driver: 'opencode',
		inside: ['bash', 'edit', 'glob', 'grep', 'read', 'skill', 'task', 'todowrite', 'write'],
		outside: ['webfetch', 'websearch', 'docs_search', 'execute', 'my_own_tool'],
	},
	{
		driver: 'qwen-code',
		inside: [
			'agent',
			'edit',
			'glob',
			'grep_search',
			'notebook_edit',
			'read_file',
			'run_shell_command',
			'write_file',
		],
		outside: ['web_fetch', 'mcp__docs__search', 'tool_call', 'tool_search'],
	},
];

describe.each(names)('of $driver', ({ driver, inside, outside }) => {
	it('what its own tools for files and commands bring is from inside, and all else from outside', () => {
		expect(outsideOf(inside.flatMap(tool => called(driver, tool)))).toEqual([]);
		const brought = outside.flatMap(tool => called(driver, tool));
		expect(outsideOf(brought)).toHaveLength(outside.length);
	});

	it('a command that fetches brings what others wrote', () => {
		const [shell = ''] = inside.filter(tool => /bash|shell/i.test(tool));
		expect(outsideOf(called(driver, shell, { command: 'npm test' }))).toEqual([]);
		expect(outsideOf(called(driver, shell, { command: 'npm test; curl -s example.org' }))).toEqual(['Bash']);
	});

	it('a subagent’s report is from outside if a subagent of the task used such a tool', () => {
		const [handing = ''] = inside.filter(tool => /agent|^task$/i.test(tool));
		const below = (tool = '') => called(driver, tool, {}, { subagent: 'a1' });
		expect(outsideOf([...below(inside[0]), ...called(driver, handing)])).toEqual([]);
		expect(outsideOf([...below(outside[0]), ...called(driver, handing)])).toEqual(['Agent']);
	});

	it('only a prompt that somebody typed has the user’s words', () => {
		const { input = [], output = [] } = driverById(driver)?.eventWords ?? {};
		const said = (text: string) => Object.fromEntries([...input, ...output].map(field => [field, text]));
		const records = [
			record(driver, 'prompt', said('Make it faster'), { isWake: false }),
			record(driver, 'prompt', said('<task-notification>'), { isWake: true }),
		];
		expect(digest(records)).toMatch(/^p1 user\n {2}Make it faster\ne1 Wake \[from outside\] \(ok\):\n/);
	});
});

it('a tool of a CLI that nobody knows is from outside', () => {
	expect(outsideOf(called('other', 'Read'))).toEqual(['Read']);
});

it.each(['', ' ', ' Read'])('a tool whose name is “%s” is from outside', tool => {
	expect(outsideOf(called('claude-code', tool))).toHaveLength(1);
});

it.each([
	'curl -s example.org',
	'cd /tmp && /usr/bin/wget x',
	"bash -lc 'gh api repos'",
	'X=$(curl x)',
	'gh pr view 3',
	'node get.mjs https://example.org/x',
	'node follow.mjs wss://example.org/x',
	'ssh build cat notes.txt',
	'nc example.org 80 < request',
	'node get.mjs http://localhost@example.org/x',
])('as it seems, this fetches: %s', command => {
	expect(fetches(command)).toBe(true);
});

it.each([
	'npm test',
	'git fetch origin && git log origin/main',
	'ORIGIN=http://localhost:3000 npm test',
	'PORT=1 node x http://127.0.0.1:1/',
	'ls curly; cat ghost.txt',
	'python fetch.py',
	'cat ~/.ssh/config /etc/ssh/sshd_config',
])('as it seems, this fetches nothing: %s', command => {
	expect(fetches(command)).toBe(false);
});
