import { describe, expect } from 'vitest';
import { labTest } from '../support/labTest.ts';

describe('the workbench', () => {
	labTest(
		'opens with a terminal that runs programs',
		{ nancy: false, env: { NANCY_LAB: 'here' } },
		async ({ workbench }) => {
			await workbench.command('Terminal: Create New Terminal');
			await workbench.waitForTerminalText(/[$#] *$/);
			await workbench.typeInTerminal('echo lab-$NANCY_LAB\n');
			expect(await workbench.waitForTerminalText(/^lab-here$/m)).toContain('lab-here');
		},
	);
});
