import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { steps } from '../../../src/executors/there.ts';
import { bundledChild } from '../../support/bundledChild.ts';
import { eventually } from '../../support/eventually.ts';
import { long } from '../../support/long.ts';
import { oneByOne } from '../../support/oneByOne.ts';
import { queuedJobThere } from '../../support/queuedJobThere.ts';
import { killNow } from '../../support/killNow.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

let home: TempFolder;
let engine: ReturnType<typeof oneByOne>;
let begun: ReturnType<typeof queuedJobThere>[] = [];
const program = bundledChild('queuedRunner');

beforeEach(() => {
	home = tempFolder('nancy-queue-');
	mkdirSync(home.file('bin'));
	vi.stubEnv('HOME', home.path);
	vi.stubEnv('SHELL', '/bin/sh');
	engine = oneByOne(home.file('bin'), home.path);
	begun = [];
});
afterEach(async () => {
	for (const command of ['submit', 'look', 'cancel'] as const) engine.before(command);
	for (const each of begun) {
		await each.cancel();
		if (existsSync(each.files.folder)) each.finish();
	}
	await eventually('an empty queue', () => !/ (?:queued|running)/.test(call('look')));
	vi.unstubAllEnvs();
	await home.remove();
});

function call(...args: string[]): string {
	return execFileSync(engine.program, args, { encoding: 'utf8' });
}

function queued(commands: Partial<(typeof engine)['commands']> = {}) {
	const job = queuedJobThere({ type: 'command', ...engine.commands, ...commands }, program);
	begun.push(job);
	return job;
}

describe('a job in a queue that the user names by its commands', () => {
	it('runs once, however often it is submitted, and the queue keeps nothing of the environment', async () => {
		vi.stubEnv('SOME_API_KEY', 'marked-secret');
		vi.stubEnv('SOME_URL', 'https://me:marked-secret@example.com');
		vi.stubEnv('NANCY_RUN', 'marked-run');
		vi.stubEnv('SOME_SETTING', 'marked-setting');
		engine.before('submit', 'env >>"$HOME/environment"');
		const one = queued();
		await Promise.all(Array.from({ length: 4 }, () => one.submit()));
		await one.atWork();
		await one.submit();
		expect(readFileSync(home.file('environment'), 'utf8')).toMatch(/marked-setting/);
		expect(() => execFileSync('grep', ['-rE', 'marked-(secret|run)', home.path])).toThrow('Command failed');
		one.finish();
		expect(await one.ended()).toMatchObject({ is: 'ended', end: { ok: true, output: 'It is done.' } });
		await eventually('all of them ended', () => call('look').trim() === `${one.name} ended`);
		expect(one.runs()).toBe(1);
		expect((await one.look()).queueSays).toBeUndefined();
	});

	it('says why it waits, and never begins once it is cancelled', async () => {
		const [first, second] = [queued(), queued()];
		await first.submit();
		await first.atWork();
		await second.submit();
		expect(await second.until('a reason', ({ queueSays }) => queueSays === 'another job runs')).toMatchObject({
			is: 'running',
			log: '',
		});
		await second.cancel();
		expect(await second.look()).toMatchObject({ is: 'ended', end: { ok: false, reason: 'cancelled' } });
		await eventually('taken out', () => call('look').includes(`${second.name} ended`));
		first.finish();
		expect(await first.ended()).toMatchObject({ end: { ok: true } });
		expect(existsSync(second.files.log)).toBe(false);
	});

	it('ends by its runner when it is cancelled, which has time to commit', long, async () => {
		const one = queued();
		await one.submit();
		await one.atWork();
		// The queue could only kill it.
		engine.before('cancel', 'touch "$HOME/killed"');
		await one.cancel();
		const seen = await one.ended();
		expect(seen).toMatchObject({ is: 'ended', end: { ok: false, reason: 'cancelled' } });
		expect(seen.queueSays).toBeUndefined();
		expect(existsSync(home.file('killed'))).toBe(false);
	});

	it('whose runner is killed is lost, with what the queue says of it', long, async () => {
		const one = queued();
		await one.submit();
		await one.atWork();
		killNow(await one.files.runner());
		expect(await one.ended(false)).toMatchObject({ is: 'lost', queueSays: 'the queue: exit 137' });
		await one.rescue();
	});

	it('is taken out whatever its agent has written into its file', async () => {
		const one = queued();
		await one.submit();
		await one.atWork();
		writeFileSync(join(one.files.folder, 'job.json'), 'garbage');
		await one.rescue();
		expect(call('look')).not.toMatch(/ (?:queued|running)/);
	});

	it('that a person takes out before it begins says so, and does not begin again', async () => {
		const [first, second] = [queued(), queued()];
		await first.submit();
		await first.atWork();
		await second.submit();
		call('cancel', second.name);
		expect((await second.ended()).end?.reason).toBe('the queue has ended it before it began');
		await second.submit();
		expect(call('look')).not.toMatch(new RegExp(`${second.name} (?:queued|running)`));
	});

	it('that the queue refuses fails with its words, once its list would have it', async () => {
		engine.before('submit', 'echo no such project >&2; exit 3');
		const one = queued();
		await one.submit();
		expect(await one.look()).toMatchObject({ is: 'running', queueSays: 'no such project' });
		await one.submittedEarlier();
		expect((await one.ended()).end?.reason).toBe('the queue refuses it: no such project');
		engine.before('submit');
		await one.submit();
		expect(call('look')).not.toContain(one.name);
	});

	it('that the queue takes although it says otherwise runs once, also if its list is late', async () => {
		engine.before('submit', `'${engine.program.replace('one-by-one', 'the-queue')}' "$@"; exit 1`);
		engine.before('look', 'exit 0');
		const first = queued();
		await first.submit();
		await first.atWork();
		const one = queued();
		await one.submit();
		expect(await one.look()).toMatchObject({ is: 'running' });
		engine.before('look');
		await one.submittedEarlier();
		await one.until('it waits', ({ queueSays }) => queueSays === 'another job runs');
		first.finish();
		await one.atWork();
		one.finish();
		expect(await one.ended()).toMatchObject({ end: { ok: true } });
		expect(one.runs()).toBe(1);
	});

	it('that the queue loses is submitted again, and three times at most', async () => {
		engine.before('submit', 'echo x >>"$HOME/submissions"; exit 0');
		const one = queued();
		await one.submit();
		for (let times = 1; times <= 3; times++) {
			// It may list a job late.
			for (let look = 0; look < 2; look++) expect((await one.look()).queueSays).toBe('submitted');
			expect(readFileSync(home.file('submissions'), 'utf8')).toBe('x\n'.repeat(times));
			await one.submittedEarlier();
			if (times < 3) expect((await one.look()).queueSays).toBe('submitted again');
		}
		expect((await one.ended()).end?.reason).toBe('the queue does not know it any more, and it never began');
		expect(readFileSync(home.file('submissions'), 'utf8')).toBe('x\nx\nx\n');
	});

	it('is asked for again where the queue does not answer', async () => {
		const down = 'echo the server is down >&2; exit 1';
		engine.before('submit', down);
		engine.before('look', down);
		const one = queued();
		await expect(one.submit()).rejects.toThrow('the queue does not answer: the server is down');
		engine.before('look');
		engine.before('submit');
		await one.submit();
		await one.atWork();
		engine.before('look', down);
		expect(await one.look()).toMatchObject({ is: 'running' });
		engine.before('cancel', down);
		await one.cancel();
		expect(await one.ended()).toMatchObject({ is: 'ended', end: { reason: 'cancelled' } });
	});

	it('is asked for again where a command hangs, of which nothing is left', long, async () => {
		engine.before('submit', 'echo $$ >"$HOME/hangs"; sleep 600 & echo $! >>"$HOME/hangs"; wait');
		const one = queued();
		await expect(one.submit()).rejects.toThrow('no answer of');
		const isThere = (pid: string) => existsSync(`/proc/${pid}`);
		const pids = readFileSync(home.file('hangs'), 'utf8').trim().split('\n');
		expect(pids).toHaveLength(2);
		await eventually('all of it ended', () => !pids.some(isThere));
		engine.before('submit');
		await one.submit();
		await one.atWork();
		expect(one.runs()).toBe(1);
	});

	it('says so where the list of the queue hangs, and is not lost from sight', long, async () => {
		const [first, second] = [queued(), queued()];
		await first.submit();
		await first.atWork();
		await second.submit();
		engine.before('look', 'exec sleep 600');
		expect(await second.look()).toMatchObject({
			is: 'running',
			queueSays: expect.stringMatching(/^the queue does not answer: no answer of/),
		});
	});

	it('of many that failed asks the queue once in a look', long, async () => {
		const all = Array.from({ length: 3 }, () => queued());
		for (const each of all) {
			await each.submit();
			await each.atWork();
			killNow(await each.files.runner());
			expect(await each.ended(false)).toMatchObject({ is: 'lost', queueSays: 'the queue: exit 137' });
		}
		engine.before('look', 'echo x >>"$HOME/asked"');
		const jobs = all.map(({ id }) => ({ id, offset: 0, carried: [] }));
		await steps['look']?.({ jobs }, program);
		expect(readFileSync(home.file('asked'), 'utf8')).toBe('x\n');
		for (const each of all) await each.rescue();
	});

	it('is not harmed by lines that say nothing of it', async () => {
		const lines = [
			String.raw`printf 'JOB STATE\n\n\000\377\033[2J garbage\n'`,
			'echo nancy- ended; echo nancy-../../x ended; echo nancy-20261129t1 ended; echo somebody-else FOO',
			"head -c 300000 /dev/zero | tr '\\0' x; echo",
		];
		engine.before('look', lines.join('\n'));
		const one = queued();
		await one.submit();
		await one.atWork();
		one.finish();
		expect(await one.ended()).toMatchObject({ end: { ok: true } });
		expect(one.runs()).toBe(1);
	});

	it.each([
		['a state that is none', 'echo nancy-x PEND; exit 0', 'the queue says PEND of a job, which is none of queued'],
		['no end', 'exec yes', /^the queue does not answer: the answer of .* is too long$/],
	])('does not end where the queue says %s', async (_, lines, words) => {
		const [first, second] = [queued(), queued()];
		await first.submit();
		await first.atWork();
		await second.submit();
		engine.before('look', lines);
		expect(await second.look()).toMatchObject({ is: 'running', queueSays: expect.stringMatching(words) });
		expect(await first.look()).toMatchObject({ is: 'running' });
	});

	it('fails where a login shell finds no program for a command', async () => {
		const one = queued({ look: ['no-such-look'], cancel: ['/nowhere/cancel'] });
		await one.submit();
		expect((await one.ended()).end?.reason).toBe('a login shell there finds no no-such-look, /nowhere/cancel');
		expect(globSync(home.file('queue/*'))).toEqual([]);
	});
});
