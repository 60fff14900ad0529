import { describe, expect } from 'vitest';
import { claudeExecutable } from '../support/claudeHome.ts';
import { labTest } from '../support/labTest.ts';

describe('the workbench', () => {
	labTest('opens with a terminal that runs programs', { env: { NANCY_LAB: 'here' } }, async ({ workbench }) => {
		await workbench.command('Terminal: Create New Terminal');
		await workbench.waitForTerminalText(/[$#] *$/);
		await workbench.typeInTerminal('echo lab-$NANCY_LAB\n');
		expect(await workbench.waitForTerminalText(/^lab-here$/m)).toContain('lab-here');
	});

	labTest('runs the real Claude Code, which talks to the scripted model', {}, async ({ workbench, model }) => {
		await workbench.command('Terminal: Create New Terminal');
		await workbench.waitForTerminalText(/[$#] *$/);
		await workbench.typeInTerminal(`${claudeExecutable}\n`);
		await workbench.waitForTerminalText(/❯/);
		await workbench.page.keyboard.type('[[text:Hello from the double]]', { delay: 5 });
		await workbench.page.waitForTimeout(250);
		await workbench.page.keyboard.press('Enter');
		await workbench.waitForTerminalText(/● Hello from the double/);
		expect(model.requests.at(-1)?.hasTools).toBe(true);
	});
});
