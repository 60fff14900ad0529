import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { markedProcesses, RUN_MARK } from '../../src/process/marked.ts';
import { DelegateCreatedOutput, DelegatesOutput } from '../../src/protocol/output/delegates.ts';
import { TaskName, WorkerName } from '../../src/protocol/names.ts';
import { bubblewrap } from '../support/bubblewrap.ts';
import { claudeExecutable } from '../support/claudeHome.ts';
import { deployedLab, type DeployedLab } from '../support/deployedLab.ts';
import { eventually } from '../support/eventually.ts';
import { long, longIf } from '../support/long.ts';
import { dataFolderIn } from '../support/runtime.ts';
import { twoMachines } from '../support/twoMachines.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

const { skipped, folder: sandboxes } = bubblewrap();
/** A program of the tests' may be where the sandbox hides it. */
const UNTIL_OPEN = 'until [ -e open.gate ]; do sleep 0.1; done';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

function shell(lab: DeployedLab): { cwd: string; env: Record<string, string> } {
	const PATH = [dirname(claudeExecutable), dirname(process.execPath), sandboxes, lab.env['PATH']].join(delimiter);
	const XDG_DATA_HOME = dirname(dataFolderIn(lab.home));
	return {
		cwd: lab.workspace.path,
		env: { ...lab.env, PATH, XDG_DATA_HOME, SSH_AUTH_SOCK: '/run/agent', IS_SANDBOX: '1' },
	};
}

async function isolatedLab() {
	const lab = await deployedLab();
	const cwd = lab.workspace.path;
	const git = (...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' });
	git('init', '-q', '-b', 'main');
	git('config', 'user.name', 'Tess');
	git('config', 'user.email', 'tess@example.com');
	writeFileSync(join(cwd, 'a.txt'), 'committed\n');
	git('add', 'a.txt');
	git('commit', '-qm', 'first');
	mkdirSync(join(lab.home, '.ssh'));
	writeFileSync(join(lab.home, '.ssh', 'id'), 'a private key');
	const call = (args: string[], stdin = '') => nancy.start(args, { ...shell(lab), stdin });
	return {
		lab,
		cwd,
		git,
		call,
		async delegate(prompt: string, ...args: string[]) {
			const options = ['--permissions', 'bypassPermissions', '--isolate', 'bwrap', '--json'];
			const done = await call(['delegate', '-', ...options, ...args], prompt);
			expect(done.stderr).toBe('');
			const { id, worker } = DelegateCreatedOutput.parse(JSON.parse(done.stdout));
			const [task = '', name = ''] = worker.split('/');
			return { id, address: { task: TaskName.parse(task), worker: WorkerName.parse(name) } };
		},
		status: async () => (await new Delegates(lab.nancy).list()).delegates[0]!.status,
		async ended(id: string) {
			const done = await call(['delegates', id, '--wait', '--timeout', '120', '--json']);
			return DelegatesOutput.parse(JSON.parse(done.stdout)).delegates[0]!;
		},
		[Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
	};
}

/** Processes that were called with this argument, whatever their environment. */
function calledWith(word: string): string[] {
	const found = readdirSync('/proc').filter(name => /^\d+$/.test(name));
	return found.filter(pid => {
		try {
			return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(word);
		} catch {
			return false; // it has ended
		}
	});
}

describe(`an isolated delegate of the real agent${skipped}`, { skip: skipped !== '' }, () => {
	it('works in its worktree, is steered there, and sees neither the home nor other processes', async () => {
		await using it = await isolatedLab();
		const { lab, cwd } = it;
		const outside = join(import.meta.dirname, 'made-by-an-isolated-agent');
		const nancyThere = `"$(ls -d "${dataFolderIn(lab.home)}"/runtime/*/bin/nancy | tail -n 1)"`;
		const probes = {
			key: `cat ~/.ssh/id`,
			settings: `echo >> ~/.claude/settings.json`,
			outside: `touch ${outside}`,
			hook: `touch ${cwd}/.git/hooks/pre-commit`,
			repository: 'echo . > "$(git rev-parse --git-dir)/commondir"',
			link: 'rm .git',
			tickets: `ls "${dataFolderIn(lab.home)}"/workspaces/*/delegates`,
			runtime: `touch ${nancyThere}`,
			socket: 'echo "<$SSH_AUTH_SOCK>"',
			processes: 'cat /proc/[0-9]*/cmdline | tr "\\0" " "',
			command: 'nancy inbox',
			delegate: `${nancyThere} delegate Nested`,
			// The process that it was started by is gone, and so is what its environment said.
			orphan: `(env -i setsid -f ${nancyThere} -C ${cwd} send delegates/other Forged >orphan.txt 2>&1); until [ -s orphan.txt ]; do sleep 0.1; done; cat orphan.txt`,
		};
		const lines = Object.entries(probes).map(
			([name, probe]) => `echo "${name}: $({ ${probe}; } 2>&1 | tail -n 1)"`,
		);
		writeFileSync(join(cwd, 'probe.sh'), lines.join('\n'));
		it.git('add', 'probe.sh');
		it.git('commit', '-qm', 'probes');
		const commit = 'sh probe.sh > report.txt; git add report.txt && git commit -qm isolated; touch begun';
		const { id, address } = await it.delegate(`[[sh:${commit}; ${UNTIL_OPEN}]] [[text:Not steered]]`, '--worktree');
		const worktree = await eventually('its worktree', async () => (await it.status()).worktree);
		await eventually('it works', () => existsSync(join(worktree.folder, 'begun')));
		expect((await it.call(['delegates'])).stdout).toContain('isolated');
		await lab.send(address, 'Other plan. [[text:Steered]]');
		writeFileSync(join(worktree.folder, 'open.gate'), '');
		const done = await it.ended(id);
		expect(done).toMatchObject({ status: 'done', isolate: 'bwrap', toolCalls: 1 });
		expect(readFileSync(done.output, 'utf8')).toBe('Steered');
		const { messages } = await lab.nancy.mailbox(address).list(['delivered']);
		expect(messages.map(({ receipt }) => receipt?.rung)).toEqual(['hook']);
		expect(it.git('log', '-1', '--format=%an %s', worktree.branch)).toBe('Tess isolated\n');
		expect(await markedProcesses(RUN_MARK, id)).toEqual([]);

		const report = readFileSync(join(worktree.folder, 'report.txt'), 'utf8').trim().split('\n');
		const said = Object.fromEntries(report.map(line => /^(\w+): (.*)$/.exec(line)?.slice(1) ?? []));
		const readOnly = expect.stringContaining('Read-only file system');
		expect(said).toEqual({
			key: expect.stringContaining('No such file'),
			settings: readOnly,
			// The sandbox may hide where this project of Nancy's is.
			outside: expect.stringMatching(/Read-only file system|No such file/),
			hook: readOnly,
			repository: readOnly,
			link: expect.stringContaining('busy'),
			tickets: expect.stringContaining('No such file'),
			runtime: readOnly,
			socket: '<>',
			processes: expect.not.stringContaining('run --delegate'),
			command: expect.stringMatching(/not found|Permission denied/),
			delegate: expect.stringContaining('an isolated agent has no delegates'),
			orphan: expect.stringContaining('You count as an agent because NANCY_RUN is set in the process 1 (bwrap)'),
		});
		expect([outside, join(cwd, '.git/hooks/pre-commit')].filter(existsSync)).toEqual([]);
	});

	for (const how of ['stopped', 'left by its runner'])
		it(`that is ${how} leaves no process, whatever its environment`, longIf(how !== 'stopped'), async () => {
			await using it = await isolatedLab();
			const word = how === 'stopped' ? '86401' : '86402';
			const { id } = await it.delegate(
				`[[sh:setsid -f env -i sleep ${word}; touch begun; ${UNTIL_OPEN}]] [[text:Done]]`,
			);
			await eventually('it works', () => existsSync(join(it.cwd, 'begun')));
			expect(calledWith(word)).toHaveLength(1);
			if (how === 'stopped') {
				expect((await it.call(['delegates', id, '--stop'])).code).toBe(0);
			} else {
				process.kill((await it.status()).runner!.pid, 'SIGKILL');
			}
			expect(await it.ended(id)).toMatchObject({
				status: 'failed',
				error: how === 'stopped' ? 'cancelled' : 'runner died',
			});
			await eventually('all have ended', () => calledWith(word).length === 0);
			expect(await markedProcesses(RUN_MARK, id)).toEqual([]);
			const { workers } = await it.lab.nancy.workers(TaskName.parse('delegates'));
			expect(workers.map(({ stoppedAt }) => typeof stoppedAt)).toEqual(['string']);
		});

	it('goes on with its conversation after a failure of the model', long, async () => {
		await using it = await isolatedLab();
		const { id } = await it.delegate('[[sh:echo one]] [[err:500]]', '--worktree');
		expect(await it.ended(id)).toMatchObject({
			status: 'failed',
			iteration: 3,
			error: expect.stringContaining('500'),
		});
		const last = it.lab.model.requests.at(-1)!.text;
		expect(last).toContain('echo one');
		expect(last).toContain('Go on with the task where you were interrupted.');
	});
});

describe(`an isolated delegate on another machine${skipped}`, { skip: skipped !== '' }, () => {
	it('works in its worktree there, is steered, and sees nothing of the home', long, async () => {
		await using machines = await twoMachines(nancy);
		const { lab, there, call } = machines;
		appendFileSync(join(there.home, '.profile'), `export PATH="$PATH:${sandboxes}"\n`);
		mkdirSync(join(there.home, '.ssh'));
		writeFileSync(join(there.home, '.ssh/id'), 'a private key');
		const probe = 'cat ~/.ssh/id > seen.txt 2>&1; ls ~/.nancy-remote/jobs/*/job.json >> seen.txt 2>&1; touch begun';
		const person = 'git -c user.name=P -c user.email=p@e.x';
		const commits = `git checkout -qb fix-a; ${person} commit -qm inside --allow-empty; git checkout -q --detach HEAD~`;
		const id = await machines.delegate(
			`[[sh:${commits}; ${probe}; git config x.y z && echo set >> seen.txt; ${UNTIL_OPEN}]] [[sh:rm open.gate begun]] [[text:Not steered]]`,
			'--isolate',
			'bwrap',
		);
		const tree = await eventually('at work', () => {
			const [begun] = globSync('.nancy-remote/jobs/*/tree/begun', { cwd: there.home });
			return begun && join(there.home, dirname(begun));
		});
		const { worker } = await machines.now();
		const message = (await call(['send', worker, 'Mind the kettle.'])).stdout.trim();
		await machines.isThere(message);
		writeFileSync(join(tree, 'open.gate'), '');
		const done = await machines.ended(id);
		expect(done).toMatchObject({ status: 'done', isolate: 'bwrap', on: 'ssh:lab' });
		expect(lab.model.requests.some(({ text }) => text.includes('Mind the kettle.'))).toBe(true);
		const seen = readFileSync(join(done.worktree ?? '', 'seen.txt'), 'utf8');
		expect(seen.match(/No such file/g)).toHaveLength(2);
		expect(seen).not.toContain('set');
		expect(machines.git('show', '--no-patch', '--format=%s', `nancy/${id}.fix-a`).trim()).toBe('inside');
	});
});
