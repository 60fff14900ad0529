import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type * as z from 'zod/mini';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { readPhase } from '../../src/core/sessions/phase.ts';
import {
	DelegateCreatedOutput,
	DelegatesOutput,
	RunOutput,
	type DelegateOutput,
} from '../../src/protocol/output/delegates.ts';
import { ORCHESTRATOR, SessionId, TaskName, WorkerName } from '../../src/protocol/names.ts';
import { claudeExecutable } from '../support/claudeHome.ts';
import { long } from '../support/long.ts';
import { submit } from '../support/submit.ts';
import { deployedLab, startedTask, type DeployedLab } from '../support/deployedLab.ts';
import { dataFolderIn } from '../support/runtime.ts';
import { eventually } from '../support/eventually.ts';
import { gateIn } from '../support/gate.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

// Each agent here mostly waits.
vi.setConfig({ maxConcurrency: 2 });

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

/** What a user's shell has: the agent on the PATH, a home, the model double. */
function shell(lab: DeployedLab): { cwd: string; env: Record<string, string> } {
	const PATH = [dirname(claudeExecutable), dirname(process.execPath), lab.env['PATH']].join(delimiter);
	// The seals of what it queues are where the lab's hooks look.
	const XDG_DATA_HOME = dirname(dataFolderIn(lab.home));
	return { cwd: lab.workspace.path, env: { ...lab.env, PATH, XDG_DATA_HOME, IS_SANDBOX: '1' } };
}

async function delegate(
	lab: DeployedLab,
	prompt: string,
	...args: string[]
): Promise<z.infer<typeof DelegateCreatedOutput>> {
	const done = await nancy.start(['delegate', '-', '--permissions', 'bypassPermissions', '--json', ...args], {
		...shell(lab),
		stdin: prompt,
	});
	expect(done.stderr).toBe('');
	return DelegateCreatedOutput.parse(JSON.parse(done.stdout));
}

async function ended(lab: DeployedLab, id: string): Promise<DelegateOutput> {
	const done = await nancy.start(['delegates', id, '--wait', '--timeout', '600', '--json'], shell(lab));
	const [delegate] = DelegatesOutput.parse(JSON.parse(done.stdout)).delegates;
	if (!delegate) throw new Error(done.stderr);
	return delegate;
}

describe.concurrent('nancy run --headless', () => {
	it('prints what the agent does and its answer, and writes the answer to a file', async () => {
		await using lab = await deployedLab({ isDeployed: false });
		writeFileSync(lab.workspace.file('task.md'), '[[sh:echo hello]] [[text:It is done.]]');
		const args = ['--prompt-file', 'task.md', '--output-file', 'result.txt', '--permissions', 'bypassPermissions'];
		const { code, stdout } = await nancy.start(['run', '--headless', ...args], shell(lab));
		expect(code).toBe(0);
		expect(stdout).toContain('● Bash echo hello');
		expect(stdout.trimEnd().endsWith('It is done.')).toBe(true);
		expect(readFileSync(lab.workspace.file('result.txt'), 'utf8')).toBe('It is done.');
	});

	it('reads its prompt from a pipe, and tells failure and timeout by its exit code', long, async () => {
		await using lab = await deployedLab({ isDeployed: false });
		const run = (stdin: string, ...args: string[]) =>
			nancy.start(['run', '--headless', '--stdin', '--json', ...args], { ...shell(lab), stdin });
		const good = await run('[[text:From the pipe]]');
		expect(good.code).toBe(0);
		expect(RunOutput.parse(JSON.parse(good.stdout))).toMatchObject({ ok: true, output: 'From the pipe' });
		const denied = await run('[[sh:touch made]] [[text:Not allowed]]');
		expect(RunOutput.parse(JSON.parse(denied.stdout))).toMatchObject({ ok: true, denied: ['Bash'] });
		expect(existsSync(lab.workspace.file('made'))).toBe(false);
		expect((await run('[[err:400]]')).code).toBe(1);
		expect((await run('[[wait:20000]] [[text:late]]', '--timeout', '2')).code).toBe(4);
	});
});

describe('a worker of claude-swarm', () => {
	it('leaves the files that the swarm looks for, and shows among the delegates', async () => {
		await using lab = await deployedLab({ isDeployed: false });
		const folder = lab.workspace.file('.claude/orchestrator/workers');
		mkdirSync(folder, { recursive: true });
		writeFileSync(join(folder, 'auth.prompt'), '[[sh:echo hello]] [[text:Auth is done.]]');
		writeFileSync(join(folder, 'other.log'), 'somebody else runs this one\n');
		const { cwd, env } = shell(lab);
		const args = ['--prompt-file', join(folder, 'auth.prompt'), '--permissions', 'bypassPermissions'];
		const where = { cwd, env: { ...env, CLAUDE_SWARM_WORKER: 'true' } };
		expect((await nancy.start(['run', '--headless', ...args], where)).code).toBe(0);
		expect(readFileSync(join(folder, 'auth.done'), 'utf8')).toBe('success\n');
		expect(readFileSync(join(folder, 'auth.log'), 'utf8')).toContain('● Bash echo hello');
		expect(JSON.parse(readFileSync(join(folder, 'auth.status'), 'utf8'))).toMatchObject({
			task_id: 'auth',
			status: 'done',
			tool_calls: 1,
			last_tool: 'Bash',
			iteration: 1,
		});
		await lab.nancy.prepare();
		const listed = await nancy.start(['delegates', '--json'], { cwd, env });
		const { delegates } = DelegatesOutput.parse(JSON.parse(listed.stdout));
		expect(delegates.map(({ title, status }) => [title, status])).toEqual([
			['auth', 'done'],
			['other', 'running'],
		]);
	});
});

describe.concurrent('a delegate of the real agent', () => {
	it('runs beside everything else; its result reaches the idle agent that asked for it', async () => {
		await using lab = await deployedLab();
		const session = SessionId.parse(randomUUID());
		const parent = await startedTask(lab, session);
		const claude = await lab.interactive(['--session-id', session]);
		await submit(claude, '[[text:Waiting now]]');
		await claude.waitForText(/● Waiting now/);
		await eventually('idle', async () => (await readPhase(lab.nancy.paths, session)).phase === 'idle');

		const { id, worker } = await delegate(
			lab,
			'[[write:made.txt|by the delegate]] [[sh:echo "<$NODE_OPTIONS>" > options.txt]] [[text:The delegate is done.]]',
			'--to',
			`${parent.task}/${parent.worker}`,
		);
		const request = await lab.model.waitForRequest(each =>
			each.text.includes(`[DELEGATE COMPLETE - Task ID: ${id}]`),
		);
		expect(request.text).toContain('The delegate is done.');
		expect(request.text).toContain('Waiting now');
		expect(readFileSync(lab.workspace.file('made.txt'), 'utf8')).toBe('by the delegate');
		// What makes the runner small is not the agent's.
		expect(readFileSync(lab.workspace.file('options.txt'), 'utf8')).toBe('<>\n');
		expect(await ended(lab, id)).toMatchObject({ status: 'done', worker, toolCalls: 2, lastTool: 'Bash' });
		const { messages } = await lab.nancy.mailbox(parent).list(['delivered']);
		expect(messages.map(({ content, receipt }) => [content.kind, receipt?.session])).toEqual([['result', session]]);
	});

	it('is a worker of its own: it is steered by a directive, and reports as itself', async () => {
		await using lab = await deployedLab();
		const gate = gateIn(lab.workspace.path, 'touch begun');
		const steps = `${gate.step} [[text:Not steered]]`;
		const { id, worker } = await delegate(lab, steps);
		await eventually('it works', () => existsSync(lab.workspace.file('begun')));
		const [task = '', name = ''] = worker.split('/');
		await lab.send({ task: TaskName.parse(task), worker: WorkerName.parse(name) }, 'New plan. [[text:Steered]]');
		gate.open();
		expect(await ended(lab, id)).toMatchObject({ status: 'done' });
		const delegates = new Delegates(lab.nancy);
		const { delegates: all } = await delegates.list();
		expect(readFileSync(delegates.files(all[0]!.record.id).output, 'utf8')).toBe('Steered');
		expect((await lab.nancy.tasks()).tasks.map(({ name: each }) => each)).toEqual(['delegates']);
		const human = await lab.nancy.mailbox({ task: TaskName.parse('delegates'), worker: ORCHESTRATOR }).list();
		expect(human.messages[0]?.content.text).toContain('DELEGATE COMPLETE');
	});

	it('works in a worktree with what is not committed, and is steered there too', long, async () => {
		await using lab = await deployedLab();
		const cwd = lab.workspace.path;
		const git = (...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' });
		git('init', '-q', '-b', 'main');
		writeFileSync(join(cwd, 'a.txt'), 'committed\n');
		git('add', 'a.txt');
		git('-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '-qm', 'first');
		writeFileSync(join(cwd, 'a.txt'), 'changed\n');
		const { id, worker } = await delegate(
			lab,
			'[[sh:cat a.txt; echo mine > b.txt; touch begun; sleep 3]] [[text:Not steered]]',
			'--with-changes',
		);
		const record = await eventually('its worktree', async () => {
			const { delegates: all } = await new Delegates(lab.nancy).list();
			return all[0]?.status.worktree;
		});
		await eventually('it works', () => existsSync(join(record.folder, 'begun')));
		const [task = '', name = ''] = worker.split('/');
		await lab.send({ task: TaskName.parse(task), worker: WorkerName.parse(name) }, 'Other plan. [[text:Steered]]');
		const done = await ended(lab, id);
		expect(done).toMatchObject({ status: 'done', worktree: record.folder });
		expect(dirname(realpathSync(record.folder))).toBe(`${realpathSync(cwd)}.worktrees`);
		expect(readFileSync(done.output, 'utf8')).toBe('Steered');
		expect(lab.model.requests.some(({ text }) => text.includes('changed\n'))).toBe(true);
		expect(existsSync(join(cwd, 'b.txt'))).toBe(false);
	});

	it('that fails says what the model service answered', long, async () => {
		await using lab = await deployedLab();
		const first = await delegate(lab, '[[err:400]]');
		expect(await ended(lab, first.id)).toMatchObject({ status: 'failed', error: expect.stringContaining('400') });
	});
});
