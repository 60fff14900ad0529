import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { DeskServer } from '../../src/server/deskServer.ts';
import { programFolder } from '../../src/server/programFolder.ts';
import { ServedFolders } from '../../src/server/servedFolders.ts';
import { launchBrowser } from '../support/browser.ts';
import { contextOf } from '../support/operationContext.ts';
import { repository } from '../support/programs.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { scenes } from './scenes.ts';

// Pictures of the desk's page: of a phone, a tablet and a desktop, in each look. See scripts/pictures.mjs.

const WIDTHS = [240, 390, 768, 1280] as const;
const LOOKS = {
	dark: { colorScheme: 'dark' },
	light: { colorScheme: 'light' },
	contrast: { colorScheme: 'dark', contrast: 'more', forcedColors: 'active' },
} as const;

/** What is opened in each scene. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
	empty: ['Questions'],
	question: ['Questions'],
	questions: ['Questions', 'src/timer.js', 'Plan: ', 'Which colour', 'echo more'],
	seven: ['Agents', 'Delegates', 'Inbox', 'agent'],
};

const out = join(repository, 'out', 'pictures');
mkdirSync(out, { recursive: true });
const browser = await launchBrowser();
for (const [name, shown] of Object.entries(SHOWN)) await picturesOf(browser, name, shown);
await browser.close();

async function picturesOf(inBrowser: Browser, name: string, shown: readonly string[]): Promise<void> {
	await using folder = tempFolder('np-');
	const data = folder.file('data');
	const root = await scenes[name]?.(folder, data);
	if (root === undefined) throw new Error(`there is no scene ${name}`);
	const workspace = new Workspace(root, data);
	const served = await programFolder(contextOf(folder, workspace));
	const server = await DeskServer.open({
		served: new ServedFolders(() => [served], served.onDidChange, data),
		owner: { letIn: () => Promise.resolve('answer'), warn: () => undefined },
		pages: join(repository, 'media/desk'),
		dataFolder: data,
	});
	for (const [look, media] of Object.entries(LOOKS))
		for (const width of WIDTHS) {
			const page = await inBrowser.newPage({
				...media,
				viewport: { width, height: width < 500 ? 844 : 900 },
				reducedMotion: 'reduce',
			});
			await page.goto(server.invite(server.address));
			await page.locator('.link.live').waitFor();
			for (const what of shown) {
				await open(page, what);
				await page.screenshot({ path: join(out, `desk-${name}-${word(what)}-${look}-${width}.png`) });
			}
			await page.close();
		}
	await server.close();
	await served.close();
}

async function open(page: Page, what: string): Promise<void> {
	const view = page.getByRole('navigation').getByRole('button', { name: what });
	if (what === 'agent') {
		await page.getByRole('navigation').getByRole('button', { name: 'Agents' }).click();
		await page.locator('.row').first().click();
	} else if ((await view.count()) > 0) await view.click();
	else {
		await page.getByRole('navigation').getByRole('button', { name: 'Questions' }).click();
		await page.locator('.row', { hasText: what }).click();
	}
}

function word(what: string): string {
	return what.toLowerCase().replaceAll(/\W+/g, '-').replaceAll(/^-|-$/g, '');
}
