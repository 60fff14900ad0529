import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { dataFolder } from '../../src/base/folders.ts';
import { openLab } from '../support/lab.ts';
import { questionFrame } from '../support/questionFrame.ts';
import { seedQuestion } from '../support/seedQuestion.ts';
import { seedWorkspace } from '../support/seedWorkspace.ts';

test('Nancy speaks German where VS Code does: a view, a welcome text, a command, an error of the core and why a message waits', async () => {
	await using lab = await openLab({ language: 'de' });
	const { workbench, workspace } = lab;
	await workbench.activity('Nancy').click();
	await workbench.pane('Aufgaben').getByText('Noch keine Aufgaben.').waitFor();

	symlinkSync('nowhere', join(workspace, '.claude'));
	await workbench.command('Nancy: Arbeitsbereich einrichten');
	const data = { dataFolder: dataFolder({ HOME: lab.server.home }) };
	const session = 'b0b0b0b0-0000';
	const seeded = await seedWorkspace(workspace, { title: 'Fix it', session, queued: ['Mind the gap'], ...data });
	const mailbox = seeded.workspace.mailbox(seeded.address);
	const [waiting] = (await mailbox.list(['queued'])).messages;
	await mailbox.setHeld(waiting!.id, { code: 'waiting' });
	const row = workbench.pane('Posteingang').locator('[role=treeitem]', { hasText: 'Mind the gap' });
	await row.and(workbench.page.locator('[aria-label*="zurückgehalten: der Agent "]')).waitFor();

	await workbench.toast(/\.claude, und das ist eine Verknüpfung ins Leere.*; Nancy hat nichts angerührt\./).waitFor();

	await seedQuestion(seeded.workspace);
	await workbench.pane('Fragen').locator('[role=treeitem]').click();
	const question = await questionFrame(workbench.page);
	await question.getByRole('button', { name: 'Einmal erlauben' }).waitFor();
});
