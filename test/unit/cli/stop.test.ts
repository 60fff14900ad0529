import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identify } from '../../../src/base/liveness.ts';
import { sealStart } from '../../../src/core/sessions/sealedAgents.ts';
import { FIRST_WORKER, TaskName } from '../../../src/protocol/names.ts';
import { StopOutput } from '../../../src/protocol/output/tasks.ts';
import { NancyCommand } from './nancyCommand.ts';
import { Project } from './project.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build();
});
afterAll(() => nancy[Symbol.asyncDispose]());

/** A process that is this worker's agent, as Nancy starts it. It says so once it becomes no other program: meanwhile it has no environment. */
async function startAgent(project: Project, worker: string, script = 'echo ready; sleep 60') {
	const env = { ...process.env, ...project.terminal(TaskName.parse('fix-login'), worker) };
	const child = spawn('sh', ['-c', script], {
		detached: true,
		env,
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	await once(child.stdout, 'data');
	return { process: identify(child.pid ?? 0), ended: once(child, 'exit') };
}

describe('nancy stop', () => {
	it('ends every agent of a task and notes that it was meant', async () => {
		await using project = new Project();
		const task = await project.addTask('fix-login');
		const first = await startAgent(project, 'worker');
		const second = await startAgent(project, 'worker-2');
		await project.addWorker(task, 'worker', { process: first.process });
		const worker = await project.addWorker(task, 'worker-2', { process: second.process });
		await project.addWorker(task, 'worker-3');

		const { code, stdout, stderr } = await nancy.run(['stop', 'fix-login', '--json'], { cwd: project.path });

		expect(code, stderr).toBe(0);
		expect(StopOutput.parse(JSON.parse(stdout))).toEqual({
			workers: [
				{ worker: 'fix-login/worker', outcome: 'stopped' },
				{ worker: 'fix-login/worker-2', outcome: 'stopped' },
				{ worker: 'fix-login/worker-3', outcome: 'not-running' },
			],
		});
		expect(await Promise.all([first.ended, second.ended])).toEqual([
			[null, 'SIGTERM'],
			[null, 'SIGTERM'],
		]);
		expect((await project.workspace.worker({ task, worker }))?.stoppedAt).toBeDefined();
	});

	it('ends only the worker that was named', async () => {
		await using project = new Project();
		const task = await project.addTask('fix-login');
		const first = await startAgent(project, 'worker');
		const second = await startAgent(project, 'worker-2', 'trap "" TERM; echo ready; while :; do sleep 0.1; done');
		await project.addWorker(task, 'worker', { process: first.process });
		await project.addWorker(task, 'worker-2', { process: second.process });

		const { stdout } = await nancy.run(['stop', 'fix-login/worker-2'], { cwd: project.path });

		expect(stdout).toBe('fix-login/worker-2 killed: it, or a program it had started, did not end when asked\n');
		expect(await second.ended).toEqual([null, 'SIGKILL']);
		expect((await nancy.run(['stop', 'fix-login/worker'], { cwd: project.path })).stdout).toBe(
			'fix-login/worker stopped\n',
		);
	});

	it('does not end a later process with the same pid', async () => {
		await using project = new Project();
		const task = await project.addTask('fix-login');
		const agent = await startAgent(project, 'worker');
		await project.addWorker(task, 'worker', { process: { ...agent.process, startedTicks: 1 } });

		const { stdout } = await nancy.run(['stop', 'fix-login'], { cwd: project.path });

		expect(stdout).toBe('fix-login/worker was not running\n');
		process.kill(-agent.process.pid, 'SIGKILL');
	});

	const moved: Readonly<Record<string, (project: Project, task: TaskName) => void>> = {
		'moves its record away': ({ workspace: { paths } }, task) =>
			renameSync(paths.workerRecord(task, FIRST_WORKER), join(paths.workers(task), 'w9.json')),
		'removes its task': ({ workspace: { paths } }, task) => rmSync(paths.task(task), { recursive: true }),
		'makes its task a link': ({ workspace: { paths } }, task) => {
			renameSync(paths.task(task), `${paths.task(task)}-away`);
			symlinkSync(`${task}-away`, paths.task(task));
		},
		'spoils its record': ({ workspace: { paths } }, task) =>
			writeFileSync(paths.workerRecord(task, FIRST_WORKER), 'none'),
		'lets its record not be written': ({ workspace: { paths } }, task) => {
			rmSync(paths.mailbox(task, FIRST_WORKER), { recursive: true });
			writeFileSync(paths.mailbox(task, FIRST_WORKER), '');
		},
	};
	it.each(Object.keys(moved).flatMap(how => ['fix-login', 'fix-login/worker'].map(typed => ({ how, typed }))))(
		'ends $typed if Nancy started it, also if it $how',
		async ({ how, typed }) => {
			await using project = new Project();
			const task = await project.addTask('fix-login');
			const agent = await startAgent(project, FIRST_WORKER);
			await project.addWorker(task, FIRST_WORKER, { process: agent.process });
			const dataFolder = join(nancy.dataFolder, 'nancy');
			sealStart(dataFolder, agent.process, { folder: project.path, address: { task, worker: FIRST_WORKER } });
			moved[how]?.(project, task);
			const isTask = existsSync(project.workspace.paths.task(task));

			expect(await nancy.run(['stop', typed], { cwd: project.path })).toEqual({
				code: 0,
				stdout: 'fix-login/worker stopped\n',
				stderr: '',
			});
			expect(await agent.ended).toEqual([null, 'SIGTERM']);
			expect(existsSync(project.workspace.paths.task(task))).toBe(isTask);
		},
	);

	it('ends the others of a task, and names the record that tells of no process', async () => {
		await using project = new Project();
		const task = await project.addTask('fix-login');
		const agent = await startAgent(project, FIRST_WORKER);
		await project.addWorker(task, FIRST_WORKER, { process: agent.process });
		const unread = project.workspace.paths.workerRecord(task, await project.addWorker(task, 'worker-2'));
		writeFileSync(unread, 'none');

		const { code, stderr } = await nancy.run(['stop', 'fix-login'], { cwd: project.path });

		expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(unread) });
		expect(await agent.ended).toEqual([null, 'SIGTERM']);
	});

	it.each([
		{ args: ['stop', 'other'], says: 'there is no task other' },
		{ args: ['stop', 'fix-login'], says: 'fix-login has no worker yet' },
		{ args: ['stop', 'fix-login/worker-2'], says: 'fix-login has no worker "worker-2"' },
	])('finds nothing to stop for $args', async ({ args, says }) => {
		await using project = new Project();
		await project.addTask('fix-login');

		expect(await nancy.run(args, { cwd: project.path })).toEqual({
			code: 3,
			stdout: '',
			stderr: expect.stringContaining(says),
		});
	});
});
