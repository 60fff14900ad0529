import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { askerOf, environmentOf, IN_TERMINAL, type Ancestor, type SealOf } from '../../src/core/asker/asker.ts';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { queueDelegate } from '../../src/core/delegates/queueDelegate.ts';
import { Tickets } from '../../src/core/delegates/tickets.ts';
import { Questions } from '../../src/core/questions/questions.ts';
import type { AgentOf, SealedAgent } from '../../src/core/sessions/sealedAgents.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { drivers } from '../../src/drivers/index.ts';
import { fromPs, lineageOf } from '../../src/process/lineage.ts';
import { DriverId, FIRST_WORKER, TaskName, WorkerName } from '../../src/protocol/names.ts';
import { InboxOutput } from '../../src/protocol/output/messages.ts';
import { StatusOutput } from '../../src/protocol/output/tasks.ts';
import { gitIn, seedDelegate } from '../support/delegateSeeds.ts';
import { eventually } from '../support/eventually.ts';
import { seedQuestion } from '../support/seedQuestion.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { terminal } from '../support/terminal.ts';
import { fakeAgent, fakeClaude } from '../unit/cli/fakeClaude.ts';
import { callInTool, type Below } from '../unit/cli/inTool.ts';
import { NancyCommand, type CallOptions } from '../unit/cli/nancyCommand.ts';
import { Project } from '../unit/cli/project.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());
beforeEach(() => set({}));

function set(settings: unknown): void {
	mkdirSync(join(nancy.configFolder, 'nancy'), { recursive: true });
	writeFileSync(join(nancy.configFolder, 'nancy', 'settings.json'), JSON.stringify(settings));
}

const inTool = (line: string, below: Below) => callInTool(nancy, line, below);

async function place() {
	const folder = tempFolder('nancy-asker-');
	const own = new Project();
	const task = await own.addTask('build');
	await own.addWorker(task, 'worker');
	const other = new Project();
	await other.addWorker(await other.addTask('secret'), 'worker');
	const path = fakeClaude(folder.file('bin'));
	fakeAgent(folder.file('bin'), 'opencode', '1.18.33');
	return {
		folder,
		own,
		other,
		task,
		worker: { ...own.terminal(task, 'worker'), NANCY_AGENT: 'claude-code' },
		base: { PATH: path, HOME: folder.path },
		[Symbol.asyncDispose]: async () => {
			await Promise.all([folder.remove(), own[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
		},
	};
}

async function messagesIn({ workspace }: Project): Promise<{ from: string; state: string; text: string }[]> {
	const listed = await nancy.run(['inbox', '--all', '--json'], { cwd: workspace.folder });
	return InboxOutput.parse(JSON.parse(listed.stdout)).messages;
}

const REFUSED = { code: 5, stderr: expect.stringContaining('an agent may not') };

describe('whoever calls nancy', () => {
	it('is a person where nothing above is an agent', () => {
		expect(
			askerOf(
				{ env: {}, folder: '/', ancestors: [process1('bash'), process1('code')], isOrphan: false },
				drivers,
			),
		).toBe(IN_TERMINAL);
	});

	it.each(drivers.map(({ command }) => command))(
		'is an agent below the process %s, whatever it clears',
		async name => {
			await using it = await place();
			const clean = `env -i HOME="$HOME" PATH="$PATH" XDG_DATA_HOME="$XDG_DATA_HOME" XDG_CONFIG_HOME="$XDG_CONFIG_HOME" '${process.execPath}' '${nancy.program}'`;
			const asked = await inTool(`${clean} setup`, { cwd: it.own.path, name, env: it.base });
			expect(asked).toMatchObject(REFUSED);
			expect(asked.stderr).toContain(`(${name})`);
		},
	);

	const asIf = async (mark: string, line: string) => {
		await using it = await place();
		return await inTool(line, { cwd: it.own.path, name: 'bash', env: { ...it.base, [mark]: 'x' } });
	};

	it.each([
		'CLAUDECODE',
		'COPILOT_AGENT_SESSION_ID',
		'CODEX_THREAD_ID',
		'GEMINI_CLI',
		'OPENCODE',
		'QWEN_CODE',
		'NANCY_TASK_DIR',
		'NANCY_RUN',
		'NANCY_RUNNER',
	])('is an agent where %s is set in a process above, though the call clears it', async mark => {
		const cleared = `${mark}= nancy run --headless --prompt x --agent opencode --permissions all`;
		expect(await asIf(mark, cleared)).toMatchObject({ code: 5 });
	});

	it('is an agent where a variable is set in a process above, though a program removes it before the call', async () => {
		const removed = `env -u CLAUDECODE '${process.execPath}' '${nancy.program}' setup`;
		expect(await asIf('CLAUDECODE', removed)).toMatchObject({ code: 5 });
	});

	it('cannot be told where the program that called is gone, and is refused', async () => {
		await using it = await place();
		const out = it.folder.file('out');
		const later = `(while kill -0 $$ 2> /dev/null; do sleep 0.05; done; exec '${process.execPath}' '${nancy.program}' status > '${out}' 2>&1) &`;
		const child = spawn('sh', ['-c', `${later}\nexit 0`], {
			cwd: it.own.path,
			env: nancy.environment(it.base),
			stdio: 'ignore',
			detached: true, // a tool's session: in a container, the process that adopts may share the session of the tests
		});
		await once(child, 'exit');
		const said = await eventually('its answer', () => {
			const text = existsSync(out) ? readFileSync(out, 'utf8') : '';
			return text.includes('\n') ? text : undefined;
		});
		expect(said).toContain('has ended already');
	});

	it('is told the same way by what ps shows', () => {
		const table = [
			'    1     0     1 ??      /sbin/launchd',
			'  500     1   500 ??      /Applications/iTerm.app/Contents/MacOS/iTerm2 LANG=de',
			'  600   500   600 ttys001 -zsh TERM=xterm',
			'  700   600   700 ttys001 claude --model x HOME=/Users/u NANCY_TASK_DIR=/w/.nancy/tasks/a NANCY_WORKER=worker',
			'  800   700   800 ttys001 /bin/zsh -c nancy send CLAUDECODE=1',
			'  900   800   800 ttys001 node /x/nancy.js send',
			'  950   600   950 ttys001 node /x/nancy.js send',
			'  960     1   800 ttys001 node /x/nancy.js send',
			'  970     1   800 ttys001 sh -c nancy send',
			'  971   970   800 ttys001 node /x/nancy.js send',
			'  980     1   600 ??      /Applications/Code.app/Contents/MacOS/Electron',
			'  981   980   981 ttys002 -zsh',
			'  982   981   982 ttys002 node /x/nancy.js send',
		].join('\n');
		const worker = { address: { task: 'a', worker: 'worker' }, folder: '/w' } as AgentOf;
		const sealOf: SealOf = ({ pid }) => (pid === 700 ? sealed({ pid, isStarted: true, worker }) : undefined);
		expect(askerOf(fromPs({}, table, 900), drivers, sealOf)).toMatchObject({
			is: 'agent',
			driver: 'claude-code',
			worker,
		});
		expect(askerOf(fromPs({}, table, 950), drivers, sealOf)).toBe(IN_TERMINAL);
		expect(fromPs({}, table, 960).isOrphan).toBe(true);
		expect(fromPs({}, table, 971).isOrphan).toBe(true);
		expect(fromPs({}, table, 982).isOrphan).toBe(false);
	});

	it('is found out from the processes above this one', () => {
		const { ancestors, isOrphan } = lineageOf(process.env);
		expect({ isOrphan, first: ancestors[0]?.pid }).toEqual({ isOrphan: false, first: process.ppid });
	});

	it.each([
		['in front of the command', (nancy: string) => nancy],
		[
			'in front of a program that it calls like a CLI',
			(nancy: string) => `sh -c 'cp /bin/sh claude; exec "$@"' sh ./claude -c '"$@"; exit $?' sh ${nancy}`,
		],
	])('is the worker that its CLI was started as, not the one that it names %s', async (_, called) => {
		await using it = await place();
		const forged = { ...it.other.terminal(await it.other.addTask('x'), 'worker'), HOME: it.other.path };
		const words = Object.entries(forged).map(([name, value]) => `${name}='${value}'`);
		const send = called(`'${process.execPath}' '${nancy.program}' send build/orchestrator hi`);
		const sent = await inTool(`env ${words.join(' ')} ${send}`, {
			cwd: it.own.path,
			startedAs: { folder: it.own.path, address: { task: it.task, worker: FIRST_WORKER } },
			env: { ...it.base, ...it.worker },
		});
		expect(sent).toMatchObject({ code: 0 });
		expect(await messagesIn(it.own)).toMatchObject([{ from: 'build/worker' }]);
		expect(await messagesIn(it.other)).toEqual([]);
	});
});

describe('which agent asks', () => {
	const mine: AgentOf = { folder: '/w', address: { task: TaskName.parse('mine'), worker: FIRST_WORKER } };
	const second = { ...mine, address: { ...mine.address, worker: WorkerName.parse('worker-2') } };
	const claims = ({ folder, address }: AgentOf) => ({
		NANCY_TASK_DIR: join(folder, '.nancy/tasks', address.task),
		NANCY_WORKER: address.worker,
	});
	const cli = (pid: number, env: Record<string, string>): Ancestor => ({ ...process1('claude'), pid, env });
	const shell = { ...process1('bash'), pid: 9, env: { CLAUDECODE: '1', HOME: '/evil' } };
	const above = (...ancestors: Ancestor[]) => ({
		env: shell.env,
		folder: '/',
		ancestors: [shell, ...ancestors],
		isOrphan: false,
	});
	const sealing =
		(...seals: Parameters<typeof sealed>[0][]): SealOf =>
		({ pid }) =>
			seals.map(sealed).find(each => each.process.pid === pid);

	it.each([
		['a worker that Nancy started', [{ pid: 3, isStarted: true, worker: mine }], mine],
		['a session that its user started', [], undefined],
		[
			'a session whose hooks name the worker of its environment',
			[{ pid: 3, isStarted: false, worker: mine }],
			mine,
		],
		[
			'a session whose hooks name another worker than its environment',
			[{ pid: 3, isStarted: false, worker: second }],
			undefined,
		],
	])('is %s, whatever it calls like a CLI below', (_, seals, worker) => {
		const lineage = above(cli(2, { ...claims(second), HOME: '/evil' }), cli(3, { ...claims(mine), HOME: '/h' }));
		expect(askerOf(lineage, drivers, sealing(...seals))).toMatchObject({ worker, process: { pid: 3 } });
		expect(environmentOf(lineage, drivers, sealing(...seals), 'linux')).toMatchObject({ HOME: '/h' });
	});

	it.each([
		['worker', second],
		['run without a worker', undefined],
	])('is the %s that Nancy has started below another agent', (_, worker) => {
		const inner = cli(2, { ...(worker && claims(worker)), NANCY_RUN: 'x', HOME: '/inner' });
		const seals = sealing({ pid: 2, isStarted: true, worker }, { pid: 3, isStarted: true, worker: mine });
		const lineage = above(cli(8, { HOME: '/evil' }), inner, cli(3, { ...claims(mine), HOME: '/h' }));
		expect(askerOf(lineage, drivers, seals)).toMatchObject({ worker, process: { pid: 2 } });
		expect(environmentOf(lineage, drivers, seals, 'linux')).toMatchObject({ HOME: '/inner', NANCY_RUN: 'x' });
	});

	it('calls through the CLI of another driver, which gets nothing of the agent above that has its mailbox', () => {
		const seals = sealing({ pid: 3, isStarted: true, worker: mine });
		const lineage = (...below: Ancestor[]) => above(...below, cli(3, { ...claims(mine), HOME: '/h' }));
		const codex = { ...process1('codex'), pid: 2 };
		expect(askerOf(lineage(codex), drivers, seals)).toMatchObject({ worker: mine, through: 'codex' });
		expect(askerOf(lineage(cli(2, {})), drivers, seals)).toMatchObject({ worker: mine, through: undefined });
	});

	it.each([
		['below a shell', [cli(2, {}), shell]],
		['in the place of a shell', [cli(2, { CLAUDECODE: '1' })]],
		['as a program of two processes', [cli(1, { CLAUDECODE: '1' }), cli(2, { CLAUDECODE: '1' })]],
	])('calls through its own CLI that it has started again %s', (_, below) => {
		const seals = sealing({ pid: 3, isStarted: true, worker: mine });
		const lineage = above(...below, cli(4, { HOME: '/h' }), cli(3, { ...claims(mine), HOME: '/h' }));
		expect(askerOf(lineage, drivers, seals)).toMatchObject({ worker: mine, through: 'claude-code' });
	});

	it('has a program that no driver knows, and then none of the CLIs below is the agent', () => {
		const lineage = above(cli(2, { HOME: '/evil' }), { ...process1('zsh'), env: { CLAUDECODE: '1', HOME: '/h' } });
		expect(askerOf(lineage, drivers)).toMatchObject({ is: 'agent', driver: 'claude-code', process: undefined });
		expect(environmentOf(lineage, drivers, undefined, 'linux')).toMatchObject({ HOME: '/h' });
	});

	it('is a worker from its start on, and so is each that it starts', async () => {
		await using it = await place();
		const claude = [
			'case ${NANCY_WORKER:-none} in',
			'worker) nancy send orchestrator outer; nancy run --headless --prompt x; nancy orchestrate made -- -p ;;',
			'none) nancy send made/orchestrator run ;;',
			'*) nancy send orchestrator inner ;;',
			'esac >&2',
		];
		set({ delegates: { permissionsFromAgents: { 'claude-code': 'bypassPermissions' } } });
		await nancy.start(['orchestrate', 'made', '--', '-p'], {
			cwd: it.own.path,
			env: { ...it.base, FAKE_CLAUDE: claude.join('\n') },
		});
		expect((await messagesIn(it.own)).map(({ from, text }) => [text, from])).toEqual([
			['outer', 'made/worker'],
			['run', 'agent'],
			['inner', 'made/worker-2'],
		]);
	});
});

describe('an agent', () => {
	it.each([
		['in a session that the user started', { CLAUDECODE: '1' }],
		['inside nancy run --headless', { NANCY_RUN: 'x' }],
	])(
		'%s is not the user: it sends as itself, takes no message of theirs back and deletes no delegate of theirs',
		async (_, env) => {
			await using it = await place();
			const agent = { cwd: it.own.path, env: { ...it.base, ...env } };
			const own = { cwd: it.own.path, env: it.base };
			const { stdout: queued } = await nancy.run(['send', 'build', 'Stop that.'], own);
			expect(await nancy.run(['send', 'build', 'Do that.'], agent)).toMatchObject({ code: 0 });
			expect(await nancy.run(['withdraw', queued.trim()], agent)).toMatchObject(REFUSED);
			expect((await messagesIn(it.own)).map(({ from, state }) => [from === 'orchestrator', state])).toEqual([
				[true, 'queued'],
				[false, 'queued'],
			]);
			const { record } = await seedDelegate(new Delegates(it.own.workspace), {
				title: 'Of the user',
				state: 'done',
			});
			for (const args of [['delete', record.id], [record.id, '--stop'], [record.id, '--resume'], ['--resume']])
				expect(await nancy.runHere(['delegates', ...args], agent)).toMatchObject(REFUSED);
			expect(await nancy.run(['delegates', 'delete', '--ended'], agent)).toMatchObject({ code: 0 });
			expect((await new Delegates(it.own.workspace).list()).delegates).toHaveLength(1);
		},
	);

	it('reaches no other project with -C, not even to read', async () => {
		await using it = await place();
		const before = readdirSync(it.other.path, { recursive: true });
		const calls = [
			['agents'],
			['archive', 'x'],
			['cleanup'],
			['delegate', 'x'],
			['delegates'],
			['doctor'],
			['inbox'],
			['orchestrate', 'a', '--', '-p'],
			['run', '--headless', '--prompt', 'x'],
			['send', 'secret', 'hi'],
			['sessions'],
			['setup'],
			['status'],
			['stop', 'secret'],
			['tokens', 'secret'],
			['traffic'],
			['update'],
			['wait', 'secret', '--until', 'stop'],
			['withdraw', 'x'],
		];
		for (const call of calls) {
			const refused = await nancy.runHere(['-C', it.other.path, ...call], {
				cwd: it.own.path,
				env: { ...it.base, ...it.worker },
			});
			expect([call, refused]).toEqual([call, expect.objectContaining(REFUSED)]);
		}
		expect(readdirSync(it.other.path, { recursive: true })).toEqual(before);
		const here = await nancy.run(['-C', '.', 'status'], { cwd: it.own.path, env: { ...it.base, ...it.worker } });
		expect(here.code).toBe(0);
	});

	it('works in the workspace of its CLI, wherever its shell has gone', async () => {
		await using it = await place();
		gitIn(it.own.path, 'init', '-q', '--bare', join(it.own.path, 'evil'));
		for (const cwd of [it.other.path, join(it.own.path, 'evil')]) {
			const asked = await inTool('nancy status --json', { cwd, cliIn: it.own.path, env: it.base });
			expect(StatusOutput.parse(JSON.parse(asked.stdout)).folder).toBe(it.own.path);
		}
	});

	it('changes no settings of agents and tools', async () => {
		await using it = await place();
		for (const call of [['setup'], ['update'], ['cleanup'], ['cleanup', 'build'], ['doctor', '--fix']]) {
			const refused = await nancy.run(call, { cwd: it.own.path, env: { ...it.base, ...it.worker } });
			expect([call, refused]).toEqual([call, expect.objectContaining(REFUSED)]);
			expect(refused.stderr).toContain(`nancy ${call.join(' ')}`);
		}
		expect(existsSync(join(it.own.path, '.claude'))).toBe(false);
	});

	it('has no file read for a prompt and none written with an answer', async () => {
		await using it = await place();
		writeFileSync(join(it.own.path, '.env'), 'KEY=secret-of-the-user');
		const calls = [
			['run', '--headless', '--prompt', 'x', '--output-file', 'package.json'],
			['run', '--headless', '--prompt', 'x', '--output-file', 'CLAUDE.md'],
			['run', '--headless', '--prompt-file', '.env'],
			['delegate', '--prompt-file', '.env'],
			['orchestrate', 'a', '--prompt-file', '.env', '--', '-p'],
		];
		for (const call of calls) {
			const refused = await nancy.runHere(call, { cwd: it.own.path, env: { ...it.base, ...it.worker } });
			expect([call, refused]).toEqual([call, expect.objectContaining(REFUSED)]);
		}
		expect(readdirSync(it.own.path).toSorted()).toEqual(['.env', '.nancy']);
		expect(existsSync(it.folder.file('bin/args'))).toBe(false);
	});

	it.each(drivers.map(({ command }) => command))(
		'below the process %s answers no question of its own: not by a command, not from a terminal that it makes, not by a file',
		async name => {
			await using it = await place();
			const workspace = new Workspace(it.own.path, join(nancy.dataFolder, 'nancy'));
			const { id, digest } = await seedQuestion(workspace);
			const questions = new Questions(workspace.own);
			const file = join(questions.folder, 'answers', `${id}.json`);
			const yes = {
				version: 1,
				question: id,
				digest,
				effect: 'once',
				by: 'vscode',
				at: new Date().toISOString(),
			};
			const answer = `env -i HOME="$HOME" PATH="$PATH" XDG_DATA_HOME="$XDG_DATA_HOME" '${process.execPath}' '${nancy.program}' answer ${id} yes`;
			const below = { cwd: it.own.path, name, env: it.base };
			expect(await inTool(answer, below)).toMatchObject({
				code: 5,
				stderr: expect.stringContaining('for a person in a terminal'),
			});
			const line = { CLI: 'bash -c "$TOOL"; exit $?', TOOL: `${answer}; exit $?` };
			const screen = terminal('bash', ['-c', `exec -a '${name}' bash -c "$CLI"`], {
				cwd: it.own.path,
				env: nancy.environment({ ...it.base, ...line }) as Record<string, string>,
			});
			expect(await screen.ended).toBe(5);
			await screen.waitForText(/an agent may not [^]* called below the process/);
			await screen.close();
			await inTool(
				`echo '${JSON.stringify({ ...yes, seal: '0'.repeat(64) })}' >'${file}'; chmod 600 '${file}'`,
				below,
			);
			expect(existsSync(file)).toBe(true);
			expect(await questions.find(id)).toMatchObject({ answer: undefined, outcome: undefined });
			await expect(questions.readAnswer(id)).rejects.toMatchObject({ code: 'bad-file' });
		},
	);

	it('archives what is in its own mailbox alone', async () => {
		await using it = await place();
		await it.own.addWorker(it.task, 'worker-2');
		const agent = { cwd: it.own.path, env: { ...it.base, ...it.worker } };
		const { stdout: id } = await nancy.run(['send', 'build/worker-2', 'hi'], { ...agent, env: it.base });
		expect(await nancy.run(['archive', id.trim()], agent)).toMatchObject({ code: expect.any(Number) });
		expect((await messagesIn(it.own)).map(({ state }) => state)).toEqual(['queued']);
	});

	it('starts its own CLI, and another one only where the user has set what that may do for agents', async () => {
		await using it = await place();
		const agent = { cwd: it.own.path, env: { ...it.base, ...it.worker } };
		const call = (id: string) => ['run', '--headless', '--prompt', 'x', '--agent', id];
		const start = (id: string) => nancy.start(call(id), agent);
		expect(await nancy.runHere(call('opencode'), agent)).toMatchObject(REFUSED);
		expect((await start('claude-code')).code).not.toBe(5);
		expect(existsSync(it.folder.file('bin/args'))).toBe(true);
		set({ delegates: { permissionsFromAgents: { opencode: 'ask' } } });
		expect((await start('opencode')).code).not.toBe(5);
	});
});

it('no agent starts opencode in a terminal, where it runs modules that an agent can put into the workspace', async () => {
	await using it = await place();
	set({ delegates: { permissionsFromAgents: { opencode: 'ask' } } });
	const agent = { cwd: it.own.path, env: { ...it.base, ...it.worker }, isTerminal: true };
	const refused = await nancy.runHere(['orchestrate', it.task, '--agent', 'opencode', '--prompt', 'x'], agent);
	expect(refused).toMatchObject(REFUSED);
	expect(refused.stderr).toContain('in a terminal, where it runs modules of the workspace; use nancy delegate');
	expect(existsSync(it.folder.file('bin/args'))).toBe(false);
});

describe('settings that can run commands', () => {
	const executable = [
		['claude-code', '.claude/settings.json'],
		['claude-code', '.mcp.json'],
		['codex', '.codex/config.toml'],
		['copilot-cli', '.github/hooks/evil.json'],
		['gemini-cli', '.gemini/settings.json'],
		['opencode', '.opencode/plugin/evil.js'],
	] as const;

	it.each(executable)('keep an agent from starting %s until a person has started it with %s', async (id, file) => {
		await using it = await place();
		const known = drivers.find(driver => driver.id === id);
		const { command = '' } = known ?? {};
		const [mode] = known?.headless === 'none' ? [] : (known?.headless.permissionModes ?? []);
		fakeAgent(it.folder.file('bin'), command, '9.9.9');
		set({ delegates: { permissionsFromAgents: { [id]: mode?.id } } });
		const agent = { cwd: it.own.path, env: { ...it.base, ...it.worker } };
		const call = ['run', '--headless', '--prompt', 'x', '--agent', id];
		const start = (where: CallOptions) => nancy.start(call, where);
		expect((await start(agent)).code).not.toBe(5);
		const path = join(it.own.path, file);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, '1');
		for (const each of [call, ['delegate', 'x', '--agent', id]]) {
			const refused = await nancy.runHere(each, agent);
			expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining(file) });
			expect(refused.stderr).toContain(`nancy setup --agent ${id}`);
		}
		expect((await start({ ...agent, env: it.base })).code).not.toBe(5);
		expect((await start(agent)).code).not.toBe(5);
		writeFileSync(path, '2');
		expect(await nancy.runHere(call, agent)).toMatchObject({ code: 5 });
	});

	it('are looked at again when a delegate of an agent begins, and Nancy’s own are none', async () => {
		await using it = await place();
		const answer = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'The answer.' });
		const env = { ...it.base, ...it.worker, FAKE_CLAUDE: `cat > /dev/null; echo '${answer}'` };
		const agent = { cwd: it.own.path, env };
		const tickets = new Tickets(join(nancy.dataFolder, 'nancy'), it.own.path);
		const asker = askerOf({ env: it.worker, folder: it.own.path, ancestors: [], isOrphan: false }, drivers);
		const store = new Delegates(it.own.workspace);
		const request = {
			prompt: 'x',
			agent: DriverId.parse('claude-code'),
			permissions: 'default',
			folder: it.own.path,
		};
		const run = async () => {
			const { record } = await queueDelegate(store, tickets, asker, request);
			return nancy.start(['delegates', record.id, '--wait', '--timeout', '600'], agent);
		};
		for (const _ of [1, 2]) expect(await run()).toMatchObject({ code: 0, stdout: 'The answer.\n' });
		expect(existsSync(join(it.own.path, '.claude/skills'))).toBe(true);
		writeFileSync(join(it.own.path, '.mcp.json'), '{}');
		expect(await run()).toMatchObject({
			code: 1,
			stdout: expect.stringContaining('settings can run commands and deny them: .mcp.json.'),
		});
	});

	it('end a CLI that an agent has asked for if they change while it starts', async () => {
		await using it = await place();
		const begins = `{"type":"system","subtype":"init","session_id":"${crypto.randomUUID()}"}`;
		const FAKE_CLAUDE = `cat > /dev/null; echo '{}' > .mcp.json; echo '${begins}'; sleep 30; touch late`;
		const agent = { cwd: it.own.path, env: { ...it.base, ...it.worker, FAKE_CLAUDE } };
		const why = expect.stringMatching(/was ended, because settings .*: \.mcp\.json\. It may have run them/);
		const call = ['run', '--headless', '--prompt', 'x', '--agent', 'claude-code'];
		expect(await nancy.start(call, agent)).toMatchObject({ code: 1, stderr: why });
		expect(existsSync(join(it.own.path, 'late'))).toBe(false);
	});
});

function sealed({ pid, ...more }: Pick<SealedAgent, 'isStarted' | 'worker'> & { pid: number }): SealedAgent {
	return { process: { pid, startedTicks: 1 }, hasCalled: !more.isStarted, ...more };
}

function process1(name: string): Ancestor {
	return { pid: 2, startedTicks: 1, env: {}, executable: `/usr/bin/${name}`, args: [name], folder: '/' };
}
