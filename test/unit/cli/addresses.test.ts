import { describe, expect, it } from 'vitest';
import { commands } from '../../../src/cli/commands.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { askerOf } from '../../../src/core/asker/asker.ts';
import { drivers } from '../../../src/drivers/index.ts';
import { TaskName, WorkerName } from '../../../src/protocol/names.ts';
import { Project } from './project.ts';
import { writeFileSync } from 'node:fs';
import { resolveMailbox } from '../../../src/operations/shared/addresses.ts';

/** A command in this process, called in the terminal of a worker of Nancy's. */
async function callAsWorker(project: Project, argv: readonly string[]) {
	const output = { stdout: '', stderr: '' };
	const env = project.terminal(TaskName.parse('fix-login'), 'worker');
	const code = await runCommandLine(argv, commands, {
		program: '/nowhere/nancy.js',
		cwd: '/',
		env,
		given: env,
		stdin: process.stdin,
		stdout: { write: (text: string) => (output.stdout += text) },
		stderr: { write: (text: string) => (output.stderr += text) },
		version: '0.0.0',
		asker: () => askerOf({ env, folder: '/', ancestors: [], isOrphan: false }, drivers),
	});
	return { code, ...output };
}

describe('in a terminal of Nancy’s', () => {
	it.each([
		['inbox', 'worker-2'],
		['inbox', 'orchestrator'],
		['sessions', 'worker-2'],
		['traffic', 'worker-2'],
		['send', 'worker-2', 'Hello'],
	])('nancy %s %s is of the own task', async (...argv) => {
		await using project = new Project();
		const task = await project.addTask('fix-login');
		await project.addWorker(task, 'worker-2');

		expect(await callAsWorker(project, argv)).toMatchObject({ code: 0 });
	});

	it('nancy wait worker-2 waits for a worker of the own task', async () => {
		await using project = new Project();
		await project.addWorker(await project.addTask('fix-login'), 'worker-2');

		expect(await callAsWorker(project, ['wait', 'worker-2', '--until', 'stop', '--timeout', '0'])).toMatchObject({
			code: 4,
			stderr: expect.stringContaining('fix-login/worker-2 '),
		});
	});

	it('the human is no worker whose traffic there is', async () => {
		await using project = new Project();
		await project.addTask('fix-login');

		expect(await callAsWorker(project, ['traffic', 'orchestrator'])).toMatchObject({
			code: 3,
			stderr: 'nancy: fix-login has no worker "orchestrator"\n',
		});
	});
});

describe('a task of which the record of a worker cannot be read', () => {
	it('is no address: the message may be for that one', async () => {
		await using project = new Project();
		const task = await project.addTask('build');
		await project.addWorker(task, 'worker');
		await project.addWorker(task, 'worker-2');
		writeFileSync(project.workspace.paths.workerRecord(task, WorkerName.parse('worker-2')), '{');
		const asker = { is: 'human', via: 'terminal' } as const;
		await expect(resolveMailbox(project.workspace, asker, task)).rejects.toThrow(
			/worker-2\.json .*name the worker/,
		);
		expect(await resolveMailbox(project.workspace, asker, `${task}/worker`)).toEqual({ task, worker: 'worker' });
	});
});
