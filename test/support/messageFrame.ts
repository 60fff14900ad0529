import type { Frame, Page } from 'playwright-core';
import { eventually } from './eventually.ts';

/** The page in the editor that shows a message or a conversation. */
export function messageFrame(page: Page): Promise<Frame> {
	return eventually('the page of the message', async () => {
		for (const frame of page.frames()) {
			const found = frame.locator('main > h1 ~ article');
			if ((await found.count().catch(() => 0)) > 0) return frame;
		}
		return false;
	});
}
