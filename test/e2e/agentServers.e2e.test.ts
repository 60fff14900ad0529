import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { opencodeUnderTest } from '../support/agents/opencode.ts';
import { openAgentLab, orchestrate } from '../support/agentWorkbench.ts';
import type { Lab } from '../support/lab.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';
import { questionFrame } from '../support/questionFrame.ts';

const owned = new AsyncDisposableStack();
let lab: Lab;

beforeAll(async () => {
	const home: typeof opencodeUnderTest.home = options =>
		opencodeUnderTest.home({ ...options, settings: opencodeUnderTest.asking });
	const settings = {
		'nancy.agentServers': { mine: { command: pinnedAgent('opencode').executable, args: ['acp'] } },
	};
	lab = owned.use(await openAgentLab({ agents: [{ ...opencodeUnderTest, home }], settings }));
});
afterAll(() => owned.disposeAsync());
afterEach(async ({ task }) => {
	if (task.result?.state === 'fail') await lab.screenshot(task.name).catch(() => undefined);
});

test('an agent of the user’s settings is chosen, asks in its terminal and in the view Questions, and runs what is allowed', async () => {
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
});
