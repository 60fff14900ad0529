import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { gateIn } from '../support/gate.ts';
import { long } from '../support/long.ts';
import { twoMachines } from '../support/twoMachines.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

/** A delegate that is at work there, and goes on once the gate opens. */
async function atGate(machines: Awaited<ReturnType<typeof twoMachines>>) {
	const gate = gateIn(machines.there.home);
	const id = await machines.delegate(`${gate.step} [[sh:echo two]] [[text:Survived.]]`);
	await machines.atWork();
	const { worker } = await machines.now();
	return { gate, id, worker };
}

describe('a message to a delegate on another machine', () => {
	it('reaches the agent there at its next tool call, and its receipt comes back', async () => {
		await using machines = await twoMachines(nancy);
		const { lab, there, call } = machines;
		const gate = gateIn(there.home);
		const id = await machines.delegate(`${gate.step} [[sh:echo two]] [[text:It is done there.]]`);
		await machines.atWork();
		const { worker } = await machines.now();
		const sent = await call(['send', worker, 'Mind the kettle.']);
		expect(sent.stderr).toBe('');
		const message = sent.stdout.trim();
		await machines.isThere(message);
		gate.open();
		expect(await machines.ended(id)).toMatchObject({ status: 'done' });
		const request = await lab.model.waitForRequest(each => each.text.includes('Mind the kettle.'));
		expect(request.text).toContain('from the user (terminal)');
		expect(await machines.mail(worker)).toEqual([
			expect.objectContaining({
				id: message,
				state: 'delivered',
				receipt: expect.objectContaining({ rung: 'hook' }),
			}),
		]);
	});

	it('is read instead of the next tool call if it halts, and feedback when the agent is done', long, async () => {
		await using machines = await twoMachines(nancy);
		const { lab, call } = machines;
		const answer = lab.model.hold(({ text }) => text.includes('made.txt'));
		const id = await machines.delegate('[[write:made.txt|x]] [[text:Unreached.]]');
		await lab.model.waitForRequest(({ text }) => text.includes('made.txt'));
		const { worker } = await machines.now();
		const feedback = (await call(['send', worker, '--kind', 'feedback', '[[text:Better answer.]]'])).stdout.trim();
		const halt = (await call(['send', worker, '--halt', 'Write nothing. [[text:First answer.]]'])).stdout.trim();
		for (const message of [feedback, halt]) await machines.isThere(message);
		answer();
		const ended = await machines.ended(id);
		expect(ended).toMatchObject({ status: 'done' });
		expect(readFileSync(ended.output, 'utf8')).toBe('Better answer.');
		expect(existsSync(join(ended.worktree ?? '', 'made.txt'))).toBe(false);
		await lab.model.waitForRequest(each => each.text.includes('directive to halt from the user'));
		const events = Object.fromEntries((await machines.mail(worker)).map(each => [each.id, each.receipt?.event]));
		expect(events).toEqual({ [halt]: 'PreToolUse', [feedback]: 'Stop' });
	});

	it('is handed over once, and its receipt comes back, although the runner here is killed', long, async () => {
		await using machines = await twoMachines(nancy);
		const { lab, there, call } = machines;
		const gate = gateIn(there.home);
		const id = await machines.delegate(`${gate.step} [[sh:echo two]] [[sh:echo three]] [[text:Survived.]]`);
		await machines.atWork();
		const { worker } = await machines.now();
		const message = (await call(['send', worker, 'Mind the kettle.'])).stdout.trim();
		await machines.isThere(message);
		process.kill(machines.runner(id), 'SIGKILL');
		// Nobody watches: the agent gets it meanwhile.
		gate.open();
		await lab.model.waitForRequest(each => each.text.includes('Mind the kettle.'));
		const end = join(there.home, '.nancy-remote/jobs', id, 'end.json');
		await eventually('ended there', () => existsSync(end) || undefined);
		expect(await machines.mail(worker)).toEqual([expect.not.objectContaining({ state: 'delivered' })]);
		expect((await call(['delegates'])).stdout).toContain('running');
		expect(await machines.ended(id)).toMatchObject({ status: 'done' });
		expect(await machines.mail(worker)).toEqual([expect.objectContaining({ id: message, state: 'delivered' })]);
		const last = lab.model.requests.at(-1)?.text ?? '';
		expect(last.split('Mind the kettle.')).toHaveLength(2);
	});

	it('waits here while the machine cannot be reached, and goes over then', long, async () => {
		await using machines = await twoMachines(nancy);
		const { lab, there, call } = machines;
		const { gate, id, worker } = await atGate(machines);
		await there.stop();
		await eventually(
			'said',
			() => readFileSync(machines.log(id), 'utf8').includes('cannot be reached') || undefined,
		);
		const sent = await call(['send', worker, 'Mind the kettle.']);
		expect(sent.stderr).toContain('the message waits: ssh:lab cannot be reached since');
		const message = sent.stdout.trim();
		expect(await machines.mail(worker)).toEqual([expect.objectContaining({ id: message, state: 'queued' })]);
		await there.start();
		await machines.isThere(message);
		gate.open();
		expect(await machines.ended(id)).toMatchObject({ status: 'done' });
		expect(await machines.mail(worker)).toEqual([expect.objectContaining({ id: message, state: 'delivered' })]);
		await lab.model.waitForRequest(each => each.text.includes('Mind the kettle.'));
	});

	it(
		'is taken back there and here, or refused because the agent has it, although the runner here is killed',
		long,
		async () => {
			await using machines = await twoMachines(nancy);
			const { lab, there, call } = machines;
			const { gate, id, worker } = await atGate(machines);
			const sent = async (text: string) => {
				const message = (await call(['send', worker, text])).stdout.trim();
				await machines.isThere(message);
				return message;
			};
			const [back, backLater, read] = [await sent('Kettle.'), await sent('Teapot.'), await sent('Cup.')];
			const done = await call(['withdraw', back]);
			expect({ ...done, stdout: done.stdout.includes(`withdrew ${back}`) }).toMatchObject({
				code: 0,
				stdout: true,
			});
			process.kill(machines.runner(id), 'SIGKILL');
			expect((await call(['withdraw', backLater])).code).toBe(0);
			await there.stop();
			expect((await call(['withdraw', read])).stderr).toContain('nobody knows whether');
			await there.start();
			gate.open();
			const { text } = await lab.model.waitForRequest(each => each.text.includes('Cup.'));
			expect(text).not.toMatch(/Kettle|Teapot/);
			expect((await call(['withdraw', read])).stderr).toContain('its agent on ssh:lab has it');
			expect((await call(['delegates'])).stdout).toContain('running');
			expect(await machines.ended(id)).toMatchObject({ status: 'done' });
			const states = Object.fromEntries((await machines.mail(worker)).map(each => [each.id, each.state]));
			expect(states).toEqual({ [back]: 'withdrawn', [backLater]: 'withdrawn', [read]: 'delivered' });
		},
	);

	it('waits here again if the agent has ended without it', long, async () => {
		await using machines = await twoMachines(nancy);
		const { there, call } = machines;
		const gate = gateIn(there.home);
		const id = await machines.delegate(`${gate.step} [[text:Done.]]`);
		await machines.atWork();
		const { worker } = await machines.now();
		const message = (await call(['send', worker, 'Mind the kettle.'])).stdout.trim();
		await machines.isThere(message);
		expect(await machines.mail(worker)).toEqual([expect.objectContaining({ id: message, state: 'claimed' })]);
		expect((await call(['delegates', id, '--stop'])).code).toBe(0);
		expect(await machines.ended(id)).toMatchObject({ status: 'failed' });
		expect(await machines.mail(worker)).toEqual([
			expect.objectContaining({ id: message, state: 'queued', author: { is: 'human', via: 'terminal' } }),
		]);
	});
});
