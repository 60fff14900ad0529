import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identify, liveness } from '../../../src/base/liveness.ts';
import { isFinal } from '../../../src/core/delegates/delegate.ts';
import { Delegates } from '../../../src/core/delegates/delegates.ts';
import { IN_TERMINAL } from '../../../src/core/asker/asker.ts';
import { queueDelegate } from '../../../src/core/delegates/queueDelegate.ts';
import { Tickets } from '../../../src/core/delegates/tickets.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { createWorktree } from '../../../src/git/worktree.ts';
import { DelegatesOutput } from '../../../src/protocol/output/delegates.ts';
import { DelegateId, DelegateStatus } from '../../../src/protocol/delegate.ts';
import { DriverId, TaskName } from '../../../src/protocol/names.ts';
import { WorktreeName } from '../../../src/protocol/worktree.ts';
import { eventually } from '../../support/eventually.ts';
import { gitIn } from '../../support/delegateSeeds.ts';
import { gitRepository } from '../../support/gitRepository.ts';
import { long } from '../../support/long.ts';
import { taskRecord } from '../../support/taskRecord.ts';
import { tempFolder } from '../../support/tempFolder.ts';
import { terminal } from '../../support/terminal.ts';
import { fakeClaude } from './fakeClaude.ts';
import { NancyCommand } from './nancyCommand.ts';

/** What the agent prints: one answer. */
const ANSWER = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'The answer.' });

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

/** The work of an agent that answers once a file is there. */
const answerOnce = (gate: string) => `cat > /dev/null; until [ -e '${gate}' ]; do sleep 0.05; done; echo '${ANSWER}'`;

/** A project, and a user with settings of its own: most of a test is waiting for agents, so several run at once. */
async function shell(first: unknown = {}) {
	const folder = tempFolder('nancy-delegate-');
	const settings = folder.file('config/nancy/settings.json');
	mkdirSync(dirname(settings), { recursive: true });
	const set = (all: unknown) => writeFileSync(settings, JSON.stringify(all));
	set(first);
	const workspace = new Workspace(folder.file('project'), join(nancy.dataFolder, 'nancy'));
	await workspace.prepare();
	const env = {
		PATH: fakeClaude(folder.file('bin')),
		FAKE_CLAUDE: `cat > /dev/null; echo '${ANSWER}'`,
		HOME: folder.path,
		XDG_CONFIG_HOME: folder.file('config'),
	};
	const where = { cwd: workspace.folder, env };
	const run = (args: readonly string[], extra: Record<string, string> = {}) =>
		nancy.run(args, { ...where, env: { ...env, ...extra } });
	/** In this process: what starts nobody. */
	const here = (args: readonly string[], extra: Record<string, string> = {}) =>
		nancy.runHere(args, { ...where, env: { ...env, ...extra } });
	const delegates = new Delegates(workspace);
	/** Waits without a process for it. */
	const allEnded = () =>
		eventually(
			'all have ended',
			async () => {
				const listed = await delegates.list();
				return listed.delegates.every(({ state, status }) => isFinal(state) && status.reported);
			},
			{ everyMs: 200 },
		);
	return {
		folder,
		settings,
		set,
		here,
		workspace,
		env,
		run,
		delegates,
		allEnded,
		[Symbol.asyncDispose]: () => folder.remove(),
	};
}

describe('nancy delegate', () => {
	it.concurrent('lets an agent give no wider permissions than the user has set, and says who can change that', async () => {
		await using it = await shell();
		const marks: Record<string, string>[] = [
			{ CLAUDECODE: '1' },
			{
				NANCY_TASK_DIR: it.workspace.paths.task('build' as never),
				NANCY_WORKER: 'worker',
				NANCY_AGENT: 'claude-code',
			},
		];
		for (const mark of marks) {
			for (const command of [
				['delegate', 'x'],
				['run', '--headless', '--prompt', 'x'],
			]) {
				const refused = await it.here([...command, '--permissions', 'bypassPermissions'], mark);
				expect(refused.code).toBe(5);
				expect(refused.stderr).toContain('nancy.agents.claude-code.permissionsFromAgents');
				expect(refused.stderr).toContain(it.settings);
			}
		}
		const [inside = {}] = marks;
		const widened = ['run', '--headless', '--prompt', 'x', '--', '--dangerously-skip-permissions'];
		expect((await it.here(widened, inside)).code).toBe(5);
		const wide = ['orchestrate', 'a', '--', '-p', '--dangerously-skip-permissions'];
		expect((await it.here(wide, inside)).code).toBe(5);
		expect((await it.delegates.list()).delegates).toEqual([]);

		it.set({ delegates: { permissionsFromAgents: { 'claude-code': 'acceptEdits' } } });
		const run = (mode: string) => ['run', '--headless', '--prompt', 'x', '--permissions', mode];
		expect((await it.run(run('acceptEdits'), inside)).code).toBe(0);
		expect((await it.run(run('plan'), inside)).code).toBe(0);
		expect((await it.here(run('auto'), inside)).code).toBe(5);
		expect((await it.run(['run', '--headless', '--prompt', 'x', '--permissions', 'bypassPermissions'])).code).toBe(
			0,
		);
	});

	it.concurrent('lets an agent start one that asks the user, for it may do no more unasked than the most careful one', async () => {
		await using it = await shell();
		const started = await it.run(['delegate', 'x', '--permissions', 'ask-me'], { CLAUDECODE: '1' });
		expect(started).toMatchObject({ code: 0 });
		// It begins nothing of its own that is wider.
		const wider = ['delegate', 'x', '--permissions', 'acceptEdits'];
		const refused = await it.here(wider, { CLAUDECODE: '1' });
		expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('"default" is the widest') });
		it.set({ delegates: { permissionsFromAgents: { 'claude-code': 'ask-me' } } });
		expect((await it.here(wider, { CLAUDECODE: '1' })).code).toBe(5);
		const { delegates } = await it.delegates.list();
		expect(delegates.map(({ record }) => record.permissions)).toEqual(['ask-me']);
		await it.allEnded();
	});

	it.concurrent('keeps to what the user has set: limits, commands for worktrees, how many at once', async () => {
		await using it = await shell();
		await using repository = gitRepository();
		repository.commit({ 'a.txt': 'a' });
		const folder = repository.root;
		it.set({
			delegates: { timeoutMinutes: 2, idleMinutes: 1, max: 1 },
			folders: { [it.workspace.folder]: { worktreeSetUp: 'echo set > up.txt', worktreeTearDown: 'true' } },
		});
		const gate = it.folder.file('gate');
		const slow = { FAKE_CLAUDE: answerOnce(gate) };
		const first = await it.run(
			['delegate', 'x', '--worktree', '--working-dir', folder, '--idle-timeout', '590'],
			slow,
		);
		expect(first).toMatchObject({ code: 0, stderr: '' });
		await it.run(['delegate', 'y'], slow);
		const [one, two] = (await it.delegates.list()).delegates;
		expect(one?.record).toMatchObject({
			limits: { wallSeconds: 120, idleSeconds: 590 },
			setUp: 'echo set > up.txt',
			tearDown: 'true',
		});
		expect(two).toMatchObject({ state: 'queued', record: { limits: { wallSeconds: 120, idleSeconds: 60 } } });
		expect(two?.record).not.toHaveProperty('setUp');
		writeFileSync(gate, '');
		const waited = await it.run(['delegates', '--wait', '--timeout', '600', '--json']);
		const { delegates } = DelegatesOutput.parse(JSON.parse(waited.stdout));
		expect(delegates.map(({ status }) => status)).toEqual(['done', 'done']);
		expect(readFileSync(join(delegates[0]?.worktree ?? '', 'up.txt'), 'utf8')).toBe('set\n');
	});

	it.concurrent('queues none for a folder or worktree where the agent would have no trust and no hooks, and says where it can work', async () => {
		await using it = await shell();
		mkdirSync(join(it.workspace.folder, 'sub'));
		const program = it.folder.file('bin/gemini');
		writeFileSync(program, '#!/bin/sh\necho 0.61.0\n', { mode: 0o755 });
		for (const where of [['--worktree'], ['--with-changes'], ['--working-dir', 'sub'], ['--working-dir', '/']]) {
			const refused = await it.here(['delegate', 'x', '--agent', 'gemini-cli', ...where]);
			expect([where, refused.code, refused.stderr]).toEqual([
				where,
				2,
				expect.stringContaining(it.workspace.folder),
			]);
		}
		expect((await it.delegates.list()).delegates).toEqual([]);
		expect(await it.run(['delegate', 'x', '--agent', 'gemini-cli'])).toMatchObject({ code: 0, stderr: '' });
		await it.allEnded();
	});

	it.concurrent('queues none for a worktree where none can be made, and says why at once', async () => {
		await using it = await shell();
		for (const option of ['--worktree', '--with-changes']) {
			const refused = await it.here(['delegate', 'x', option]);
			expect(refused).toMatchObject({ code: 1, stdout: '' });
			expect(refused.stderr).toContain('is not in a git repository');
		}
		gitIn(it.workspace.folder, 'init', '-q');
		expect((await it.here(['delegate', 'x', '--worktree'])).stderr).toContain('has no commit yet');
		expect((await it.delegates.list()).delegates).toEqual([]);
	});

	it.concurrent('runs no command of the user’s because an agent asks: the worktree is made without, and it is told', async () => {
		await using it = await shell();
		const script = join(it.workspace.folder, 'up.sh');
		gitIn(it.workspace.folder, 'init', '-q');
		writeFileSync(script, 'true');
		gitIn(it.workspace.folder, 'add', 'up.sh');
		gitIn(it.workspace.folder, 'commit', '-qm', 'up');
		writeFileSync(script, `touch ${it.folder.file('bad')}`);
		const commands = { worktreeSetUp: 'sh up.sh', worktreeTearDown: 'sh up.sh' };
		const ask = () => it.run(['delegate', 'x', '--with-changes'], { CLAUDECODE: '1' });
		it.set({ delegates: commands });
		expect(await ask()).toMatchObject({ code: 0, stderr: expect.stringContaining('without the user’s set-up') });
		await it.allEnded();
		const [own] = (await it.delegates.list()).delegates;
		expect(own?.state).toBe('done');
		expect(own?.record).not.toHaveProperty('setUp');
		expect(own?.record).not.toHaveProperty('tearDown');
		expect(existsSync(it.folder.file('bad'))).toBe(false);
		it.set({ delegates: { ...commands, permissionsFromAgents: { 'claude-code': 'bypassPermissions' } } });
		expect(await ask()).toMatchObject({ code: 0, stderr: '' });
		await it.allEnded();
		expect(existsSync(it.folder.file('bad'))).toBe(true);
	});

	it.concurrent('takes no command out of a file that a repository can bring', async () => {
		await using it = await shell();
		const config = it.workspace.paths.config;
		writeFileSync(
			config,
			JSON.stringify({ version: 1, delegates: { worktreeSetUp: 'touch bad' }, worktreeSetUp: 'touch bad' }),
		);
		gitIn(it.workspace.folder, 'init', '-q');
		gitIn(it.workspace.folder, 'commit', '-q', '--allow-empty', '-m', 'first');
		await it.run(['delegate', 'x', '--worktree']);
		const [delegate] = (await it.delegates.list()).delegates;
		expect(delegate?.record).not.toHaveProperty('setUp');
		await it.allEnded();
		const inside = { XDG_CONFIG_HOME: it.workspace.folder };
		mkdirSync(join(it.workspace.folder, 'nancy'));
		writeFileSync(join(it.workspace.folder, 'nancy/settings.json'), '{"delegates":{"worktreeSetUp":"touch bad"}}');
		expect(await it.here(['delegate', 'x'], inside)).toMatchObject({
			code: 5,
			stderr: expect.stringContaining('is inside'),
		});
	});

	it.concurrent('works where the agent is that asks, also when that is a worktree of the repository', async () => {
		await using it = await shell();
		const at = (name: string) => realpathSync(it.folder.file(name));
		mkdirSync(join(it.workspace.folder, 'packages'));
		writeFileSync(join(it.workspace.folder, 'packages/a'), 'a');
		writeFileSync(join(it.workspace.folder, '.gitignore'), '.nancy\n');
		gitIn(it.workspace.folder, 'init', '-q');
		gitIn(it.workspace.folder, 'add', '--all');
		gitIn(it.workspace.folder, 'commit', '-qm', 'first');
		const name = WorktreeName.parse('one');
		await createWorktree({ folder: it.workspace.folder, name, withChanges: false, copyIncludes: false });
		gitIn(at('project.worktrees/one'), 'commit', '-q', '--allow-empty', '-m', 'work');
		const task = TaskName.parse('build');
		await it.workspace.createTask(taskRecord(task, DriverId.parse('claude-code')));
		const env = {
			...it.env,
			NANCY_TASK_DIR: it.workspace.paths.task(task),
			NANCY_WORKER: 'worker',
			NANCY_AGENT: 'claude-code',
		};
		const ask = async (cwd: string, ...more: string[]) => {
			expect(await nancy.run(['delegate', 'x', ...more], { cwd, env })).toMatchObject({ code: 0, stderr: '' });
		};
		await ask(at('project.worktrees/one/packages'));
		await ask(at('project.worktrees/one'), '--worktree');
		await ask(at('project/packages'));
		await ask(at('project.worktrees/one'), '--working-dir', '../../project');
		await it.allEnded();
		const { delegates } = await it.delegates.list();
		expect(delegates.map(({ record }) => record.place.folder)).toEqual([
			at('project.worktrees/one'),
			at('project.worktrees/one'),
			it.workspace.folder,
			at('project'),
		]);
		expect(delegates[1]?.status.worktree).toMatchObject({
			repository: at('project'),
			base: gitIn(at('project.worktrees/one'), 'rev-parse', 'HEAD').trim(),
		});
	});

	it.concurrent(
		'works where the agent is that asks also where the workspace is a worktree itself',
		long,
		async () => {
			await using it = await shell();
			gitIn(it.workspace.folder, 'init', '-q');
			gitIn(it.workspace.folder, 'commit', '-q', '--allow-empty', '-m', 'first');
			const make = async (from: string, name: string) => {
				const options = { withChanges: false, copyIncludes: false };
				return (await createWorktree({ folder: from, name: WorktreeName.parse(name), ...options })).folder;
			};
			const one = await make(it.workspace.folder, 'one');
			const two = await make(one, 'two');
			const task = TaskName.parse('build');
			const workspace = new Workspace(one);
			await workspace.createTask(taskRecord(task, DriverId.parse('claude-code')));
			const env = {
				...it.env,
				NANCY_TASK_DIR: workspace.paths.task(task),
				NANCY_WORKER: 'worker',
				NANCY_AGENT: 'claude-code',
			};
			expect(await nancy.run(['delegate', 'x'], { cwd: two, env })).toMatchObject({ code: 0, stderr: '' });
			const { delegates } = await new Delegates(workspace).list();
			expect(delegates.map(({ record }) => record.place.folder)).toEqual([two]);
			await nancy.run(['delegates', '--wait', '--timeout', '600'], { cwd: one, env });
		},
	);

	it.concurrent(
		'works in the workspace where the worktree that one is in is none of Nancy’s, or the agent cannot work in one',
		long,
		async () => {
			await using it = await shell({ delegates: { permissionsFromAgents: { 'gemini-cli': 'default' } } });
			const { folder } = it.workspace;
			writeFileSync(it.folder.file('bin/gemini'), '#!/bin/sh\necho 0.61.0\n', { mode: 0o755 });
			gitIn(folder, 'init', '-q');
			gitIn(folder, 'commit', '-q', '--allow-empty', '-m', 'first');
			gitIn(folder, 'worktree', 'add', '-q', '.claude/worktrees/x');
			const name = WorktreeName.parse('one');
			await createWorktree({ folder, name, withChanges: false, copyIncludes: false });
			const task = TaskName.parse('build');
			await it.workspace.createTask(taskRecord(task, DriverId.parse('claude-code')));
			const ask = (cwd: string, agent: string, env: Record<string, string>) =>
				nancy.run(['delegate', 'x', '--agent', agent], {
					cwd: it.folder.file(cwd),
					env: { ...it.env, ...env },
				});
			const here = {
				NANCY_TASK_DIR: it.workspace.paths.task(task),
				NANCY_WORKER: 'worker',
				NANCY_AGENT: 'claude-code',
			};
			const answers = [
				await ask('project/.claude/worktrees/x', 'claude-code', { CLAUDECODE: '1' }),
				await ask('project/.claude/worktrees/x', 'gemini-cli', {}),
				await ask('project.worktrees/one', 'gemini-cli', here),
			];
			expect(answers.map(({ code, stderr }) => [code, stderr])).toEqual([0, 0, 0].map(code => [code, '']));
			const { delegates } = await it.delegates.list();
			expect(delegates.map(({ record }) => record.place.folder)).toEqual([folder, folder, folder]);
			await it.allEnded();
		},
	);

	it.concurrent(
		'is a worker of a swarm where the user has set that: the swarm’s files beside its own, under the name of its prompt',
		long,
		async () => {
			await using it = await shell({ delegates: { swarmWorker: true } });
			const prompt = it.folder.file('Auth_v2.API.md');
			writeFileSync(prompt, 'Do it.');
			expect(await it.run(['delegate', '--prompt-file', prompt])).toMatchObject({ code: 0, stderr: '' });
			const waited = await it.run(['delegates', '--wait', '--timeout', '600', '--json']);
			const { delegates } = DelegatesOutput.parse(JSON.parse(waited.stdout));
			// Its own, and not a second time as the swarm's.
			expect(delegates.map(({ title, status }) => [title, status])).toEqual([['Do it.', 'done']]);
			const files = (ending: string) =>
				readFileSync(
					join(it.workspace.folder, '.claude/orchestrator/workers', `Auth_v2.API.${ending}`),
					'utf8',
				);
			expect(files('prompt')).toBe('Do it.');
			expect(files('done')).toBe('success\n');
			expect(files('output')).toBe('The answer.');
			expect(JSON.parse(files('status'))).toMatchObject({ status: 'done', iteration: 1 });
			const off = await it.run(['run', '--headless', '--prompt-file', prompt, '--working-dir', it.folder.path], {
				CLAUDE_SWARM_WORKER: 'false',
			});
			expect(off.code).toBe(0);
			expect(existsSync(it.folder.file('.claude'))).toBe(false);
		},
	);

	it.concurrent('writes a swarm’s files under no name and through no link that leads elsewhere', async () => {
		await using it = await shell();
		const swarm = { CLAUDE_SWARM_WORKER: 'true' };
		writeFileSync(join(it.workspace.folder, '.hidden.md'), 'x');
		const hidden = await it.here(['run', '--headless', '--prompt-file', '.hidden.md'], swarm);
		expect(hidden).toMatchObject({ code: 2, stderr: expect.stringContaining('".hidden"') });
		mkdirSync(it.folder.file('elsewhere'));
		mkdirSync(join(it.workspace.folder, '.claude'));
		symlinkSync(it.folder.file('elsewhere'), join(it.workspace.folder, '.claude/orchestrator'));
		const linked = await it.here(['run', '--headless', '--prompt', 'x'], swarm);
		expect(linked).toMatchObject({ code: 1, stderr: expect.stringContaining('symbolic link') });
		expect(existsSync(it.folder.file('elsewhere/workers'))).toBe(false);
	});
});

describe('an agent that calls nancy', () => {
	const mark = { CLAUDECODE: '1' };
	const headless = ['run', '--headless'];

	it.concurrent('gets no file read or written, and nothing run outside its workspace and the worktrees beside it', async () => {
		await using it = await shell();
		const inside = it.workspace.folder;
		mkdirSync(join(inside, '.git/hooks'), { recursive: true });
		mkdirSync(it.folder.file('other/.git'), { recursive: true });
		symlinkSync(it.folder.file('other'), join(inside, 'link'));
		symlinkSync(it.folder.file('nowhere'), join(inside, 'dangling'));
		for (const file of ['secret.md', 'project/own.md']) writeFileSync(it.folder.file(file), 'x');
		symlinkSync(it.folder.file('secret.md'), join(inside, 'secret-link.md'));
		const outside = [
			['--prompt', 'x', '--output-file', '../out.txt'],
			['--prompt', 'x', '--output-file', 'link/out.txt'],
			['--prompt', 'x', '--output-file', 'dangling/out.txt'],
			['--prompt', 'x', '--output-file', '.git/hooks/pre-commit'],
			['--prompt', 'x', '--output-file', '.nancy/delegates/x.json'],
			['--prompt', 'x', '--output-file', '.claude/settings.json'],
			['--prompt', 'x', '--output-file', '.mcp.json'],
			['--prompt', 'x', '--output-file', 'opencode.json'],
			['--prompt', 'x', '--output-file', 'packages/OpenCode.JSONC'],
			['--prompt', 'x', '--working-dir', '../other'],
			['--prompt', 'x', '--working-dir', 'link'],
			['-C', '../other', '--prompt', 'x'],
			['--prompt-file', '../secret.md'],
			['--prompt-file', 'secret-link.md'],
		];
		const delegations = [
			['delegate', 'x', '--working-dir', '../other'],
			['-C', '../other', 'delegate', 'x'],
			['delegate', '--prompt-file', '../secret.md'],
		];
		for (const args of [...outside.map(each => [...headless, ...each]), ...delegations]) {
			const refused = await it.here(args, mark);
			expect([args, refused.code, refused.stderr]).toEqual([
				args,
				5,
				expect.stringContaining('an agent may not'),
			]);
		}
		expect(existsSync(it.folder.file('bin/args'))).toBe(false);
		expect(existsSync(it.folder.file('other/.nancy'))).toBe(false);
	});

	it.concurrent('has its delegate work in its own workspace, though it exchanges the link by which it has named that', async () => {
		await using it = await shell();
		const gate = it.folder.file('gate');
		mkdirSync(join(it.workspace.folder, 'a'));
		symlinkSync('..', join(it.workspace.folder, 'a/here'));
		mkdirSync(it.folder.file('other'));
		const env = { ...mark, FAKE_CLAUDE: `pwd > '${it.folder.file('place')}'; ${answerOnce(gate)}` };
		expect(await it.run(['delegate', 'x', '--working-dir', 'a/here'], env)).toMatchObject({ code: 0 });
		rmSync(join(it.workspace.folder, 'a/here'));
		symlinkSync(it.folder.file('other'), join(it.workspace.folder, 'a/here'));
		const [delegate] = (await it.delegates.list()).delegates;
		expect(delegate?.record.place).toEqual({ is: 'folder', folder: it.workspace.folder });
		writeFileSync(gate, '');
		await it.allEnded();
		expect(readFileSync(it.folder.file('place'), 'utf8').trim()).toBe(realpathSync(it.workspace.folder));
	});

	it.concurrent('has its delegate work in a folder below, if the user lets it give any permission', async () => {
		await using it = await shell({ delegates: { permissionsFromAgents: { 'claude-code': 'bypassPermissions' } } });
		mkdirSync(join(it.workspace.folder, 'sub'));
		const env = { ...mark, FAKE_CLAUDE: `pwd > '${it.folder.file('place')}'; cat > /dev/null; echo '${ANSWER}'` };
		expect(await it.run(['delegate', 'x', '--working-dir', 'sub'], env)).toMatchObject({ code: 0 });
		await it.allEnded();
		expect(readFileSync(it.folder.file('place'), 'utf8').trim()).toBe(
			realpathSync(join(it.workspace.folder, 'sub')),
		);
	});

	it.concurrent('starts nobody interactively there either, nor in a folder where it can have written settings', async () => {
		await using it = await shell();
		const inside = it.workspace.folder;
		mkdirSync(join(inside, '.git'));
		mkdirSync(it.folder.file('other/.git'), { recursive: true });
		mkdirSync(join(inside, 'sub/.claude'), { recursive: true });
		mkdirSync(join(inside, 'sub/.nancy'));
		mkdirSync(it.folder.file('project.worktrees/one/sub/.claude'), { recursive: true });
		writeFileSync(it.folder.file('secret.md'), 'x');
		const terminal = ['--', '-p'];
		const refused = [
			['-C', '../other', 'orchestrate', 'a', ...terminal],
			['-C', 'sub', 'orchestrate', 'a', ...terminal],
			['orchestrate', 'a', '--prompt-file', '../secret.md', ...terminal],
			['-C', 'sub', ...headless, '--prompt', 'x'],
			[...headless, '--prompt', 'x', '--working-dir', 'sub'],
			[...headless, '--prompt', 'x', '--working-dir', '../project.worktrees/one/sub'],
			['-C', 'sub', 'delegate', 'x'],
			['delegate', 'x', '--working-dir', 'sub'],
		];
		const worker = {
			NANCY_TASK_DIR: it.workspace.paths.task('build' as never),
			NANCY_WORKER: 'worker',
			NANCY_AGENT: 'claude-code',
		};
		const is = { code: 5, stderr: expect.not.stringContaining('arguments after --') };
		for (const caller of [mark, worker])
			for (const args of refused)
				expect([args, await it.here(args, caller)]).toEqual([args, expect.objectContaining(is)]);
		expect(await it.run(['-C', 'sub', 'delegate', 'x'], worker)).toMatchObject(is);
		expect(existsSync(it.folder.file('bin/args'))).toBe(false);
		expect(existsSync(it.folder.file('other/.nancy'))).toBe(false);
		expect((await it.delegates.list()).delegates).toEqual([]);
		expect((await it.run(['-C', 'sub', ...headless, '--prompt', 'x'])).code).toBe(0);
	});

	it.concurrent('may have a worktree worked in, and any folder where the user has allowed all', async () => {
		await using it = await shell();
		mkdirSync(join(it.workspace.folder, '.git'));
		mkdirSync(it.folder.file('project.worktrees/one'), { recursive: true });
		const own = [...headless, '--prompt', 'x', '--working-dir', '../project.worktrees/one'];
		expect(await it.run(own, mark)).toMatchObject({ code: 0 });
		const out = [...headless, '--prompt', 'x', '--working-dir', '..'];
		expect((await it.here(out, mark)).code).toBe(5);
		it.set({ delegates: { permissionsFromAgents: { 'claude-code': 'bypassPermissions' } } });
		expect((await it.run(out, mark)).code).toBe(0);
	});
});

describe('nancy run', () => {
	it.concurrent('keeps the answer where the swarm’s copy cannot be written', async () => {
		await using it = await shell();
		// A folder in its place, as a full disk would: nothing can be renamed to it.
		const copy = join(it.workspace.folder, '.claude/orchestrator/workers/own.output/x');
		writeFileSync(join(it.workspace.folder, 'own.md'), 'x');
		const swarm = {
			CLAUDE_SWARM_WORKER: 'true',
			FAKE_CLAUDE: `cat > /dev/null; mkdir -p '${copy}'; echo '${ANSWER}'`,
		};
		const done = await it.run(['run', '--headless', '--prompt-file', 'own.md', '--output-file', 'out.txt'], swarm);
		expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('the swarm') });
		expect(readFileSync(join(it.workspace.folder, 'out.txt'), 'utf8')).toBe('The answer.');
	});
});

describe('what an agent writes', () => {
	it.concurrent('is not obeyed by the terminal that shows it, and comes through a pipe as it is', async () => {
		await using it = await shell();
		const clipboard = '\u001b]52;c;ZWNobyBiYWQ=\u0007';
		const events = [
			{ type: 'assistant', message: { content: [{ type: 'text', text: `one${clipboard}\ntwo` }] } },
			{ type: 'result', subtype: 'success', is_error: false, result: `three${clipboard}` },
		];
		const said = events.map(event => `echo '${JSON.stringify(event).replaceAll('\\', '\\\\')}'`).join('; ');
		const env = { FAKE_CLAUDE: `cat > /dev/null; printf 'noise\\033[31m\\n' >&2; ${said}` };
		const inTerminal = async (args: readonly string[]) => {
			const all = nancy.environment({ ...it.env, ...env });
			const given = Object.fromEntries(Object.entries(all).map(([name, value]) => [name, value ?? '']));
			const shown = terminal(process.execPath, [nancy.program, ...args], {
				cwd: it.workspace.folder,
				env: given,
			});
			await shown.ended;
			const screen = await eventually('what it wrote', () => shown.screen() || undefined);
			await shown.close();
			return screen;
		};
		const run = ['run', '--headless', '--prompt', 'x'];
		const screen = await inTerminal(run);
		expect(screen).toContain('one\\x1b]52;c;ZWNobyBiYWQ=\\x07\ntwo');
		expect(screen).toContain('noise\\x1b[31m');
		expect((await it.run(run, env)).stdout).toContain(`one${clipboard}\ntwo`);
		const id = (await it.run(['delegate', 'x'], env)).stdout.trim();
		expect((await it.run(['delegates', id, '--wait'])).stdout).toContain(`three${clipboard}`);
		expect(await inTerminal(['delegates', id])).toContain('three\\x1b]52;c;ZWNobyBiYWQ=\\x07');
	});
});

describe('nancy run whose output nobody reads any more', () => {
	it.concurrent.each(['stdout', 'stderr'] as const)('ends its agent, and has not ended well: %s', async closed => {
		await using it = await shell();
		const said = JSON.stringify({
			type: 'assistant',
			message: { content: [{ type: 'text', text: 'Still here.' }] },
		});
		const pid = it.folder.file('pid');
		const env = nancy.environment({
			...it.env,
			FAKE_CLAUDE: `cat > /dev/null; echo $$ > '${pid}'; while :; do echo '${said}'; echo noise >&2; sleep 0.1; done`,
		});
		const args = [nancy.program, 'run', '--headless', '--prompt', 'x', '--timeout', '600'];
		const child = spawn(process.execPath, args, {
			cwd: it.workspace.folder,
			env,
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		const other = closed === 'stdout' ? child.stderr : child.stdout;
		other.resume();
		child[closed].once('data', () => child[closed].destroy());
		const [code]: unknown[] = await once(child, 'exit');
		expect(code).toBe(130);
		expect(liveness(identify(Number(readFileSync(pid, 'utf8'))))).toBe('dead');
	});
});

describe('broken settings', () => {
	it.concurrent('stop neither the queue nor nancy delegates', async () => {
		await using it = await shell();
		const gate = it.folder.file('gate');
		const slow = { FAKE_CLAUDE: answerOnce(gate), NANCY_DELEGATES: '1' };
		const ids: string[] = [];
		for (const text of ['one', 'two', 'three']) ids.push((await it.run(['delegate', text], slow)).stdout.trim());
		const [one = '', two = '', three = ''] = ids.map(id => DelegateId.parse(id));
		writeFileSync(it.settings, 'garbage');
		const listed = await it.run(['delegates']);
		expect(listed).toMatchObject({ code: 0, stderr: expect.stringContaining('settings.json') });
		expect(listed.stdout).toContain(two);
		await it.run(['delegates', three, '--stop']);
		expect((await it.delegates.get(DelegateId.parse(three))).error).toBe('cancelled');
		writeFileSync(gate, '');
		// The runner of the first has looked without them.
		const waited = await it.run(['delegates', two, '--wait', '--timeout', '600']);
		expect(waited).toMatchObject({ code: 0, stdout: 'The answer.\n' });
		expect(readFileSync(it.delegates.files(DelegateId.parse(one)).log, 'utf8')).toContain('settings.json');
	});
});

it.concurrent('a delegate that cannot be prepared fails with the reason', async () => {
	await using it = await shell();
	const gate = it.folder.file('gate');
	const slow = { FAKE_CLAUDE: answerOnce(gate), NANCY_DELEGATES: '1' };
	await it.run(['delegate', 'one'], slow);
	const two = DelegateId.parse((await it.run(['delegate', 'two'], slow)).stdout.trim());
	writeFileSync(it.workspace.paths.config, 'garbage');
	writeFileSync(gate, '');
	const waited = await it.run(['delegates', two, '--wait', '--timeout', '600']);
	expect(waited.code).toBe(1);
	expect((await it.delegates.get(two)).error).toContain(it.workspace.paths.config);
});

describe('nancy delegates --resume', () => {
	it.concurrent('lets what waits for an account’s limit start at once, and says where nothing waits', async () => {
		await using it = await shell();
		const agent = DriverId.parse('claude-code');
		const until = new Date(Date.now() + 3_600_000).toISOString();
		await it.delegates.park({ version: 1, agent, until, reason: 'limit' });
		const id = (await it.run(['delegate', 'x'])).stdout.trim();
		expect((await it.delegates.get(DelegateId.parse(id))).state).toBe('queued');
		const resumed = await it.run(['delegates', id, '--resume', '--wait', '--timeout', '600']);
		expect(resumed).toMatchObject({ code: 0, stdout: 'The answer.\n' });
		expect((await it.here(['delegates', '--resume'])).code).toBe(2);
		const unused = it.folder.file('unused');
		mkdirSync(join(unused, '.claude/orchestrator/workers'), { recursive: true });
		expect((await it.here(['-C', unused, 'delegates', '--resume'])).code).toBe(2);
		expect(existsSync(join(unused, '.nancy'))).toBe(false);
	});
});

describe('nancy run --delegate', () => {
	it.concurrent('runs nothing that was not queued by the user, or is another than was queued, whoever calls it', async () => {
		await using it = await shell();
		const request = {
			prompt: 'Do it.',
			agent: DriverId.parse('claude-code'),
			permissions: 'bypassPermissions',
			folder: it.workspace.folder,
		};
		const tickets = new Tickets(join(nancy.dataFolder, 'nancy'), it.delegates.workspace.folder);
		const brought = await queueDelegate(
			it.delegates,
			new Tickets(it.folder.file('other'), it.delegates.workspace.folder),
			IN_TERMINAL,
			request,
		);
		const changed = await queueDelegate(it.delegates, tickets, IN_TERMINAL, { ...request, permissions: 'plan' });
		const record = join(it.delegates.folder, `${changed.record.id}.json`);
		writeFileSync(record, readFileSync(record, 'utf8').replace('"plan"', '"bypassPermissions"'));
		for (const {
			record: { id },
		} of [brought, changed]) {
			await it.run(['run', '--delegate', id]);
			expect(await it.delegates.get(id)).toMatchObject({ state: 'failed', error: /not queued by you/ });
		}
		expect(existsSync(it.folder.file('bin/args'))).toBe(false);
		const own = await queueDelegate(it.delegates, tickets, IN_TERMINAL, request);
		await it.run(['run', '--delegate', own.record.id]);
		await it.allEnded();
		expect(await it.delegates.get(own.record.id)).toMatchObject({ state: 'done' });
	});

	it.concurrent('starts none past the limit of parallel ones, whoever calls it', async () => {
		await using it = await shell({ delegates: { max: 1 } });
		const gate = it.folder.file('gate');
		const env = { FAKE_CLAUDE: answerOnce(gate) };
		await it.run(['delegate', 'First.'], env);
		await it.run(['delegate', 'Second.'], env);
		const states = async () => (await it.delegates.list()).delegates.map(({ state }) => state).toSorted();
		expect(await states()).toEqual(['queued', 'running']);
		for (const { record } of (await it.delegates.list()).delegates)
			await it.run(['run', '--delegate', record.id], env);
		expect(await states()).toEqual(['queued', 'running']);
		writeFileSync(gate, '');
		await it.allEnded();
		expect(await states()).toEqual(['done', 'done']);
	});
});

describe('workers of a swarm', () => {
	it.concurrent('have one run at a time, which a run that was killed does not hold up, and nothing of an earlier one', async () => {
		await using it = await shell();
		const workers = join(it.workspace.folder, '.claude/orchestrator/workers');
		const file = (ending: string) => join(workers, `worker.${ending}`);
		const swarm = { CLAUDE_SWARM_WORKER: 'true' };
		const run = (prompt: string, env: Record<string, string> = {}) => {
			writeFileSync(it.folder.file('worker.md'), prompt);
			return it.run(['run', '--headless', '--prompt-file', it.folder.file('worker.md')], { ...swarm, ...env });
		};
		const works = it.folder.file('works');
		const work = `cat > /dev/null; touch '${works}'; while [ -e '${works}' ]; do sleep 0.1; done`;
		const slow = run('first', { FAKE_CLAUDE: work });
		const status = () => DelegateStatus.parse(JSON.parse(readFileSync(file('status'), 'utf8')));
		const first = await eventually('the first', () => existsSync(file('status')) && status());
		await eventually('its agent', () => existsSync(works));
		const refused = await run('second');
		expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining('worker is at work already') });
		expect(readFileSync(file('prompt'), 'utf8')).toBe('first');
		expect(status()).toEqual(first);
		const shown = async () => (await it.delegates.list()).delegates.map(({ state, error }) => [state, error]);
		expect(await shown()).toEqual([['running', undefined]]);

		const runner = first.runner?.pid ?? 0;
		process.kill(runner, 'SIGKILL');
		// The agent holds the pipes of the run.
		rmSync(works);
		await slow;
		expect(await shown()).toEqual([['failed', 'runner died']]);
		mkdirSync(it.workspace.paths.root, { recursive: true });
		await it.run(['delegates']);
		expect(readFileSync(file('done'), 'utf8')).toBe('error: runner died\n');
		expect((await run('third')).code).toBe(0);
		expect(readFileSync(file('prompt'), 'utf8')).toBe('third');
		expect(readFileSync(file('output'), 'utf8')).toBe('The answer.');
		expect(await shown()).toEqual([['done', undefined]]);
		const failed = await run('fourth', {
			FAKE_CLAUDE: `cat > /dev/null; ls '${workers}' > '${it.folder.file('ls')}'`,
		});
		expect(failed.code).toBe(1);
		// No word and no answer while it works, and no lock.
		expect(readFileSync(it.folder.file('ls'), 'utf8').trim().split('\n')).toEqual(
			expect.not.arrayContaining(['worker.done', 'worker.output', 'worker.lock']),
		);
	});

	it.concurrent('are no run’s while a delegate that only waits is to be them', async () => {
		await using it = await shell();
		const tickets = new Tickets(join(nancy.dataFolder, 'nancy'), it.delegates.workspace.folder);
		const { files } = await queueDelegate(it.delegates, tickets, IN_TERMINAL, {
			prompt: 'Do it.',
			agent: DriverId.parse('claude-code'),
			permissions: 'plan',
			folder: it.workspace.folder,
			swarm: { feature: 'worker' },
		});
		writeFileSync(it.folder.file('worker.md'), 'Of the run.');
		const run = () =>
			it.run(['run', '--headless', '--prompt-file', it.folder.file('worker.md')], {
				CLAUDE_SWARM_WORKER: 'true',
			});
		const prompt = join(it.workspace.folder, '.claude/orchestrator/workers/worker.prompt');
		expect(await run()).toMatchObject({ code: 6, stderr: expect.stringContaining('has not ended') });
		expect(readFileSync(prompt, 'utf8')).toBe('Do it.');
		writeFileSync(files.output, 'x');
		writeFileSync(files.done, 'success\n');
		expect((await run()).code).toBe(0);
		expect(readFileSync(prompt, 'utf8')).toBe('Of the run.');
	});

	it.concurrent('are free again once the runner of the delegate that was them is dead, whether or not anybody has looked', async () => {
		await using it = await shell();
		const tickets = new Tickets(join(nancy.dataFolder, 'nancy'), it.delegates.workspace.folder);
		/** As after a power cut. */
		const dead = async (prompt: string) => {
			const { record, status } = await queueDelegate(it.delegates, tickets, IN_TERMINAL, {
				prompt,
				agent: DriverId.parse('claude-code'),
				permissions: 'plan',
				folder: it.workspace.folder,
				swarm: { feature: 'worker' },
			});
			const runner = { pid: 999_999_999, startedTicks: 1 };
			await tickets.begin(record.id, runner);
			await it.delegates.writeStatus(record.id, { ...status, status: 'running', runner });
			return record.id;
		};
		const file = it.folder.file('worker.md');
		writeFileSync(file, 'Anew.');
		const answer = join(it.workspace.folder, '.claude/orchestrator/workers/worker.output');
		for (const again of [['run', '--headless'], ['delegate']]) {
			const id = await dead('At first.');
			const ran = await it.run([...again, '--prompt-file', file], { CLAUDE_SWARM_WORKER: 'true' });
			expect(ran).toMatchObject({ code: 0, stderr: '' });
			expect(await it.delegates.get(id)).toMatchObject({ state: 'failed', error: 'runner died' });
			// A look writes nothing over it.
			await it.allEnded();
			expect(readFileSync(answer, 'utf8')).toBe('The answer.');
		}
	});

	it.concurrent('have names of their own without a prompt file, so that xargs can run several at once', async () => {
		await using it = await shell();
		const swarm = { CLAUDE_SWARM_WORKER: 'true', FAKE_CLAUDE: `cat > /dev/null; sleep 1; echo '${ANSWER}'` };
		const run = (prompt: string) => it.run(['run', '--headless', '--prompt', prompt], swarm);
		const codes = (await Promise.all(['one', 'two', 'three'].map(run))).map(({ code }) => code);
		expect(codes).toEqual([0, 0, 0]);
		const { delegates } = await it.delegates.list();
		expect(delegates.map(({ record, state }) => [record.title, state])).toEqual(
			Array(3).fill([expect.stringMatching(/^worker-[0-9a-f]{8}$/), 'done']),
		);
	});

	it.concurrent('are listed in a folder that is no workspace, and make none of it', async () => {
		await using it = await shell();
		const workers = it.folder.file('other/.claude/orchestrator/workers');
		mkdirSync(workers, { recursive: true });
		mkdirSync(it.folder.file('other/sub'));
		writeFileSync(join(workers, 'login.done'), 'success\n');
		const listed = await it.here(['-C', it.folder.file('other/sub'), 'delegates']);
		expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('login done'), stderr: '' });
		expect(existsSync(it.folder.file('other/.nancy'))).toBe(false);
		const one = await it.here(['-C', it.folder.file('other'), 'delegates', 'login']);
		expect(one).toMatchObject({ code: 3, stderr: expect.stringContaining('there is no .nancy folder') });
	});

	it.concurrent('are shown under the names they have', async () => {
		await using it = await shell();
		const workers = join(it.workspace.folder, '.claude/orchestrator/workers');
		mkdirSync(workers, { recursive: true });
		const names = ['Login_Page', 'api-v2', 'api.v2', 'plain', 'zwölf'];
		for (const name of names) writeFileSync(join(workers, `${name}.log`), 'at work\n');
		writeFileSync(join(workers, 'api.v2.done'), 'error: no way\n');
		const { delegates } = await it.delegates.list();
		expect(delegates.map(({ record, state }) => [record.title, state])).toEqual(
			names.map(name => [name, name === 'api.v2' ? 'failed' : 'running']),
		);
		expect(new Set(delegates.map(({ record }) => record.id)).size).toBe(names.length);
	});
});
