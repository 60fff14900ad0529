import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SessionHistoryOutput, SessionsOutput } from '../../../src/protocol/output/sessions.ts';
import { SessionId, type TaskName } from '../../../src/protocol/names.ts';
import { TrafficRecord } from '../../../src/protocol/traffic.ts';
import { eventually } from '../../support/eventually.ts';
import { NancyCommand } from './nancyCommand.ts';
import { Project } from './project.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build();
});
afterAll(() => nancy[Symbol.asyncDispose]());

interface Happening {
	kind: string;
	event: string;
	tool?: string;
	summary?: string;
	subagent?: string;
	cause?: string;
}

let count = 0;

/** One line of a session's traffic file, as the collector writes it. */
function line(task: TaskName, worker: string, happening: Happening): string {
	const session = `session-${task}-${worker}`;
	const at = new Date(Date.UTC(2026, 3, 1, 10, 0, count++)).toISOString();
	const event = { driver: 'test-agent', session, ...happening };
	return `${JSON.stringify({ version: 1, id: `r${count}`, at, task, worker, type: 'event', event, payload: {} })}\n`;
}

function write(project: Project, task: TaskName, worker: string, happenings: readonly Happening[]): void {
	const file = project.workspace.paths.trafficFile(SessionId.parse(`session-${task}-${worker}`));
	mkdirSync(dirname(file), { recursive: true });
	for (const happening of happenings) appendFileSync(file, line(task, worker, happening));
}

const turn: readonly Happening[] = [
	{ kind: 'session-start', event: 'SessionStart', cause: 'startup' },
	{ kind: 'prompt', event: 'UserPromptSubmit', summary: 'Fix the login.' },
	{ kind: 'tool-start', event: 'PreToolUse', tool: 'Bash', summary: 'npm test' },
	{ kind: 'tool-end', event: 'PostToolUse', tool: 'Bash', summary: 'npm\n\u001b[31mtest' },
	{ kind: 'tool-end', event: 'PostToolUse', tool: 'Read', summary: 'a.ts', subagent: 'a1' },
	{ kind: 'stop', event: 'Stop', summary: 'It is fixed.' },
];

async function projectWithTraffic() {
	const project = new Project();
	const task = await project.addTask('fix-login');
	await project.addWorker(task, 'worker');
	await project.addWorker(task, 'worker-2');
	write(project, task, 'worker', turn);
	write(project, task, 'worker-2', [{ kind: 'tool-start', event: 'PreToolUse', tool: 'Read', summary: 'b.ts' }]);
	return { project, task };
}

const happenedAs = (stdout: string) =>
	stdout
		.split('\n')
		.slice(0, -1)
		.map(text => text.slice('12:00:00  '.length));

describe('nancy traffic', () => {
	it('shows what happened, oldest first, without letting it move the cursor', async () => {
		const { project } = await projectWithTraffic();
		await using _ = project;

		const { code, stdout, stderr } = await nancy.run(['traffic'], { cwd: project.path });

		expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
		expect(happenedAs(stdout)).toEqual([
			'fix-login/worker  SessionStart startup',
			'fix-login/worker  UserPromptSubmit: Fix the login.',
			'fix-login/worker  PreToolUse Bash: npm test',
			'fix-login/worker  PostToolUse Bash: npm \\x1b[31mtest',
			'fix-login/worker  PostToolUse Read [subagent]: a.ts',
			'fix-login/worker  Stop: It is fixed.',
			'fix-login/worker-2  PreToolUse Read: b.ts',
		]);
	});

	it.each([
		{ args: ['fix-login/worker-2'], count: 1 },
		{ args: ['--event', 'PostToolUse'], count: 2 },
		{ args: ['--text', 'FIX THE'], count: 1 },
		{ args: ['--session', 'session-fix-login-worker-2'], count: 1 },
		{ args: ['--session', 'session'], count: 7 },
		{ args: ['--limit', '3'], count: 3 },
		{ args: ['--limit', '0'], count: 0 },
	])('narrows to $count with $args, as JSON lines', async ({ args, count: expected }) => {
		const { project } = await projectWithTraffic();
		await using _ = project;

		const { code, stdout } = await nancy.run(['traffic', '--json', ...args], { cwd: project.path });

		expect(code).toBe(0);
		const records = stdout
			.split('\n')
			.slice(0, -1)
			.map(text => TrafficRecord.parse(JSON.parse(text)));
		expect(records).toHaveLength(expected);
	});

	it('shows an agent its own only', async () => {
		const { project, task } = await projectWithTraffic();
		await using _ = project;

		const { stdout } = await nancy.run(['traffic'], { cwd: '/', env: project.terminal(task, 'worker-2') });

		expect(happenedAs(stdout)).toEqual(['fix-login/worker-2  PreToolUse Read: b.ts']);
	});

	it.each([
		{ args: ['traffic', 'other'], code: 3 },
		{ args: ['traffic', 'fix-login/worker-7'], code: 3 },
		{ args: ['traffic', '--limit', 'many'], code: 2 },
	])('refuses $args', async ({ args, code }) => {
		const { project } = await projectWithTraffic();
		await using _ = project;

		expect((await nancy.run(args, { cwd: project.path })).code).toBe(code);
	});

	it('follows what comes until it is interrupted', async () => {
		const { project, task } = await projectWithTraffic();
		await using _ = project;
		const child = spawn(process.execPath, [nancy.program, 'traffic', '--follow', '--limit', '1'], {
			cwd: project.path,
			env: nancy.environment(),
		});
		let stdout = '';
		child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
		const ended = new Promise(resolve => child.once('exit', (code, signal) => resolve({ code, signal })));
		await eventually('the last line', () => stdout.includes('b.ts'));

		await sleep(500); // until it watches
		write(project, task, 'worker-2', [{ kind: 'tool-end', event: 'PostToolUse', tool: 'Read', summary: 'b.ts' }]);
		await eventually('the new line', () => stdout.includes('PostToolUse Read: b.ts'));

		child.kill('SIGINT');
		expect(await ended).toEqual({ code: 0, signal: null });
		expect(stdout.split('\n')).toHaveLength(3);
	});
});

describe('nancy sessions', () => {
	it('lists the sessions with their workers and transcripts', async () => {
		const { project, task } = await projectWithTraffic();
		await using _ = project;
		const startedAt = '2026-04-01T10:00:00.000Z';
		await project.addWorker(task, 'worker', {
			sessions: [
				{ id: SessionId.parse('first'), startedAt },
				{ id: SessionId.parse('second'), startedAt, transcript: '/tmp/second.jsonl' },
			],
		});

		const { stdout } = await nancy.run(['sessions', 'fix-login/worker', '--json'], { cwd: project.path });

		expect(SessionsOutput.parse(JSON.parse(stdout))).toEqual({
			sessions: [
				{ session: 'first', worker: 'fix-login/worker', agent: 'test-agent', startedAt, current: false },
				{
					session: 'second',
					worker: 'fix-login/worker',
					agent: 'test-agent',
					startedAt,
					current: true,
					transcript: '/tmp/second.jsonl',
				},
			],
		});
		const own = await nancy.run(['sessions'], { cwd: '/', env: project.terminal(task, 'worker') });
		expect(own.stdout.match(/^fix-login\/worker/gm)).toHaveLength(3);
	});

	it('tells a session in short lines', async () => {
		const { project } = await projectWithTraffic();
		await using _ = project;

		const { stdout } = await nancy.run(['sessions', '--show', 'session-fix-login-worker', '--json'], {
			cwd: project.path,
		});

		const { entries, worker } = SessionHistoryOutput.parse(JSON.parse(stdout));
		expect(worker).toBe('fix-login/worker');
		expect(entries.map(({ what, text }) => `${what}: ${text}`)).toEqual([
			'start: startup',
			'prompt: Fix the login.',
			'tool: Bash npm \\x1b[31mtest',
			'reply: It is fixed.',
		]);
	});

	it('asks for more where the beginning of an id is ambiguous', async () => {
		const { project } = await projectWithTraffic();
		await using _ = project;
		const show = (id: string) => nancy.run(['sessions', '--show', id], { cwd: project.path });

		expect((await show('session-fix')).code).toBe(2);
		expect((await show('nothing')).code).toBe(3);
	});

	it('is not disturbed by lines that are not records', async () => {
		const { project } = await projectWithTraffic();
		await using _ = project;
		writeFileSync(project.workspace.paths.trafficFile(SessionId.parse('junk')), 'junk\n{"version":9}\n');

		expect(happenedAs((await nancy.run(['traffic'], { cwd: project.path })).stdout)).toHaveLength(7);
	});
});
