import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { ExtractedOutput, ProjectTaskOutput } from '../../../src/protocol/output/memory.ts';
import { eventually } from '../../support/eventually.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';
import { fakeClaude } from './fakeClaude.ts';
import { NancyCommand } from './nancyCommand.ts';

let nancy: NancyCommand;
let folder: TempFolder;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());
beforeEach(() => (folder = tempFolder('nancy-session-')));
afterEach(() => folder.remove());

const note = {
	op: 'add',
	category: 'failures',
	id: null,
	text: 'npm test fails here unless DB_URL is set.',
	reason: null,
	evidence: [{ ref: 'e1', quote: 'the pool needs DB_URL to be set' }],
};
const result = (more: object) =>
	JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'Done.', ...more });
const noted = (answer: unknown) => `echo '${result({ structured_output: answer })}'`;
const GOOD = noted({ summary: 'Found out what the tests need.', plan: null, updates: [note] });

/** What the CLI does as a task: it reports a prompt, a failed call and its end, as its hooks would. */
const TASK = [
	`prompt=$(grep -Eo '(First|Second) task' | tail -n 1)`,
	`session=$(printf '%s\\n' "$@" | grep -Eo '^[0-9a-f]{8}-[0-9a-f-]{27}$' | head -n 1)`,
	'mkdir -p .nancy/traffic',
	'say() {',
	'  at=$(date -u +%Y-%m-%dT%H:%M:%S.%3NZ)',
	`  printf '{"version":1,"id":"%s","at":"%s","type":"event","event":{"driver":"claude-code","session":"%s","kind":"%s","event":"E"%s},"payload":%s}\\n' "$(date +%s%N)" "$at" "$session" "$1" "$2" "$3" >> ".nancy/traffic/$session.jsonl"`,
	'}',
	`say prompt '' "{\\"prompt\\":\\"$prompt\\"}"`,
	`say tool-start ',"tool":"Bash","toolUseId":"t1","summary":"npm test"' '{}'`,
	`say tool-failed ',"tool":"Bash","toolUseId":"t1"' '{"error":"the pool needs DB_URL to be set"}'`,
	`say session-end '' '{}'`,
	`echo '${result({})}'`,
].join('\n');

/** @param notes what it does when it is asked for notes, in sh */
const place = (notes: string) => ({
	cwd: folder.path,
	env: {
		PATH: fakeClaude(folder.file('agent')),
		HOME: folder.path,
		XDG_CONFIG_HOME: folder.file('config'),
		FAKE_CLAUDE: `case "$*" in *--json-schema*) echo x >> '${folder.file('calls')}'; cat > '${folder.file('asked')}'; ${notes};; *) ${TASK};; esac`,
	},
});
const session = (prompts: readonly string[], notes: string, ...args: string[]) =>
	nancy.start(['start', 'tried', '--agent', 'claude-code', '--json', ...args], {
		...place(notes),
		stdin: `${prompts.join('\n')}\n`,
	});
const lines = (stdout: string) =>
	stdout
		.trim()
		.split('\n')
		.map(line => JSON.parse(line) as unknown);
const calls = () => (existsSync(folder.file('calls')) ? readFileSync(folder.file('calls'), 'utf8').length / 2 : 0);
const project = (...path: string[]) => folder.file('config', 'nancy', 'projects', 'tried', ...path);
const stored = (task: number) => {
	const name = readdirSync(project('tasks')).find(each => each.startsWith(`00${task}-`) && each.endsWith('.json'));
	const schema = z.looseObject({ extraction: z.looseObject({ state: z.string() }) });
	return schema.parse(JSON.parse(readFileSync(project('tasks', name ?? ''), 'utf8')));
};

describe('a session of tasks', () => {
	it('asks once for each task, and what a continued conversation said before is no part of the next one', async () => {
		const { stdout, stderr } = await session(['First task', 'Second task'], GOOD, '--mode', 'full');
		expect(stderr).toBe('');
		const [first, , second] = lines(stdout);
		expect(ProjectTaskOutput.parse(first).session).toBe(ProjectTaskOutput.parse(second).session);
		expect(readFileSync(project('tasks', '001.digest.md'), 'utf8')).toContain('First task');
		const digest = readFileSync(project('tasks', '002.digest.md'), 'utf8');
		expect(digest).toContain('Second task');
		expect(digest).not.toContain('First task');
		expect(calls()).toBe(2);
		// The asked CLI was in a folder of its own, and of no worker: nothing of it is a session or a task.
		expect(readdirSync(folder.file('.nancy', 'traffic'))).toHaveLength(1);
		expect(readFileSync(folder.file('agent', 'env'), 'utf8')).toMatch(/^NANCY_HOOKS=off$/m);
	});

	it.each([
		[
			'ends with 1',
			'echo boom >&2; exit 1',
			{ cause: 'no-answer', why: expect.stringMatching(/ended with code 1 and no answer: boom/) },
		],
		[
			'is refused for too many requests',
			`echo '${result({ is_error: true, result: 'API Error: 429' })}'; exit 1`,
			{ cause: 'failed', why: expect.stringMatching(/429/) },
		],
		[
			'is not logged in',
			`echo '${result({ is_error: true, result: 'Not logged in' })}'; exit 1`,
			{ cause: 'failed', why: expect.stringMatching(/Not logged in/) },
		],
		['answers in prose', `echo '${result({ result: 'I think so.' })}'`, { cause: 'malformed' }],
		['answers by another form', noted({ summary: 1, updates: 'none' }), { cause: 'malformed' }],
		['prints what is no JSON at all', 'echo "{{{"', { cause: 'no-answer' }],
	])('goes on where the CLI %s, and the task is asked about once more', async (_, notes, why) => {
		const { stdout, code } = await session(['First task', 'Second task'], notes);
		expect(code).toBe(0);
		const [, first, task, second] = lines(stdout);
		for (const each of [first, second])
			expect(ExtractedOutput.parse(each)).toMatchObject({ state: 'failed', ...why });
		expect(ProjectTaskOutput.parse(task)).toMatchObject({ task: 2, ok: true });
		expect(existsSync(project('notes'))).toBe(false);
		const again = await nancy.start(['extract', 'tried', '--json'], place(GOOD));
		expect(JSON.parse(again.stdout)).toMatchObject({ task: 1, state: 'merged', added: { failures: 1 } });
	});

	it('goes on where the CLI is gone meanwhile, and where the day’s limit is reached', async () => {
		const { stdout } = await session(['First task'], `rm '${folder.file('agent', 'claude')}'; exit 1`);
		expect(ExtractedOutput.parse(lines(stdout)[1])).toMatchObject({ state: 'failed' });
		const gone = { ...place(GOOD), env: { ...place(GOOD).env, PATH: '/usr/bin:/bin' } };
		expect(await nancy.start(['extract', 'tried'], gone)).toMatchObject({
			code: 1,
			stdout: expect.stringContaining('no notes of task 1: the agent that makes them cannot be used here'),
		});
		writeFileSync(folder.file('config', 'nancy', 'config.toml'), '[extraction]\nper_day = 0\n');
		const limited = await session(['Second task'], GOOD);
		expect(limited).toMatchObject({ code: 0, stderr: expect.stringContaining('per_day') });
		expect(stored(2)).toMatchObject({ extraction: { state: 'due' } });
	});

	it('is asked about once, however many commands look at it at the same time', async () => {
		await session(['First task'], 'exit 1');
		const gate = folder.file('gate');
		const slow = `while [ ! -e '${gate}' ]; do sleep 0.05; done; ${GOOD}`;
		const all = Array.from({ length: 4 }, () => nancy.start(['extract', 'tried', '1', '--json'], place(slow)));
		await eventually('a call', () => calls() === 2);
		// The others are refused before the first has its answer.
		const refused = await Promise.any(all);
		expect(refused).toMatchObject({
			stdout: '',
			stderr: expect.stringContaining('another Nancy extracts task 1 now'),
		});
		writeFileSync(gate, '');
		const codes = (await Promise.all(all)).map(({ code }) => code);
		expect(codes.filter(code => code === 0)).toHaveLength(1);
		expect(calls()).toBe(2);
		expect(readFileSync(project('notes', 'failures.md'), 'utf8').trim().split('\n')).toHaveLength(1);
	});
});
