import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { environmentOf, IN_TERMINAL } from '../../src/core/asker/asker.ts';
import { drivers } from '../../src/drivers/index.ts';
import { limitsFor } from '../../src/operations/shared/starting.ts';
import { DelegatesOutput } from '../../src/protocol/output/delegates.ts';
import { InboxOutput } from '../../src/protocol/output/messages.ts';
import { StatusOutput } from '../../src/protocol/output/tasks.ts';
import { gitIn } from '../support/delegateSeeds.ts';
import { eventually } from '../support/eventually.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { fakeClaude } from '../unit/cli/fakeClaude.ts';
import { callInTool } from '../unit/cli/inTool.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';
import { Project } from '../unit/cli/project.ts';

// What an agent writes in front of `nancy`, where a rule lets it run that whatever stands there.

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

async function place() {
	const folder = tempFolder('nancy-environment-');
	const own = new Project();
	const other = new Project();
	const [task, otherTask] = [await own.addTask('build'), await other.addTask('build')];
	await own.addWorker(task, 'worker');
	await other.addWorker(otherTask, 'worker');
	const base = { PATH: fakeClaude(folder.file('bin')), HOME: folder.path };
	return {
		folder,
		base,
		own,
		other,
		task,
		otherTask,
		/** The agent can write it, and run nothing of it. */
		write: (name: string, text: string) => {
			const file = join(own.path, name);
			mkdirSync(dirname(file), { recursive: true });
			writeFileSync(file, text);
			return file;
		},
		ask: (line: string) => callInTool(nancy, line, { cwd: own.path, env: base }),
		[Symbol.asyncDispose]: async () => {
			await Promise.all([folder.remove(), own[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
		},
	};
}

it('an agent that names a worker of another project stays in its own, and speaks as none', async () => {
	await using it = await place();
	const forged = Object.entries(it.other.terminal(it.otherTask, 'worker')).map(
		([name, value]) => `${name}='${value}'`,
	);
	const asked = await it.ask(`${forged.join(' ')} nancy status --json`);
	expect(StatusOutput.parse(JSON.parse(asked.stdout)).folder).toBe(it.own.path);
	const own = Object.entries(it.own.terminal(it.task, 'worker')).map(([name, value]) => `${name}='${value}'`);
	const sent = await it.ask(`${own.join(' ')} nancy send build/worker text && nancy inbox --all --json`);
	const [, listed = ''] = sent.stdout.split(/\n(?=\{)/);
	expect(InboxOutput.parse(JSON.parse(listed)).messages).toMatchObject([{ from: 'claude-code' }]);
});

it.each([
	['HOME', '.config'],
	['XDG_CONFIG_HOME', ''],
])('an agent gets no wider permissions by settings of its own in %s', async (name, below) => {
	await using it = await place();
	const settings = { delegates: { permissionsFromAgents: { 'claude-code': 'bypassPermissions' } } };
	it.write(join('mine', below, 'nancy', 'settings.json'), JSON.stringify(settings));
	const clear = name === 'HOME' ? 'XDG_CONFIG_HOME=' : `HOME='${it.own.path}'`;
	const run = 'nancy run --headless --prompt x --agent claude-code --permissions bypassPermissions';
	const asked = await it.ask(`${clear} ${name}='${it.own.path}/mine' ${run}`);
	expect(asked).toMatchObject({ code: 5, stderr: expect.stringContaining('an agent may not start') });
	expect(existsSync(it.folder.file('bin', 'args'))).toBe(false);
});

it('an agent does not choose the program of a CLI, nor where that has its settings', async () => {
	await using it = await place();
	const mark = it.folder.file('ran');
	const program = it.write('evil.sh', `#!/bin/sh\ntouch '${mark}'\n`);
	chmodSync(program, 0o755); // as files of a repository can be
	const chosen = `NANCY_PROGRAM_CLAUDE_CODE='${program}' CLAUDE_CONFIG_DIR='${it.own.path}' ANTHROPIC_BASE_URL=http://127.0.0.1:9`;
	await it.ask(`${chosen} nancy run --headless --prompt x`);
	expect(existsSync(mark)).toBe(false);
	const env = readFileSync(it.folder.file('bin', 'env'), 'utf8');
	expect(env).not.toMatch(/^(CLAUDE_CONFIG_DIR|ANTHROPIC_BASE_URL)=/m);
});

it.each(['GIT_CONFIG_GLOBAL', 'HOME'])('git runs no program of settings that an agent names by %s', async name => {
	await using it = await place();
	const mark = it.folder.file('ran');
	it.write('mine/.gitconfig', `[filter "z"]\n\tclean = touch ${mark}; cat\n\tsmudge = touch ${mark}; cat\n`);
	it.write('.gitattributes', '*.txt filter=z\n');
	it.write('a.txt', 'text\n');
	gitIn(it.own.path, 'init', '--quiet');
	gitIn(it.own.path, 'add', '.gitattributes', 'a.txt');
	gitIn(it.own.path, 'commit', '--quiet', '--message', 'first');
	const chosen = `${it.own.path}/mine${name === 'HOME' ? '' : '/.gitconfig'}`;
	const wait = 'nancy wait "$id" || true';
	await it.ask(`id=$(${name}='${chosen}' nancy delegate --worktree --with-changes x) && ${wait}`);
	expect(existsSync(mark)).toBe(false);
});

it('an agent has no more delegates at work at once than the user has set', async () => {
	await using it = await place();
	mkdirSync(join(nancy.configFolder, 'nancy'), { recursive: true });
	const settings = join(nancy.configFolder, 'nancy', 'settings.json');
	writeFileSync(settings, JSON.stringify({ delegates: { max: 1 } }));
	const env = { ...it.base, FAKE_CLAUDE: 'cat > /dev/null; sleep 60' };
	const list = 'nancy delegate x; NANCY_DELEGATES=9 nancy delegate y; nancy delegates --json';
	const { stdout } = await callInTool(nancy, list, { cwd: it.own.path, env });
	const { delegates } = DelegatesOutput.parse(JSON.parse(stdout.slice(stdout.indexOf('{'))));
	rmSync(settings);
	expect(delegates.map(({ status }) => status)).toEqual(['running', 'queued']);
	for (const { id } of delegates.toReversed())
		await nancy.start(['delegates', id, '--stop'], { cwd: it.own.path, env });
});

it.each(['darwin', 'win32'] as const)(
	'where no environment of a CLI is known, its limits are the settings’: %s',
	os => {
		const widened = { HOME: '/h', NANCY_DELEGATES: '9', NANCY_DELEGATES_HOST: 'tmux' };
		const asks = (env: Record<string, string>) =>
			environmentOf({ env, folder: '/', ancestors: [], isOrphan: false }, drivers, undefined, os);
		const home = os === 'darwin' ? userInfo().homedir : '/h';
		expect(asks({ ...widened, CLAUDECODE: '1' })).toEqual({ HOME: home, CLAUDECODE: '1' });
		expect(asks(widened)).toEqual(widened);
	},
);

it('an agent gets no longer time than the user has set', () => {
	const settings = { timeoutMinutes: 1 };
	const agent = {
		is: 'agent',
		driver: undefined,
		worker: undefined,
		process: undefined,
		calledIn: '/',
		because: '',
	} as const;
	const asked = { wallSeconds: 600, idleSeconds: 600 };
	expect(limitsFor(asked, { asker: agent, settings })).toEqual({ wallSeconds: 60, idleSeconds: 600 });
	expect(limitsFor({ wallSeconds: 5 }, { asker: agent, settings })).toEqual({ wallSeconds: 5 });
	expect(limitsFor(asked, { asker: IN_TERMINAL, settings })).toEqual(asked);
});

it('a person’s environment is that of the call, also where an agent’s is above in no process', () => {
	const env = { HOME: '/h', GIT_CONFIG_GLOBAL: '/h/git' };
	expect(environmentOf({ env, folder: '/', ancestors: [], isOrphan: false }, drivers)).toBe(env);
});

it('a process that hides its environment leaves that of the mark farthest from the call', () => {
	const hidden = { pid: 7, startedTicks: 1, env: {}, executable: '/bin/claude', args: ['claude'], folder: undefined };
	const given = { CLAUDECODE: '1', HOME: '/h' };
	const shell = { ...hidden, pid: 8, env: given, executable: '/bin/sh', args: ['sh'] };
	const lineage = {
		env: { CLAUDECODE: '1', HOME: '/evil' },
		folder: '/',
		ancestors: [shell, hidden],
		isOrphan: false,
	};
	expect(environmentOf(lineage, drivers)).toBe(given);
});

it('a command that waits until the agent’s shell is gone is refused, though it cleared its environment', async () => {
	await using it = await place();
	const out = it.folder.file('out');
	const clean = 'env -i HOME="$HOME" PATH="$PATH" XDG_DATA_HOME="$XDG_DATA_HOME" XDG_CONFIG_HOME="$XDG_CONFIG_HOME"';
	const later = `while kill -0 $1 2> /dev/null; do sleep 0.05; done; '${process.execPath}' '${nancy.program}' setup > '${out}' 2>&1; :`;
	const line = `setsid --wait bash -c '${clean} sh -c "$LATER" sh $$ > /dev/null 2>&1 &'`;
	await callInTool(nancy, `export LATER; ${line.replace('sh -c "$LATER"', 'sh "$LATER"')}`, {
		cwd: it.own.path,
		env: { PATH: fakeClaude(it.folder.file('bin')), HOME: it.folder.path, LATER: it.write('later.sh', later) },
	});
	const said = await eventually('its answer', () => {
		const text = existsSync(out) ? readFileSync(out, 'utf8') : '';
		return text.includes('\n') ? text : undefined;
	});
	expect(said).toContain('has ended already');
});

it('Node writes no file for the installed command that a variable names', async () => {
	await using it = await place();
	await nancy.start(['setup', '--agent', 'claude-code'], { cwd: it.own.path, env: it.base });
	const runtimes = join(nancy.dataFolder, 'nancy', 'runtime');
	const [version = ''] = readdirSync(runtimes);
	const [coverage, warnings] = [it.folder.file('coverage'), it.folder.file('warnings')];
	const variables = `NODE_V8_COVERAGE='${coverage}' NODE_REDIRECT_WARNINGS='${warnings}' NODE_PENDING_DEPRECATION=1`;
	await callInTool(nancy, `${variables} '${join(runtimes, version, 'bin', 'nancy')}' status`, {
		cwd: it.own.path,
		env: it.base,
	});
	expect([existsSync(coverage), existsSync(warnings)]).toEqual([false, false]);
});

it('no file that NODE_OPTIONS names is loaded into the installed command, and an agent’s CLI gets what its user had set', async () => {
	await using it = await place();
	const mark = it.folder.file('ran');
	const evil = it.write('evil.cjs', `require('fs').writeFileSync('${mark}', '')`);
	await nancy.start(['setup', '--agent', 'claude-code'], { cwd: it.own.path, env: it.base });
	const runtimes = join(nancy.dataFolder, 'nancy', 'runtime');
	const [version = ''] = readdirSync(runtimes);
	const installed = join(runtimes, version, 'bin', 'nancy');
	const run = `'${installed}' run --headless --prompt x`;
	await callInTool(nancy, `NODE_OPTIONS='--require=${evil}' ${run}`, {
		cwd: it.own.path,
		env: { ...it.base, NODE_OPTIONS: '--no-warnings' },
	});
	expect(existsSync(mark)).toBe(false);
	expect(readFileSync(it.folder.file('bin', 'env'), 'utf8')).toMatch(/^NODE_OPTIONS=--no-warnings$/m);
});

it('an agent runs no delegate of another project', async () => {
	await using it = await place();
	for (const call of [`nancy -C '${it.other.path}' run`, `cd '${it.other.path}' && nancy run`]) {
		const asked = await it.ask(`${call} --delegate 20261122t000000000z-aaaaaaaa`);
		expect(asked).toMatchObject({ code: 5, stderr: expect.stringContaining('outside its own workspace') });
	}
});
