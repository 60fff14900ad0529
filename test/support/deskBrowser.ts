import type { Browser, Page } from 'playwright-core';
import type { ServedDesk } from './servedDesk.ts';
import { HANG_MS } from './eventually.ts';
import { violationsIn } from './looks.ts';

export const PHONE = { width: 390, height: 844 };

/**
 * A browser that the person at the computer has let in. The caller closes its context.
 * @param complain gets what the browser refuses, and errors of the page's script
 */
export async function pairedPage(
	browser: Browser,
	desk: ServedDesk,
	complain: (text: string) => void,
	{ locale = 'en-GB', size = PHONE } = {},
): Promise<Page> {
	const context = await browser.newContext({ viewport: size, locale, reducedMotion: 'reduce' });
	const page = await context.newPage();
	page.setDefaultTimeout(HANG_MS);
	page.on('pageerror', error => complain(String(error)));
	page.on('console', message => {
		if (message.type() === 'error') complain(message.text());
	});
	await page.goto(desk.server.invite(desk.server.address));
	await page.locator('.link.live').waitFor();
	return page;
}

/** What axe-core finds wrong in a page, in both of its looks. */
export async function bothLooks(page: Page): Promise<string[][]> {
	const found: string[][] = [];
	for (const colorScheme of ['dark', 'light'] as const) {
		await page.emulateMedia({ colorScheme });
		found.push(...(await violationsIn(page)).map(violation => [colorScheme, ...violation]));
	}
	return found;
}
