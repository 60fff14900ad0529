import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { geminiCli } from '../../src/drivers/gemini-cli/driver.ts';
import { opencode } from '../../src/drivers/opencode/driver.ts';
import { qwenCode } from '../../src/drivers/qwen-code/driver.ts';
import { isAfter } from '../conformance/evidence.ts';
import { conformanceLab, type Candidate } from '../conformance/lab.ts';
import { geminiUnderTest } from '../support/agents/gemini.ts';
import { opencodeUnderTest } from '../support/agents/opencode.ts';
import { qwenUnderTest } from '../support/agents/qwen.ts';
import { askingDelegate, askingWithLimit } from '../support/askingDelegate.ts';
import { long, longIf } from '../support/long.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

// Each agent here mostly waits.
vi.setConfig({ maxConcurrency: 2 });

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

const qwen = {
	agent: qwenUnderTest,
	driver: qwenCode,
	installed: pinnedAgent('qwen'),
	isSteered: true,
	no: 'end',
	afterNo: { status: 'failed', error: 'it has ended its turn after a No to: touch made' },
} as const;
const gemini = {
	agent: geminiUnderTest,
	driver: geminiCli,
	installed: pinnedAgent('gemini'),
	// It reads a directive when its turn ends.
	isSteered: false,
	no: 'no',
	afterNo: { status: 'done' },
} as const;
/** Nancy's own program talks with these, in the CLI's place. */
const talked = [qwen, gemini];
const candidates = {
	opencode: { agent: opencodeUnderTest, driver: opencode, installed: pinnedAgent('opencode') },
} as const;

/** A delegate of the CLI, with the desk where it asks. */
async function asking(
	candidate: Candidate,
	prompt: string | ((file: (name: string) => string) => string),
	{
		args = [],
		settings = {},
		begin,
	}: {
		args?: readonly string[];
		settings?: Record<string, unknown>;
		begin?: (folder: string) => void;
	} = {},
) {
	const agent = { ...candidate.agent, asking: settings };
	const lab = await conformanceLab({ ...candidate, agent }, { scope: 'none', asks: true });
	begin?.(lab.workspace.path);
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
});

describe.concurrent.each([candidates.opencode, ...talked])('a delegate of $driver.id that may ask and', it_ => {
	it('is stopped asks nobody any more, and has run nothing', long, async () => {
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

describe.concurrent.each(talked)('a delegate of $driver.id that may ask', it_ => {
	it('runs what its user allows, and its answer is the result', async () => {
		const { lab, id, ...run } = await asking(it_, '[[sh:touch made]] [[text:Finished]]');
		await using _ = lab;
		const question = await run.asked();
		expect(question).toMatchObject({ kind: 'tool', tool: 'run_shell_command', body: 'touch made', delegate: id });
		expect(run.made()).toBe(false);
		await run.answer(question, { effect: 'once' });
		expect(await run.ended()).toMatchObject({ status: 'done', toolCalls: 1 });
		expect(run.made()).toBe(true);
		expect(await run.outcome(question)).toMatchObject({ state: 'applied' });
		expect((await run.call('delegates', id)).stdout).toContain('Finished');
	});

	it('runs nothing after a No', long, async () => {
		const { lab, ...run } = await asking(it_, '[[sh:touch made]] [[text:Finished without]]');
		await using _ = lab;
		await run.answer(await run.asked(), { effect: it_.no });
		expect(await run.ended()).toMatchObject({ denied: ['run_shell_command'], ...it_.afterNo });
		expect(run.made()).toBe(false);
	});

	it('gets a directive, with a receipt', longIf(!it_.isSteered), async () => {
		const held = '[[sh:touch begun; until [ -e go ]; do sleep 0.1; done]]';
		const { lab, ...run } = await asking(it_, `${held} [[sh:touch made]] [[text:Not steered]]`);
		await using _ = lab;
		await run.answer(await run.asked(), { effect: 'once' });
		await lab.made('begun');
		const message = await lab.send(run.address, 'Use the other port. [[text:Steered]]');
		lab.letGo();
		if (!it_.isSteered) await run.answer(await run.asked(), { effect: 'once' });
		expect(await run.ended()).toMatchObject({ status: 'done' });
		expect(isAfter(await lab.seen('Use the other port.'), 'Not steered')).toBe(!it_.isSteered);
		expect((await lab.delivered(run.address, message)).state).toBe('delivered');
	});

	it('reads no file for a mention in its prompt', long, async () => {
		const begin = (folder: string) => writeFileSync(join(folder, 'mentioned.txt'), 'what it holds');
		const { lab, ...run } = await asking(it_, 'Look at @mentioned.txt [[text:Finished]]', { begin });
		await using _ = lab;
		expect(await run.ended()).toMatchObject({ status: 'done' });
		expect(run.read()).toContain('mentioned.txt');
		expect(lab.requests().some(({ text }) => text.includes('what it holds'))).toBe(false);
	});
});

it('a delegate of Gemini CLI asks also for what its settings allow', async () => {
	const tools = { allowed: ['run_shell_command'], core: ['run_shell_command'] };
	const { lab, ...run } = await asking(gemini, '[[sh:touch made]] [[text:Finished]]', { settings: { tools } });
	await using _ = lab;
	await run.answer(await run.asked(), { effect: 'no' });
	await run.ended();
	expect(run.made()).toBe(false);
});
