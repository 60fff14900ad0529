import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identify } from '../../../src/base/liveness.ts';
import { isRunning } from '../../../src/core/workspace/workerLife.ts';
import { Budgets } from '../../../src/core/budgets/budgets.ts';
import { DeploymentRecords } from '../../../src/core/deployment/records.ts';
import { noteChosenAgent } from '../../../src/core/workspace/chosenAgent.ts';
import { noteHooksChoice } from '../../../src/core/workspace/hooksChoice.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { DriverId, FIRST_WORKER, SessionId, TaskName, WorkerName } from '../../../src/protocol/names.ts';
import { eventually } from '../../support/eventually.ts';
import { taskRecord } from '../../support/taskRecord.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';
import { terminal } from '../../support/terminal.ts';
import { fakeClaude } from './fakeClaude.ts';
import { NancyCommand } from './nancyCommand.ts';
import { bindSession, sessionBinding } from '../../../src/core/sessions/bindings.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

const task = TaskName.parse('fix-login');
const worker = FIRST_WORKER;

/** An empty project on a machine with the agent, and `nancy` in a terminal of its own. */
function machine(agentDoes = 'exit 0') {
	const folder = tempFolder('nancy-machine-');
	const project = folder.file('project');
	const agent = folder.file('agent');
	mkdirSync(project);
	const PATH = fakeClaude(agent);
	const env = {
		...nancy.environment(),
		HOME: folder.path,
		PATH,
		FAKE_CLAUDE: agentDoes,
		REMAINS: 'yes',
		CLAUDE_CODE_ENTRYPOINT: 'cli',
	};
	return {
		folder,
		project,
		env: { HOME: folder.path, PATH },
		workspace: new Workspace(project),
		start: (...args: string[]) =>
			terminal(process.execPath, [nancy.program, 'orchestrate', ...args], {
				cwd: project,
				env: Object.fromEntries(
					Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
				),
			}),
		args: () => readFileSync(join(agent, 'args'), 'utf8').split('\n').slice(0, -1),
		variables: () =>
			Object.fromEntries(
				readFileSync(join(agent, 'env'), 'utf8')
					.split('\n')
					.map(line => line.split(/=(.*)/s).slice(0, 2)),
			) as Record<string, string>,
		wasStarted: () => existsSync(join(agent, 'env')),
	};
}

async function using<T extends { folder: TempFolder }>(made: T, work: (made: T) => Promise<void>): Promise<void> {
	try {
		await work(made);
	} finally {
		await made.folder.remove();
	}
}

describe('nancy orchestrate', () => {
	it('makes the task, deploys, and runs the agent with its mailbox until it ends', () =>
		using(machine('nancy inbox; exit 7'), async ({ project, workspace, start, args, variables }) => {
			const screen = start('Fix Login', '--prompt=-x first', '--model', 'big', '--', '--verbose');

			expect(await screen.ended).toBe(7);
			await eventually('the nancy of the terminal', () => screen.history().includes('no messages'));
			await screen.close();
			const record = await workspace.worker({ task, worker });
			expect(await workspace.task(task)).toMatchObject({
				title: 'Fix Login',
				prompt: '-x first',
				origin: 'nancy',
			});
			expect(record).toMatchObject({
				agentVersion: '2.1.329',
				process: { pid: expect.any(Number) },
				model: 'big',
			});
			const [session] = record?.sessions ?? [];
			expect(await sessionBinding(workspace, session!.id)).toMatchObject({ address: { task, worker } });
			expect(args()).toEqual([
				'--session-id',
				session?.id,
				'--name',
				'Fix Login',
				'--model',
				'big',
				'--verbose',
				'--',
				'-x first',
			]);
			expect(variables()).toMatchObject({
				NANCY_TASK_DIR: workspace.paths.task(task),
				NANCY_WORKER: 'worker',
				REMAINS: 'yes',
			});
			expect(variables()['CLAUDE_CODE_ENTRYPOINT']).toBeUndefined();
			const settings = readFileSync(join(project, '.claude', 'settings.local.json'), 'utf8');
			expect(settings).toContain(`${nancy.dataFolder}/nancy/runtime/`);
			expect(existsSync(join(project, '.claude/skills/check-directives/SKILL.md'))).toBe(true);
		}));

	it('has a budget for the task, and writes nothing with one that the agent cannot be held to', () =>
		using(machine(), async ({ project, workspace, start, wasStarted }) => {
			const refused = start('Fix Login', '--budget', '$2');
			expect(await refused.ended).toBe(2);
			await eventually('why', () => refused.history().includes('does not tell dollars'));
			expect(existsSync(workspace.paths.task(task))).toBe(false);
			expect(wasStarted()).toBe(false);
			expect(await start('Fix Login', '--budget', '200k').ended).toBe(0);
			const { own } = new Workspace(project, join(nancy.dataFolder, 'nancy'));
			expect(await new Budgets(own).of({ task })).toEqual({ tokens: 200_000 });
		}));

	it('writes nothing for an agent that is to have no hooks, here or in this folder', () =>
		using(machine(), async ({ project, workspace, start, variables }) => {
			const screen = start('Fix Login', '--no-hooks');
			expect(await screen.ended).toBe(0);
			await eventually('the warning', () => screen.history().includes('stay queued'));
			await screen.close();
			expect(readdirSync(project)).toEqual(['.nancy']);
			expect(existsSync(workspace.paths.launches)).toBe(false);
			expect(variables()['NANCY_HOOKS']).toBe('off');
			expect(await workspace.worker({ task, worker })).toMatchObject({ hooks: 'off' });
			expect(await new DeploymentRecords(workspace, join(nancy.dataFolder, 'nancy')).all()).toEqual([]);

			await workspace.updateConfig(config => ({ ...config, hooks: 'off' }));
			// As the window does it for a person's setting.
			await noteHooksChoice(new Workspace(project, join(nancy.dataFolder, 'nancy')), 'off');
			await start('Fix Login', '--worker', 'worker').ended;
			expect(readdirSync(project)).toEqual(['.nancy']);
			await workspace.updateConfig(config => ({ ...config, hooks: 'on' }));
			await start('Fix Login', '--worker', 'worker').ended;
			expect(variables()['NANCY_HOOKS']).toBe('on');
			expect(await workspace.worker({ task, worker })).not.toHaveProperty('hooks');
			expect(existsSync(join(project, '.claude/settings.local.json'))).toBe(true);
		}));

	it('has hooks, whatever a file in .nancy says that an agent may have written', () =>
		using(machine(), async ({ workspace, start, variables }) => {
			const off = () => workspace.updateConfig(config => ({ ...config, hooks: 'off' }));
			await off();
			const screen = start('Fix Login');
			expect(await screen.ended).toBe(0);
			await eventually('the note', () => screen.history().includes('does not count'));
			await screen.close();
			expect(variables()['NANCY_HOOKS']).toBe('on');
			await start('Fix Login', '--worker', 'worker', '--no-hooks').ended;
			expect(variables()['NANCY_HOOKS']).toBe('off');
			await start('Fix Login', '--worker', 'worker').ended;
			expect(variables()['NANCY_HOOKS']).toBe('on');
		}));

	it('says that a setting of the project keeps the agent from running hooks', () =>
		using(machine(), async ({ project, start }) => {
			mkdirSync(join(project, '.claude'));
			writeFileSync(join(project, '.claude/settings.json'), '{"disableAllHooks":true}');
			const screen = start('Fix Login');
			await eventually('the warning', () => screen.history().includes('because "disableAllHooks" in'));
			expect(await screen.ended).toBe(0);
			await screen.close();
		}));

	it('notes the process while the agent runs, so that it can be seen and stopped', () =>
		using(
			// It needs to start nothing before it can end.
			machine(
				`exec '${process.execPath}' -e 'process.on("SIGTERM", () => process.exit(3)); console.log("ready"); setInterval(() => {}, 1000)'`,
			),
			async ({ project, workspace, start }) => {
				const screen = start('fix-login');
				await screen.waitForText(/ready/);
				const record = await eventually('its process', async () => {
					const found = await workspace.worker({ task, worker });
					return found?.process && found;
				});
				expect(isRunning(record)).toBe(true);

				const again = await nancy.run(['status', '--json'], { cwd: project });
				expect(JSON.parse(again.stdout).tasks[0].workers).toMatchObject([
					{ phase: 'starting', pid: record.process?.pid },
				]);
				expect((await nancy.run(['cleanup'], { cwd: project })).code).toBe(6);
				expect((await nancy.run(['stop', 'fix-login'], { cwd: project })).stdout).toBe(
					'fix-login/worker stopped\n',
				);
				expect(await screen.ended).toBe(3);
				await screen.close();
			},
		));

	it.each([
		{ agentDoes: 'exit 0', isStop: true },
		{ agentDoes: 'kill -INT $$', isStop: true },
		{ agentDoes: 'exit 143', isStop: true },
		{ agentDoes: 'exit 1', isStop: false },
		{ agentDoes: 'kill -KILL $$', isStop: false },
	])('takes "$agentDoes" for a stop: $isStop', ({ agentDoes, isStop }) =>
		using(machine(agentDoes), async ({ workspace, start }) => {
			await start('fix-login').ended;
			expect((await workspace.worker({ task, worker }))?.stoppedAt !== undefined).toBe(isStop);
		}),
	);

	it('gives a second worker another mailbox, the server of tools if it is to have it, and resumes the conversation of one', () =>
		using(machine(), async ({ workspace, start, args }) => {
			await start('fix-login', '--no-hooks', '--prompt', 'First.').ended;
			expect(args().filter(each => each.includes('mcp'))).toEqual([]);
			await start('fix-login', '--mcp').ended;
			expect((await workspace.workers(task)).workers.map(({ name }) => name)).toEqual(['worker', 'worker-2']);
			expect(args()).not.toContain('First.');
			const server = { command: expect.stringMatching(/\/runtime\/.*\/bin\/nancy$/), args: ['mcp'] };
			const [flag = ''] = args().filter(each => each.startsWith('--mcp-config='));
			expect(JSON.parse(flag.replace('--mcp-config=', ''))).toEqual({ mcpServers: { nancy: server } });

			const [first] = (await workspace.workers(task)).workers;
			await start('fix-login', '--worker', 'worker', '--resume', '--prompt', 'Go on.').ended;
			expect(args()).toEqual(['--resume', first?.sessions[0]?.id, '--', 'Go on.']);
			expect((await workspace.worker({ task, worker }))?.sessions).toEqual(first?.sessions);
		}));

	it('resumes and forks no worker that has not begun a conversation, and names the command that starts it again', () =>
		using(machine(), async ({ folder, start, wasStarted }) => {
			await start('fix-login').ended;
			rmSync(folder.file('agent', 'env'));
			for (const how of ['--resume', '--fork']) {
				const refused = start('fix-login', how);
				expect(await refused.ended).toBe(3);
				await refused.waitForText(
					/fix-login\/worker has not begun a conversation; start it again with nancy orchestrate fix-login --worker worker/,
				);
			}
			expect(wasStarted()).toBe(false);
		}));

	it('starts with the permissions that a person chose, and keeps them for that conversation alone', () =>
		using(machine(), async ({ workspace, start, args }) => {
			await start('fix-login', '--no-hooks', '--permissions', 'plan').ended;
			expect(args().slice(-2)).toEqual(['--permission-mode', 'plan']);
			await start('fix-login').ended;
			expect(args()).not.toContain('--permission-mode');

			const record = await workspace.worker({ task, worker });
			const resumed = ['--resume', record?.sessions[0]?.id];
			const resume = (...more: string[]) => start('fix-login', '--worker', 'worker', '--resume', ...more).ended;
			await resume();
			expect(args()).toEqual([...resumed, '--permission-mode', 'plan']);
			await resume('--permissions', 'acceptEdits');
			await resume();
			expect(args()).toEqual([...resumed, '--permission-mode', 'acceptEdits']);
			await resume('--permissions', 'settings');
			await resume();
			expect(args()).toEqual(resumed);
			// Nobody has sealed it of this one, whatever its record says.
			const own = new Workspace(workspace.folder, join(nancy.dataFolder, 'nancy'));
			await noteChosenAgent(own, { task, worker }, record!.agent);
			await workspace.saveWorker({ ...record!, mode: 'acceptEdits' } as typeof record & object);
			await resume();
			expect(args()).toEqual(resumed);
		}));

	it('refuses to go on with permissions that the agent has no more, and says how to drop them', () =>
		using(machine(), async ({ workspace, start, args }) => {
			await start('fix-login', '--no-hooks').ended;
			const record = await workspace.worker({ task, worker });
			const own = new Workspace(workspace.folder, join(nancy.dataFolder, 'nancy'));
			await noteChosenAgent(own, { task, worker }, record!.agent, 'former');
			const refused = start('fix-login', '--resume');
			expect(await refused.ended).toBe(2);
			await refused.waitForText(/has no permissions "former"[^]*settings/);
			await start('fix-login', '--resume', '--permissions', 'settings').ended;
			expect(args()).toEqual(['--resume', record?.sessions[0]?.id]);
		}));

	it('refuses to start a worker twice', () =>
		using(machine(), async ({ workspace, start, wasStarted }) => {
			await start('fix-login').ended;
			const record = await workspace.worker({ task, worker });
			await workspace.saveWorker({ ...record!, process: identify(process.pid) });
			const screen = start('fix-login', '--worker', 'worker');

			expect(await screen.ended).toBe(6);
			await screen.waitForText(/is running already/);
			expect(wasStarted()).toBe(true);
		}));

	it('reads the prompt from a file', () =>
		using(machine(), async ({ project, start, args }) => {
			writeFileSync(join(project, 'spec.md'), '# Spec\n\nDo it.\n');
			expect(await start('fix-login', '--prompt-file', 'spec.md').ended).toBe(0);
			expect(args().slice(-4)).toEqual(['--', '# Spec', '', 'Do it.']);
		}));

	it.each([
		{ args: ['fix-login', '--prompt-file', 'missing.md'], code: 2, says: /missing\.md cannot be read/ },
		{ args: ['fix-login', '--agent', 'unknown'], code: 2, says: /there is no agent "unknown"; Nancy knows/ },
		{ args: ['fix-login', '--permissions', 'bypassPermissions'], code: 2, says: /has no permissions "bypassPer/ },
		{
			args: ['fix-login', '--permissions', 'plan'],
			flags: ['--dangerously-skip-permissions'],
			code: 2,
			says: /--dangerously-skip-permissions would replace the permissions "plan"/,
		},
		{ args: ['fix-login', '--worker', 'Bad Name'], code: 2, says: /--worker is not valid: use up to 32 of a-z/ },
		{ args: ['fix-login', '--worker', 'orchestrator'], code: 2, says: /no worker/ },
		{ args: ['???'], code: 2, says: /no task name can be made/ },
		{ args: ['fix-login', '--resume'], code: 3, says: /there is no task fix-login/ },
	])('starts and writes nothing for $args', ({ args, flags = [], code, says }) =>
		using(machine(), async ({ project, env, wasStarted }) => {
			// Without a terminal: see below.
			const call = ['orchestrate', ...args, '--', '-p', ...flags];
			const refused = await nancy.runHere(call, { cwd: project, env });

			expect(refused.code).toBe(code);
			expect(refused.stderr).toMatch(says);
			expect(wasStarted()).toBe(false);
			expect(readdirSync(project)).toEqual([]);
		}),
	);

	it('says in a terminal why it starts nothing', () =>
		using(machine(), async ({ start, wasStarted }) => {
			const screen = start('fix-login', '--resume');
			expect(await screen.ended).toBe(3);
			await screen.waitForText(/there is no task fix-login/);
			expect(wasStarted()).toBe(false);
		}));

	it('lets Nancy answer an agent that leaves it to its user only by the user’s own settings', () =>
		using(machine(), async ({ folder, project, start }) => {
			const copilot = folder.file('agent', 'copilot');
			writeFileSync(copilot, `#!/bin/sh\nprintf '%s\\n' "$@" > '${copilot}.args'\necho 1.0.102\n`);
			chmodSync(copilot, 0o755);
			const argsOf = async (name: string) => {
				expect(await start(name, '--agent', 'copilot-cli').ended).toBe(0);
				return readFileSync(`${copilot}.args`, 'utf8');
			};
			const settings = join(nancy.configFolder, 'nancy', 'settings.json');
			mkdirSync(dirname(settings), { recursive: true });
			try {
				const answers = { 'copilot-cli': true };
				writeFileSync(settings, JSON.stringify({ folders: { [project]: { answers } } }), { mode: 0o600 });
				expect(await argsOf('fix-login')).not.toMatch(/questions$/m);
				writeFileSync(settings, JSON.stringify({ delegates: { answers } }), { mode: 0o600 });
				expect(await argsOf('fix-logout')).toMatch(/^--plugin-dir\n.*launch\/copilot-cli\/questions$/m);
			} finally {
				rmSync(settings);
			}
		}));

	it('watches a terminal only by the user’s own settings, also without hooks', () =>
		using(machine(), async ({ folder, project, start }) => {
			const fake = (name: string, version: string) => {
				const program = folder.file('agent', name);
				writeFileSync(program, `#!/bin/sh\nps -o args= -p $PPID >'${program}.above'\necho ${version}\n`);
				chmodSync(program, 0o755);
				return program;
			};
			const [copilot, codex] = [fake('copilot', '1.0.102'), fake('codex', 'codex-cli 0.169.0')];
			const above = async (task: string, agent: string, program: string, ...words: string[]) => {
				expect(await start(task, '--agent', agent, ...words).ended).toBe(0);
				return readFileSync(`${program}.above`, 'utf8');
			};
			const settings = join(nancy.configFolder, 'nancy', 'settings.json');
			mkdirSync(dirname(settings), { recursive: true });
			try {
				const watched = { terminalHost: 'watched' };
				writeFileSync(settings, JSON.stringify({ folders: { [project]: watched } }), { mode: 0o600 });
				expect(await above('one', 'copilot-cli', copilot)).not.toContain('watched.js');
				writeFileSync(settings, JSON.stringify({ delegates: watched }), { mode: 0o600 });
				expect(await above('two', 'copilot-cli', copilot)).toContain('/hook/watched.js copilot-cli ');
				expect(await above('three', 'codex', codex)).toContain('/hook/watched.js codex ');
				expect(await above('four', 'copilot-cli', copilot, '--no-hooks')).toContain(
					'/hook/watched.js copilot-cli ',
				);
				writeFileSync(settings, JSON.stringify({ delegates: { terminalHost: 'conversation' } }), {
					mode: 0o600,
				});
				expect(await above('five', 'copilot-cli', copilot)).not.toMatch(/watched\.js|conversation\.js/);
			} finally {
				rmSync(settings);
			}
		}));

	it('resumes a worker with its own agent, whatever agent its task has', () =>
		using(machine(), async ({ folder, workspace, start, args, wasStarted }) => {
			await start('fix-login', '--no-hooks').ended;
			const record = (await workspace.worker({ task, worker }))!;
			const other = {
				...record,
				name: WorkerName.parse('worker-2'),
				agent: DriverId.parse('codex'),
				sessions: [{ id: SessionId.parse('session-of-codex'), startedAt: record.startedAt }],
				startedAt: new Date().toISOString(),
			};
			await workspace.saveWorker(other);
			const own = new Workspace(workspace.folder, join(nancy.dataFolder, 'nancy'));
			const address = { task, worker: other.name };
			await noteChosenAgent(own, address, other.agent);
			await bindSession(own, other.sessions[0]!.id, { address, watched: false });
			rmSync(folder.file('agent', 'env'));
			const codex = folder.file('agent', 'codex');
			writeFileSync(codex, `#!/bin/sh\nprintf '%s\\n' "$@" > '${codex}.args'\necho codex-cli 0.169.0\n`);
			chmodSync(codex, 0o755);

			for (const named of [['--worker', 'worker-2'], []]) {
				expect(await start('fix-login', '--resume', '--no-hooks', ...named).ended).toBe(0);
				expect(readFileSync(`${codex}.args`, 'utf8').split('\n')).toEqual(
					expect.arrayContaining(['resume', 'session-of-codex']),
				);
			}
			expect(wasStarted()).toBe(false);
			expect(await workspace.worker({ task, worker: other.name })).toMatchObject({ agent: 'codex' });

			const wrong = start('fix-login', '--resume', '--worker', 'worker-2', '--agent', 'claude-code');
			expect(await wrong.ended).toBe(2);
			await wrong.waitForText(/one of codex/);
			expect(await new DeploymentRecords(workspace, join(nancy.dataFolder, 'nancy')).all()).toEqual([]);
			expect(await start('fix-login', '--resume', '--worker', 'worker', '--no-hooks').ended).toBe(0);
			expect(args()).toEqual(['--resume', record.sessions[0]?.id]);
		}));

	it('says what is wrong with the record of a task, before it writes anything', () =>
		using(machine(), async ({ project, workspace, start, wasStarted }) => {
			await workspace.createTask(taskRecord(task, DriverId.parse('claude-code')));
			const file = workspace.paths.taskRecord(task);
			for (const [content, says] of [
				['{', /cannot be read/],
				[JSON.stringify(taskRecord(TaskName.parse('other'), DriverId.parse('codex'))), /another task, other/],
			] as const) {
				writeFileSync(file, content);
				const screen = start('fix-login');
				expect(await screen.ended).toBe(1);
				await screen.waitForText(says);
				expect(screen.history()).not.toContain('already');
				expect(readdirSync(project)).toEqual(['.nancy']);
				const { stderr } = await nancy.run(['status'], { cwd: project });
				expect(stderr.split(file)).toHaveLength(2);
			}
			expect(wasStarted()).toBe(false);
		}));

	it('says that it needs a terminal, unless the agent is told to work without one', () =>
		using(machine(), async ({ folder, project, wasStarted }) => {
			const env = { PATH: fakeClaude(folder.file('agent')), HOME: folder.path };
			const piped = await nancy.run(['orchestrate', 'fix-login'], { cwd: project, env });
			expect(piped).toMatchObject({ code: 2, stderr: expect.stringContaining('stdin is not a terminal') });
			expect(wasStarted()).toBe(false);
			expect((await nancy.run(['orchestrate', 'fix-login', '--', '-p'], { cwd: project, env })).code).toBe(0);
			expect(wasStarted()).toBe(true);
		}));

	it('works in the root of the repository when there is no workspace yet', () =>
		using(machine(), async ({ project, start }) => {
			spawnSync('git', ['init', '-q', project]);
			mkdirSync(join(project, 'deep'));
			expect(await start('fix-login', '-C', 'deep').ended).toBe(0);
			expect(existsSync(join(project, '.nancy'))).toBe(true);
			expect(existsSync(join(project, 'deep/.nancy'))).toBe(false);
		}));
});
