import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identify } from '../../../src/base/liveness.ts';
import { Questions } from '../../../src/core/questions/questions.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { WaitOutput } from '../../../src/protocol/output/messages.ts';
import { AskingOutput } from '../../../src/protocol/output/questions.ts';
import { StatusOutput } from '../../../src/protocol/output/tasks.ts';
import { DriverId, FIRST_WORKER, SessionId, type TaskName } from '../../../src/protocol/names.ts';
import { seedQuestion } from '../../support/seedQuestion.ts';
import { tempFolder } from '../../support/tempFolder.ts';
import { NancyCommand } from './nancyCommand.ts';
import { AGENT, Project } from './project.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build();
});
afterAll(() => nancy[Symbol.asyncDispose]());

let count = 0;

/** Adds an event to a worker's traffic, as the collector writes it. */
function happen(
	project: Project,
	task: TaskName,
	worker: string,
	event: Record<string, string>,
	at = new Date().toISOString(),
): void {
	const session = SessionId.parse(`session-${task}-${worker}`);
	const file = project.workspace.paths.trafficFile(session);
	mkdirSync(dirname(file), { recursive: true });
	const record = { version: 1, id: `r${count++}`, at, task, worker, type: 'event', payload: {} };
	appendFileSync(file, `${JSON.stringify({ ...record, event: { driver: 'test-agent', session, ...event } })}\n`);
}

const toolStart = { kind: 'tool-start', event: 'PreToolUse', tool: 'Bash', toolUseId: 't1', summary: 'npm test' };
const stopped = { kind: 'stop', event: 'Stop', summary: 'Done.' };

async function projectAtWork() {
	const project = new Project();
	const task = await project.addTask('fix-login');
	await project.addWorker(task, 'worker', { process: identify(process.pid), agentVersion: '1.2.3' });
	happen(project, task, 'worker', toolStart);
	return { project, task };
}

describe('nancy status', () => {
	it('tells what each worker is doing, with the evidence', async () => {
		const { project } = await projectAtWork();
		await using _ = project;
		await nancy.run(['send', 'fix-login', 'Hello'], { cwd: project.path });
		await nancy.run(['send', 'fix-login/orchestrator', 'A question'], { cwd: project.path });

		const { code, stdout, stderr } = await nancy.run(['status', '--json'], { cwd: project.path });

		expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
		expect(StatusOutput.parse(JSON.parse(stdout))).toMatchObject({
			folder: project.path,
			problems: [],
			tasks: [
				{
					task: 'fix-login',
					agent: 'test-agent',
					unread: 1,
					workers: [
						{
							worker: 'worker',
							agentVersion: '1.2.3',
							phase: 'working',
							tool: 'Bash',
							summary: 'npm test',
							source: 'PreToolUse Bash',
							session: 'session-fix-login-worker',
							pid: process.pid,
							queued: 1,
						},
					],
				},
			],
		});
		expect((await nancy.run(['status'], { cwd: project.path })).stdout).toMatch(
			/^fix-login {2}1 message for you: nancy inbox fix-login\/orchestrator\n {2}worker {2}working Bash: npm test · PreToolUse Bash · \d+ s ago · 1 queued\n$/,
		);
	});

	it('sends to the terminal who asks something that is at no desk, and nobody whose question is there', async () => {
		const { project, task } = await projectAtWork();
		await using _ = project;
		const words = async () => (await nancy.run(['status'], { cwd: project.path })).stdout;
		expect(await words()).not.toContain('open its terminal');
		happen(project, task, 'worker', {
			kind: 'permission-asked',
			event: 'PermissionRequest',
			tool: 'Bash',
			summary: 'ls',
		});
		expect(await words()).toContain('waiting for permission Bash: ls · Nancy cannot answer: open its terminal · ');
		const session = SessionId.parse('session-fix-login-worker');
		const workspace = new Workspace(project.path, join(nancy.dataFolder, 'nancy'));
		const question = await seedQuestion(workspace, { session });
		expect(await words()).toContain('waiting for permission Bash: ls · PermissionRequest');
		await new Questions(workspace.own).end(question.id, 'silent', 'its holder has ended');
		expect(await words()).toContain('open its terminal');
	});

	it('names an agent that asks in its terminal alone in nancy questions too', async () => {
		const { project, task } = await projectAtWork();
		await using _ = project;
		const call = async (...more: string[]) =>
			(await nancy.run(['questions', ...more], { cwd: project.path, isTerminal: true })).stdout;
		expect(await call()).toBe('nobody asks anything\n');
		const [event, summary] = ['PermissionRequest', 'ls\u001b[2K\nrm x'];
		happen(project, task, 'worker', { kind: 'permission-asked', event, tool: 'Bash', summary });
		expect(await call()).toMatch(
			/^fix-login\/worker \(test-agent\) asks for Bash, \d+ s ago\n {4}\| ls\\x1b\[2K\n {4}\| rm x\n {4}Nancy cannot answer this: open its terminal\n$/,
		);
		expect(AskingOutput.parse(JSON.parse(await call('--json')))).toMatchObject({
			questions: [],
			inTerminal: [{ task, worker: 'worker', agent: 'test-agent', tool: 'Bash', summary }],
		});
	});

	it('asks the program that NANCY_PROGRAM_… names what an agent does that has long said nothing', async () => {
		await using project = new Project();
		const task = await project.addTask('fix-login');
		const agent = DriverId.parse('claude-code');
		const longAgo = new Date(Date.now() - 60_000).toISOString();
		await project.addWorker(task, 'worker', { agent, process: identify(process.pid), startedAt: longAgo });
		happen(project, task, 'worker', { ...toolStart, driver: agent }, longAgo);
		// An agent may look too, so none in the workspace is asked.
		await using elsewhere = tempFolder();
		const program = elsewhere.file('other-claude');
		const answer = JSON.stringify([{ sessionId: 'session-fix-login-worker', status: 'idle' }]);
		writeFileSync(program, `#!/bin/sh\necho '${answer}'\n`, { mode: 0o755 });
		const env = { NANCY_PROGRAM_CLAUDE_CODE: program };

		expect((await nancy.run(['status'], { cwd: project.path, env })).stdout).toContain('worker  idle');
	});

	it('hides archived tasks unless asked', async () => {
		const { project, task } = await projectAtWork();
		await using _ = project;
		await project.workspace.updateTask(task, record => ({ ...record, archivedAt: new Date().toISOString() }));
		const tasks = async (...args: string[]) =>
			StatusOutput.parse(
				JSON.parse((await nancy.run(['status', '--json', ...args], { cwd: project.path })).stdout),
			).tasks;

		expect(await tasks()).toEqual([]);
		expect(await tasks('--all')).toHaveLength(1);
		expect(await tasks('fix-login')).toHaveLength(1);
		expect((await nancy.run(['status', 'other'], { cwd: project.path })).code).toBe(3);
	});
});

describe('an agent that waits', () => {
	it.for([
		['permission-asked', { tool: 'Bash' }, 'waiting for permission Bash'],
		['notification', { tells: 'asked' }, 'waiting for you'],
	] as const)('after %s %j is %s', async ([kind, more, words]) => {
		await using project = new Project();
		const task = await project.addTask('fix-login');
		await project.addWorker(task, 'worker', { process: identify(process.pid), agentVersion: '1.2.3' });
		happen(project, task, 'worker', { kind, event: 'Event', ...more });
		expect((await nancy.run(['status'], { cwd: project.path })).stdout).toContain(words);
	});
});

describe('nancy wait', () => {
	it('returns as soon as the agent is idle', async () => {
		const { project, task } = await projectAtWork();
		await using _ = project;
		const waiting = nancy.run(['wait', 'fix-login', '--until', 'idle', '--timeout', '600', '--json'], {
			cwd: project.path,
		});
		await sleep(1000);
		happen(project, task, 'worker', stopped);
		const { code, stdout } = await waiting;

		expect(code).toBe(0);
		expect(WaitOutput.parse(JSON.parse(stdout))).toEqual({
			task: 'fix-login',
			until: 'idle',
			workers: [{ worker: 'fix-login/worker', phase: 'idle' }],
			messages: [],
		});
	});

	it('does not take an agent for idle that a message is about to set to work', async () => {
		const { project, task } = await projectAtWork();
		await using _ = project;
		happen(project, task, 'worker', stopped);
		// Where the command seals what it queues.
		const workspace = new Workspace(project.path, join(nancy.dataFolder, 'nancy'));
		const address = { task, worker: FIRST_WORKER };
		const wait = (timeout = '600') =>
			nancy.run(['wait', 'fix-login', '--until', 'idle', '--timeout', timeout], { cwd: project.path });
		const send = (...more: string[]) => nancy.run(['send', 'fix-login', 'Go on.', ...more], { cwd: project.path });
		expect((await send('--pause')).code).toBe(0);
		expect((await wait()).code).toBe(0);

		expect((await send()).code).toBe(0);
		expect(await wait('0.2')).toMatchObject({
			code: 4,
			stderr: expect.stringContaining('fix-login/worker is idle but has a message'),
		});
		// Handed over, but its event has not been heard of yet.
		for (const claim of await workspace.mailbox(address).claim(() => 'take')) {
			claim.deliver({
				deliveredAt: new Date().toISOString(),
				event: 'UserPromptSubmit',
				driver: AGENT,
				session: SessionId.parse(`session-${task}-worker`),
				rung: 'hook',
			});
		}
		expect((await wait('0.2')).code).toBe(4);
		happen(project, task, 'worker', { kind: 'prompt', event: 'UserPromptSubmit' });
		expect((await wait('0.2')).code).toBe(4);
		happen(project, task, 'worker', stopped);
		expect((await wait()).code).toBe(0);
	});

	it('gives up in time, and says how things are', async () => {
		const { project } = await projectAtWork();
		await using _ = project;

		const outcome = await nancy.run(['wait', 'fix-login', '--until', 'stop', '--timeout', '0.2'], {
			cwd: project.path,
		});

		expect(outcome).toEqual({
			code: 4,
			stdout: '',
			stderr: 'nancy: fix-login did not come to "stop" in time; fix-login/worker is working\n',
		});
	});

	it('notices that the process has ended', async () => {
		const { project, task } = await projectAtWork();
		await using _ = project;
		const agent = spawn('sleep', ['60']);
		await project.addWorker(task, 'worker', { process: identify(agent.pid ?? 0) });
		const waiting = nancy.run(['wait', 'fix-login', '--until', 'stop', '--timeout', '600'], { cwd: project.path });
		await sleep(500);
		agent.kill('SIGKILL');

		expect(await waiting).toMatchObject({ code: 0, stdout: 'fix-login/worker ended\n' });
	});

	it('returns with what an agent has written to the human', async () => {
		const { project, task } = await projectAtWork();
		await using _ = project;
		const args = ['wait', 'fix-login', '--until', 'message', '--timeout', '600', '--json'];
		const waiting = nancy.run(args, { cwd: project.path });
		await sleep(500);
		const call = { cwd: '/', env: project.terminal(task, 'worker') };
		await nancy.run(['send', 'orchestrator', 'Which database?'], call);

		const { code, stdout } = await waiting;
		expect(code).toBe(0);
		expect(WaitOutput.parse(JSON.parse(stdout)).messages).toMatchObject([
			{ mailbox: 'fix-login/orchestrator', from: 'fix-login/worker', text: 'Which database?' },
		]);
		expect((await nancy.run(args, { cwd: project.path })).code).toBe(0); // it still waits to be read
	});

	it('lets one agent wait for the answer of another, and not for the user', async () => {
		const { project, task } = await projectAtWork();
		await using _ = project;
		await project.addWorker(task, 'worker-2');
		const own = project.terminal(task, 'worker');
		const wait = () =>
			nancy.run(['wait', 'fix-login/worker-2', '--until', 'message', '--timeout', '0.2'], { cwd: '/', env: own });

		await nancy.run(['send', 'fix-login/worker', 'From the user.'], { cwd: project.path });
		expect((await wait()).code).toBe(4);
		await nancy.run(['send', 'worker', 'Done.'], { cwd: '/', env: project.terminal(task, 'worker-2') });
		expect(await wait()).toMatchObject({
			code: 0,
			stdout: expect.stringMatching(/from fix-login\/worker-2: Done\.\n$/),
		});
	});

	it.each([
		{ args: ['wait', 'fix-login'], code: 2, says: '--until is missing: use idle, stop or message' },
		{
			args: ['wait', 'fix-login', '--until', 'idle', '--timeout', 'soon'],
			code: 2,
			says: '--timeout is not valid: use a number of seconds, for example 600',
		},
		{ args: ['wait', 'other', '--until', 'idle'], code: 3, says: 'there is no task other' },
		{ args: ['wait', 'fix-login/worker-5', '--until', 'idle'], code: 3, says: 'has no worker "worker-5"' },
	])('refuses $args', async ({ args, code, says }) => {
		const { project } = await projectAtWork();
		await using _ = project;

		expect(await nancy.run(args, { cwd: project.path })).toMatchObject({
			code,
			stderr: expect.stringContaining(says),
		});
	});
});
