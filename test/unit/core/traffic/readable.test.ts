import { mkdir, writeFile } from 'node:fs/promises';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NancyPaths } from '../../../../src/core/files/paths.ts';
import { eventDetail, type EventDetail } from '../../../../src/core/traffic/eventDetail.ts';
import { eventName } from '../../../../src/core/traffic/eventName.ts';
import type { TrafficNode, Turn } from '../../../../src/core/traffic/node.ts';
import { isPlumbing } from '../../../../src/core/traffic/plumbing.ts';
import { TurnArranger } from '../../../../src/core/traffic/turns.ts';
import { turnSubject } from '../../../../src/core/traffic/turnSubject.ts';
import { drivers } from '../../../../src/drivers/index.ts';
import { SessionId } from '../../../../src/protocol/names.ts';
import { TrafficRecord } from '../../../../src/protocol/traffic.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';

const fixtures = join(import.meta.dirname, '../../../fixtures');
const SESSION = SessionId.parse('s1');
const wordsOf = (id: string) => drivers.find(driver => driver.id === id)?.eventWords;

/** A hook payload that a real CLI has sent, as the traffic keeps it. */
function recordOf(folder: string, file: string): TrafficRecord | undefined {
	const driver = drivers.find(each => each.id === folder);
	const payload: unknown = JSON.parse(readFileSync(join(fixtures, folder, file), 'utf8'));
	const own = /^hook-(\w+)/.exec(file)?.[1] ?? '';
	// The name of an event may have hyphens only where payloads do not name it.
	const name = folder === 'opencode' ? file.slice('hook-'.length).split('.')[0] : own;
	const event = driver?.hooks.read({ event: name ?? '', payload, env: {} });
	if (event === undefined || event === 'silent') return undefined;
	const at = '2026-11-22T00:00:00.000Z';
	return TrafficRecord.parse({ version: 1, id: file, at, type: 'event', event, payload });
}

function hooksOf(folder: string): readonly TrafficRecord[] {
	const files = readdirSync(join(fixtures, folder)).filter(file => /^hook-.*\.json$/.test(file));
	return files.flatMap(file => recordOf(folder, file) ?? []);
}

/** Of the others there is no payload that a real CLI has sent. */
const folders = drivers.filter(({ knownFrom }) => knownFrom === 'runs').map(({ id }) => id);

function turnsOf(records: readonly TrafficRecord[]): readonly Turn[] {
	const arranger = new TurnArranger(wordsOf);
	for (const record of records) arranger.add(record);
	return arranger.turns;
}

/** Each event as a row of its own. */
function rowsOf(folder: string): TrafficNode[] {
	return hooksOf(folder).flatMap(record => turnsOf([record]).flatMap(({ nodes }) => nodes));
}

const delivery = (event: string): TrafficRecord =>
	TrafficRecord.parse({
		version: 1,
		id: `d-${event}`,
		at: '2026-11-22T00:00:00.000Z',
		type: 'delivery',
		delivery: {
			nancy: 'delivery',
			at: '2026-11-22T00:00:00.000Z',
			driver: 'fake',
			session: SESSION,
			event,
			task: 't',
			worker: 'worker',
			messages: ['m1'],
			rung: 'hook',
			effect: 'none',
		},
	});
const event = (kind: string, more: Record<string, unknown> = {}): TrafficRecord =>
	TrafficRecord.parse({
		version: 1,
		id: `e-${kind}-${JSON.stringify(more)}`,
		at: '2026-11-22T00:00:00.000Z',
		type: 'event',
		event: { driver: 'fake', session: SESSION, event: kind, kind, ...more },
		payload: {},
	});

describe('the events of all CLIs', () => {
	it.each(folders)('of %s are known, and its tools have common names', folder => {
		const rows = rowsOf(folder);
		expect(rows.length).toBeGreaterThan(5);
		const tools = new Set(
			rows.flatMap(({ tool }) => (tool === undefined || tool.startsWith('mcp__') ? [] : [tool])),
		);
		const common = ['Agent', 'AskUserQuestion', 'Bash', 'ExitPlanMode', 'Read', 'Write'];
		expect([...tools].filter(tool => !common.includes(tool))).toEqual([]);
		expect(tools).toContain('Bash');
		const names = new Set(rows.map(({ event }) => eventName(event)));
		expect(['prompt', 'tool-start', 'stop'].filter(name => ![...names].some(each => each === name))).toEqual([]);
	});

	it('are of a file if the tool runs nothing and its subject is a path', () => {
		const onFile = folders.flatMap(rowsOf).filter(({ isOnFile }) => isOnFile);
		expect(onFile.length).toBeGreaterThan(0);
		for (const { tool, event } of onFile) {
			expect(['Read', 'Write', 'Edit']).toContain(tool);
			if (event.kind !== 'tool-failed') expect(event.summary).toMatch(/^\/\S+$/);
		}
	});

	it('that tell a person nothing are plumbing, and no others', () => {
		const hidden = folders.flatMap(folder =>
			rowsOf(folder)
				.filter(isPlumbing)
				.map(({ id }) => `${folder} ${id.slice('hook-'.length, -'.json'.length)}`),
		);
		expect(hidden).toMatchInlineSnapshot(`
			[
			  "claude-code CwdChanged",
			  "claude-code Elicitation",
			  "claude-code ElicitationResult",
			  "claude-code InstructionsLoaded",
			  "claude-code PostToolBatch",
			  "claude-code PreModelSwitch",
			  "claude-code Setup",
			  "claude-code UserPromptExpansion",
			  "claude-code WorktreeCreate",
			  "copilot-cli permissionRequest.in-subagent",
			  "copilot-cli permissionRequest",
			  "copilot-cli preCompact",
			  "codex PreModelRequest",
			  "qwen-code PostToolBatch",
			  "qwen-code UserPromptSubmit.of-results",
			]
		`);
	});
});

describe('a turn', () => {
	const subjects = (...records: readonly TrafficRecord[]) => {
		const turns = turnsOf(records);
		return turns.map((turn, at) => {
			const subject = turnSubject(turn, turns[at - 1]);
			return subject.from === 'prompt' ? subject.text : subject.from;
		});
	};
	const woken = event('prompt', { isWake: true });

	it('is about its prompt, or about the message that woke the agent', () => {
		const typed = event('prompt', { summary: 'fix it' });
		expect(subjects(event('session-start'), typed, event('stop'), woken, delivery('prompt'))).toEqual([
			'start',
			'fix it',
			'messages',
		]);
		const typedByNancy = event('prompt', { summary: 'Read the messages', wakeRung: 'keys' });
		expect(subjects(typedByNancy, delivery('prompt'))).toEqual(['messages']);
	});

	it('is about what was handed over at the stop before it, or after that', () => {
		expect(subjects(event('prompt', { summary: 'a' }), event('stop'), delivery('stop'), woken)).toEqual([
			'a',
			'messages',
		]);
		const bell = [event('doorbell'), delivery('doorbell')] as const;
		expect(subjects(event('prompt', { summary: 'a' }), event('stop'), ...bell, woken)).toEqual(['a', 'messages']);
		const before = [event('tool-start'), delivery('tool-start'), event('stop')] as const;
		expect(subjects(event('prompt', { summary: 'a' }), ...before, woken)).toEqual(['a', 'agent']);
	});

	it('has no known prompt where the beginning of the session is not kept', () => {
		expect(subjects(event('tool-start', { tool: 'Bash' }))).toEqual(['unknown']);
	});
});

describe('plumbing', () => {
	it('is nothing at which Nancy delivered something, or failed to', () => {
		const batch = event('batch-end');
		const isHidden = (...records: readonly TrafficRecord[]) =>
			turnsOf(records).flatMap(({ nodes }) => nodes.map(isPlumbing));
		expect(isHidden(batch)).toEqual([true]);
		expect(isHidden(batch, delivery('batch-end'))).toEqual([false]);
	});
});

describe('the detail of an event', () => {
	let folder: TempFolder;
	let paths: NancyPaths;

	beforeEach(async () => {
		folder = tempFolder();
		paths = new NancyPaths(folder.path);
		await mkdir(paths.traffic, { recursive: true });
	});
	afterEach(() => folder.remove());

	/** Of the row that these make together. */
	async function detailOf(driver: string, ...files: readonly string[]): Promise<EventDetail | undefined> {
		const records = files.flatMap(file => recordOf(driver, `hook-${file}.json`) ?? []);
		await writeFile(paths.trafficFile(SESSION), records.map(record => `${JSON.stringify(record)}\n`).join(''));
		const node = turnsOf(records)[0]?.nodes[0];
		return node && eventDetail(paths, SESSION, node, wordsOf);
	}

	it.each([
		['claude-code', 'PostToolUse-Bash', /command: .+/, /stdout: .+/],
		['codex', 'PostToolUse', /message: subagent task/, /agent_id/],
		['copilot-cli', 'postToolUse', /command: echo step0/, /^step0/],
		['gemini-cli', 'AfterTool', /command: echo hello/, /^hello$/],
		['qwen-code', 'PostToolUse', /command: touch asked\.txt/, /Exit Code: 0/],
		['opencode', 'tool-end', /command: echo hi; sleep 1/, /^hi$/],
	])('of %s says what went in and what came out', async (driver, file, input, output) => {
		const detail = await detailOf(driver, file);
		expect(detail?.input).toMatch(input);
		expect(detail?.output).toMatch(output);
	});

	it('says nothing of the event that showed its end', async () => {
		const detail = await detailOf('claude-code', 'PreToolUse-Bash', 'Stop');
		expect(detail?.input).toMatch(/command: /);
		expect(detail?.output).toBeUndefined();
	});

	it('says what was prompted, asked and answered', async () => {
		expect((await detailOf('claude-code', 'UserPromptSubmit-typed'))?.input).toMatch(/\w/);
		expect((await detailOf('claude-code', 'PermissionRequest-Bash'))?.input).toMatch(/command: /);
		expect((await detailOf('gemini-cli', 'AfterAgent'))?.output).toMatch(/\w/);
		expect((await detailOf('opencode', 'permission-asked'))?.output).toMatch(/\w/);
	});
});
