import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { opencode } from '../../src/drivers/opencode/driver.ts';
import { conformanceLab, type Candidate } from '../conformance/lab.ts';
import { opencodeUnderTest } from '../support/agents/opencode.ts';
import { askingDelegate, askingWithLimit } from '../support/askingDelegate.ts';
import { long } from '../support/long.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

// Each agent here mostly waits.
vi.setConfig({ maxConcurrency: 2 });

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

const candidates = {
	opencode: { agent: opencodeUnderTest, driver: opencode, installed: pinnedAgent('opencode') },
} as const;

/** A delegate of the CLI, with the desk where it asks. */
async function asking(
	candidate: Candidate,
	prompt: string | ((file: (name: string) => string) => string),
	{ args = [], settings = {} }: { args?: readonly string[]; settings?: Record<string, unknown> } = {},
) {
	const agent = { ...candidate.agent, asking: settings };
	const lab = await conformanceLab({ ...candidate, agent }, { scope: 'none', asks: true });
	const words = typeof prompt === 'string' ? prompt : prompt(name => lab.workspace.file(name));
	return { lab, ...(await askingDelegate(nancy, lab, words, ['--agent', candidate.driver.id, ...args])) };
}

describe.concurrent.each([candidates.opencode])('a delegate of $driver.id that may ask', it_ => {
	it('waits for its user, goes on with a Yes, and reads a No with its words', async () => {
		const { lab, id, ...run } = await asking(it_, '[[sh:touch made]] [[sh:touch more]] [[text:Finished]]');
		await using _ = lab;
		const question = await run.asked();
		expect(question).toMatchObject({ kind: 'tool', tool: 'bash', body: 'touch made', delegate: id });
		expect(run.made()).toBe(false);
		expect((await run.call('delegates')).stdout).toContain('running · asks: touch made');
		await run.answer(question, { effect: 'once' });
		const next = await run.asked();
		expect([next.body, run.made()]).toEqual(['touch more', true]);
		await run.answer(next, { effect: 'no', words: 'Use the other folder.' });
		expect(await run.ended()).toMatchObject({ status: 'done' });
		expect(existsSync(lab.workspace.file('more'))).toBe(false);
		expect(run.read()).toContain('with the following feedback: Use the other folder.');
		for (const each of [question, next]) expect(await run.outcome(each)).toMatchObject({ state: 'applied' });
	});

	it(
		'asks for an edit with all that it would write, and for a folder outside with the same question',
		long,
		async () => {
			const outside = '/opt/nancy-asks-outside';
			const script = (file: (name: string) => string) =>
				`[[write:${file('made')}|hello]] [[sh:touch ${outside}]] [[text:Finished]]`;
			const { lab, ...run } = await asking(it_, script);
			await using _ = lab;
			const edit = await run.asked();
			expect(edit.body).toContain('hello');
			expect(edit.files).toEqual([lab.workspace.file('made')]);
			await run.answer(edit, { effect: 'once' });
			const command = await run.asked();
			expect([command.body, run.made()]).toEqual([`touch ${outside}`, true]);
			await run.answer(command, { effect: 'no' });
			await run.ended();
			expect(existsSync(outside)).toBe(false);
		},
	);

	it('that is stopped asks nobody any more, and has run nothing', long, async () => {
		const { lab, id, ...run } = await asking(it_, '[[sh:touch made]] [[text:Finished]]');
		await using _ = lab;
		const question = await run.asked();
		await run.call('delegates', id, '--stop');
		expect(await run.ended()).toMatchObject({ status: 'failed', error: 'cancelled' });
		expect(await run.desk.readOutcome(question.id)).toMatchObject({ state: 'ended' });
		await expect(run.answer(question, { effect: 'once' })).rejects.toMatchObject({ code: 'wrong-state' });
		expect(run.made()).toBe(false);
	});

	it('is answered No by its time limit', long, async () => {
		const { lab, question, ...run } = await askingWithLimit(args =>
			asking(it_, '[[sh:touch made]] [[text:Finished]]', { args }),
		);
		await using _ = lab;
		expect(await run.ended()).toMatchObject({ status: 'failed', error: 'timeout: it took too long' });
		expect(await run.desk.readOutcome(question.id)).toMatchObject({ state: 'ended' });
		expect(run.made()).toBe(false);
	});

	it('is denied when the process that waits is killed', long, async () => {
		const { lab, ...run } = await asking(it_, '[[sh:touch made]] [[text:Finished]]');
		await using _ = lab;
		const question = await run.asked();
		process.kill(question.holder.pid, 'SIGKILL');
		await run.ended();
		expect(run.made()).toBe(false);
		expect(await run.outcome(question)).toMatchObject({ state: 'ended' });
	});
});

describe.concurrent('a delegate of opencode that may ask', () => {
	it('is denied what the user’s own settings deny, whatever its user answers', async () => {
		const settings = { permission: { bash: { '*': 'allow', 'touch made': 'deny' } } };
		const script = '[[sh:touch made]] [[sh:touch more]] [[text:Finished]]';
		const { lab, ...run } = await asking(candidates.opencode, script, { settings });
		await using _ = lab;
		await run.answer(await run.asked(), { effect: 'once' });
		const next = await run.asked();
		expect([next.body, run.made()]).toEqual(['touch more', false]);
		await run.answer(next, { effect: 'once' });
		await run.ended();
		expect([run.made(), existsSync(lab.workspace.file('more'))]).toEqual([false, true]);
	});

	it('ends with an answer that ends its turn', long, async () => {
		const { lab, ...run } = await asking(candidates.opencode, '[[sh:touch made]] [[text:Never said]]');
		await using _ = lab;
		await run.answer(await run.asked(), { effect: 'end' });
		expect(await run.ended()).toMatchObject({ status: 'failed' });
		expect(run.made()).toBe(false);
	});
});
