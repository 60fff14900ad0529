import { readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownMachine } from '../../src/base/machine.ts';
import { DelegateId, DelegateStatus } from '../../src/protocol/delegate.ts';
import { DelegatesOutput } from '../../src/protocol/output/delegates.ts';
import { killNow } from '../support/killNow.ts';
import { eventually } from '../support/eventually.ts';
import { gateIn } from '../support/gate.ts';
import { long } from '../support/long.ts';
import { leftThere, NOTHING } from '../support/leftThere.ts';
import { noSecondHost, SecondHost } from '../support/secondHost.ts';
import { twoMachines } from '../support/twoMachines.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

describe.skipIf(noSecondHost)(`a delegate elsewhere, on two machines of one home folder${noSecondHost}`, () => {
	/** One that works, and what a person does on the other machine of the two. */
	async function twoHosts() {
		const machines = await twoMachines(nancy);
		const host = await SecondHost.start();
		const { lab, there, tickets, env } = machines;
		const gate = gateIn(there.home);
		const id = DelegateId.parse(await machines.delegate(`[[write:made.txt|x]] ${gate.step} [[text:Survived.]]`));
		await eventually('submitted', async () => (await tickets.remotePhase(id))?.phase === 'submitted' || undefined);
		const onSecond = (...args: string[]) => host.run(nancy, args, { cwd: lab.workspace.path, env });
		return {
			...machines,
			id,
			gate,
			onSecond,
			runnerNow: () =>
				DelegateStatus.parse(
					JSON.parse(readFileSync(lab.workspace.file(`.nancy/delegates/${id}.status`), 'utf8')),
				).runner,
			async endOnSecond() {
				const { stdout } = await onSecond('delegates', id, '--wait', '--timeout', '240', '--json');
				return DelegatesOutput.parse(JSON.parse(stdout)).delegates[0];
			},
			async [Symbol.asyncDispose]() {
				await host[Symbol.asyncDispose]();
				await machines[Symbol.asyncDispose]();
			},
		};
	}

	it('is watched by the second once the first is silent, and not before', async () => {
		await using hosts = await twoHosts();
		const { lab, there, id, gate, git, onSecond, runnerNow } = hosts;
		const first = runnerNow();
		killNow(first);
		expect((await onSecond('delegates')).stdout).toContain('running');
		expect(runnerNow()).toEqual(first);
		// A minute later.
		const sign = join(lab.nancy.paths.machines, ownMachine() ?? '');
		const earlier = Date.now() / 1000 - 90;
		utimesSync(sign, earlier, earlier);
		expect((await onSecond('delegates')).stdout).toContain('running');
		expect(runnerNow()?.machine).not.toBe(first?.machine);
		gate.open();
		expect(await hosts.endOnSecond()).toMatchObject({ status: 'done' });
		expect(git('show', `nancy/${id}:made.txt`)).toBe('x');
		expect(await leftThere(there, id)).toEqual(NOTHING);
	});

	it('is stopped on the second while the first watches it', long, async () => {
		await using hosts = await twoHosts();
		const { there, id, onSecond } = hosts;
		await hosts.atWork(2);
		expect(await onSecond('delegates', id, '--stop')).toMatchObject({ code: 0, stderr: '' });
		expect(await hosts.endOnSecond()).toMatchObject({ status: 'failed', error: 'cancelled' });
		expect(await onSecond('delegates', 'delete', id)).toMatchObject({ code: 0, stderr: '' });
		expect((await hosts.call(['delegates'])).stdout).not.toContain(id);
		expect(await leftThere(there, id)).toEqual(NOTHING);
	});
});
