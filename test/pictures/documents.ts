import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator } from 'playwright-core';
import sharp from 'sharp';
import { agentsUnderTest } from '../support/agents/index.ts';
import { openLab, type Lab } from '../support/lab.ts';
import { messageFrame } from '../support/messageFrame.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { THEMES } from '../support/themes.ts';
import { busyScene } from './scenes.ts';
import { leave, views } from './views.ts';
import { showNancy, wear, widen } from './window.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Of a step's picture in the walkthrough: VS Code shows it about 600 pixels wide. */
const SIZE = { width: 1100, height: 820 };

/** Of a view in a picture, in pixels: below it is nothing. A list of choices is shown whole. */
const TALLEST = 340;
const VIEWS = new Set(['watch', 'delegate', 'steer']);

/** What each step of the walkthrough shows. */
const steps = {
	watch: views.tasks,
	delegate: views.delegates,
	steer: views.compose,
	answer: views.needs,
	orchestrate: views.start,
	agent: views.agents,
	leave: views.cleanUp,
};

await using folder = tempFolder('np-');
const data = folder.file('data');
const workspace = await busyScene(folder, join(data, 'nancy'));
const settings = { 'workbench.colorTheme': THEMES.dark };
const agents = agentsUnderTest.filter(({ id }) => id !== 'claude-code');
const env = { XDG_DATA_HOME: data };
await using lab = await openLab({ workspace, size: SIZE, scale: 1.5, settings, agents, env });
await showNancy(lab);
await widen(lab, 450);
// The README's: all views at once.
await views.traffic(lab);
await lab.workbench.command('View: Close Editor');
await lab.workbench.row('Inbox', 'Shall I round').click();
await messageFrame(lab.page);
await shoot(lab, lab.page.locator('.monaco-workbench'), join('docs', 'images', 'views.webp'), SIZE.height);
await leave(lab);
for (const theme of ['dark', 'light'] as const) {
	await wear(lab, theme);
	for (const [name, show] of Object.entries(steps)) {
		const tallest = VIEWS.has(name) ? TALLEST : SIZE.height;
		await shoot(lab, await show(lab), join('media', 'walkthrough', `${name}-${theme}.webp`), tallest);
		await leave(lab);
	}
}

/** Lossless: letters stay sharp, and plain areas cost nothing. */
async function shoot({ page }: Lab, about: Locator, file: string, tallest: number): Promise<void> {
	await page.waitForTimeout(1000);
	const box = await about.boundingBox();
	if (!box) throw new Error(`There is nothing to see for ${file}.`);
	// Nothing of what is beside it: cut letters look like faults.
	const clip = { ...box, height: Math.min(box.height, tallest) };
	const picture = await sharp(await page.screenshot({ clip }))
		.webp({ lossless: true, effort: 6 })
		.toBuffer();
	mkdirSync(dirname(join(root, file)), { recursive: true });
	writeFileSync(join(root, file), picture);
	process.stdout.write(`${file} ${Math.round(picture.length / 1024)} KB\n`);
}
