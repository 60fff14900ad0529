import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { dataFolder } from '../../src/base/folders.ts';
import { openLab, type Lab } from '../support/lab.ts';
import { questionFrame } from '../support/questionFrame.ts';
import { seedQuestion } from '../support/seedQuestion.ts';
import { seedWorkspace } from '../support/seedWorkspace.ts';
import { expectOneLine, TITLE } from './composeLine.ts';
import { long } from '../support/long.ts';

const SESSION = 'b0b0b0b0-0000';

// One window for all.
let lab: Lab;
let seeded: Awaited<ReturnType<typeof seedWorkspace>>;

beforeAll(async () => {
	lab = await openLab({ language: 'de', size: { width: 1200, height: 900 } });
});
afterAll(() => lab[Symbol.asyncDispose]());

test(
	'Nancy speaks German where VS Code does: a view, a welcome text, a command, an error of the core and why a message waits',
	long,
	async () => {
		const { workbench, workspace } = lab;
		await workbench.activity('Nancy').click();
		await workbench.pane('Aufgaben').getByText('Noch keine Aufgaben.').waitFor();

		symlinkSync('nowhere', join(workspace, '.claude'));
		await workbench.command('Nancy: Arbeitsbereich einrichten');
		const data = { dataFolder: dataFolder({ HOME: lab.server.home }) };
		seeded = await seedWorkspace(workspace, { title: TITLE, session: SESSION, queued: ['Mind the gap'], ...data });
		const mailbox = seeded.workspace.mailbox(seeded.address);
		const [waiting] = (await mailbox.list(['queued'])).messages;
		await mailbox.setHeld(waiting!.id, { code: 'waiting' });
		const row = workbench.pane('Posteingang').locator('[role=treeitem]', { hasText: 'Mind the gap' });
		await row.and(workbench.page.locator('[aria-label*="zurückgehalten: der Agent "]')).waitFor();

		await workbench
			.toast(/\.claude, und das ist eine Verknüpfung ins Leere.*; Nancy hat nichts angerührt\./)
			.waitFor();
	},
);

test('the controls of Compose are on one line at 400, 300 and 240 pixels, in German', long, async () => {
	const words = { language: 'de', title: 'Verfassen', tool: 'nächstes Tool', done: 'wenn fertig' };
	await expectOneLine(lab, seeded, SESSION, words);
});

test('what an agent asks is shown in German', long, async () => {
	await seedQuestion(seeded.workspace);
	const { workbench } = lab;
	await workbench.pane('Fragen').locator('[role=treeitem]').click();
	const question = await questionFrame(workbench.page);
	await question.getByRole('button', { name: 'Einmal erlauben' }).waitFor();
});
