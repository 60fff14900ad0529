import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { orchestrate, withAgent } from '../support/agentWorkbench.ts';
import { gateIn } from '../support/gate.ts';

describe('the sidebar', () => {
	test('starts, steers, survives a reload, wakes, stops and cleans up', () =>
		withAgent('sidebar', async (lab, model) => {
			const { workbench, page, workspace } = lab;
			const gate = gateIn(workspace);
			await orchestrate(lab, 'Fix the login', `${gate.step}[[sh:touch secret]][[text:All finished]]`);
			await workbench.row('Tasks', /working · Bash/).waitFor();

			await workbench.command('Nancy: Send Message');
			await workbench.answer('Please mind the gap.');
			await workbench.row('Inbox', 'Please mind the gap').waitFor();
			gate.open();
			await workbench.row('Inbox', /Please mind the gap.*delivered · (PreToolUse|PostToolBatch)/).waitFor();
			await expect.poll(() => JSON.stringify(model.requests).includes('Please mind the gap.')).toBe(true);
			await workbench.row('Inbox', /Please mind the gap.*in context/).waitFor();

			await workbench.row('Tasks', /waiting for permission · Bash touch secret/).waitFor();
			expect(await workbench.status('nancy.nancy.needs').innerText()).toContain('1 waiting');
			await workbench.toast('waits for your permission').getByRole('button', { name: 'Show Terminal' }).click();
			await workbench.waitForTerminalText(/Do you want to proceed/);
			await page.locator('.terminal-wrapper .xterm.focus').waitFor();
			await page.keyboard.press('Enter');
			await workbench.row('Tasks', /idle · All finished/).waitFor();
			await workbench.toast('has stopped: All finished').waitFor();

			await page.reload();
			await workbench.ready();
			await workbench.row('Tasks', /idle · All finished/).waitFor();
			await workbench.row('Tasks', /idle · All finished/).click();
			await workbench.waitForTerminalText(/All finished/);
			await workbench.command('Nancy: Send Message');
			await workbench.answer('Are you awake? [[text:Awake now]]');
			await workbench.row('Inbox', /Are you awake.*delivered · UserPromptSubmit/).waitFor();

			await workbench.row('Tasks', /idle · Awake now/).waitFor();
			await workbench.rowAction(workbench.row('Tasks', /Awake now/), 'Stop Worker');
			await workbench.row('Tasks', /ended/).waitFor();
			expect(existsSync(join(workspace, '.claude'))).toBe(true);
			await workbench.command('Nancy: Clean Up');
			await workbench.pick('The whole workspace');
			await workbench.dialog('Remove what Nancy deployed').getByRole('button', { name: 'Clean Up' }).click();
			await expect.poll(() => existsSync(join(workspace, '.claude'))).toBe(false);
		}));

	test('composes by keyboard, and edits, moves and withdraws what is queued', () =>
		withAgent('compose', async lab => {
			const { workbench, page, workspace } = lab;
			// Feedback waits for the stop, which never comes here.
			await orchestrate(lab, 'Think', `${gateIn(workspace).step}[[text:Done]]`);
			await workbench.row('Tasks', /working · Bash/).waitFor();
			const form = workbench.webview();
			const compose = async (text: string) => {
				await form.locator('#text').fill(text);
				await page.keyboard.press('Control+Enter');
				await workbench.row('Inbox', text).waitFor();
			};
			await form.getByLabel('Feedback').check();
			await compose('First thought');
			await compose('Second thought');
			const queue = async () => {
				const rows = await workbench.row('Inbox', /thought/).allInnerTexts();
				return rows.map(row => /(First|Second|Better) thought/.exec(row)?.[1]);
			};
			expect(await queue()).toEqual(['First', 'Second']);

			await workbench.contextMenu(workbench.row('Inbox', 'Second thought'), 'Move Up');
			await expect.poll(queue).toEqual(['Second', 'First']);

			await workbench.rowAction(workbench.row('Inbox', 'Second thought'), 'Edit Message');
			await form.locator('#editing').waitFor();
			await compose('Better thought');
			await expect.poll(queue).toEqual(['Better', 'First']);

			await workbench.rowAction(workbench.row('Inbox', 'First thought'), 'Withdraw Message');
			await expect.poll(queue).toEqual(['Better']);
			expect(await form.locator('#sent').innerText()).toContain('withdrawn');
		}));
});
