import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identify, liveness } from '../../src/base/liveness.ts';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { descendantsOf, processTable } from '../../src/process/processTable.ts';
import type { DelegateId } from '../../src/protocol/delegate.ts';
import { InboxOutput } from '../../src/protocol/output/messages.ts';
import { isAfter } from '../conformance/evidence.ts';
import type { ConformanceLab } from '../conformance/lab.ts';
import { askingDelegate, askingWithLimit } from '../support/askingDelegate.ts';
import { eventually } from '../support/eventually.ts';
import { long, longIf } from '../support/long.ts';
import {
	claudeAdapterServed,
	commandOf,
	copilotServed,
	opencodeServed,
	servedLab,
	type ServedAgent,
} from '../support/servedAgents.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

const OF_ITS_OWN = ['--permissions', 'configured'];

/** What talks with the agent of a delegate. */
async function talkOf(lab: ConformanceLab, id: DelegateId): Promise<number> {
	return (await new Delegates(lab.nancy).get(id)).status.agent_process!.pid;
}

/** What talks with the agent, the agent, and what that runs. @returns whether all of it has ended */
async function everything(lab: ConformanceLab, id: DelegateId): Promise<() => boolean> {
	const pid = await talkOf(lab, id);
	const all = [pid, ...descendantsOf(pid, await processTable())].map(identify);
	expect(all.length).toBeGreaterThan(2);
	return () => all.every(each => liveness(each) === 'dead');
}

type Delegated = Awaited<ReturnType<typeof delegated>>;

/** A delegate of the agent `mine`, with the desk where it asks. */
async function delegated(
	served: ServedAgent,
	prompt: string,
	{ args = [], asks = true }: { args?: readonly string[]; asks?: boolean } = {},
) {
	const lab = await servedLab(served, { asks });
	return { lab, ...(await askingDelegate(nancy, lab, prompt, ['--agent', 'mine', ...args])) };
}

describe.each([opencodeServed, copilotServed])('a delegate of $agent.id, named by a setting,', served => {
	it('waits for its user: a Yes runs the tool, and its answer is the result', long, async () => {
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
	});
});

describe('a delegate of opencode, named by a setting', () => {
	it('runs nothing after a No, and says why it has no answer', long, async () => {
		const { lab, ...run } = await delegated(opencodeServed, '[[sh:touch made]]');
		await using _ = lab;
		await run.answer(await run.asked(), { effect: 'no' });
		const error = 'it has ended its turn after a No to: touch made';
		expect(await run.ended()).toMatchObject({ status: 'failed', error });
		expect(run.made()).toBe(false);
	});

	it('asks nobody without “Ask me”, and is denied what it asks', long, async () => {
		const { lab, ...run } = await delegated(opencodeServed, '[[sh:touch made]]', { args: OF_ITS_OWN });
		await using _ = lab;
		expect(await run.ended()).toMatchObject({ status: 'failed', denied: ['execute'] });
		expect(run.made()).toBe(false);
		expect(await run.desk.all()).toEqual([]);
	});

	it('is steered in the middle of its turn', async () => {
		await using lab = await servedLab(opencodeServed);
		const prompt = `${lab.held} [[sh:true]] [[text:Not steered]]`;
		const { id, address, ...run } = await askingDelegate(nancy, lab, prompt, ['--agent', 'mine', ...OF_ITS_OWN]);
		await lab.made('begun');
		const letGo = lab.model.hold(() => true);
		const message = await lab.send(address, 'Use the other port. [[text:Steered]]');
		lab.letGo();
		const { log } = new Delegates(lab.nancy).files(id);
		await eventually('it has the words', () => readFileSync(log, 'utf8').includes('Use the other port.'));
		letGo();
		expect(await run.ended()).toMatchObject({ status: 'done' });
		expect(isAfter(await lab.seen('Use the other port.'), 'Not steered')).toBe(false);
		expect(await lab.delivered(address, message)).toMatchObject({ receipt: { rung: 'steer' } });
	});

	describe.each([
		['it is stopped', 'cancelled', ['--stop'], []],
		['its idle time is over', 'timeout: nothing came from it for too long', [], ['--idle-timeout', '30']],
	])('when %s', (_when, error, stop, limit) => {
		it('leaves no process', long, async () => {
			const prompt = '[[sh:touch made; sleep 300]]';
			const { lab, id, ...run } = await delegated(opencodeServed, prompt, {
				args: [...OF_ITS_OWN, ...limit],
				asks: false,
			});
			await using _ = lab;
			await eventually('it works', run.made);
			const isOver = await everything(lab, id);
			if (stop.length > 0) await run.call('delegates', id, ...stop);
			expect(await run.ended()).toMatchObject({ status: 'failed', error });
			expect(isOver()).toBe(true);
		});
	});

	it('fails once, leaves no process and loses no message when what talks with it is killed', long, async () => {
		await using lab = await servedLab(opencodeServed);
		const prompt = `${lab.held} [[sh:true]] [[text:Never said]]`;
		const { id, address, ...run } = await askingDelegate(nancy, lab, prompt, ['--agent', 'mine', ...OF_ITS_OWN]);
		await lab.made('begun');
		const letGo = lab.model.hold(() => true);
		const message = await lab.send(address, 'Use the other port.');
		lab.letGo();
		await lab.delivered(address, message);
		const isOver = await everything(lab, id);
		process.kill(await talkOf(lab, id), 'SIGKILL');
		expect(await run.ended()).toMatchObject({ status: 'failed', error: 'it was ended by SIGKILL' });
		expect(isOver()).toBe(true);
		letGo();
		await eventually('the message is in its inbox', async () => {
			await lab.view(address);
			const { messages } = await lab.nancy.mailbox(address).list(['queued']);
			return messages.some(each => each.id === message);
		});
		const { messages } = InboxOutput.parse(JSON.parse((await run.call('inbox', '--json')).stdout));
		expect(messages.filter(({ kind }) => kind === 'result')).toHaveLength(1);
	});

	it('fails with the end of its agent when that is killed', long, async () => {
		const { lab, id, ...run } = await delegated(opencodeServed, '[[sh:touch made; sleep 300]]', {
			args: OF_ITS_OWN,
			asks: false,
		});
		await using _ = lab;
		await eventually('it works', run.made);
		const isOver = await everything(lab, id);
		const below = descendantsOf(await talkOf(lab, id), await processTable());
		const agent = below.find(pid => /opencode\S* acp$/.test(commandOf(pid).trim()));
		if (agent === undefined) throw new Error('it has no agent');
		process.kill(agent, 'SIGKILL');
		expect(await run.ended()).toMatchObject({ status: 'failed', error: 'its agent has ended' });
		expect(isOver()).toBe(true);
	});

	it.each([
		['it is stopped', 'cancelled', async (run: Delegated) => void (await run.call('delegates', run.id, '--stop'))],
		[
			'what talks with it is killed',
			'it was ended by SIGKILL',
			async ({ lab, id }: Delegated) => void process.kill(await talkOf(lab, id), 'SIGKILL'),
		],
	])('asks nobody any more when %s', long, async (_when, error, end) => {
		const run = await delegated(opencodeServed, '[[sh:touch made]]');
		await using lab = run.lab;
		const question = await run.asked();
		await end(run);
		expect(await run.ended()).toMatchObject({ status: 'failed', error });
		expect(await run.desk.readOutcome(question.id)).toMatchObject({ state: 'ended' });
		expect(existsSync(lab.workspace.file('made'))).toBe(false);
	});

	it('is answered No by its time limit', long, async () => {
		const { lab, question, ...run } = await askingWithLimit(args =>
			delegated(opencodeServed, '[[sh:touch made]]', { args }),
		);
		await using _ = lab;
		expect(await run.ended()).toMatchObject({ status: 'failed', error: 'timeout: it took too long' });
		expect(await run.desk.readOutcome(question.id)).toMatchObject({ state: 'ended' });
		expect(run.made()).toBe(false);
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

it('a delegate of Claude Code’s adapter goes on after a No, which its model has read', async () => {
	const { lab, ...run } = await delegated(claudeAdapterServed, '[[sh:touch made]] [[text:Finished without]]');
	await using _ = lab;
	await run.answer(await run.asked(), { effect: 'no' });
	expect(await run.ended()).toMatchObject({ status: 'done', denied: ['execute'] });
	expect(run.made()).toBe(false);
	const read = lab.requests().flatMap(({ turns }) => turns.map(({ toolOutput }) => toolOutput));
	expect(read).toContain('User refused permission to run tool');
});

describe.each([opencodeServed, claudeAdapterServed])('a delegate of $agent.id', served => {
	it('fails with the words of its model', long, async () => {
		const { lab, ...run } = await delegated(served, '[[err:400]]', { args: OF_ITS_OWN, asks: false });
		await using _ = lab;
		expect(await run.ended()).toMatchObject({
			status: 'failed',
			error: expect.stringContaining('The double was asked to answer 400'),
		});
	});
});

describe.each([opencodeServed, copilotServed, claudeAdapterServed])('a delegate of $agent.id', served => {
	const options = longIf(served !== opencodeServed);
	it('reads a prompt that begins with a slash as words, and runs no command', options, async () => {
		const { lab, ...run } = await delegated(served, '/compact the table. [[text:Finished]]', {
			args: OF_ITS_OWN,
			asks: false,
		});
		await using _ = lab;
		expect(await run.ended()).toMatchObject({ status: 'done' });
		expect(run.read()).toContain('/compact the table.');
		expect((await run.call('delegates', run.id)).stdout).toContain('Finished');
	});
});
