import { existsSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { labTest } from '../support/labTest.ts';

/** The agent may run Nancy's own command; everything else is asked about. */
const claudeSettings = {
	permissions: { defaultMode: 'default', allow: ['Bash(nancy:*)', 'Bash(sleep *)', 'Bash(echo *)'] },
};

describe('an agent that answers', () => {
	labTest(
		'writes to the human, who sees it unread, and is halted before its next tool runs',
		{ claudeSettings, size: { width: 1500, height: 1000 } },
		async ({ workbench, model, workspace }) => {
			await workbench.activity('Nancy').click();
			await workbench.command('Nancy: Orchestrate Task');
			await workbench.answer('Report');
			await workbench.quick.getByText('What is to be done').first().waitFor();
			await workbench.answer(
				'[[sh:nancy send orchestrator "Which port do you want?"]][[sh:nancy inbox]][[sh:sleep 8; echo thinking]][[sh:touch two]][[text:Over]]',
			);
			await workbench.pick('Claude Code');

			await workbench.row('Inbox', /Which port do you want\?/).waitFor({ timeout: 30_000 });
			await expect.poll(() => workbench.badge('Nancy').allInnerTexts()).not.toEqual([]);

			const form = workbench.webview();
			await form.locator('#text').fill('Stop: touch nothing.');
			await form.locator('select').selectOption('halt');
			await workbench.page.keyboard.press('Control+Enter');
			await workbench.row('Inbox', /Stop: touch nothing\..*delivered/).waitFor({ timeout: 40_000 });
			await model.waitForRequest(({ text }) => text.includes('Stop: touch nothing.'), 20_000);
			expect(existsSync(`${workspace}/two`)).toBe(false);
		},
	);
});
