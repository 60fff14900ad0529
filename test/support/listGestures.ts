import type { Locator } from 'playwright-core';
import { eventually } from './eventually.ts';
import type { Workbench } from './workbench.ts';

/** Leaves the room to the other views: how VS Code shares it out is not always the same, and it draws only rows in sight. */
export async function fold(workbench: Workbench, ...paneTitles: readonly string[]): Promise<void> {
	for (const title of paneTitles) await workbench.pane(title).locator('.pane-header.expanded h3').click();
}

/** The other way round; what is unfolded already stays so. */
export async function unfold(workbench: Workbench, ...paneTitles: readonly string[]): Promise<void> {
	for (const title of paneTitles) {
		const folded = workbench.pane(title).locator('.pane-header:not(.expanded) h3');
		if ((await folded.count()) > 0) await folded.click();
	}
}

/**
 * Like a hand. The browser tells a list of what is over it only when it moves within one element of a row, so it moves a little
 * until the list shows where the row would go. A list that is drawn anew after the press has lost the row that was taken: then the hand
 * lets go and takes it again.
 */
export async function dragRow(workbench: Workbench, from: string, onto: string | RegExp): Promise<void> {
	const { mouse } = workbench.page;
	const target = workbench.row('Inbox', onto);
	const taken = target.and(workbench.page.locator('.drop-target'));
	await eventually('the list takes it', async () => {
		await workbench.row('Inbox', from).hover();
		await mouse.down();
		for (let step = 0; step < 30; step++) {
			const box = await target.boundingBox();
			if (!box) continue;
			await mouse.move(box.x + box.width / 2 + (step % 3), box.y + box.height / 2);
			if ((await taken.count()) > 0) return true;
		}
		await mouse.up();
		return false;
	});
	await mouse.up();
}

/** The rows of messages that wait for one worker, in the order in which it reads them: `Second thought 1 of 3 · 12:03`. */
export function inQueue(rows: readonly string[]): string[] {
	const placeOf = (row: string) => Number(/(\d+) of \d+/.exec(row)?.[1] ?? 1);
	return rows.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** The row that takes the keys, if it is this one. A list shows its focused row also while the keyboard is elsewhere, in a terminal say. */
export function focusedRow(workbench: Workbench, paneTitle: string, text: string | RegExp): Locator {
	return workbench.pane(paneTitle).locator('.monaco-list:focus .monaco-list-row.focused').filter({ hasText: text });
}

/** Moves through the list that has the focus until this row has it. */
export async function moveTo(workbench: Workbench, paneTitle: string, text: string | RegExp): Promise<void> {
	const focused = focusedRow(workbench, paneTitle, text);
	// The keys are lost until the view has taken the keyboard.
	await eventually('the row', async () => {
		await workbench.page.keyboard.press('Home');
		for (let step = 0; step < 30 && (await focused.count()) === 0; step++) {
			await workbench.page.keyboard.press('ArrowDown');
		}
		return (await focused.count()) > 0;
	});
}

/**
 * Opens this row by keys, so that rows are below it. VS Code gives the keyboard back to the view when its command palette has closed, which may be
 * between two keys: the second one is lost then.
 */
export async function openRow(workbench: Workbench, paneTitle: string, text: string | RegExp): Promise<void> {
	const closed = workbench.row(paneTitle, text).and(workbench.page.locator('[aria-expanded=false]'));
	await eventually(
		'the row is open',
		async () => {
			await moveTo(workbench, paneTitle, text);
			if ((await closed.count()) > 0) await workbench.page.keyboard.press('ArrowRight');
			return (await closed.count()) === 0;
		},
		{ everyMs: 1000 },
	);
}

/** Chooses from the context menu of this row, which has the focus, without a mouse. */
export async function contextKey(
	workbench: Workbench,
	paneTitle: string,
	text: string | RegExp,
	label: string,
): Promise<void> {
	const { page } = workbench;
	let isAgain = false;
	// A menu that opens while its view is drawn anew closes at once, and may take the keyboard with it.
	await eventually('the menu', async () => {
		if (isAgain) {
			await workbench.command(`Nancy: Focus on ${paneTitle} View`);
			await moveTo(workbench, paneTitle, text);
		}
		isAgain = true;
		await page.keyboard.press('Shift+F10');
		await page.locator('.context-view .action-item').first().waitFor({ timeout: 3000 });
		return true;
	});
	const chosen = page.locator('.context-view .action-item.focused').filter({ hasText: label });
	for (let step = 0; step < 15 && (await chosen.count()) === 0; step++) await page.keyboard.press('ArrowDown');
	await chosen.waitFor();
	await page.keyboard.press('Enter');
}
