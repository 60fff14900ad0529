import { test } from 'vitest';
import { dataFolder } from '../../src/base/folders.ts';
import { openLab } from '../support/lab.ts';
import { long } from '../support/long.ts';
import { seedWorkspace } from '../support/seedWorkspace.ts';
import { expectOneLine, TITLE } from './composeLine.ts';

const SESSION = 'c0c0c0c0-0003';

test('the controls of Compose are on one line at 400, 300 and 240 pixels', long, async () => {
	await using lab = await openLab({ size: { width: 1200, height: 900 } });
	const home = dataFolder({ HOME: lab.server.home });
	const seeded = await seedWorkspace(lab.workspace, { title: TITLE, session: SESSION, dataFolder: home });
	await lab.workbench.activity('Nancy').click();
	const words = { language: 'en', title: 'Compose', tool: 'next tool call', done: 'when done' };
	await expectOneLine(lab, seeded, SESSION, words);
});
