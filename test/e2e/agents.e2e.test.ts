import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withAgent } from '../support/agentWorkbench.ts';
import { codexUnderTest } from '../support/agents/codex.ts';
import { gateIn } from '../support/gate.ts';

const settings = {
	'workbench.colorTheme': 'Default Light Modern',
	// Also where one is installed.
	'nancy.agents.copilot-cli.path': '/opt/nowhere/copilot',
};

describe('another agent than Claude Code', () => {
	test('is picked for what it can do, steered, woken, given a delegate, and leaves nothing behind', () =>
		withAgent(
			'agents',
			async (lab, model) => {
				const { workbench, workspace } = lab;
				const gate = gateIn(workspace);
				await workbench.command('Nancy: Orchestrate Task');
				await workbench.answer('Fix the parser');
				await workbench.quick.getByText('What is to be done').first().waitFor();
				await workbench.answer(`Repair it. ${gate.step}[[text:Parser repaired]]`);
				await workbench.quickRow(/Claude Code.*2\.\d+\.\d+/).waitFor();
				await workbench
					.quickRow(/GitHub Copilot CLI.*not found.*There is no program at .*npm install/s)
					.waitFor();
				await lab.picture('agents-picker');
				await workbench.pick(/Codex.*0\.\d+\.\d+/);
				await workbench.row('Tasks', /working · Bash/).waitFor();

				await workbench.command('Nancy: Send Message');
				await workbench.answer('Mind the strings.');
				await workbench.row('Inbox', /Mind the strings/).waitFor();
				gate.open();
				await model.waitForRequest(({ text }) => text.includes('Mind the strings.'));
				await workbench.row('Inbox', /Mind the strings.*delivered · (PreToolUse|PostToolUse)/).waitFor();
				await workbench.row('Tasks', /idle · Parser repaired/).waitFor();
				await workbench.command('Nancy: Send Message');
				await workbench.answer('Are you awake? [[text:Awake now]]');
				await workbench.row('Tasks', /idle · Awake now/).waitFor();
				await workbench.row('Inbox', /Are you awake.*delivered/).waitFor();
				await lab.picture('agents-steered');

				await workbench.contextMenu(workbench.row('Tasks', /Awake now/), 'Delegate…');
				await workbench.quick.getByText('What is to be done').first().waitFor();
				await workbench.answer('Count the words. [[text:There are seven.]]');
				await workbench.quickRow('Start Delegate').waitFor();
				// The agent that wants the result is the first choice.
				await workbench.quickRow(/Agent.*Codex/).waitFor();
				await lab.picture('agents-delegate');
				await workbench.pick('Start Delegate');
				await workbench.row('Delegates', /Count the words.*done/).waitFor();
				const told = await model.waitForRequest(({ text }) => text.includes('[DELEGATE COMPLETE - Task ID:'));
				expect(told.text).toContain('There are seven.');

				await workbench.rowAction(workbench.row('Tasks', /worker.*idle/), 'Stop Worker');
				await workbench.row('Tasks', /ended/).waitFor();
				await workbench.command('Nancy: Clean Up');
				await workbench.pick('The whole workspace');
				await workbench.dialog('Remove what Nancy deployed').getByRole('button', { name: 'Clean Up' }).click();
				await expect.poll(() => existsSync(join(workspace, '.agents'))).toBe(false);
			},
			{ agents: [codexUnderTest], settings },
		));
});
