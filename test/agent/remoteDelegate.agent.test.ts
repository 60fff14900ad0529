import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identify, liveness } from '../../src/base/liveness.ts';
import type { Tickets } from '../../src/core/delegates/tickets.ts';
import { REMOTE_MARK } from '../../src/executors/jobFiles.ts';
import { markedProcesses } from '../../src/process/marked.ts';
import { leftThere, NOTHING } from '../support/leftThere.ts';
import { long, longIf } from '../support/long.ts';
import { cannotMount } from '../support/skipped.ts';
import { signal } from '../../src/process/signal.ts';
import { submit } from '../support/submit.ts';
import { readPhase } from '../../src/core/sessions/phase.ts';
import { DelegateId } from '../../src/protocol/delegate.ts';
import { SessionId } from '../../src/protocol/names.ts';
import { startedTask, type DeployedLab } from '../support/deployedLab.ts';
import { eventually } from '../support/eventually.ts';
import { commandLinesWith, filesWith } from '../support/filesWith.ts';
import { gateIn } from '../support/gate.ts';
import { twoMachines } from '../support/twoMachines.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

const runnerOf = (lab: DeployedLab, id: string): { pid: number } =>
	JSON.parse(readFileSync(lab.workspace.file(`.nancy/delegates/${id}.status`), 'utf8')).runner;

const AS_PERSON = 'git -c user.name=P -c user.email=p@e.x';

describe('a delegate on another machine', () => {
	it('works there in a worktree, with what is uncommitted here, and its branch, answer, log and result come back', async () => {
		await using machines = await twoMachines(nancy);
		const { lab, there, git, call } = machines;
		writeFileSync(lab.workspace.file('draft.txt'), 'uncommitted');
		const id = await machines.delegate(
			`[[write:made.txt|from there]] [[sh:cp draft.txt copy.txt; pwd; echo $HOME; git branch fix-a $(${AS_PERSON} commit-tree -p HEAD -m side HEAD:)]] [[text:It is done there.]]`,
			'--with-changes',
		);
		const ended = await machines.ended(id);
		expect(ended.error).toBeUndefined();
		expect(ended).toMatchObject({ status: 'done', on: 'ssh:lab', toolCalls: 2, branch: `nancy/${id}` });
		expect(readFileSync(ended.output, 'utf8')).toBe('It is done there.');
		expect(readFileSync(ended.log, 'utf8')).toContain('● Bash');
		expect(git('show', `nancy/${id}:made.txt`)).toBe('from there');
		expect(git('show', `nancy/${id}:copy.txt`)).toBe('uncommitted');
		expect(ended).toMatchObject({ otherBranches: [`nancy/${id}.fix-a`] });
		expect(git('show', '--no-patch', '--format=%s', `nancy/${id}.fix-a`).trim()).toBe('side');
		expect(readFileSync(join(ended.worktree ?? '', 'made.txt'), 'utf8')).toBe('from there');
		expect(existsSync(lab.workspace.file('made.txt'))).toBe(false);
		// It worked there.
		expect(JSON.stringify(lab.model.requests)).toContain(
			join(realpathSync(there.home), '.nancy-remote/jobs', id, 'tree'),
		);
		expect((await call(['delegates'])).stdout).toContain('on ssh:lab');
		expect(await leftThere(there, id)).toEqual(NOTHING);
	});

	it("reports to the idle agent that it was asked for, in that agent's own request", long, async () => {
		await using machines = await twoMachines(nancy, { isDeployed: true });
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

	for (const [what, change] of [
		['are changed', (file: string) => writeFileSync(file, 'another')],
		['are removed', (file: string) => rmSync(file)],
	] as const)
		it(
			`goes on there while its runner here is killed, and is found again though its files here ${what}`,
			longIf(what === 'are changed'),
			async () => {
				await using machines = await twoMachines(nancy);
				const { lab, there, call, tickets } = machines;
				const gate = gateIn(there.home);
				const id = await machines.delegate(`[[write:made.txt|x]] ${gate.step} [[text:Survived.]]`);
				const [ticket] = [id as Parameters<Tickets['remotePhase']>[0]];
				await eventually(
					'submitted',
					async () => (await tickets.remotePhase(ticket))?.phase === 'submitted' || undefined,
				);
				process.kill(runnerOf(lab, id).pid, 'SIGKILL');
				for (const ending of ['json', 'prompt']) change(lab.workspace.file(`.nancy/delegates/${id}.${ending}`));
				gate.open();
				expect((await call(['delegates'])).stdout).toContain('running');
				expect(await machines.ended(id)).toMatchObject({ status: 'done' });
				expect(
					lab.model.requests.filter(each => JSON.stringify(each).includes('Survived.')).length,
				).toBeGreaterThan(0);
				expect(await leftThere(there, id)).toEqual(NOTHING);
			},
		);

	it('goes on there when this machine shuts down, which tells each of its programs to end', async () => {
		await using machines = await twoMachines(nancy);
		const { there, call, tickets } = machines;
		const gate = gateIn(there.home);
		const id = await machines.delegate(`[[write:made.txt|x]] ${gate.step} [[text:Survived.]]`);
		await machines.atWork(2);
		const runner = identify(machines.runner(id));
		signal(runner.pid, 'SIGTERM');
		await eventually('its runner has ended', () => liveness(runner) === 'dead');
		expect(await tickets.facts(DelegateId.parse(id))).toMatchObject({ end: undefined });
		gate.open();
		expect((await call(['delegates'])).stdout).toContain('running');
		expect(await machines.ended(id)).toMatchObject({ status: 'done' });
		expect(await leftThere(there, id)).toEqual(NOTHING);
	});

	it.skipIf(cannotMount)(
		`keeps its answer until there is room again on a full disk there${cannotMount}`,
		async () => {
			await using machines = await twoMachines(nancy);
			const { there, git } = machines;
			const jobs = join(there.home, '.nancy-remote/jobs');
			mkdirSync(jobs, { recursive: true, mode: 0o700 });
			execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m,mode=700', 'tmpfs', jobs]);
			try {
				const full = join(jobs, 'full');
				const id = await machines.delegate(
					`[[write:made.txt|x]] [[sh:cat /dev/zero > ${full} || true]] [[text:Done there.]]`,
				);
				await eventually('the disk is full', () => existsSync(full));
				const alive = async () => (await markedProcesses(REMOTE_MARK, id)).length;
				await eventually('its agent is gone', async () => (await alive()) <= 1);
				await sleep(3000);
				expect(await alive()).toBe(1);
				rmSync(full);
				expect(await machines.ended(id)).toMatchObject({ status: 'done' });
				expect(git('show', `nancy/${id}:made.txt`)).toBe('x');
				expect(await leftThere(there, id)).toEqual(NOTHING);
			} finally {
				execFileSync('umount', ['--lazy', jobs]);
			}
		},
	);

	it('is stopped there with everything that it has started, and its work until then comes back', async () => {
		await using machines = await twoMachines(nancy);
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

	it('whose runner there is killed brings its commits and its edits back', long, async () => {
		await using machines = await twoMachines(nancy);
		const { there, git } = machines;
		const gate = gateIn(there.home);
		const commit = 'git add . && git -c user.name=A -c user.email=a@b.c commit -qm made';
		const id = await machines.delegate(
			`[[write:made.txt|x]] [[sh:${commit}]] [[write:edited.txt|y]] ${gate.step} [[text:Never.]]`,
		);
		await machines.atWork(4);
		for (const { pid } of await markedProcesses(REMOTE_MARK, id)) signal(pid, 'SIGKILL');
		expect(await machines.ended(id)).toMatchObject({
			status: 'failed',
			error: 'its runner on the other machine is lost',
		});
		expect(git('show', `nancy/${id}:edited.txt`)).toBe('y');
		expect(git('log', '--format=%s', `main..nancy/${id}`)).toBe(`nancy: uncommitted work of ${id}\nmade`);
		expect(await leftThere(there, id)).toEqual(NOTHING);
	});

	it('whose connection is lost while its work is on its way here gets it here by the next one', long, async () => {
		await using machines = await twoMachines(nancy);
		const { there, git } = machines;
		// A git that its login shell alone finds. The parent of the first call is the server of the connection.
		const lines = [
			'#!/bin/sh',
			'if [ "$3" = upload-pack ] && mkdir "$HOME/lost" 2>/dev/null; then kill -9 "$PPID"; fi',
			'exec /usr/bin/git "$@"',
		];
		mkdirSync(join(there.home, 'tools'));
		writeFileSync(join(there.home, 'tools/git'), `${lines.join('\n')}\n`, { mode: 0o755 });
		appendFileSync(join(there.home, '.profile'), 'export PATH="$HOME/tools:$PATH"\n');
		const id = await machines.delegate('[[write:made.txt|x]] [[text:Done there.]]');
		expect(await machines.ended(id)).toMatchObject({ status: 'done' });
		expect(existsSync(join(there.home, 'lost'))).toBe(true);
		expect(readFileSync(machines.log(id), 'utf8')).toContain('lost during git fetch; trying again');
		expect(git('show', `nancy/${id}:made.txt`)).toBe('x');
		expect(await leftThere(there, id)).toEqual(NOTHING);
	});

	it(
		'whose work cannot be committed there keeps its answer, and its folder there, which it names',
		long,
		async () => {
			await using machines = await twoMachines(nancy);
			const { there } = machines;
			const id = await machines.delegate(
				'[[write:made.txt|x]] [[sh:echo /nowhere > "$(git rev-parse --git-dir)/commondir"]] [[text:Done there.]]',
			);
			const ended = await machines.ended(id);
			expect(ended).toMatchObject({
				status: 'failed',
				error: expect.stringContaining(`stays in ~/.nancy-remote/jobs/${id} on lab`),
			});
			expect(readFileSync(ended.output, 'utf8')).toBe('Done there.');
			expect(readFileSync(join(there.home, '.nancy-remote/jobs', id, 'tree/made.txt'), 'utf8')).toBe('x');
		},
	);

	it.each(['the next one', 'nancy executors without an agent there'])(
		'that was given up and deleted is ended and cleaned up there by %s, and its work comes back',
		long,
		async by => {
			await using machines = await twoMachines(nancy);
			const { there, git, call, tickets } = machines;
			const gate = gateIn(there.home);
			const lost = await machines.delegate(`[[write:made.txt|half]] ${gate.step} [[text:Never.]]`);
			await machines.atWork(2);
			// As a deletion does. Its runner would give the machine up after that, if it could not be reached.
			await tickets.remove(DelegateId.parse(lost));
			signal(machines.runner(lost), 'SIGKILL');
			const left = await leftThere(there, lost);
			expect(left.jobs).toEqual([lost]);
			expect(left.processes).not.toEqual([]);
			if (by === 'nancy executors without an agent there') {
				// No agent is needed for that.
				appendFileSync(
					join(there.home, '.profile'),
					`export PATH=${dirname(process.execPath)}:/usr/bin:/bin\n`,
				);
				expect(await call(['executors', 'ssh:lab'])).toMatchObject({
					code: 1,
					stdout: expect.stringContaining('finds no Claude Code'),
					stderr: expect.stringMatching(`^nancy: the work in .*${lost} on lab is in .*${lost}\n$`),
				});
			} else await machines.ended(await machines.delegate('[[text:Done there.]]'));
			await eventually('cleaned up', async () => (await leftThere(there, lost)).jobs.length === 0);
			expect(git('show', `nancy/${lost}:made.txt`)).toBe('half');
			expect(await leftThere(there, lost)).toEqual(NOTHING);
		},
	);

	it('goes on there while the machine cannot be reached', long, async () => {
		await using machines = await twoMachines(nancy);
		const { lab, there, call } = machines;
		const gate = gateIn(there.home);
		const id = await machines.delegate(`${gate.step} [[text:Survived.]]`);
		await eventually(
			'at work',
			async () => (await call(['delegates'])).stdout.includes('1 tool calls') || undefined,
		);
		await there.stop();
		const log = lab.workspace.file(`.nancy/delegates/${id}.log`);
		await eventually('said', () => readFileSync(log, 'utf8').includes('cannot be reached') || undefined);
		expect((await call(['delegates'])).stdout).toMatch(/on ssh:lab · not seen since 20\d\d-/);
		gate.open();
		await there.start();
		expect(await machines.ended(id)).toMatchObject({ status: 'done' });
		expect(readFileSync(log, 'utf8')).toContain('reached again');
		expect(await leftThere(there, id)).toEqual(NOTHING);
	});

	it('waits for a place if so many run on its machine as the user has set, and says so', long, async () => {
		await using machines = await twoMachines(nancy);
		const { there, call } = machines;
		machines.nameExecutors({ lab: { type: 'ssh', host: 'lab', max: 1 } });
		const gate = gateIn(there.home);
		const first = await machines.delegate(`${gate.step} [[text:One.]]`);
		await machines.atWork();
		const second = await machines.delegate('[[text:Two.]]');
		expect((await call(['delegates'])).stdout).toContain(`${second} queued · on ssh:lab · waits for a place there`);
		gate.open();
		for (const id of [first, second]) expect(await machines.ended(id)).toMatchObject({ status: 'done' });
	});

	it('has the variables that the user has named, on no disk and in no command line', async () => {
		await using machines = await twoMachines(nancy);
		machines.nameExecutors({ lab: { type: 'ssh', host: 'lab', forwardEnv: ['OPEN_SESAME'] } });
		const gate = gateIn(machines.there.home);
		const start = async (env: Record<string, string>) => {
			const prompt = `[[sh:echo $\{#OPEN_SESAME} > made.txt]] ${gate.step} [[text:Done.]]`;
			const words = '--title T --worktree --permissions bypassPermissions --on lab --json'.split(' ');
			return JSON.parse((await machines.call(['delegate', prompt, ...words], env)).stdout).id;
		};
		const missing = await machines.ended(await start({}));
		expect(missing.error).toBe('"forwardEnv" of your settings names OPEN_SESAME, which is not set here');
		const key = `key-${randomUUID()}`;
		const id = await start({ OPEN_SESAME: key });
		await machines.atWork(2);
		expect(commandLinesWith(key)).toEqual([]);
		expect(filesWith(machines.there.home, key)).toEqual([]);
		expect(filesWith(machines.lab.workspace.file('.nancy'), key)).toEqual([]);
		gate.open();
		expect(await machines.ended(id)).toMatchObject({ status: 'done' });
		expect(machines.git('show', `nancy/${id}:made.txt`)).toBe(`${key.length}`);
	});

	it('is refused with permissions that ask, for nobody is asked from there', async () => {
		await using machines = await twoMachines(nancy);
		const asking = ['delegate', 'x', '--worktree', '--permissions', 'ask-me', '--on', 'ssh:lab'];
		expect((await machines.call(asking)).stderr).toContain('on another machine a delegate cannot ask you');
		expect((await machines.call(['delegates'])).stdout).toContain('no delegates');
	});

	it('is for agents to start only where the user has opened the machine to them', async () => {
		await using machines = await twoMachines(nancy);
		const start = (on: string, ...more: string[]) =>
			machines.call(['delegate', '[[text:Done there.]]', '--worktree', '--on', on, ...more], { CLAUDECODE: '1' });
		machines.nameExecutors({ lab: { type: 'ssh', host: 'lab' } });
		const refused = (on: string) =>
			`an agent may not run a delegate on ${on}; ask the user to, or to open it to agents`;
		for (const on of ['lab', 'ssh:lab']) expect((await start(on)).stderr).toContain(refused(on));
		machines.nameExecutors({ lab: { type: 'ssh', host: 'lab', fromAgents: true } });
		expect((await start('ssh:other')).stderr).toContain(refused('ssh:other'));
		expect((await start('lab', '--isolate', 'none')).stderr).toContain('may not choose how a delegate is isolated');
		expect((await machines.call(['executors'])).stdout).toContain('lab  ssh:lab (open to agents)\n');
		expect((await start('lab, ssh:other')).stderr).toContain(refused('ssh:other'));
		const { id } = JSON.parse((await start('lab', '--json')).stdout);
		expect(await machines.ended(id)).toMatchObject({ status: 'done', on: 'ssh:lab' });
		expect((await machines.call(['delegate', 'x', '--worktree', '--on', 'ssh:-oProxyCommand=x'])).stderr).toContain(
			'no machine is named',
		);
	});
});
