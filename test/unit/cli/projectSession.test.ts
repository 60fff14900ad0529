import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'smol-toml';
import * as z from 'zod/mini';
import {
	ExtractedOutput,
	NotesOutput,
	ProjectsOutput,
	ProjectTaskOutput,
} from '../../../src/protocol/output/memory.ts';
import { eventually } from '../../support/eventually.ts';
import { long, longIf } from '../../support/long.ts';
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
const noted = (answer: unknown, more: object = {}) => `echo '${result({ structured_output: answer, ...more })}'`;
const GOOD = noted({ summary: 'Found out what the tests need.', plan: null, updates: [note] });

/** What the CLI does as a task: it reports a prompt, a failed call and its end, as its hooks would. */
const TASK = [
	`prompt=$(grep -Eo '(First|Second|Third|Last) task' | tail -n 1)`,
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

	/** One of each cause. */
	const deciding = ['ends with 1', 'is not logged in', 'answers in prose'];
	for (const [how, notes, why] of [
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
	] as const)
		it(
			`goes on where the CLI ${how}, and the task is asked about once more`,
			longIf(!deciding.includes(how)),
			async () => {
				const { stdout, code } = await session(['First task', 'Second task'], notes);
				expect(code).toBe(0);
				const [, first, task, second] = lines(stdout);
				for (const each of [first, second])
					expect(ExtractedOutput.parse(each)).toMatchObject({ state: 'failed', ...why });
				expect(ProjectTaskOutput.parse(task)).toMatchObject({ task: 2, ok: true });
				expect(existsSync(project('notes'))).toBe(false);
				const again = await nancy.start(['extract', 'tried', '--json'], place(GOOD));
				expect(JSON.parse(again.stdout)).toMatchObject({ task: 1, state: 'merged', added: { failures: 1 } });
			},
		);

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
		// The others are refused before the first has its answer. A later one would be told what was saved.
		const over: Awaited<(typeof all)[number]>[] = [];
		for (const each of all) void each.then(ended => over.push(ended));
		await eventually('the others are over', () => over.length === 3);
		for (const refused of over)
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

	it('continues the conversation, begins anew or with another agent, as its commands say', async () => {
		const typed = [
			'First task',
			'/continue',
			'Second task',
			'/compact',
			'Third task',
			'/agent claude-code',
			'Last task',
		];
		const { stdout, stderr } = await session(typed, GOOD);
		expect(stderr).toBe('');
		const tasks = lines(stdout).flatMap(each => ProjectTaskOutput.safeParse(each).data ?? []);
		const [first, second, third, last] = tasks.map(each => each.session);
		expect(tasks.map(({ task }) => task)).toEqual([1, 2, 3, 4]);
		expect(second).toBe(first);
		expect(new Set([first, third, last]).size).toBe(3);
	});

	it('answers its commands by lines of JSON too, and errors go to the other output', long, async () => {
		const { stdout, stderr, code } = await session(
			['First task', '/status', '/history', '/notes plan', '/nonsense'],
			'exit 1',
		);
		expect(code).toBe(0);
		const all = lines(stdout);
		expect(all.flatMap(each => ProjectsOutput.safeParse(each).data?.projects ?? [])).toMatchObject([
			{ tasks: 1, project: 'tried' },
		]);
		const known = all.flatMap(each => NotesOutput.safeParse(each).data ?? []);
		expect(known).toMatchObject([{ tasks: [{ task: 1, ok: true }] }, { tasks: [{ task: 1 }] }]);
		expect(lines(stderr)).toMatchObject([
			{ error: { code: 'bad-usage', message: expect.stringContaining('/nonsense') } },
		]);
	});

	it.each([
		['changes that are in no commit', '', true],
		['nothing that is in no commit', '*\n', false],
	])('says of a note its conversation, and that its task ended with %s', async (_, ignored, dirty) => {
		const git = (...args: string[]) =>
			execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: folder.path });
		git('init', '--quiet', '--initial-branch', 'main');
		writeFileSync(folder.file('.git', 'info', 'exclude'), ignored);
		git('commit', '--quiet', '--allow-empty', '-m', 'Begin');
		const { stdout } = await session(['First task'], GOOD);
		const [task] = lines(stdout).map(each => ProjectTaskOutput.safeParse(each).data);
		const shown = await nancy.start(['notes', 'tried', '--json'], place(GOOD));
		expect(NotesOutput.parse(JSON.parse(shown.stdout)).notes).toMatchObject([
			{ session: task?.session, dirty, branch: 'main', commit: expect.stringMatching(/^[0-9a-f]{12}$/) },
		]);
	});

	it('that is killed says so of its task, and the next one goes on with another', async () => {
		const { code } = await nancy.start(['start', 'tried', '--agent', 'claude-code', '--json'], {
			...place(''),
			env: { ...place('').env, FAKE_CLAUDE: 'kill -9 $PPID' },
			stdin: 'First task\n',
		});
		expect(code).not.toBe(0);
		const { stdout } = await nancy.start(['start', 'tried', '--agent', 'claude-code'], {
			...place(GOOD),
			stdin: 'Second task\n/history\n/status\n',
		});
		expect(stdout).toMatch(/^ {2}1 {2}First task \(claude-code, killed, [^)]*; notes: skipped, [^)]*\)$/m);
		expect(stdout).toMatch(/^ {2}2 {2}\S.* \(claude-code, ok, /m);
		expect(stdout).toMatch(/^tried {2}2 tasks - /m);
		const known = await nancy.start(['notes', 'tried', '--json'], place(GOOD));
		expect(NotesOutput.parse(JSON.parse(known.stdout)).tasks).toMatchObject([
			{ ending: 'killed', ok: false, extraction: 'skipped', cause: 'killed' },
			{ ending: 'result', ok: true },
		]);
	});

	it('makes the notes that an earlier one has left, before anything is typed', async () => {
		await session(['First task'], 'exit 1');
		expect(stored(1)).toMatchObject({ extraction: { state: 'failed' } });
		const { stdout, stderr } = await session([''], GOOD);
		expect(stderr).toBe('');
		expect(lines(stdout).map(each => ExtractedOutput.parse(each))).toMatchObject([{ task: 1, state: 'merged' }]);
		expect(calls()).toBe(2);
	});

	it(
		'counts tasks, conversations and the cost of notes in project.toml, and keeps what a person wrote there',
		long,
		async () => {
			await session(['First task'], 'exit 1');
			const before = readFileSync(project('project.toml'), 'utf8');
			writeFileSync(project('project.toml'), `mine = "kept"\n${before}`);
			const usage = { modelUsage: { haiku: { inputTokens: 100, outputTokens: 20 } }, total_cost_usd: 0.25 };
			await session(
				['/continue', 'Second task', 'Third task'],
				noted({ summary: 'S', plan: null, updates: [] }, usage),
			);
			expect(parse(readFileSync(project('project.toml'), 'utf8'))).toMatchObject({
				name: 'tried',
				mine: 'kept',
				status: 'active',
				last_task: 3,
				stats: {
					tasks: 3,
					sessions: 2,
					extraction_input_tokens: 300,
					extraction_output_tokens: 60,
					extraction_cost_usd: 0.75,
				},
			});
		},
	);
});
