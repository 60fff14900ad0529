import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { qwenUnderTest } from '../support/agents/qwen.ts';
import { openAgentLab, orchestrate } from '../support/agentWorkbench.ts';
import type { Lab } from '../support/lab.ts';
import { long } from '../support/long.ts';
import { questionFrame } from '../support/questionFrame.ts';

const owned = new AsyncDisposableStack();
let lab: Lab;

beforeAll(async () => {
	const home: typeof qwenUnderTest.home = options =>
		qwenUnderTest.home({ ...options, settings: qwenUnderTest.asking });
	const settings = { 'nancy.agents.qwen-code.answers': true };
	lab = owned.use(await openAgentLab({ agents: [{ ...qwenUnderTest, home }], settings }));
});
afterAll(() => owned.disposeAsync());

test(
	'Qwen Code asks in a terminal of Nancy’s own and in the view Questions, and runs what is allowed there',
	long,
	async () => {
		const { workbench, page, workspace, model } = lab;
		await orchestrate(lab, 'Fix the login', '[[sh:touch made]][[text:All finished]]', 'Qwen Code');
		await workbench.row('Questions', 'touch made').waitFor();
		await workbench.waitForTerminalText(/touch made[^]*Your answer/);
		await workbench.row('Questions', 'touch made').click();
		const frame = await questionFrame(page, 'touch made');
		await lab.picture('conversation');
		expect(existsSync(join(workspace, 'made'))).toBe(false);
		await frame.getByRole('button', { name: 'Allow Once' }).click();
		await frame.getByText('Allowed, and done').waitFor();
		expect(existsSync(join(workspace, 'made'))).toBe(true);
		await workbench.waitForTerminalText(/answered in Nancy[^]*All finished/);
		await workbench.row('Tasks', /idle · All finished/).waitFor();
		expect(model.requests.filter(({ hasTools }) => hasTools)).toHaveLength(2);
		await lab.picture('conversation-over');
	},
);
