import { describe, expect, it } from 'vitest';
import { commands } from '../../../src/cli/commands.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { askerOf } from '../../../src/core/asker/asker.ts';
import { drivers } from '../../../src/drivers/index.ts';
import { TaskName } from '../../../src/protocol/names.ts';
import { Project } from './project.ts';

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
