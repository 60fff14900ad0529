import type { Page } from 'playwright-core';

/** Draws the edge of the sidebar to its place. */
export async function widen(page: Page, width: number): Promise<void> {
	const sidebar = await page.locator('.part.sidebar').boundingBox();
	if (!sidebar) throw new Error('There is no sidebar.');
	const y = sidebar.y + sidebar.height / 2;
	await page.mouse.move(sidebar.x + sidebar.width, y);
	await page.mouse.down();
	await page.mouse.move(sidebar.x + width, y, { steps: 5 });
	await page.mouse.up();
	await page.mouse.move((page.viewportSize()?.width ?? 0) / 2, y);
}
