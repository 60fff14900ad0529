import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { waitForProgram } from '../support/gate.ts';
import { leftThere, NOTHING } from '../support/leftThere.ts';
import { long } from '../support/long.ts';
import { oneByOne } from '../support/oneByOne.ts';
import { twoMachines } from '../support/twoMachines.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

/** A queue on a login host that is reached by `ssh`, as the user has named it. */
async function withQueue() {
	const machines = await twoMachines(nancy, { on: 'site' });
	const bin = join(machines.there.home, 'bin');
	mkdirSync(bin);
	const queue = oneByOne(bin, machines.there.home);
	machines.nameExecutors({ site: { type: 'command', via: 'ssh:lab', ...queue.commands, max: 8 } });
	return { ...machines, queue, [Symbol.asyncDispose]: () => machines[Symbol.asyncDispose]() };
}

describe('a delegate in a queue that the user names by its commands', () => {
	it('waits there with the queue’s reason, and its branch, answer and log come back', long, async () => {
		await using machines = await withQueue();
		const { there, git, call, queue } = machines;
		expect((await call(['executors', 'site'])).stdout).toContain('site  command:site@lab: ready');
		const gate = join(there.home, 'open');
		const env = { ...process.env, HOME: there.home };
		execFileSync(queue.program, ['submit', 'other'], { input: `exec ${waitForProgram} ${gate}`, env });
		const id = await machines.delegate('[[write:made.txt|from there]] [[text:It is done there.]]');
		await eventually(
			'waiting',
			async () =>
				(await call(['delegates'])).stdout.includes(
					`${id} waiting · on command:site@lab · waits: another job runs`,
				) || undefined,
		);
		writeFileSync(gate, '');
		const ended = await machines.ended(id);
		expect(ended.error).toBeUndefined();
		expect(ended).toMatchObject({ status: 'done', on: 'command:site@lab', branch: `nancy/${id}` });
		expect(readFileSync(ended.output, 'utf8')).toBe('It is done there.');
		expect(readFileSync(ended.log, 'utf8')).toContain('● Write');
		expect(git('show', `nancy/${id}:made.txt`)).toBe('from there');
		expect(await leftThere(there, id)).toEqual(NOTHING);
	});

	it('is submitted by this machine itself where the queue has no login host', long, async () => {
		await using machines = await withQueue();
		const { lab, there, git, queue } = machines;
		machines.nameExecutors({ site: { type: 'command', ...queue.commands } });
		// Of its user here, as it is there.
		copyFileSync(join(there.home, '.profile'), join(lab.home, '.profile'));
		const id = await machines.delegate('[[write:made.txt|from the queue]] [[text:Done here.]]');
		expect(await machines.ended(id)).toMatchObject({ status: 'done', on: 'command:site' });
		expect(git('show', `nancy/${id}:made.txt`)).toBe('from the queue');
		expect(await leftThere({ ...there, home: lab.home }, id)).toMatchObject({ jobs: [], refs: [], processes: [] });
	});

	it('is refused with commands that make no sense, and its machine lacks those that are not there', async () => {
		await using machines = await withQueue();
		const { call, queue } = machines;
		const delegate = ['delegate', 'x', '--worktree', '--permissions', 'bypassPermissions', '--on', 'site'];
		const { submit, look } = queue.commands;
		machines.nameExecutors({ site: { type: 'command', via: 'ssh:lab', submit, look } });
		const refused = await call(delegate);
		expect(refused.stderr).toContain(
			'settings.json cannot be read: at delegates.executors.site.cancel: takes a list',
		);
		machines.nameExecutors({
			site: { type: 'command', via: 'ssh:lab', submit: ['no-such-submit'], look, cancel: ['/nowhere/cancel'] },
		});
		const probed = (await call(['executors', 'site'])).stdout;
		expect(probed).toContain('site  command:site@lab: not ready');
		expect(probed).toContain('a login shell finds no no-such-submit: give the absolute path');
		expect(probed).toContain('a login shell finds no /nowhere/cancel: give the absolute path');
		expect((await machines.ended(await machines.delegate('[[text:Never.]]'))).error).toContain(
			'a login shell there finds no no-such-submit, /nowhere/cancel',
		);
	});
});
