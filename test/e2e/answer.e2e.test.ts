import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { orchestrate, withAgent } from '../support/agentWorkbench.ts';
import { gateIn } from '../support/gate.ts';

describe('an agent that answers', () => {
	test('writes to the human, who sees it unread, and is halted before its next tool runs', () =>
		withAgent('answer', async (lab, model) => {
			const { workbench, page, workspace } = lab;
			const gate = gateIn(workspace);
			const ask = '[[sh:nancy send orchestrator "Which port do you want?"]]';
			const script = `${ask}[[sh:nancy inbox]]${gate.step}[[sh:touch two]][[text:Over]]`;
			await orchestrate(lab, 'Report', script);

			await workbench.row('Inbox', /Which port do you want\?/).waitFor();
			await expect.poll(() => workbench.badge('Nancy').allInnerTexts()).not.toEqual([]);

			const form = workbench.webview();
			await form.locator('#text').fill('Stop: touch nothing.');
			await form.locator('select').selectOption('halt');
			await page.keyboard.press('Control+Enter');
			await workbench.row('Inbox', 'Stop: touch nothing.').waitFor();
			gate.open();
			await workbench.row('Inbox', /Stop: touch nothing\..*delivered/).waitFor();
			await model.waitForRequest(({ text }) => text.includes('Stop: touch nothing.'));
			expect(existsSync(join(workspace, 'two'))).toBe(false);
		}));
});
