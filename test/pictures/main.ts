import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLab, type Lab } from '../support/lab.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { THEMES } from '../support/themes.ts';
import { questionViews } from './questions.ts';
import { scenes } from './scenes.ts';
import { leave, views } from './views.ts';
import { SETTLES_MS, showNancy, wear, widen } from './window.ts';

const out = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'out', 'pictures');

/** Of the sidebar, in pixels: the narrowest one that is useful, VS Code's own, and a wide one. */
const WIDTHS = [240, 300, 400] as const;

const SIZE = { width: 1400, height: 900 };

/** Scenes in which views have something to show, and the sidebar's width there. */
const SHOWN: Readonly<Record<string, typeof views | typeof questionViews>> = { seven: views, questions: questionViews };
const FULL_WIDTH = 300;

const asked = process.argv.slice(2);
mkdirSync(out, { recursive: true });
for (const [name, scene] of Object.entries(scenes)) {
	if (asked.length > 0 && !asked.includes(name)) continue;
	await using folder = tempFolder('np-');
	const data = folder.file('data');
	const workspace = await scene(folder, join(data, 'nancy'));
	const settings = { 'workbench.colorTheme': THEMES.dark };
	await using lab = await openLab({ workspace, size: SIZE, settings, env: { XDG_DATA_HOME: data } });
	await showNancy(lab);
	for (const theme of ['dark', 'light', 'contrast'] as const) {
		await wear(lab, theme);
		for (const width of WIDTHS) {
			await widen(lab, width);
			await shoot(lab, `${name}-${theme}-${width}`);
		}
	}
	const shown = SHOWN[name];
	if (!shown) continue;
	await widen(lab, FULL_WIDTH);
	for (const theme of ['dark', 'light', 'contrast'] as const) {
		await wear(lab, theme);
		for (const [view, show] of Object.entries(shown)) {
			await show(lab);
			await sleep(SETTLES_MS);
			await shoot(lab, `${view}-${theme}`);
			await leave(lab);
		}
	}
}

async function shoot({ page }: Lab, name: string): Promise<void> {
	await page.screenshot({ path: join(out, `${name}.png`) });
	process.stdout.write(`out/pictures/${name}.png\n`);
}
