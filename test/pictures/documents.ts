import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator } from 'playwright-core';
import sharp from 'sharp';
import { openLab, type Lab } from '../support/lab.ts';
import { showHow } from '../support/agentWorkbench.ts';
import { fold, unfold } from '../support/listGestures.ts';
import { tempFolder } from '../support/tempFolder.ts';
import type { Workbench } from '../support/workbench.ts';
import { scenes } from './scenes.ts';
import { showNancy, THEMES, wear, widen } from './window.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Of a step's picture in the walkthrough: VS Code shows it about 600 pixels wide. */
const SIZE = { width: 1100, height: 820 };

/** Of a view in a picture, in pixels: below it is nothing. */
const TALLEST = 340;

/** Around what a picture is about, in pixels. */
const MARGIN = 8;

/** One picture for each step of the walkthrough: what a user would have in front of the eyes. */
const steps: Readonly<Record<string, (lab: Lab) => Promise<Locator>>> = {
	watch: async lab => {
		await only(lab, 'Tasks');
		return lab.workbench.pane('Tasks');
	},
	delegate: async lab => {
		await only(lab, 'Delegates');
		return lab.workbench.pane('Delegates');
	},
	steer: async lab => {
		await only(lab, 'Tasks');
		await lab.workbench.row('Tasks', 'Simplify brewing').first().click();
		await only(lab, 'Compose');
		await lab.workbench.webview().locator('#text').fill('Keep the old name as an alias.');
		return lab.workbench.pane('Compose');
	},
	answer: async lab => {
		await lab.workbench.status('nancy.nancy.needs').click();
		return lab.workbench.quick;
	},
	orchestrate: async ({ workbench }) => {
		await hub(workbench);
		return workbench.quick;
	},
	agent: async ({ workbench }) => {
		await hub(workbench);
		await workbench.pick(/^\s*Agent/);
		await workbench.quick.getByPlaceholder('Which agent works on it?').waitFor();
		return workbench.quick;
	},
	leave: async ({ workbench }) => {
		await workbench.command('Nancy: Clean Up');
		await workbench.quickRow('The whole workspace').waitFor();
		return workbench.quick;
	},
};

const PANES = ['Tasks', 'Delegates', 'Inbox', 'Compose'];

/** A view gets the whole sidebar. */
async function only({ workbench }: Lab, title: string): Promise<void> {
	const isOpen = async (each: string) => (await workbench.pane(each).locator('.pane-header.expanded').count()) > 0;
	if (!(await isOpen(title))) await unfold(workbench, title);
	for (const each of PANES) if (each !== title && (await isOpen(each))) await fold(workbench, each);
}

async function hub(workbench: Workbench): Promise<void> {
	await workbench.ask('nancy.orchestrateTask');
	await workbench.quickInput.fill('Show the minutes left in the page title');
	await showHow(workbench);
}

await using folder = tempFolder('np-');
const data = folder.file('data');
const workspace = await scenes['seven']?.(folder, join(data, 'nancy'));
if (workspace === undefined) throw new Error('There is no such scene.');
const settings = { 'workbench.colorTheme': THEMES.dark };
await using lab = await openLab({ workspace, size: SIZE, scale: 1.5, settings, env: { XDG_DATA_HOME: data } });
await showNancy(lab);
await widen(lab, 420);
mkdirSync(join(root, 'media', 'walkthrough'), { recursive: true });
for (const theme of ['dark', 'light'] as const) {
	await wear(lab, theme);
	for (const [name, show] of Object.entries(steps)) {
		await shoot(lab, await show(lab), join('media', 'walkthrough', `${name}-${theme}.webp`));
		for (let times = 0; times < 3; times++) await lab.page.keyboard.press('Escape');
	}
}

/** Lossless: letters stay sharp, and plain areas cost nothing. */
async function shoot({ page }: Lab, about: Locator, file: string): Promise<void> {
	await page.waitForTimeout(1000);
	const box = await about.boundingBox();
	if (!box) throw new Error(`There is nothing to see for ${file}.`);
	const clip = {
		x: Math.max(0, box.x - MARGIN),
		y: Math.max(0, box.y - MARGIN),
		width: box.width + 2 * MARGIN,
		height: Math.min(box.height, TALLEST) + 2 * MARGIN,
	};
	const picture = await sharp(await page.screenshot({ clip }))
		.webp({ lossless: true, effort: 6 })
		.toBuffer();
	writeFileSync(join(root, file), picture);
	process.stdout.write(`${file} ${Math.round(picture.length / 1024)} KB\n`);
}
