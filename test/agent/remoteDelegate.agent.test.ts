import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tickets } from '../../src/core/delegates/tickets.ts';
import { REMOTE_MARK } from '../../src/executors/there.ts';
import { markedProcesses } from '../../src/process/marked.ts';
import { DelegateCreatedOutput, DelegatesOutput } from '../../src/protocol/output/delegates.ts';
import { claudeExecutable, claudeHome } from '../support/claudeHome.ts';
import { submit } from '../support/submit.ts';
import { readPhase } from '../../src/core/sessions/phase.ts';
import { SessionId } from '../../src/protocol/names.ts';
import { deployedLab, startedTask, type DeployedLab } from '../support/deployedLab.ts';
import { eventually } from '../support/eventually.ts';
import { gateIn } from '../support/gate.ts';
import { dataFolderIn } from '../support/runtime.ts';
import { sshLab, type SshLab } from '../support/sshLab.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

/** The user's machine, a repository on it, and another machine with the real agent and its login. */
async function twoMachines({ isDeployed = false } = {}) {
	const lab = await deployedLab({ isDeployed });
	const { agent } = lab;
	const tools = [dirname(claudeExecutable), dirname(process.execPath)];
	const there = await sshLab({
		ANTHROPIC_BASE_URL: lab.model.url,
		ANTHROPIC_API_KEY: agent.env['ANTHROPIC_API_KEY'] ?? '',
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
		DISABLE_AUTOUPDATER: '1',
		IS_SANDBOX: '1',
		PATH: [...tools, '/usr/local/bin:/usr/bin:/bin'].join(delimiter),
	});
	claudeHome({ home: there.home, trusted: [], modelUrl: lab.model.url });
	const git = (...args: string[]) => execFileSync('git', args, { cwd: lab.workspace.path, encoding: 'utf8' }).trim();
	git('init', '-q', '-b', 'main');
	git('-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '-q', '--allow-empty', '-m', 'first');
	const env = {
		...lab.env,
		PATH: [there.bin, ...tools, lab.env['PATH']].join(delimiter),
		XDG_DATA_HOME: dirname(dataFolderIn(lab.home)),
		IS_SANDBOX: '1',
	};
	const call = (args: string[], more: Record<string, string> = {}, stdin = '') =>
		nancy.start(args, { cwd: lab.workspace.path, env: { ...env, ...more }, stdin });
	return {
		lab,
		there,
		git,
		call,
		tickets: new Tickets(dataFolderIn(lab.home), lab.workspace.path),
		async delegate(prompt: string, ...args: string[]) {
			const all = [
				'delegate',
				'-',
				'--title',
				'T',
				'--permissions',
				'bypassPermissions',
				'--json',
				'--worktree',
				'--on',
				'ssh:lab',
				...args,
			];
			const done = await call(all, {}, prompt);
			expect(done.stderr).toBe('');
			return DelegateCreatedOutput.parse(JSON.parse(done.stdout)).id;
		},
		async now() {
			const [delegate] = DelegatesOutput.parse(
				JSON.parse((await call(['delegates', '--json'])).stdout),
			).delegates;
			if (!delegate) throw new Error('no delegate');
			return delegate;
		},
		async ended(id: string) {
			const done = await call(['delegates', id, '--wait', '--timeout', '240', '--json']);
			const [delegate] = DelegatesOutput.parse(JSON.parse(done.stdout)).delegates;
			if (!delegate) throw new Error(done.stderr);
			return delegate;
		},
		async [Symbol.asyncDispose]() {
			await there[Symbol.asyncDispose]();
			await lab[Symbol.asyncDispose]();
		},
	};
}

/** What a job has left on the other machine. */
async function leftThere({ home }: SshLab, id: string) {
	const root = join(home, '.nancy-remote');
	const below = (name: string) => (existsSync(join(root, name)) ? readdirSync(join(root, name)) : []);
	const refs = below('repos').flatMap(name =>
		execFileSync('git', ['--git-dir', join(root, 'repos', name), 'for-each-ref', '--format=%(refname)'], {
			encoding: 'utf8',
		})
			.split('\n')
			.filter(Boolean),
	);
	const processes = await markedProcesses(REMOTE_MARK, id);
	return { jobs: below('jobs'), refs, processes };
}
const NOTHING = { jobs: [], refs: [], processes: [] };

const runnerOf = (lab: DeployedLab, id: string): { pid: number } =>
	JSON.parse(readFileSync(lab.workspace.file(`.nancy/delegates/${id}.status`), 'utf8')).runner;

describe('a delegate on another machine', () => {
	it('works there in a worktree, and its branch, answer, log and result come back', async () => {
		await using machines = await twoMachines();
		const { lab, there, git, call } = machines;
		const id = await machines.delegate(
			'[[write:made.txt|from there]] [[sh:pwd; echo $HOME]] [[text:It is done there.]]',
		);
		const ended = await machines.ended(id);
		expect(ended.error).toBeUndefined();
		expect(ended).toMatchObject({ status: 'done', on: 'ssh:lab', toolCalls: 2, branch: `nancy/${id}` });
		expect(readFileSync(ended.output, 'utf8')).toBe('It is done there.');
		expect(readFileSync(ended.log, 'utf8')).toContain('● Bash');
		expect(git('show', `nancy/${id}:made.txt`)).toBe('from there');
		expect(readFileSync(join(ended.worktree ?? '', 'made.txt'), 'utf8')).toBe('from there');
		expect(existsSync(lab.workspace.file('made.txt'))).toBe(false);
		// It worked there.
		expect(JSON.stringify(lab.model.requests)).toContain(
			join(realpathSync(there.home), '.nancy-remote/jobs', id, 'tree'),
		);
		expect((await call(['delegates'])).stdout).toContain('on ssh:lab');
		expect(await leftThere(there, id)).toEqual(NOTHING);
	});

	it("reports to the idle agent that it was asked for, in that agent's own request", async () => {
		await using machines = await twoMachines({ isDeployed: true });
		const { lab } = machines;
		const session = SessionId.parse(randomUUID());
		const parent = await startedTask(lab, session);
		const claude = await lab.interactive(['--session-id', session]);
		await submit(claude, '[[text:Waiting now]]');
		await claude.waitForText(/● Waiting now/);
		await eventually('idle', async () => (await readPhase(lab.nancy.paths, session)).phase === 'idle');
		const id = await machines.delegate(
			'[[text:Done on the other machine.]]',
			'--to',
			`${parent.task}/${parent.worker}`,
		);
		const request = await lab.model.waitForRequest(each =>
			each.text.includes(`[DELEGATE COMPLETE - Task ID: ${id}]`),
		);
		expect(request.text).toContain('Done on the other machine.');
		expect(request.text).toContain('Waiting now');
	});

	it('goes on there while its runner here is killed, and is found again by its id', async () => {
		await using machines = await twoMachines();
		const { lab, there, call, tickets } = machines;
		const gate = gateIn(there.home);
		const id = await machines.delegate(`[[write:made.txt|x]] ${gate.step} [[text:Survived.]]`);
		const [ticket] = [id as Parameters<Tickets['remotePhase']>[0]];
		await eventually(
			'submitted',
			async () => (await tickets.remotePhase(ticket))?.phase === 'submitted' || undefined,
		);
		process.kill(runnerOf(lab, id).pid, 'SIGKILL');
		gate.open();
		expect((await call(['delegates'])).stdout).toContain('running');
		expect(await machines.ended(id)).toMatchObject({ status: 'done' });
		expect(lab.model.requests.filter(each => JSON.stringify(each).includes('Survived.')).length).toBeGreaterThan(0);
		expect(await leftThere(there, id)).toEqual(NOTHING);
	});

	it('is stopped there with everything that it has started, and its work until then comes back', async () => {
		await using machines = await twoMachines();
		const { there, git, call } = machines;
		const gate = gateIn(there.home);
		const id = await machines.delegate(`[[write:made.txt|half]] ${gate.step} [[text:Never.]]`);
		await eventually(
			'at work',
			async () => (await call(['delegates'])).stdout.includes('2 tool calls') || undefined,
		);
		expect((await call(['delegates', id, '--stop'])).code).toBe(0);
		expect(await machines.ended(id)).toMatchObject({ status: 'failed', error: 'cancelled' });
		expect(git('show', `nancy/${id}:made.txt`)).toBe('half');
		expect(await leftThere(there, id)).toEqual(NOTHING);
	});

	it('goes on there while the machine cannot be reached, and no message to it is taken', async () => {
		await using machines = await twoMachines();
		const { lab, there, call } = machines;
		const gate = gateIn(there.home);
		const id = await machines.delegate(`${gate.step} [[text:Survived.]]`);
		await eventually(
			'at work',
			async () => (await call(['delegates'])).stdout.includes('1 tool calls') || undefined,
		);
		const { worker } = await machines.now();
		const sent = await call(['send', worker, 'more']);
		expect(sent.stderr).toContain('messages do not reach it yet');
		await there.stop();
		const log = lab.workspace.file(`.nancy/delegates/${id}.log`);
		await eventually('said', () => readFileSync(log, 'utf8').includes('cannot be reached') || undefined);
		gate.open();
		await there.start();
		expect(await machines.ended(id)).toMatchObject({ status: 'done' });
		expect(readFileSync(log, 'utf8')).toContain('reached again');
		expect(await leftThere(there, id)).toEqual(NOTHING);
	});

	it('is not for agents to start', async () => {
		await using machines = await twoMachines();
		const done = await machines.call(['delegate', 'x', '--worktree', '--on', 'ssh:lab'], { CLAUDECODE: '1' });
		expect(done.stderr).toContain('an agent may not run a delegate on ssh:lab');
		expect((await machines.call(['delegate', 'x', '--worktree', '--on', 'ssh:-oProxyCommand=x'])).stderr).toContain(
			'no machine is named',
		);
	});
});
