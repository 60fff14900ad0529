import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import type { DelegateId } from '../../src/protocol/delegate.ts';
import { claudeCodeUnderTest } from '../support/agents/claudeCode.ts';
import { askingDelegate, askingWithLimit } from '../support/askingDelegate.ts';
import { deployedLab, type DeployedLab } from '../support/deployedLab.ts';
import { eventually } from '../support/eventually.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';
import { long } from '../support/long.ts';

// Each agent here mostly waits.
vi.setConfig({ maxConcurrency: 2 });

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

/** A delegate of Claude Code, with the desk where it asks. */
async function asking(prompt: string, args: readonly string[] = [], begin?: (folder: string) => void) {
	const lab = await deployedLab();
	begin?.(lab.workspace.path);
	return { lab, ...(await askingDelegate(nancy, lab, prompt, args)) };
}

const statusOf = async (lab: DeployedLab, id: DelegateId) => (await new Delegates(lab.nancy).get(id)).status;

describe.concurrent('a delegate that may ask', () => {
	it('waits for its user, says so, goes on with a Yes, and reads a No with its words', async () => {
		const { lab, id, worker, ...run } = await asking('[[sh:touch made]] [[sh:touch more]] [[text:Finished]]');
		await using _ = lab;
		const question = await run.asked();
		expect(question).toMatchObject({ kind: 'tool', tool: 'Bash', body: 'touch made', delegate: id });
		expect(run.made()).toBe(false);
		await eventually('its status', async () => (await statusOf(lab, id)).asks === 1);
		// Agents read this file: it does not say what is asked.
		expect(readFileSync(new Delegates(lab.nancy).files(id).status, 'utf8')).not.toContain('touch made');
		expect((await run.call('delegates')).stdout).toContain('running · asks: touch made');
		expect((await run.call('questions')).stdout).toContain(`${worker} (claude-code), delegate ${id} asks for Bash`);
		await run.answer(question, { effect: 'once' });
		const next = await run.asked();
		expect([next.body, run.made()]).toEqual(['touch more', true]);
		await run.answer(next, { effect: 'no', words: 'Use the other folder.' });
		expect(await run.ended()).toMatchObject({ status: 'done' });
		expect(existsSync(lab.workspace.file('more'))).toBe(false);
		expect(run.read()).toContain('The user said no: Use the other folder.');
		for (const each of [question, next]) expect(await run.outcome(each)).toMatchObject({ state: 'applied' });
		expect((await statusOf(lab, id)).asks).toBeUndefined();
	});

	it('asks in a worktree of its own too, at the desk of its workspace', long, async () => {
		const git = (folder: string, ...args: string[]) => execFileSync('git', args, { cwd: folder });
		const begin = (folder: string) => {
			git(folder, 'init', '-q', '-b', 'main');
			git(
				folder,
				'-c',
				'user.name=T',
				'-c',
				'user.email=t@example.com',
				'commit',
				'-qm',
				'first',
				'--allow-empty',
			);
		};
		const { lab, id, ...run } = await asking('[[sh:touch made]] [[text:Finished]]', ['--worktree'], begin);
		await using _ = lab;
		const question = await run.asked();
		await run.answer(question, { effect: 'once' });
		const { status, worktree = '' } = await run.ended();
		expect([status, existsSync(join(worktree, 'made')), run.made()]).toEqual(['done', true, false]);
		expect(question.delegate).toBe(id);
	});

	it('ends with an answer that ends its turn', long, async () => {
		const { lab, ...run } = await asking('[[sh:touch made]] [[text:Never said]]');
		await using _ = lab;
		const question = await run.asked();
		await run.answer(question, { effect: 'end' });
		expect(await run.ended()).toMatchObject({ status: 'failed' });
		expect(run.made()).toBe(false);
		expect(lab.model.requests.some(({ text }) => text.includes('Never said') && text.includes('said no'))).toBe(
			false,
		);
	});

	it('asks for its subagents too', long, async () => {
		const { subagent } = claudeCodeUnderTest;
		if (subagent === 'none') throw new Error('it has subagents');
		const { lab, ...run } = await asking(`${subagent('[[sh:touch made]] [[text:Made it]]')} [[text:Finished]]`);
		await using _ = lab;
		const question = await run.asked();
		expect(question).toMatchObject({ tool: 'Bash', subagentName: 'general-purpose' });
		await run.answer(question, { effect: 'once' });
		expect(await run.ended()).toMatchObject({ status: 'done', denied: [] });
		expect(run.made()).toBe(true);
	});

	it('that is stopped asks nobody any more, and has run nothing', async () => {
		const { lab, id, ...run } = await asking('[[sh:touch made]] [[text:Finished]]');
		await using _ = lab;
		const question = await run.asked();
		await run.call('delegates', id, '--stop');
		expect(await run.ended()).toMatchObject({ status: 'failed', error: 'cancelled' });
		expect(await run.desk.readOutcome(question.id)).toMatchObject({ state: 'ended' });
		await expect(run.answer(question, { effect: 'once' })).rejects.toMatchObject({ code: 'wrong-state' });
		expect(run.made()).toBe(false);
	});

	it('is answered No by its time limit', long, async () => {
		const { lab, question, ...run } = await askingWithLimit(limit =>
			asking('[[sh:touch made]] [[text:Finished]]', limit),
		);
		await using _ = lab;
		expect(await run.ended()).toMatchObject({ status: 'failed', error: 'timeout: it took too long' });
		expect(await run.desk.readOutcome(question.id)).toMatchObject({ state: 'ended' });
		expect(run.made()).toBe(false);
	});

	it('is denied when the process that waits is killed', async () => {
		const { lab, ...run } = await asking('[[sh:touch made]] [[text:Finished]]');
		await using _ = lab;
		const question = await run.asked();
		process.kill(question.holder.pid, 'SIGKILL');
		expect(await run.ended()).toMatchObject({ status: 'done', denied: ['Bash'] });
		expect(run.made()).toBe(false);
		expect(await run.outcome(question)).toMatchObject({ state: 'ended' });
	});

	it('tells an agent that it waits, and neither what it asks nor how to answer', long, async () => {
		const title = ['--title', 'Make something'];
		const { lab, id, worker, shell, ...run } = await asking('[[sh:touch made]] [[text:Finished]]', title);
		await using _ = lab;
		const question = await run.asked();
		const [task = '', name = ''] = worker.split('/');
		const env = { ...shell.env, NANCY_TASK_DIR: lab.nancy.paths.root + `/tasks/${task}`, NANCY_WORKER: name };
		const asAgent = (...words: string[]) => nancy.start(words, { ...shell, env });
		const waiting = await asAgent('delegates', id, '--wait', '--timeout', '5', '--json');
		expect(waiting).toMatchObject({
			code: 4,
			stderr: expect.stringContaining(`${id} waits for an answer of its user`),
		});
		const seen = [waiting, await asAgent('delegates'), await asAgent('delegates', id, '--json')];
		expect(JSON.parse(seen[2]?.stdout ?? '')).toMatchObject({ delegates: [{ asks: [{ kind: 'tool' }] }] });
		expect(seen.map(({ stdout, stderr }) => stdout + stderr).join('\n')).not.toContain('touch made');
		expect(await asAgent('questions')).toMatchObject({ code: 5 });
		expect(await asAgent('answer', question.id, 'yes')).toMatchObject({ code: 5 });
		expect(await run.desk.readAnswer(question.id)).toBeUndefined();
		await run.answer(question, { effect: 'no' });
		await run.ended();
		expect(run.made()).toBe(false);
	});
});

describe('what may not ask', () => {
	it('is denied at once, and nancy run, which has no hooks, is refused the permissions that ask', async () => {
		const { lab, ...run } = await asking('[[sh:touch made]] [[text:Finished]]', ['--permissions', 'default']);
		await using _ = lab;
		expect(await run.ended()).toMatchObject({ status: 'done', denied: ['Bash'] });
		expect(await run.desk.all()).toEqual([]);
		expect(run.made()).toBe(false);
		const refused = await run.call('run', '--headless', '--prompt', 'x', '--permissions', 'ask-me');
		expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('need a delegate') });
	});
});
