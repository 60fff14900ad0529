import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REMOTE_MARK } from '../../src/executors/jobFiles.ts';
import { markedProcesses } from '../../src/process/marked.ts';
import { eventually } from '../support/eventually.ts';
import { gateIn } from '../support/gate.ts';
import { slurmLab, type SlurmLab } from '../support/slurmLab.ts';
import { twoMachines } from '../support/twoMachines.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

let nancy: NancyCommand;
let slurm: SlurmLab;
beforeAll(async () => {
	[nancy, slurm] = await Promise.all([NancyCommand.build({ isPackage: true }), slurmLab()]);
});
afterAll(async () => {
	await slurm[Symbol.asyncDispose]();
	await nancy[Symbol.asyncDispose]();
});

/** A cluster whose login host is reached by `ssh`, as the user has named it. */
async function cluster() {
	const machines = await twoMachines(nancy, { on: 'hpc', profile: slurm.env });
	machines.nameExecutors({
		hpc: { type: 'slurm', via: 'ssh:lab', sbatch: ['-p', 'main', '--mem=500M'], max: 8 },
	});
	return machines;
}

describe('a delegate on a Slurm cluster', () => {
	it('works in a job there, and its branch, answer and log come back', async () => {
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
		gate.open();
		const ended = await machines.ended(id);
		expect(ended.error).toBeUndefined();
		expect(ended).toMatchObject({ status: 'done', on: 'slurm:hpc@lab', branch: `nancy/${id}` });
		expect(readFileSync(ended.output, 'utf8')).toBe('It is done there.');
		expect(readFileSync(ended.log, 'utf8')).toContain('● Bash');
		expect(git('show', `nancy/${id}:made.txt`)).toBe('from there');
		expect(JSON.stringify(machines.lab.model.requests)).toContain(`job nancy-${id}`);
		// Nothing is left, and Slurm was given no secret.
		const jobs = join(there.home, '.nancy-remote', 'jobs');
		expect(existsSync(jobs) ? readdirSync(jobs) : []).toEqual([]);
		expect(await markedProcesses(REMOTE_MARK, id)).toEqual([]);
	});
});
