import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { REMOTE_MARK } from '../../src/executors/jobFiles.ts';
import { markedProcesses } from '../../src/process/marked.ts';
import { eventually } from '../support/eventually.ts';
import { commandLinesWith, filesWith } from '../support/filesWith.ts';
import { gateIn } from '../support/gate.ts';
import { leftThere, NOTHING } from '../support/leftThere.ts';
import { long } from '../support/long.ts';
import { slurmLab, type SlurmLab } from '../support/slurmLab.ts';
import { twoMachines } from '../support/twoMachines.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

let nancy: NancyCommand;
let slurm: SlurmLab;
beforeAll(async () => {
	[nancy, slurm] = await Promise.all([NancyCommand.build({ isPackage: true }), slurmLab()]);
});
afterEach(() => {
	slurm.call('scancel', '--state=RUNNING');
	slurm.call('scancel', '--state=PENDING');
});
afterAll(async () => {
	await slurm[Symbol.asyncDispose]();
	await nancy[Symbol.asyncDispose]();
});

/** A cluster whose login host is reached by `ssh`, as the user has named it. */
async function cluster() {
	const machines = await twoMachines(nancy, { on: 'hpc', cluster: slurm.env });
	machines.nameExecutors({
		hpc: { type: 'slurm', via: 'ssh:lab', sbatch: ['-p', 'main', '--mem=500M'], max: 8 },
	});
	return machines;
}

/** A delegate that has done half of its work, and never ends by itself. */
async function halfDone(machines: Awaited<ReturnType<typeof cluster>>): Promise<string> {
	const gate = gateIn(machines.there.home);
	const id = await machines.delegate(`[[write:made.txt|half]] ${gate.step} [[text:Never.]]`);
	await machines.atWork(2);
	return id;
}

describe('a delegate on a Slurm cluster', () => {
	it('has the variables that the user has named, on no disk and in no command line', async () => {
		await using machines = await cluster();
		const sbatch = ['-p', 'main', '--mem=500M'];
		machines.nameExecutors({ hpc: { type: 'slurm', via: 'ssh:lab', sbatch, forwardEnv: ['OPEN_SESAME'] } });
		const gate = gateIn(machines.there.home);
		const key = `key-${randomUUID()}`;
		const prompt = `[[sh:echo $\{#OPEN_SESAME} > made.txt]] ${gate.step} [[text:Done.]]`;
		const words = '--title T --worktree --permissions bypassPermissions --on hpc --json'.split(' ');
		const started = await machines.call(['delegate', prompt, ...words], { OPEN_SESAME: key });
		const { id } = JSON.parse(started.stdout);
		await machines.atWork(2);
		expect(commandLinesWith(key)).toEqual([]);
		for (const folder of [machines.there.home, slurm.folder, machines.lab.workspace.file('.nancy')])
			expect(filesWith(folder, key)).toEqual([]);
		gate.open();
		expect(await machines.ended(id)).toMatchObject({ status: 'done' });
		expect(machines.git('show', `nancy/${id}:made.txt`)).toBe(`${key.length}`);
	});

	it('works in a job there, and its branch, answer and log come back', long, async () => {
		await using machines = await cluster();
		const { there, git, call } = machines;
		const gate = gateIn(there.home);
		const id = await machines.delegate(
			`[[write:made.txt|from there]] [[sh:echo job $SLURM_JOB_NAME]] ${gate.step} [[text:It is done there.]]`,
		);
		await eventually(
			'at work',
			async () => (await call(['delegates'])).stdout.includes('3 tool calls') || undefined,
		);
		expect(slurm.call('squeue', '--noheader', '--format=%j %T').trim()).toBe(`nancy-${id} RUNNING`);
		// The settings count when it is submitted. It is found again whatever they say.
		machines.nameExecutors({});
		gate.open();
		const ended = await machines.ended(id);
		expect(ended.error).toBeUndefined();
		expect(ended).toMatchObject({ status: 'done', on: 'slurm:hpc@lab', branch: `nancy/${id}` });
		expect(readFileSync(ended.output, 'utf8')).toBe('It is done there.');
		expect(readFileSync(ended.log, 'utf8')).toContain('● Bash');
		expect(git('show', `nancy/${id}:made.txt`)).toBe('from there');
		expect(JSON.stringify(machines.lab.model.requests)).toContain(`job nancy-${id}`);
		expect(await leftThere(there, id)).toEqual(NOTHING);
		expect(slurm.call('squeue', '--noheader', `--name=nancy-${id}`)).toBe('');
	});

	it('says why it waits in the queue there, and can be stopped before it begins', long, async () => {
		await using machines = await cluster();
		const { there, call } = machines;
		const probed = (await call(['executors', 'hpc'])).stdout;
		expect(probed).toContain('hpc  slurm:hpc@lab: ready');
		expect(probed).toContain('slurm-wlm');
		const other = slurm
			.call('sbatch', '--parsable', '-c2', '--export=NONE', '--output=/dev/null', '--wrap=exec sleep 600')
			.trim();
		const id = await machines.delegate('[[text:Never.]]');
		await eventually(
			'waiting',
			async () =>
				(await call(['delegates'])).stdout.includes(`${id} waiting · on slurm:hpc@lab · waits: Resources`) ||
				undefined,
		);
		expect((await machines.now()).waitsInQueue).toBe('Resources');
		expect((await call(['delegates', id, '--stop'])).code).toBe(0);
		const ended = await machines.ended(id);
		expect(ended).toMatchObject({ status: 'failed', error: 'cancelled' });
		expect(ended.waitsInQueue).toBeUndefined();
		slurm.call('scancel', other);
		expect(await leftThere(there, id)).toEqual(NOTHING);
		expect(slurm.call('squeue', '--noheader', `--name=nancy-${id}`)).toBe('');
	});

	it('that a person takes out of the queue while it works brings its work back, and says so', long, async () => {
		await using machines = await cluster();
		const { there, git } = machines;
		const id = await halfDone(machines);
		slurm.call('scancel', `--name=nancy-${id}`);
		const ended = await machines.ended(id);
		expect(ended.error).toContain('(Slurm: CANCELLED');
		expect(git('show', `nancy/${id}:made.txt`)).toBe('half');
		expect(await leftThere(there, id)).toEqual(NOTHING);
	});

	it('gets messages at its next tool call', long, async () => {
		await using machines = await cluster();
		const { there, call, lab } = machines;
		const gate = gateIn(there.home);
		const id = await machines.delegate(`${gate.step} [[sh:echo next]] [[text:Steered.]]`);
		await machines.atWork();
		const { worker } = await machines.now();
		const sent = await call(['send', worker, 'Use the other file.', '--json']);
		expect(sent.stderr).toBe('');
		await machines.isThere(JSON.parse(sent.stdout).id);
		gate.open();
		expect(await machines.ended(id)).toMatchObject({ status: 'done' });
		expect(JSON.stringify(lab.model.requests)).toContain('Use the other file.');
		expect((await machines.mail(worker)).map(({ receipt }) => receipt?.deliveredAt)).toEqual([expect.any(String)]);
	});

	it('is submitted by this machine itself where that is a login host', long, async () => {
		await using machines = await cluster();
		const { lab, there, git } = machines;
		machines.nameExecutors({ hpc: { type: 'slurm' } });
		// Of its user here, as it is there.
		copyFileSync(join(there.home, '.profile'), join(lab.home, '.profile'));
		const id = await machines.delegate('[[write:made.txt|from the queue]] [[text:Done here.]]');
		expect(await machines.ended(id)).toMatchObject({ status: 'done', on: 'slurm:hpc' });
		expect(git('show', `nancy/${id}:made.txt`)).toBe('from the queue');
		expect(await leftThere({ ...there, home: lab.home }, id)).toMatchObject({ jobs: [], refs: [], processes: [] });
	});

	it('is not needed for jobs of one’s own: an array runs a prompt in each, as docs/scale.md says', long, async () => {
		await using machines = await cluster();
		const { home } = machines.there;
		for (const name of ['project', 'prompts', 'answers']) mkdirSync(join(home, name));
		for (const n of [1, 2]) writeFileSync(join(home, `prompts/${n}.md`), `Question ${n}. [[text:Answer ${n}.]]`);
		const lines = [
			'#!/bin/sh',
			'#SBATCH --array=1-2%8 --export=NONE --no-requeue --time=60 --mem=500M',
			// Its user has another home, here.
			`export HOME='${home}'; . "$HOME/.profile"; cd`,
			`exec setsid --wait '${process.execPath}' '${nancy.program}' \\`,
			'  run --headless --prompt-file "prompts/$SLURM_ARRAY_TASK_ID.md" --output-file "answers/$SLURM_ARRAY_TASK_ID.md" \\',
			'  --working-dir "$HOME/project" --permissions plan --timeout 3000',
		];
		writeFileSync(join(home, 'array.sh'), `${lines.join('\n')}\n`);
		slurm.call('sbatch', `--output=${join(home, 'said-%a')}`, join(home, 'array.sh'));
		const answers = () => [1, 2].map(n => join(home, `answers/${n}.md`)).filter(file => existsSync(file));
		await eventually('both answers', () => answers().length === 2 || undefined);
		expect(answers().map(file => readFileSync(file, 'utf8'))).toEqual(['Answer 1.', 'Answer 2.']);
	});

	it('is refused with arguments that are Nancy’s own to give, or where no cluster has that name', long, async () => {
		await using machines = await cluster();
		machines.nameExecutors({ hpc: { type: 'slurm', via: 'ssh:lab', sbatch: ['--wrap=id'] } });
		const refused = ['delegate', 'x', '--worktree', '--permissions', 'bypassPermissions', '--on', 'hpc'];
		expect((await machines.call(refused)).stderr).toContain('takes --name=value or -x value');
		machines.nameExecutors({});
		expect((await machines.call(refused)).stderr).toContain('no machine is named "hpc"');
	});

	// The last one: a controller that was killed gives an id anew, and then takes the node out until its administrator says otherwise.
	it('whose runner there is killed while Slurm does not answer brings its work back once it does', long, async () => {
		await using machines = await cluster();
		const { there, git } = machines;
		const id = await halfDone(machines);
		process.kill(slurm.controller(), 'SIGKILL');
		for (const { pid } of await markedProcesses(REMOTE_MARK, id)) process.kill(pid, 'SIGKILL');
		await slurm.startController();
		const ended = await machines.ended(id);
		expect(ended.error).toContain('its runner on the other machine is lost');
		expect(git('show', `nancy/${id}:made.txt`)).toBe('half');
		expect(await leftThere(there, id)).toEqual(NOTHING);
	});
});
