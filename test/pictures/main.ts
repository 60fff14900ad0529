import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLab, type Lab } from '../support/lab.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { scenes } from './scenes.ts';

const out = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'out', 'pictures');

const THEMES = {
	dark: 'Default Dark Modern',
	light: 'Default Light Modern',
	contrast: 'Default High Contrast',
} as const;

/** Of the sidebar, in pixels: the narrowest one that is useful, VS Code's own, and a wide one. */
const WIDTHS = [240, 300, 400] as const;

const SIZE = { width: 1400, height: 900 };

/** Colours, spinners and rows come to rest, in milliseconds. */
const SETTLES_MS = 1500;

const asked = process.argv.slice(2);
mkdirSync(out, { recursive: true });
for (const [name, scene] of Object.entries(scenes)) {
	if (asked.length > 0 && !asked.includes(name)) continue;
	await using folder = tempFolder('np-');
	const data = folder.file('data');
	const workspace = await scene(folder, join(data, 'nancy'));
	const settings = { 'workbench.colorTheme': THEMES.dark };
	await using lab = await openLab({ workspace, size: SIZE, settings, env: { XDG_DATA_HOME: data } });
	await lab.workbench.activity('Nancy').click();
	await lab.workbench.pane('Tasks').waitFor();
	// Opening a folder and reading it takes a few seconds.
	await sleep(3 * SETTLES_MS);
	for (const [theme, colors] of Object.entries(THEMES)) {
		wear(lab, colors);
		for (const width of WIDTHS) {
			await widen(lab, width);
			await sleep(SETTLES_MS);
			await shoot(lab, `${name}-${theme}-${width}`);
		}
	}
	await lab.workbench.command('Nancy Traffic: Focus on Traffic View');
	await sleep(SETTLES_MS);
	await shoot(lab, `${name}-traffic`);
}

/** As if the user had chosen it. */
function wear({ server }: Lab, theme: string): void {
	for (const place of ['User', 'Machine']) {
		const file = join(dirname(server.userFolder), place, 'settings.json');
		const settings: unknown = JSON.parse(readFileSync(file, 'utf8'));
		writeFileSync(file, JSON.stringify(Object.assign({}, settings, { 'workbench.colorTheme': theme })));
	}
}

/** Draws the edge of the sidebar to its place. */
async function widen({ page }: Lab, width: number): Promise<void> {
	const sidebar = await page.locator('.part.sidebar').boundingBox();
	if (!sidebar) throw new Error('There is no sidebar.');
	const y = sidebar.y + sidebar.height / 2;
	await page.mouse.move(sidebar.x + sidebar.width, y);
	await page.mouse.down();
	await page.mouse.move(sidebar.x + width, y, { steps: 5 });
	await page.mouse.up();
	await page.mouse.move(SIZE.width / 2, SIZE.height / 2);
}

async function shoot({ page }: Lab, name: string): Promise<void> {
	await page.screenshot({ path: join(out, `${name}.png`) });
	process.stdout.write(`out/pictures/${name}.png\n`);
}
