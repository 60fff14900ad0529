import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bundledChild } from '../../support/bundledChild.ts';
import { eventually } from '../../support/eventually.ts';
import { long } from '../../support/long.ts';
import { lookThere } from '../../support/lookThere.ts';
import { queuedJobThere } from '../../support/queuedJobThere.ts';
import { cannotLimitMemory, slurmLab, type SlurmLab } from '../../support/slurmLab.ts';
import { killNow } from '../../support/killNow.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

let slurm: SlurmLab;
let home: TempFolder;
const program = bundledChild('queuedRunner');

// Each test has a cluster of its own. Slurm takes a node out of service for a minute and more if a process of a killed job is slow to end.
beforeEach(async () => {
	home = tempFolder('nancy-queue-');
	slurm = await slurmLab();
	useSlurm(slurm);
});
afterEach(async () => {
	await slurm[Symbol.asyncDispose]();
	vi.unstubAllEnvs();
	await home.remove();
});

/** The environment of a login host. Its home folder is that of its nodes. */
function useSlurm({ env }: SlurmLab): void {
	for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
	vi.stubEnv('HOME', home.path);
	vi.stubEnv('SHELL', '/bin/sh');
}

function queued(...sbatch: string[]) {
	const job = queuedJobThere({ type: 'slurm', sbatch }, program);
	const state = () => slurm.call('squeue', '--noheader', '--states=all', `--name=${job.name}`, '--format=%T').trim();
	return { ...job, state };
}

describe('a job in the queue of Slurm', () => {
	it('runs once, however often it is submitted, and Slurm keeps nothing of the environment', async () => {
		vi.stubEnv('SOME_KEY', 'marked-secret');
		// Of a user who wants something else from their own calls.
		vi.stubEnv('SBATCH_WAIT', '1');
		vi.stubEnv('SQUEUE_STATES', 'FAILED');
		const one = queued();
		await Promise.all(Array.from({ length: 8 }, () => one.submit()));
		await one.atWork();
		await one.submit();
		expect(() => execFileSync('grep', ['-r', 'marked-secret', slurm.folder])).toThrow('Command failed');
		one.finish();
		expect(await one.ended()).toMatchObject({ is: 'ended', end: { ok: true, output: 'It is done.' } });
		await eventually('all of them ended', () => slurm.call('squeue', '--noheader') === '');
		expect(one.runs()).toBe(1);
		expect((await one.look()).queueSays).toBeUndefined();
	});

	it('says why it waits, and never begins once it is cancelled', async () => {
		const [first, second] = [queued('-c2'), queued('-c', '2')];
		await first.submit();
		await first.atWork();
		await second.submit();
		expect(await second.until('a reason', ({ queueSays }) => queueSays === 'Resources')).toMatchObject({
			is: 'running',
			log: '',
		});
		await second.cancel();
		expect(await second.look()).toMatchObject({ is: 'ended', end: { ok: false, reason: 'cancelled' } });
		expect(second.state()).toBe('CANCELLED');
		first.finish();
		expect(await first.ended()).toMatchObject({ end: { ok: true } });
	});

	it('ends by its runner when it is cancelled, which has time to commit', async () => {
		const one = queued();
		await one.submit();
		await one.atWork();
		await one.cancel();
		const seen = await one.ended();
		expect(seen).toMatchObject({ is: 'ended', end: { ok: false, reason: 'cancelled' } });
		expect(seen.queueSays).toBeUndefined();
		// Slurm calls it failed where the job's shell has lost the status of its runner: see scriptOf.
		await eventually('over', () => ['COMPLETED', 'FAILED'].includes(one.state()));
	});

	it.each([
		['that Slurm would never start', ['-t', '2-0'], 'Slurm would never start it: PartitionTimeLimit'],
		['that Slurm refuses', ['--partition=none'], /^Slurm refuses it: .*invalid partition/i],
	])('%s fails with the reason, and is in no queue', async (_, sbatch, reason) => {
		const one = queued(...sbatch);
		await one.submit();
		const seen = await one.ended();
		expect(seen.end?.reason).toMatch(reason);
		expect(slurm.call('squeue', '--noheader')).toBe('');
	});

	it('that a person takes out before it begins says so, and does not begin again', long, async () => {
		const [first, second] = [queued('-c2'), queued('-c2')];
		await first.submit();
		await first.atWork();
		await second.submit();
		slurm.call('scancel', `--name=${second.name}`);
		expect((await second.ended()).end?.reason).toContain('Slurm has ended it before it began: CANCELLED');
		await second.submit();
		expect(slurm.call('squeue', '--noheader', '--format=%j').trim()).toBe(first.name);
	});

	it('that a person takes out while it runs says so', long, async () => {
		const one = queued();
		await one.submit();
		await one.atWork();
		slurm.call('scancel', `--name=${one.name}`);
		// What is kept of the queue is older.
		expect(await one.ended(false)).toMatchObject({
			is: 'ended',
			queueSays: expect.stringContaining('CANCELLED'),
			end: { ok: false, reason: 'cancelled' },
		});
	});

	it('whose runner is killed is lost, with what Slurm says of it', async () => {
		const one = queued();
		await one.submit();
		await one.atWork();
		killNow(await one.files.runner());
		expect(await one.ended(false)).toMatchObject({ is: 'lost', queueSays: expect.stringContaining('FAILED') });
		await one.rescue();
	});

	it('on another node lives as long as it shows it, or Slurm has it there', async () => {
		const one = queued();
		await one.submit();
		await one.atWork();
		const runner = await one.files.runner();
		writeFileSync(one.files.runnerFile, JSON.stringify({ runner: { ...runner, machine: 'another.1.2' } }));
		const fiveMinutesAgo = new Date(Date.now() - 5 * 60_000);
		utimesSync(one.files.runnerFile, fiveMinutesAgo, fiveMinutesAgo);
		expect((await one.look()).is).toBe('running');
		killNow(runner);
		await eventually('ended', () => one.state() === 'FAILED');
		expect((await one.look()).is).toBe('lost');
		utimesSync(one.files.runnerFile, new Date(), new Date());
		expect((await one.look()).is).toBe('running');
	});

	it('whose program is not on its node says what its shell has said', long, async () => {
		const one = queued();
		vi.stubEnv('SHELL', '/nowhere/sh');
		await one.submit();
		expect((await one.ended()).end?.reason).toMatch(
			/^Slurm has ended it before it began: FAILED, NonZeroExitCode: .*nowhere/,
		);
	});

	it('is not lost and runs once where the controller is killed right after it was submitted', long, async () => {
		const one = queued();
		await one.submit();
		process.kill(slurm.controller(), 'SIGKILL');
		// Slurm cannot be asked, and nothing is known.
		expect(await one.look()).toMatchObject({ is: 'running' });
		await slurm.startController();
		await one.atWork();
		one.finish();
		expect(await one.ended()).toMatchObject({ is: 'ended', end: { ok: true } });
		expect(one.runs()).toBe(1);
	});

	it('asks the cluster once for all jobs of a while', async () => {
		const tools = home.file('squeue');
		writeFileSync(tools, `#!/bin/sh\necho asked >> '${home.file('asked')}'\nexec /usr/bin/squeue "$@"\n`, {
			mode: 0o755,
		});
		vi.stubEnv('PATH', [home.path, process.env['PATH']].join(delimiter));
		const all = [queued('-c2'), queued('-c2'), queued('-c2')];
		for (const each of all) await each.submit();
		await all[2]?.look();
		rmSync(home.file('asked'));
		for (let round = 0; round < 3; round++) for (const { id } of all) await lookThere(id, program);
		expect(() => readFileSync(home.file('asked'))).toThrow('ENOENT');
		for (const each of all) await each.cancel();
	});

	it('whose submission nobody answers runs once', long, async () => {
		const one = queued();
		const controller = slurm.controller();
		process.kill(controller, 'SIGSTOP');
		await expect(one.submit()).rejects.toThrow('Slurm does not answer');
		process.kill(controller, 'SIGCONT');
		await eventually('submitted', () => one.submit().then(() => true));
		await one.atWork();
		one.finish();
		expect(await one.ended()).toMatchObject({ end: { ok: true } });
		expect(one.runs()).toBe(1);
	});

	it('that Slurm begins again does its work once', long, async () => {
		const one = queued();
		await one.submit();
		await eventually('begun', () => existsSync(one.files.log));
		// What the controller knew last is not on its disk yet.
		process.kill(slurm.controller(), 'SIGKILL');
		await slurm.startController();
		const state = () => slurm.call('squeue', '--noheader', '--states=all', '--format=%T').trim();
		await eventually('begun again, or known to run', () => state() !== 'PENDING');
		one.finish();
		const seen = await one.ended();
		expect(['ended', 'lost']).toContain(seen.is);
		expect(one.runs()).toBe(1);
	});

	it('ends by its files also where Slurm does not answer', long, async () => {
		const one = queued();
		await one.submit();
		await one.atWork();
		const controller = slurm.controller();
		process.kill(controller, 'SIGSTOP');
		await one.cancel();
		expect(await one.ended()).toMatchObject({ is: 'ended', end: { reason: 'cancelled' } });
		process.kill(controller, 'SIGCONT');
	});

	it('whose node is lost goes on, for its files say so', long, async () => {
		const one = queued();
		await one.submit();
		await one.atWork();
		slurm.killNode();
		await eventually(
			'given up by Slurm',
			() => slurm.call('squeue', '--noheader', '--states=all', '--format=%T').trim() === 'NODE_FAIL',
		);
		expect((await one.look()).is).toBe('running');
		one.finish();
		expect(await one.ended()).toMatchObject({ is: 'ended', end: { ok: true } });
	});

	it('that reaches its time limit there says so', long, async () => {
		const one = queued('--time=1');
		await one.submit();
		await one.atWork();
		const seen = await eventually(
			'its end',
			async () => ((await one.look()).is === 'running' ? undefined : one.look()),
			{
				timeoutMs: 180_000,
			},
		);
		expect(seen).toMatchObject({
			is: 'ended',
			queueSays: 'Slurm: TIMEOUT, TimeLimit',
			end: { reason: 'cancelled' },
		});
	});

	it.skipIf(cannotLimitMemory)(
		`that takes more memory than it has asked for says so${cannotLimitMemory}`,
		long,
		async () => {
			await using strict = await slurmLab({ limitsMemory: true });
			useSlurm(strict);
			const one = queued('--mem=300M');
			await one.submit();
			await one.atWork();
			writeFileSync(`${one.files.folder}/eat`, '');
			expect(await one.ended()).toMatchObject({
				is: 'lost',
				queueSays: expect.stringContaining('OUT_OF_MEMORY'),
			});
		},
	);

	it('that Slurm has forgotten is as its own files say', long, async () => {
		await using forgetful = await slurmLab({ minJobAge: 2 });
		useSlurm(forgetful);
		const [done, killed] = [queued(), queued()];
		for (const each of [done, killed]) {
			await each.submit();
			await each.atWork();
		}
		killNow(await killed.files.runner());
		done.finish();
		await eventually('forgotten', () => forgetful.call('squeue', '--noheader', '--states=all') === '');
		expect(await done.look()).toMatchObject({ is: 'ended', end: { ok: true } });
		expect(await killed.look()).toMatchObject({ is: 'lost' });
	});
});
