import { existsSync, globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { orchestrate, withAgent } from '../support/agentWorkbench.ts';
import { killExtensionHost } from '../support/extensionHost.ts';
import { gateIn } from '../support/gate.ts';

describe('the life of a task', () => {
	test('has two workers, each steered for itself, stopped, resumed, archived and deleted', () =>
		withAgent('life', async (lab, model) => {
			const { workbench, page, workspace } = lab;
			const taskRow = workbench.row('Tasks', /Fix the login/);
			const firstRow = workbench.row('Tasks', /^\s*worker(?!-)/);
			const secondRow = workbench.row('Tasks', /worker-2/);
			/** Which workers' conversations a text has reached, known by the words that each began with. */
			const readers = (text: string) => {
				const read = model.requests.filter(request => request.hasTools && request.text.includes(text));
				return ['Repair it.', 'Test it.'].filter(begin => read.some(request => request.text.includes(begin)));
			};

			const gate = gateIn(workspace);
			await orchestrate(lab, 'Fix the login', `Repair it. ${gate.step}[[text:Login repaired]]`);
			await firstRow.filter({ hasText: /working · Bash/ }).waitFor();
			await workbench.rowAction(taskRow, 'Add Worker');
			await workbench.answer('Test it. [[text:Tests are written]]');
			await secondRow.filter({ hasText: /idle · Tests are written/ }).waitFor();
			await firstRow.filter({ hasText: /working/ }).waitFor();
			await taskRow.filter({ hasText: '2 workers' }).waitFor();

			await workbench.command('Nancy: Send Message');
			await workbench.pick(/worker(?!-)/);
			await workbench.answer('Mind the first gap.');
			await workbench.rowAction(secondRow, 'Message This Worker');
			const form = workbench.webview();
			await form.locator('#recipients input:checked').waitFor();
			await form.locator('#text').fill('Mind the second gap. [[text:Second gap minded]]');
			await page.keyboard.press('Control+Enter');
			await secondRow.filter({ hasText: /idle · Second gap minded/ }).waitFor();
			gate.open();
			await firstRow.filter({ hasText: /idle · Login repaired/ }).waitFor();
			expect(readers('Mind the first gap.')).toEqual(['Repair it.']);
			expect(readers('Mind the second gap.')).toEqual(['Test it.']);

			await workbench.rowAction(secondRow, 'Stop Worker');
			await secondRow.filter({ hasText: /ended/ }).waitFor();
			await firstRow.filter({ hasText: /idle/ }).waitFor();
			await workbench.rowAction(secondRow, 'Message This Worker');
			await form.locator('#text').fill('Welcome back. [[text:Here again]]');
			await page.keyboard.press('Control+Enter');
			await workbench.row('Inbox', /Welcome back.*held: the agent has ended/).waitFor();
			expect(await workbench.toast('terminated with exit code').count()).toBe(0);
			await workbench.rowAction(secondRow, 'Resume Worker');
			await secondRow.filter({ hasText: /idle · Here again/ }).waitFor();
			const resumed = await model.waitForRequest(({ text }) => text.includes('Welcome back.'));
			expect(resumed.text).toContain('Tests are written');
			expect(resumed.text).toContain('Mind the second gap.');

			await workbench.contextMenu(taskRow, 'Archive Task');
			await workbench.dialog('Stop the workers').getByRole('button', { name: 'Stop and Archive' }).click();
			await taskRow.waitFor({ state: 'detached' });
			const folder = join(workspace, '.nancy', 'tasks', 'fix-the-login');
			expect(existsSync(folder)).toBe(true);
			await workbench.command('Nancy: Show Archived Tasks');
			await taskRow.waitFor();
			await workbench.contextMenu(taskRow, 'Delete Task');
			await workbench.dialog('Delete the task').getByRole('button', { name: 'Cancel' }).click();
			await workbench.contextMenu(taskRow, 'Delete Task');
			expect(existsSync(folder)).toBe(true);
			await workbench.dialog('Delete the task').getByRole('button', { name: 'Delete' }).click();
			await taskRow.waitFor({ state: 'detached' });
			expect(existsSync(folder)).toBe(false);
		}));

	test('outlives the extension host, and the doctor repairs what was damaged', () =>
		withAgent('outlives', async (lab, model) => {
			const { workbench, page, server, workspace } = lab;
			const report = page.frameLocator('iframe.webview[src*="markdown"]').frameLocator('iframe#active-frame');
			await orchestrate(lab, 'Keep watch', 'Watch. [[text:Watching]]');
			await workbench.row('Tasks', /idle · Watching/).waitFor();

			await killExtensionHost(server);
			await workbench.row('Tasks', /idle · Watching/).waitFor();
			await workbench.command('Nancy: Send Message');
			await workbench.answer('Still there? [[text:Still here]]');
			await workbench.row('Tasks', /idle · Still here/).waitFor();
			const after = await model.waitForRequest(({ text }) => text.includes('Still there?'));
			expect(after.text).toContain('Watching');
			await workbench.row('Tasks', /Still here/).click();
			await workbench.waitForTerminalText(/Still here/);

			await workbench.rowAction(workbench.row('Tasks', /Still here/), 'Stop Worker');
			await workbench.row('Tasks', /ended/).waitFor();
			await workbench.command("Nancy: Compare Agents' Abilities");
			await report.getByRole('columnheader', { name: 'Claude Code' }).waitFor();
			await workbench.command('Nancy: Doctor');
			await report.getByText('Nothing is broken.').waitFor();
			writeFileSync(join(workspace, '.claude', 'settings.local.json'), '{}\n');
			const [program] = globSync(join(server.home, '.local/share/nancy/runtime/*/hook/claude-code.js'));
			writeFileSync(program ?? '', 'oops');
			await workbench.command('Nancy: Doctor');
			await report.getByText(/somebody removed the entries of Nancy/).waitFor();
			await report.getByText(/were damaged and have been installed again/).waitFor();
			await workbench.toast('Doctor can repair').getByRole('button', { name: 'Repair' }).click();
			await report.getByText('Nothing is broken.').waitFor();

			await workbench.command('Nancy: Clean Up');
			await workbench.pick('Keep watch');
			await workbench.dialog('Archive “Keep watch”').getByRole('button', { name: 'Clean Up' }).click();
			await expect.poll(() => existsSync(join(workspace, '.claude'))).toBe(false);
		}));
});
