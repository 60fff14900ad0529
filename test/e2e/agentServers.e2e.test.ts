import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { opencodeUnderTest } from '../support/agents/opencode.ts';
import { openAgentLab, orchestrate, showHow, startAnew } from '../support/agentWorkbench.ts';
import type { Lab } from '../support/lab.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';
import { questionFrame } from '../support/questionFrame.ts';
import { long } from '../support/long.ts';

const owned = new AsyncDisposableStack();
let lab: Lab;

beforeAll(async () => {
	const home: typeof opencodeUnderTest.home = options =>
		opencodeUnderTest.home({ ...options, settings: opencodeUnderTest.asking });
	const settings = {
		'nancy.agentServers': {
			mine: { command: pinnedAgent('opencode').executable, args: ['acp'] },
			wrong: { command: 'wrong', args: 'acp' },
		},
	};
	lab = owned.use(await openAgentLab({ agents: [{ ...opencodeUnderTest, home }], settings }));
});
afterAll(() => owned.disposeAsync());

test(
	'an agent of the user’s settings is chosen, asks in its terminal and in the view Questions, and runs what is allowed',
	long,
	async () => {
		const { workbench, page, workspace } = lab;
		await orchestrate(lab, 'Fix the login', '[[sh:touch made]][[text:All finished]]', 'mine');
		await workbench.row('Questions', 'touch made').waitFor();
		await workbench.waitForTerminalText(/touch made[^]*Your answer/);
		await workbench.row('Questions', 'touch made').click();
		const frame = await questionFrame(page, 'touch made');
		expect(existsSync(join(workspace, 'made'))).toBe(false);
		await frame.getByRole('button', { name: 'Allow Once' }).click();
		await frame.getByText('Allowed, and done').waitFor();
		expect(existsSync(join(workspace, 'made'))).toBe(true);
		await workbench.waitForTerminalText(/answered in Nancy[^]*All finished/);
		await workbench.row('Tasks', /idle · All finished/).waitFor();
	},
);

test(
	'a workspace adds no arguments to it, although VS Code reads a setting that no extension knows',
	long,
	async () => {
		await startAnew(lab);
		const { workbench, workspace } = lab;
		mkdirSync(join(workspace, '.vscode'));
		const planted = { 'nancy.agents.acp-mine.arguments': ['--print-logs', '--planted'] };
		writeFileSync(join(workspace, '.vscode', 'settings.json'), JSON.stringify(planted));
		await orchestrate(lab, 'Fix the parser', '[[sh:touch made]][[text:All finished]]', 'mine');
		await workbench.row('Questions', 'touch made').waitFor();
		const { stdout } = spawnSync('ps', ['-axwwo', 'args='], { encoding: 'utf8' });
		const ours = stdout.split('\n').filter(args => args.includes('conversation.js acp-mine'));
		expect(ours.filter(args => args.includes(workspace))).toHaveLength(1);
		expect(ours.join('\n')).not.toContain('--planted');
	},
);

test('a wrong entry cannot be chosen: it says what is wrong, and leads to the setting', long, async () => {
	const { workbench } = lab;
	await workbench.command('Nancy: Orchestrate Task');
	await workbench.quick.getByText('What is to be done').first().waitFor();
	await workbench.quickInput.fill('Fix it.');
	await showHow(workbench);
	await workbench.pick(/^\s*Agent/);
	await workbench.quickRow(/mine.*version unknown/s).waitFor();
	await workbench.pick(/wrong.*cannot be used.*agentServers\.wrong\.args/s);
	await workbench.quickRow(/Open Setting.*nancy\.agentServers/s).waitFor();
	expect(await workbench.quickRow('Set Path').count()).toBe(0);
	await workbench.pick('Open Setting');
	await lab.page.locator('.settings-editor').getByText('nancy.agentServers').first().waitFor();
});
