import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { NancyError } from '../../../src/base/errors.ts';
import { identify } from '../../../src/base/liveness.ts';
import { RECEIVER } from '../../../src/executors/receiver.ts';
import { failedStep, markedLine, refuseError } from '../../../src/executors/ask.ts';
import { Here } from '../../../src/executors/here.ts';
import { JobFiles } from '../../../src/executors/jobFiles.ts';
import { runOnce } from '../../../src/executors/jobRun.ts';
import { steps } from '../../../src/executors/there.ts';
import { DelegateId } from '../../../src/protocol/delegate.ts';
import { RemoteJob } from '../../../src/protocol/remoteJob.ts';
import { folderMachine } from '../../support/folderMachine.ts';
import { lookThere } from '../../support/lookThere.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

const id = DelegateId.parse('20261129t101538501z-4cc5001c');
let home: TempFolder;
let files: JobFiles;
beforeEach(() => {
	home = tempFolder();
	vi.stubEnv('HOME', home.path);
	files = new JobFiles(id);
	mkdirSync(files.fence, { recursive: true });
});
afterEach(async () => {
	vi.unstubAllEnvs();
	await home.remove();
});

const runnerIs = (runner: object) => writeFileSync(`${files.folder}/runner.json`, JSON.stringify({ runner }));

it('a runner is asked to end also where no file can be written', async () => {
	const runner = spawn('sleep', ['600']);
	const ended = once(runner, 'exit');
	runnerIs(identify(runner.pid ?? 0));
	// No file can get the name.
	mkdirSync(`${files.cancelled}/full`, { recursive: true });
	await steps['cancel']?.({ id }, '').finally(() => runner.kill('SIGKILL'));
	expect(await ended).toEqual([null, 'SIGTERM']);
});

it.each([
	['running', 'a runner on another machine with the same home', { ...identify(process.pid), machine: 'another.1.2' }],
	['lost', 'a runner here that is gone', { ...identify(process.pid), startedTicks: 1 }],
])('a job is %s with %s', async (is, _, runner) => {
	runnerIs(runner);
	expect(await lookThere(id)).toMatchObject({ is });
});

it('a job is lost whose runner cannot be seen from here, as in a container that was started anew, and gives no sign of life', async () => {
	runnerIs({ ...identify(process.pid), machine: 'another.1.2' });
	const earlier = new Date(Date.now() - 4 * 60_000);
	utimesSync(files.runnerFile, earlier, earlier);
	expect(await lookThere(id)).toMatchObject({ is: 'lost' });
});

it.each(['runner.json', 'status.json', 'end.json', 'job.json'])(
	'a job is ended whatever its agent has written into %s',
	async name => {
		runnerIs({ ...identify(process.pid), startedTicks: 1 });
		writeFileSync(`${files.folder}/${name}`, 'garbage');
		const earlier = new Date(Date.now() - 60_000);
		utimesSync(files.fence, earlier, earlier);
		expect(await lookThere(id)).toMatchObject({ is: 'lost' });
		await steps['cancel']?.({ id }, '');
		expect(existsSync(files.cancelled)).toBe(true);
		await steps['clean']?.({ id, repository: '0'.repeat(16) }, '');
		expect(existsSync(files.folder)).toBe(false);
	},
);

it('a job that has ended on another machine says so, whatever its agent has written into its file', async () => {
	runnerIs({ ...identify(process.pid), machine: 'another.1.2' });
	await files.writeEnd({ ok: true, output: 'done' });
	writeFileSync(`${files.folder}/job.json`, 'garbage');
	expect(await lookThere(id)).toMatchObject({ is: 'ended', end: { output: 'done' } });
});

it('the end of a job is written once there is room for it', async () => {
	const { job } = folderMachine('');
	await files.writeJob(RemoteJob.parse({ ...job, id }));
	const write = vi.spyOn(files, 'writeEnd').mockRejectedValueOnce(new Error('no space left'));
	await runOnce(files, new AbortController().signal, async () => ({ ok: true, output: 'done' }));
	expect(write).toHaveBeenCalledTimes(2);
	expect(await files.end()).toMatchObject({ ok: true, output: 'done' });
});

it('a job whose files find no room there is started by the next try', async () => {
	rmdirSync(files.fence);
	const job = { ...folderMachine('').job, id };
	// No file can get the name.
	mkdirSync(`${files.folder}/job.json`, { recursive: true });
	await expect(steps['start']?.(job, '/no/nancy.js')).rejects.toThrow();
	expect(existsSync(files.fence)).toBe(false);
	rmdirSync(`${files.folder}/job.json`);
	await steps['start']?.(job, '/no/nancy.js');
	expect(existsSync(files.fence)).toBe(true);
});

it('a runner shows by the clock of the disk that it lives', async () => {
	runnerIs({ ...identify(process.pid), machine: 'another.1.2' });
	const earlier = new Date(Date.now() - 4 * 60_000);
	utimesSync(files.runnerFile, earlier, earlier);
	const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 60 * 60_000);
	await files.beat();
	expect(await lookThere(id)).toMatchObject({ is: 'running' });
	now.mockRestore();
	expect(await files.runner()).toMatchObject({ machine: 'another.1.2' });
});

it('a look that may wait waits for the end of a job, and no longer', async () => {
	runnerIs(identify(process.pid));
	const jobs = [{ id, offset: 0, carried: [] }];
	expect(await steps['look']?.({ jobs, waitMs: 100 }, '')).toMatchObject({
		answers: [{ answer: { is: 'running' } }],
	});
	const looking = steps['look']?.({ jobs, waitMs: 10_000 }, '');
	await files.writeEnd({ ok: true, output: 'done' });
	expect(await looking).toMatchObject({ answers: [{ answer: { is: 'ended', end: { output: 'done' } } }] });
});

it('the log goes on after a line that is longer than a look, of which it leaves out the end', async () => {
	files.appendLog(`${'é'.repeat(400_000)}\nand on`);
	const { log } = await lookThere(id);
	expect(log).toMatch(/^é+ \[… \d+ characters left out …\]\nand on\n$/);
});

it('of a job that never began in a queue nothing is ended, so no queue need answer', async () => {
	const { job } = folderMachine('');
	await files.writeJob(RemoteJob.parse({ ...job, id, queue: { type: 'slurm', sbatch: [] } }));
	await files.writeEnd({ ok: false, reason: 'Slurm refuses it', output: '' });
	vi.stubEnv('PATH', home.path);
	expect(await steps['rescue']?.({ id, repository: job.repository }, '')).toEqual({ isWork: false });
});

it('a step that may succeed later says so', () => {
	const place = 'hpc';
	expect(() => refuseError(failedStep(new NancyError('timeout', 'Slurm does not answer')), place)).toThrow(
		expect.objectContaining({ code: 'timeout', message: 'hpc says: Slurm does not answer' }),
	);
	expect(() => refuseError(failedStep(new Error('full')), place)).toThrow(expect.objectContaining({ code: 'io' }));
	expect(refuseError({ is: 'running' }, place)).toEqual({ is: 'running' });
});

it('a step of this machine itself has its time', async () => {
	const hangs = { look: () => new Promise<object>(() => undefined) };
	await expect(new Here(hangs).step('1', 'look', {}, 50)).rejects.toMatchObject({ code: 'timeout' });
});

it('the git that a login shell finds is named for the calls that have none', async () => {
	mkdirSync(home.file('tools'));
	writeFileSync(home.file('tools/git'), '#!/bin/sh\n', { mode: 0o755 });
	vi.stubEnv('PATH', `${home.file('tools')}:/usr/bin:/bin`);
	expect(await steps['repository']?.({ repository: '0'.repeat(16) }, '')).toMatchObject({
		git: home.file('tools/git'),
	});
});

/** Brings a version of one program. @param before runs first */
function receive(
	version: string,
	before = '',
	files = [{ name: 'nancy.js', base64: btoa('second'), isProgram: true }],
) {
	const input = JSON.stringify({ version, files });
	return markedLine(execFileSync(process.execPath, ['-e', before + RECEIVER], { input, encoding: 'utf8' }));
}

it('programs of earlier versions go once nobody has used them for long, and what was cut off', () => {
	const runtimes = home.file('.nancy-remote/nancy/runtime');
	const daysAgo = (name: string, days: number) => {
		mkdirSync(`${runtimes}/${name}`, { recursive: true });
		const at = Date.now() / 1000 - days * 24 * 3600;
		utimesSync(`${runtimes}/${name}`, at, at);
	};
	for (const [name, days] of [
		['1-old', 91],
		['1-used', 91],
		['1-late', 89],
		['1-x.new-1', 2],
		['1-x.new-2', 0],
	] as const)
		daysAgo(name, days);
	receive('1-used', '', []);
	receive('1-a');
	expect(readdirSync(runtimes).sort()).toEqual(['1-a', '1-late', '1-used', '1-x.new-2']);
});

it('programs that another call has just brought are taken as they are', () => {
	// That call comes in between.
	const other = `
		const fs0 = require('node:fs'), rename = fs0.renameSync;
		fs0.renameSync = (from, to) => { fs0.mkdirSync(to); fs0.writeFileSync(to + '/nancy.js', 'first'); rename(from, to); };`;
	expect(receive('1-a', other)).toEqual({ node: process.version, isThere: true });
	const runtimes = home.file('.nancy-remote/nancy/runtime');
	expect(readdirSync(runtimes)).toEqual(['1-a']);
	expect(readFileSync(`${runtimes}/1-a/nancy.js`, 'utf8')).toBe('first');
});
