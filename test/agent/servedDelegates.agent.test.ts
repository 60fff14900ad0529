import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identify, liveness } from '../../src/base/liveness.ts';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { descendantsOf, processTable } from '../../src/process/processTable.ts';
import { TaskName, WorkerName } from '../../src/protocol/names.ts';
import { isAfter } from '../conformance/evidence.ts';
import { askingDelegate } from '../support/askingDelegate.ts';
import { eventually } from '../support/eventually.ts';
import { copilotServed, opencodeServed, servedLab, type ServedAgent } from '../support/servedAgents.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

const OF_ITS_OWN = ['--permissions', 'configured'];

/** A delegate of the agent `mine`, with the desk where it asks. */
async function delegated(
	served: ServedAgent,
	prompt: string,
	{ args = [], asks = true }: { args?: readonly string[]; asks?: boolean } = {},
) {
	const lab = await servedLab(served, { asks });
	return { lab, ...(await askingDelegate(nancy, lab, prompt, ['--agent', 'mine', ...args])) };
}

it.each([opencodeServed, copilotServed])(
	'a delegate of $agent.id, named by a setting, waits for its user: a Yes runs the tool, and its answer is the result',
	async served => {
		const { lab, id, ...run } = await delegated(served, '[[sh:touch made]] [[text:Finished]]');
		await using _ = lab;
		const question = await run.asked();
		expect(question).toMatchObject({ driver: 'acp-mine', tool: 'execute', body: 'touch made', delegate: id });
		expect(run.made()).toBe(false);
		await run.answer(question, { effect: 'once' });
		expect(await run.ended()).toMatchObject({ status: 'done', agent: 'acp-mine', toolCalls: 1 });
		expect(run.made()).toBe(true);
		expect(await run.outcome(question)).toMatchObject({ state: 'applied' });
		expect((await run.call('delegates', id)).stdout).toContain('Finished');
		expect((await run.call('inbox', '--json')).stdout).toContain('DELEGATE COMPLETE');
	},
);

describe('a delegate of opencode, named by a setting', () => {
	it('runs nothing after a No, and says why it has no answer', async () => {
		const { lab, ...run } = await delegated(opencodeServed, '[[sh:touch made]]');
		await using _ = lab;
		await run.answer(await run.asked(), { effect: 'no' });
		const error = 'it has ended its turn after a No to: touch made';
		expect(await run.ended()).toMatchObject({ status: 'failed', error });
		expect(run.made()).toBe(false);
	});

	it('asks nobody without “Ask me”, and is denied what it asks', async () => {
		const { lab, ...run } = await delegated(opencodeServed, '[[sh:touch made]]', { args: OF_ITS_OWN });
		await using _ = lab;
		expect(await run.ended()).toMatchObject({ status: 'failed', denied: ['execute'] });
		expect(run.made()).toBe(false);
		expect(await run.desk.all()).toEqual([]);
	});

	it('is steered in the middle of its turn', async () => {
		await using lab = await servedLab(opencodeServed);
		const prompt = `${lab.held} [[sh:true]] [[text:Not steered]]`;
		const { id, worker, ...run } = await askingDelegate(nancy, lab, prompt, ['--agent', 'mine', ...OF_ITS_OWN]);
		await lab.made('begun');
		const letGo = lab.model.hold(() => true);
		const [task = '', name = ''] = worker.split('/');
		const address = { task: TaskName.parse(task), worker: WorkerName.parse(name) };
		const message = await lab.send(address, 'Use the other port. [[text:Steered]]');
		lab.letGo();
		const { log } = new Delegates(lab.nancy).files(id);
		await eventually('it has the words', () => readFileSync(log, 'utf8').includes('Use the other port.'));
		letGo();
		expect(await run.ended()).toMatchObject({ status: 'done' });
		expect(isAfter(await lab.seen('Use the other port.'), 'Not steered')).toBe(false);
		expect(await lab.delivered(address, message)).toMatchObject({ receipt: { rung: 'steer' } });
	});

	it('leaves no process when it is stopped', async () => {
		const prompt = '[[sh:touch made; sleep 300]]';
		const { lab, id, ...run } = await delegated(opencodeServed, prompt, { args: OF_ITS_OWN, asks: false });
		await using _ = lab;
		await eventually('it works', run.made);
		const { pid } = (await new Delegates(lab.nancy).get(id)).status.agent_process!;
		const all = [pid, ...descendantsOf(pid, await processTable())].map(identify);
		expect(all.length).toBeGreaterThan(2);
		await run.call('delegates', id, '--stop');
		expect(await run.ended()).toMatchObject({ status: 'failed', error: 'cancelled' });
		expect(all.map(each => liveness(each))).toEqual(all.map(() => 'dead'));
	});

	it('asks nobody any more when it is stopped', async () => {
		const { lab, id, ...run } = await delegated(opencodeServed, '[[sh:touch made]]');
		await using _ = lab;
		const question = await run.asked();
		await run.call('delegates', id, '--stop');
		expect(await run.ended()).toMatchObject({ status: 'failed', error: 'cancelled' });
		expect(await run.desk.readOutcome(question.id)).toMatchObject({ state: 'ended' });
		expect(existsSync(lab.workspace.file('made'))).toBe(false);
	});

	it('that cannot begin fails with the words of its program', async () => {
		const wrong = { ...opencodeServed, server: () => ({ args: ['acp', '--port=none', '--no-such-option'] }) };
		const { lab, ...run } = await delegated(wrong, '[[text:Never said]]');
		await using _ = lab;
		expect(await run.ended()).toMatchObject({
			status: 'failed',
			error: expect.stringContaining('opencode acp'),
		});
	});
});
