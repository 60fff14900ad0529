import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Frame, Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds wrong in a page. */
export async function violationsIn(page: Page | Frame): Promise<string[][]> {
	await page.evaluate(axe);
	const { violations } = await page.evaluate<AxeResults>('axe.run()');
	return violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]);
}

/** What sticks out of a page at its side, or is hidden there. A line that ends in an ellipsis is whole elsewhere. */
export function cutIn(page: Page | Frame): Promise<string[]> {
	return page.evaluate(() => {
		const { clientWidth } = document.documentElement;
		const isOutside = (element: Element) => {
			const { left, right, width } = element.getBoundingClientRect();
			return width > 0 && (left < -1 || right > clientWidth + 1);
		};
		const isHidden = (element: Element) => {
			const { overflowX, textOverflow } = getComputedStyle(element);
			// A text for screen readers is one pixel wide.
			const isShort = element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1;
			return isShort && ['hidden', 'clip'].includes(overflowX) && textOverflow !== 'ellipsis';
		};
		return [...document.body.querySelectorAll('*')]
			.filter(element => isOutside(element) || isHidden(element))
			.map(element => element.outerHTML.slice(0, 200));
	});
}
