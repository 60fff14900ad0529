import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { identify } from '../../../src/base/liveness.ts';
import { ExitCode } from '../../../src/cli/failure.ts';
import { isPluginChosen } from '../../../src/core/sessions/pluginChoice.ts';
import { sealCall } from '../../../src/core/sessions/sealedAgents.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { CleanupOutput, DoctorOutput, SetupOutput } from '../../../src/protocol/output/deployment.ts';
import { DriverId, FIRST_WORKER, SessionId, TaskName } from '../../../src/protocol/names.ts';
import { gitRepository } from '../../support/gitRepository.ts';
import { tempFolder } from '../../support/tempFolder.ts';
import { fakeAgent, fakeClaude } from './fakeClaude.ts';
import { NancyCommand } from './nancyCommand.ts';
import { Project } from './project.ts';
import { taskRecord } from '../../support/taskRecord.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

const SETTINGS = '{\n\t// mine\n\t"permissions": {"allow": ["Bash(ls:*)"]}\n}\n';

function machine(version?: string) {
	const folder = tempFolder('nancy-machine-');
	const project = folder.file('project');
	mkdirSync(join(project, '.claude'), { recursive: true });
	const settings = join(project, '.claude', 'settings.local.json');
	writeFileSync(settings, SETTINGS);
	const env = { PATH: fakeClaude(folder.file('agent'), version), HOME: folder.path };
	return { folder, project, settings, call: { cwd: project, env } };
}

describe('nancy setup, update and cleanup', () => {
	it('deploy, deploy again, and give everything back byte for byte', async () => {
		const { folder, project, settings, call } = machine();
		await using _ = folder;

		const first = await nancy.run(['setup', '--json'], call);
		expect(first.code).toBe(0);
		const { agents } = SetupOutput.parse(JSON.parse(first.stdout));
		expect(agents).toMatchObject([{ agent: 'claude-code', agentVersion: '2.1.329' }]);
		expect(agents[0]?.changed).toContain('.claude/settings.local.json');
		expect(readFileSync(settings, 'utf8')).toContain('nancy-hook');
		expect(readFileSync(settings, 'utf8')).toContain('// mine');

		expect((await nancy.run(['update'], call)).stdout).toContain('all is as it should be');
		const last = await nancy.run(['cleanup', '--json'], call);
		expect(CleanupOutput.parse(JSON.parse(last.stdout)).changed).toContain('.claude/settings.local.json');
		expect(readFileSync(settings, 'utf8')).toBe(SETTINGS);
		expect(readdirSync(join(project, '.claude'))).toEqual(['settings.local.json']);
		expect(await nancy.run(['update'], call)).toMatchObject({
			code: ExitCode.tooLate,
			stderr: expect.stringContaining('nothing is deployed here; nancy setup'),
		});
		expect((await nancy.run(['cleanup'], call)).stdout).toBe(`in ${project}\nnothing was deployed\n`);
	});

	it('write again what is deployed for one agent though another one is not installed any more', async () => {
		const { folder, settings, call } = machine();
		await using _ = folder;
		fakeAgent(folder.file('agent'), 'opencode', '1.18.33');
		expect((await nancy.run(['setup'], call)).code).toBe(0);
		rmSync(folder.file('agent', 'opencode'));
		writeFileSync(settings, SETTINGS);
		const updated = await nancy.run(['update', '--json'], call);
		const { agents, failed } = SetupOutput.parse(JSON.parse(updated.stdout));
		expect(agents).toMatchObject([{ agent: 'claude-code' }]);
		expect(failed).toMatchObject([{ agent: 'opencode', code: 'no-agent' }]);
		expect(readFileSync(settings, 'utf8')).toContain('nancy-hook');
	});

	it('say what a link keeps them from, fail, and give it back once the folder is back', async () => {
		const { folder, project, settings, call } = machine();
		await using _ = folder;
		await nancy.run(['setup'], call);
		renameSync(join(project, '.claude'), folder.file('dotfiles'));
		symlinkSync('../dotfiles', join(project, '.claude'));
		const left = await nancy.run(['cleanup'], call);
		expect(left.code).toBe(ExitCode.failed);
		expect(left.stdout).toContain('left .claude/settings.local.json: ');
		expect(left.stdout).not.toContain('nothing was deployed');
		rmSync(join(project, '.claude'));
		renameSync(folder.file('dotfiles'), join(project, '.claude'));
		expect((await nancy.run(['cleanup'], call)).code).toBe(ExitCode.ok);
		expect(readFileSync(settings, 'utf8')).toBe(SETTINGS);
		expect(readdirSync(join(project, '.claude'))).toEqual(['settings.local.json']);
	});

	it('do what they can when one of several agents’ files is broken, say which, and fail', async () => {
		const { folder, project, settings, call } = machine();
		await using _ = folder;
		fakeAgent(folder.file('agent'), 'codex', '99.0.0');
		const hooks = join(project, '.codex/hooks.json');
		const failed = [{ agent: 'codex', code: 'settings-broken', message: expect.stringContaining('line 1') }];
		mkdirSync(join(project, '.codex'));
		writeFileSync(hooks, '{ broken');
		const setUp = await nancy.run(['setup', '--json'], call);
		expect(setUp).toMatchObject({ code: ExitCode.failed, stderr: expect.stringContaining('codex was not set up') });
		const said = SetupOutput.parse(JSON.parse(setUp.stdout));
		expect(said).toMatchObject({ agents: [{ agent: 'claude-code' }], failed });
		// Nothing of Nancy's can be in it: it is nothing to clean up either.
		const cleaned = await nancy.run(['cleanup'], call);
		expect(cleaned).toMatchObject({ code: ExitCode.ok, stdout: expect.stringContaining('took back') });
		expect(readFileSync(settings, 'utf8')).toBe(SETTINGS);
		expect(readFileSync(hooks, 'utf8')).toBe('{ broken');
	});

	it('let the plugin serve a folder without a word in its settings, and offer the plugin by a link', async () => {
		const { folder, project, settings, call } = machine();
		await using _ = folder;
		const done = await nancy.run(['setup', '--plugin', '--json'], call);
		expect(SetupOutput.parse(JSON.parse(done.stdout))).toEqual({ folder: project, agents: [], failed: [] });
		expect(readFileSync(settings, 'utf8')).toBe(SETTINGS);
		expect(readdirSync(join(project, '.claude'))).toEqual(['settings.local.json']);
		const { own } = new Workspace(project, join(nancy.dataFolder, 'nancy'));
		expect(await isPluginChosen(own)).toBe(true);
		const plugin = join(nancy.dataFolder, 'nancy/plugin');
		expect(readdirSync(plugin).toSorted()).toEqual(['.claude-plugin', 'nancy']);
		expect(existsSync(join(realpathSync(plugin), '..', 'nancy-hook'))).toBe(true);
		expect((await nancy.run(['cleanup'], call)).stderr).toContain('serve this folder no more');
		expect(await isPluginChosen(own)).toBe(false);
	});

	it('let agents import the notes of the project, and take that back', async () => {
		const { folder, project, settings, call } = machine();
		await using _ = folder;
		const manual = join(project, 'CLAUDE.md');
		writeFileSync(manual, 'Use tabs.\n');
		const done = await nancy.run(['setup', '--import-notes', '--json'], call);
		expect(SetupOutput.parse(JSON.parse(done.stdout))).toEqual({ folder: project, agents: [], failed: [] });
		expect(readFileSync(manual, 'utf8')).toBe('Use tabs.\n@.nancy/memory/context.md\n');
		expect(readFileSync(settings, 'utf8')).toBe(SETTINGS);
		const cleaned = await nancy.run(['cleanup', '--json'], call);
		expect(CleanupOutput.parse(JSON.parse(cleaned.stdout)).changed).toEqual(['CLAUDE.md']);
		expect(readFileSync(manual, 'utf8')).toBe('Use tabs.\n');
	});

	it('let no plugin serve a linked worktree, and write nothing there', async () => {
		const { folder, call } = machine();
		await using _ = folder;
		await using repo = gitRepository();
		const linked = folder.file('linked');
		repo.git(['worktree', 'add', '--quiet', linked]);
		const refused = await nancy.run(['setup', '--plugin'], { ...call, cwd: linked });
		expect(refused.code).not.toBe(0);
		expect(refused.stderr).toContain('linked worktree');
		expect(existsSync(join(linked, '.nancy'))).toBe(false);
		expect(await isPluginChosen(new Workspace(linked, join(nancy.dataFolder, 'nancy')).own)).toBe(false);
	});

	it('installs a nancy that works by itself and deploys the same', async () => {
		const { folder, settings, call } = machine();
		await using _ = folder;
		await nancy.run(['setup'], call);
		const [runtime = ''] = readdirSync(join(nancy.dataFolder, 'nancy/runtime'));
		const installed = join(nancy.dataFolder, 'nancy/runtime', runtime, 'bin/nancy');
		const before = readFileSync(settings, 'utf8');

		const { spawnSync } = await import('node:child_process');
		const again = spawnSync(installed, ['setup'], {
			cwd: call.cwd,
			env: nancy.environment(call.env),
			encoding: 'utf8',
		});

		expect(again).toMatchObject({ status: 0, stdout: expect.stringContaining('all is as it should be') });
		expect(readFileSync(settings, 'utf8')).toBe(before);
		expect(readdirSync(join(nancy.dataFolder, 'nancy/runtime'))).toEqual([runtime]);
	});

	it('leaves a settings file that does not parse untouched, and says where', async () => {
		const { folder, settings, call } = machine();
		await using _ = folder;
		writeFileSync(settings, '{\n  "hooks": [}\n');

		const { code, stderr } = await nancy.run(['setup'], call);

		expect(code).toBe(1);
		expect(stderr).toMatch(/settings\.local\.json.*line 2, column/);
		expect(readFileSync(settings, 'utf8')).toBe('{\n  "hooks": [}\n');
	});

	it.each([
		{ what: 'no agent is there', version: undefined, says: 'no agent is installed' },
		{ what: 'it is too old', version: '0.1.0', says: 'no agent is installed' },
	])('says what to install when $what', async ({ version, says }) => {
		const { folder, call } = machine(version);
		await using _ = folder;
		const env = { ...call.env, ...(version === undefined && { PATH: '/nowhere' }) };

		expect(await nancy.run(['setup'], { ...call, env })).toMatchObject({
			code: 3,
			stderr: expect.stringContaining(says),
		});
		expect(await nancy.run(['setup', '--agent', 'claude-code'], { ...call, env })).toMatchObject({
			code: 3,
			stderr: expect.stringContaining('cannot be used'),
		});
		expect((await nancy.run(['setup', '--agent', 'other'], { ...call, env })).code).toBe(2);
	});

	it('tell what is wrong, and repair it', async () => {
		const { folder, settings, call } = machine();
		await using _ = folder;
		const doctor = async (...args: string[]) => {
			const { code, stdout } = await nancy.run(['doctor', '--json', ...args], call);
			return { code, ...DoctorOutput.parse(JSON.parse(stdout)) };
		};
		// With a comment in it, the agent would not read it.
		const plain = SETTINGS.replace('\t// mine\n', '');
		writeFileSync(settings, plain);
		await nancy.run(['setup'], call);
		const deployed = readFileSync(settings, 'utf8');
		expect(await doctor()).toMatchObject({ code: 0, healthy: true });

		writeFileSync(settings, plain);
		const sick = await doctor();
		expect(sick).toMatchObject({ code: 1, healthy: false });
		expect(sick.checks.filter(({ level }) => level === 'problem')).toMatchObject([
			{ check: 'hooks', repair: 'write them again', repaired: false },
		]);
		expect(readFileSync(settings, 'utf8')).toBe(plain);

		const cured = await doctor('--fix');
		expect(cured).toMatchObject({ code: 0, healthy: true });
		expect(cured.checks.filter(({ repaired }) => repaired)).toMatchObject([{ check: 'hooks' }]);
		expect(readFileSync(settings, 'utf8')).toBe(deployed);
		expect((await nancy.run(['doctor'], call)).stdout).toMatch(/^ok {7}hooks: \.claude\/settings\.local\.json/m);
	});

	it.each(['with another workspace around it', 'alone'])(
		'take back what is there without its .nancy, %s',
		async where => {
			const { folder, project, settings, call } = machine();
			await using _ = folder;
			await nancy.run(['setup'], call);
			rmSync(join(project, '.nancy'), { recursive: true });
			if (where !== 'alone') mkdirSync(folder.file('.nancy'));
			mkdirSync(join(project, 'src', 'deep'), { recursive: true });

			const deep = { ...call, cwd: join(project, 'src', 'deep') };
			if (where === 'alone') {
				const { code, stdout } = await nancy.run(['doctor'], deep);
				expect(code).toBe(ExitCode.failed);
				expect(stdout).toMatch(/PROBLEM +hooks: .*somebody removed \.nancy/);
			}
			const { code, stdout } = await nancy.run(['cleanup', '--json'], deep);
			expect(code).toBe(0);
			const said = CleanupOutput.parse(JSON.parse(stdout));
			expect(said).toMatchObject({ folder: project, warnings: [] });
			expect(said.changed).toEqual(
				expect.arrayContaining(['.claude/settings.local.json', '.claude/skills/check-directives']),
			);
			expect(readdirSync(join(project, '.claude'))).toEqual(['settings.local.json']);
			expect(readFileSync(settings, 'utf8')).toBe(SETTINGS);
			expect((await nancy.run(['cleanup'], call)).stdout).not.toContain('took back');
		},
	);

	it('name a link in the place of .nancy, and write nothing through it', async () => {
		const { folder, project, settings, call } = machine();
		await using _ = folder;
		mkdirSync(folder.file('theirs'));
		mkdirSync(folder.file('.nancy'));
		symlinkSync(folder.file('theirs'), join(project, '.nancy'));
		for (const name of ['setup', 'status', 'cleanup', 'doctor']) {
			const { stdout, stderr } = await nancy.run([name], call);
			expect(stdout + stderr).toMatch(new RegExp(`${join(project, '.nancy')}:? is a symbolic link`));
			expect(stdout).not.toContain(': written');
		}
		expect(readdirSync(folder.file('theirs'))).toEqual([]);
		expect(readFileSync(settings, 'utf8')).toBe(SETTINGS);
	});

	describe('while a person is asked by the agent', () => {
		const agent = DriverId.parse('claude-code');
		const session = SessionId.parse('s1');

		/** A worker whose process lives and which waits for permission, as its events say; `say` adds another event. */
		async function asking({ project }: ReturnType<typeof machine>) {
			const data = join(nancy.dataFolder, 'nancy');
			const workspace = new Workspace(project, data);
			const cli = spawn('sleep', ['600'], { stdio: 'ignore' });
			onTestFinished(() => void cli.kill('SIGKILL'));
			const task = TaskName.parse('login');
			const now = new Date().toISOString();
			await workspace.createTask(taskRecord(task, agent, { origin: 'found' }));
			await workspace.saveWorker({
				version: 1,
				task,
				name: FIRST_WORKER,
				agent,
				sessions: [{ id: session, startedAt: now }],
				startedAt: now,
				process: identify(cli.pid ?? 0),
			});
			const worker = { folder: project, address: { task, worker: FIRST_WORKER } };
			sealCall(data, identify(cli.pid ?? 0), worker);
			let count = 0;
			const say = (event: string, more: object = {}) =>
				writeFileSync(
					join(workspace.paths.spool, `claude-code~${event}~${++count}.json`),
					JSON.stringify({
						session_id: session,
						transcript_path: '/nowhere',
						cwd: project,
						hook_event_name: event,
						tool_name: 'Bash',
						tool_input: { command: 'ls' },
						...more,
					}),
				);
			say('PermissionRequest');
			return say;
		}

		it('leave the settings alone, and say why', async () => {
			const here = machine();
			const { folder, settings, call } = here;
			await using _ = folder;
			await asking(here);
			const said = { code: 6, stderr: expect.stringContaining('waits for an answer') };
			// Each waits some seconds for the answer.
			const commands = [['setup'], ['orchestrate', 'x', '--', '-p', 'x']];
			const ended = await Promise.all(commands.map(command => nancy.run(command, call)));
			for (const one of ended) expect(one).toMatchObject(said);
			expect(readFileSync(settings, 'utf8')).toBe(SETTINGS);
		});

		it('wait for the answer', async () => {
			const here = machine();
			const { folder, settings, call } = here;
			await using _ = folder;
			await nancy.run(['setup'], call);
			const deployed = readFileSync(settings, 'utf8');
			const say = await asking(here);
			// Nothing is to be written, so nothing is waited for.
			expect((await nancy.run(['setup'], call)).stdout).toContain('all is as it should be');

			writeFileSync(settings, SETTINGS);
			expect(await nancy.run(['doctor', '--fix'], call)).toMatchObject({
				code: 1,
				stderr: expect.stringContaining('waits for an answer'),
			});
			const answer = (text: string) => {
				if (text.includes('trying again')) say('PostToolUse', { tool_use_id: 't1', tool_response: {} });
			};
			const updated = await nancy.run(['update'], { ...call, onStderr: answer });
			expect(updated).toMatchObject({ code: 0, stderr: expect.stringContaining('trying again') });
			expect(readFileSync(settings, 'utf8')).toBe(deployed);
		});
	});

	it('archive one task, and take the deployment back with the last', async () => {
		const { folder, project, settings, call } = machine();
		await using _ = folder;
		await nancy.run(['setup'], call);
		await using tasks = new Project({
			path: project,
			file: (...s) => join(project, ...s),
			remove: async () => {},
			[Symbol.asyncDispose]: async () => {},
		});
		await tasks.addTask('one');
		await tasks.addTask('two');

		expect((await nancy.run(['cleanup', 'one'], call)).stdout).toContain('other tasks need them');
		expect(readFileSync(settings, 'utf8')).toContain('nancy-hook');
		expect((await nancy.run(['cleanup', 'two'], call)).stdout).toContain('took back .claude/settings.local.json');
		expect(readFileSync(settings, 'utf8')).toBe(SETTINGS);
		expect(existsSync(tasks.workspace.paths.taskRecord((await tasks.workspace.tasks()).tasks[0]!.name))).toBe(true);
	});
});
