import type { Frame, Page } from 'playwright-core';
import { eventually } from './eventually.ts';

/** The page in the editor that shows a question with this in its request. */
export function questionFrame(page: Page, request: string | RegExp = ''): Promise<Frame> {
	return eventually('the page of the question', async () => {
		for (const frame of page.frames()) {
			const found = frame.locator('main').filter({ has: frame.locator('article.question') });
			const asked = found.filter({ hasText: request });
			if ((await asked.count().catch(() => 0)) > 0) return frame;
		}
		return false;
	});
}
