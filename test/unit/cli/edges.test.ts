import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { DelegateId } from '../../../src/protocol/delegate.ts';
import { TaskName } from '../../../src/protocol/names.ts';
import { DelegateCreatedOutput } from '../../../src/protocol/output/delegates.ts';
import { SendOutput } from '../../../src/protocol/output/messages.ts';
import { tempFolder } from '../../support/tempFolder.ts';
import { fakeClaude } from './fakeClaude.ts';
import { NancyCommand } from './nancyCommand.ts';
import { Project } from './project.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

const ANSWER = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'The answer.' });

/** A home folder with a project in it, and the agent. */
function home(agentDoes = `cat > /dev/null; echo '${ANSWER}'`) {
	const folder = tempFolder('nancy-home-');
	const project = folder.file('project');
	mkdirSync(join(project, 'sub'), { recursive: true });
	const env = { HOME: folder.path, PATH: fakeClaude(folder.file('bin')), FAKE_CLAUDE: agentDoes };
	return {
		folder,
		project,
		run: (args: readonly string[], cwd = project) => nancy.start(args, { cwd, env }),
		wasStarted: () => existsSync(folder.file('bin/args')),
		[Symbol.asyncDispose]: () => folder.remove(),
	};
}

describe('the folder that a command works in', () => {
	it('is the nearest repository, not a .nancy farther above, and a started task says it', async () => {
		await using it = home('exit 0');
		await new Workspace(it.folder.path).prepare();
		mkdirSync(join(it.project, '.git'));
		const sub = join(it.project, 'sub');
		expect(await it.run(['status'], sub)).toMatchObject({
			code: 3,
			stderr: expect.stringContaining(`${it.folder.path} has one`),
		});
		expect(await it.run(['orchestrate', 'fix', '--', '-p'], sub)).toMatchObject({
			code: 0,
			stderr: expect.stringContaining(`fix/worker works in ${it.project}`),
		});
		expect(readFileSync(it.folder.file('bin/cwd'), 'utf8').trim()).toBe(it.project);
		expect(await it.run(['status'], sub)).toMatchObject({ code: 0, stdout: expect.stringContaining('fix') });
	});

	it('is still that of the workspace in a worktree that an agent has made within it', async () => {
		await using it = home();
		await new Workspace(it.project).prepare();
		const inside = join(it.project, '.claude/worktrees/x');
		mkdirSync(join(it.project, '.git/worktrees/x'), { recursive: true });
		mkdirSync(inside, { recursive: true });
		writeFileSync(join(inside, '.git'), `gitdir: ${it.project}/.git/worktrees/x\n`);
		expect(await it.run(['status'], inside)).toMatchObject({ code: 0 });
	});

	it.each([
		['run', '--headless', '--prompt', 'x'],
		['delegate', 'x'],
	])('is a wrong usage where it is not there: nancy %s', async (...call) => {
		await using it = home();
		expect(await it.run([...call, '--working-dir', 'gone'])).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('there is no folder'),
		});
		expect(it.wasStarted()).toBe(false);
	});
});

describe('nancy orchestrate', () => {
	it('gives each of several that begin a new task at once a worker', async () => {
		await using it = home('exit 0');
		const started = await Promise.all([1, 2, 3].map(() => it.run(['orchestrate', 'fix', '--', '-p'])));
		expect(started.map(({ code }) => code)).toEqual([0, 0, 0]);
		const { workers } = await new Workspace(it.project).workers(TaskName.parse('fix'));
		expect(workers.map(({ name }) => name).toSorted()).toEqual(['worker', 'worker-2', 'worker-3']);
	});
});

describe('a task alone', () => {
	it('stands for its worker also when that has delegated', async () => {
		await using project = new Project();
		const task = await project.addTask('build');
		await project.addWorker(task, 'worker');
		await project.addWorker(task, 'delegate-1', { delegate: DelegateId.parse('20260401t101530123z-1f2e3d4c') });
		const sent = await nancy.run(['send', 'build', 'hi', '--json'], { cwd: project.path });
		expect(SendOutput.parse(JSON.parse(sent.stdout)).to).toBe('build/worker');
	});
});

describe('nancy delegates', () => {
	it('succeeds where it has stopped what it was to stop', async () => {
		await using it = home('cat > /dev/null; sleep 600');
		const asked = await it.run(['delegate', 'x', '--json']);
		const { id } = DelegateCreatedOutput.parse(JSON.parse(asked.stdout));
		expect(await it.run(['delegates', id, '--stop'])).toMatchObject({
			code: 0,
			stdout: expect.stringContaining('cancelled'),
		});
		expect(await it.run(['delegates', id])).toMatchObject({ code: 1 });
	});
});

describe('an answer', () => {
	it.each([
		['sub', 'it is a folder'],
		['file/x', 'is not a folder'],
		['/proc/x/y', 'the answer cannot be written to /proc/x/y: '],
	])('that cannot be written to %s is not asked for', async (file, why) => {
		await using it = home();
		writeFileSync(join(it.project, 'file'), '');
		const refused = await it.run(['run', '--headless', '--prompt', 'x', '--output-file', file]);
		expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
		expect(it.wasStarted()).toBe(false);
	});

	it('is not lost where the file has become a folder meanwhile', async () => {
		await using it = home(`cat > /dev/null; mkdir out.txt; echo '${ANSWER}'`);
		const ended = await it.run(['run', '--headless', '--prompt', 'x', '--output-file', 'out.txt', '--json']);
		expect(ended.code).toBe(1);
		expect(JSON.parse(ended.stdout)).toMatchObject({
			ok: false,
			output: 'The answer.',
			reason: expect.stringContaining('could not be written'),
		});
	});
});

it('a folder that was removed with its shell in it is told of', async () => {
	await using project = new Project();
	const gone = join(project.path, 'gone');
	mkdirSync(gone);
	const call = `rmdir '${gone}'; exec '${process.execPath}' '${nancy.program}' status`;
	const { status, stderr } = spawnSync('/bin/sh', ['-c', call], {
		cwd: gone,
		env: nancy.environment(),
		encoding: 'utf8',
	});
	expect(stderr).toMatch(/^nancy: the current folder is not there any more: .*\n$/);
	expect(status).toBe(1);
});

describe('standard output', () => {
	it('that is full is told of, also by a command that ends an agent then', async () => {
		await using project = new Project();
		await project.addTask('build');
		const answer = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'Done.' });
		const env = {
			PATH: fakeClaude(join(project.path, 'agent')),
			FAKE_CLAUDE: `cat > /dev/null; echo '${answer}'`,
		};
		for (const argv of [
			['inbox', '--json'],
			['run', '--headless', '--json', '--prompt', 'x'],
		]) {
			const child = spawn(process.execPath, [nancy.program, ...argv], {
				cwd: project.path,
				env: { ...nancy.environment(), ...env },
				stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
			});
			const [said] = await Promise.all([child.stderr ? text(child.stderr) : '', once(child, 'close')]);
			expect(said).toContain('standard output cannot be written');
			expect(child.exitCode).toBe(1);
		}
	});
});
