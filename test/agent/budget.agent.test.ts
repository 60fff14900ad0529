import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Budgets } from '../../src/core/budgets/budgets.ts';
import { WorkspaceModel } from '../../src/core/live/model.ts';
import { claudeCode } from '../../src/drivers/claude-code/driver.ts';
import { SessionId } from '../../src/protocol/names.ts';
import { DelegateCreatedOutput, DelegatesOutput } from '../../src/protocol/output/delegates.ts';
import { claudeExecutable } from '../support/claudeHome.ts';
import { deployedLab, startedTask, type DeployedLab } from '../support/deployedLab.ts';
import { eventually } from '../support/eventually.ts';
import { gateIn } from '../support/gate.ts';
import { dataFolderIn } from '../support/runtime.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';
import { long } from '../support/long.ts';

// Each agent here mostly waits.
vi.setConfig({ maxConcurrency: 2 });

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

const bypass = ['--permission-mode', 'bypassPermissions'];

/** What a user's shell has: the agent on the PATH, a home, the model double. */
function shell(lab: DeployedLab): { cwd: string; env: Record<string, string> } {
	const PATH = [dirname(claudeExecutable), dirname(process.execPath), lab.env['PATH']].join(delimiter);
	const XDG_DATA_HOME = dirname(dataFolderIn(lab.home));
	return { cwd: lab.workspace.path, env: { ...lab.env, PATH, XDG_DATA_HOME, IS_SANDBOX: '1' } };
}

/** The end of a delegate with this budget. */
async function endOf(lab: DeployedLab, prompt: string, budget: string) {
	const made = await nancy.start(
		['delegate', '-', '--permissions', 'bypassPermissions', '--json', '--budget', budget],
		{ ...shell(lab), stdin: prompt },
	);
	expect(made.stderr).toBe('');
	const { id } = DelegateCreatedOutput.parse(JSON.parse(made.stdout));
	const done = await nancy.start(['delegates', id, '--wait', '--timeout', '600', '--json'], shell(lab));
	return DelegatesOutput.parse(JSON.parse(done.stdout)).delegates[0];
}

// The double counts 120 tokens for each request.
describe.concurrent('a budget and the real agent', () => {
	it('ends the turn of a worker at the tool call after it is used up, and lets it go on once it is raised', async () => {
		await using lab = await deployedLab();
		const session = SessionId.parse(randomUUID());
		const address = await startedTask(lab, session);
		const budgets = new Budgets(lab.nancy.own);
		await budgets.set(address, { tokens: 130 });
		const model = new WorkspaceModel(lab.nancy, [claudeCode], { tickMs: 200 });
		try {
			const gate = gateIn(lab.workspace.path);
			const run = lab.headless(`[[sh:sleep 1]] ${gate.step} [[sh:touch late]] [[text:Unreached]]`, [
				'--session-id',
				session,
				...bypass,
			]);
			await eventually('it is used up', () => model.overview().tasks[0]?.budget?.level === 'spent');
			await eventually('its pause is queued', async () => {
				const { messages } = await lab.nancy.mailbox(address).list(['queued']);
				return messages.length > 0;
			});
			gate.open();
			await run;
			expect(existsSync(lab.workspace.file('late'))).toBe(false);
			// A turn that takes long to end is paused once more.
			const pause = await eventually('its pause is delivered', () =>
				model.messages(address).messages.find(({ state }) => state === 'delivered'),
			);
			expect((await lab.delivered(address, pause.id)).author).toEqual({ is: 'nancy' });
			await budgets.set(address, { tokens: 100_000 });
			await eventually('it is raised', () => model.overview().tasks[0]?.budget?.level === 'ok');
			await lab.headless('[[sh:touch late]] [[text:Going on]]', ['--resume', session, ...bypass]);
			expect(existsSync(lab.workspace.file('late'))).toBe(true);
		} finally {
			await model.close();
		}
	});

	it('stops a delegate when its tokens are used up', long, async () => {
		await using lab = await deployedLab({ isDeployed: false });
		const prompt = '[[sh:sleep 1]] [[sh:sleep 8]] [[sh:touch late]] [[text:Unreached]]';
		expect(await endOf(lab, prompt, '200 tokens')).toMatchObject({
			status: 'failed',
			error: expect.stringMatching(/^budget: 200 tokens is used up, with \d+ tokens$/),
		});
		expect(existsSync(lab.workspace.file('late'))).toBe(false);
	});

	it('has the agent keep to dollars that it names only at its end', long, async () => {
		await using lab = await deployedLab({ isDeployed: false });
		const prompt = '[[sh:true]] [[sh:true]] [[sh:true]] [[sh:touch late]] [[text:Unreached]]';
		expect(await endOf(lab, prompt, '$0.001')).toMatchObject({
			status: 'failed',
			error: 'budget: $0.001 is used up',
		});
		expect(existsSync(lab.workspace.file('late'))).toBe(false);
	});
});

it('is a person’s alone to set', async () => {
	await using lab = await deployedLab({ isDeployed: false });
	const { cwd, env } = shell(lab);
	const asAgent = { cwd, env: { ...env, CLAUDECODE: '1' }, stdin: 'Anything.' };
	const refused = await nancy.start(['delegate', '-', '--budget', '1M'], asAgent);
	expect(refused.code).not.toBe(0);
	expect(refused.stderr).toContain('set the budget');
});
