import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { orchestrate, withAgent } from '../support/agentWorkbench.ts';

describe('an agent that answers', () => {
	test('writes to the human, who sees it unread, and is halted before its next tool runs', { timeout: 90_000 }, () =>
		withAgent('answer', async (lab, model) => {
			const { workbench, page, workspace } = lab;
			const script =
				'[[sh:nancy send orchestrator "Which port do you want?"]][[sh:nancy inbox]][[sh:sleep 8; echo thinking]][[sh:touch two]][[text:Over]]';
			await orchestrate(lab, 'Report', script);

			await workbench.row('Inbox', /Which port do you want\?/).waitFor({ timeout: 30_000 });
			await expect.poll(() => workbench.badge('Nancy').allInnerTexts()).not.toEqual([]);

			const form = workbench.webview();
			await form.locator('#text').fill('Stop: touch nothing.');
			await form.locator('select').selectOption('halt');
			await page.keyboard.press('Control+Enter');
			await workbench.row('Inbox', /Stop: touch nothing\..*delivered/).waitFor({ timeout: 40_000 });
			await model.waitForRequest(({ text }) => text.includes('Stop: touch nothing.'), 20_000);
			expect(existsSync(join(workspace, 'two'))).toBe(false);
		}),
	);
});
