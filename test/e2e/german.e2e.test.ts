import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { openLab } from '../support/lab.ts';

test('Nancy speaks German where VS Code does: a view, a welcome text, a command and an error of the core', async () => {
	await using lab = await openLab({ language: 'de' });
	const { workbench, workspace } = lab;
	await workbench.activity('Nancy').click();
	await workbench.pane('Aufgaben').getByText('Noch keine Aufgaben.').waitFor();

	symlinkSync('nowhere', join(workspace, '.claude'));
	await workbench.command('Nancy: Arbeitsbereich einrichten');
	await workbench.toast(/\.claude, und das ist eine Verknüpfung ins Leere.*; Nancy hat nichts angerührt\./).waitFor();
});
