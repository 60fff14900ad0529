import { afterEach } from 'vitest';
import { openLabs, type Lab } from './lab.ts';

/** CI keeps no pictures: a failed test also prints what its window asks and tells. */
const asksAndTells = '.quick-input-widget, .notification-toast, .monaco-dialog-box';

afterEach(async ({ task }) => {
	if (task.result?.state !== 'fail') return;
	for (const lab of openLabs) await show(lab, task.name).catch(() => undefined);
});

async function show(lab: Lab, test: string): Promise<void> {
	await lab.screenshot(test);
	const shown = await lab.page.locator(`:is(${asksAndTells}):visible`).allInnerTexts();
	const focus = await lab.page.evaluate(
		() => (document.activeElement?.cloneNode() as Element | undefined)?.outerHTML,
	);
	console.error([`The window of “${test}” shows:`, ...shown, `The focus is in ${focus}`].join('\n'));
}
