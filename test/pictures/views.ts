import type { Locator } from 'playwright-core';
import { showHow } from '../support/agentWorkbench.ts';
import type { Lab } from '../support/lab.ts';
import { fold, unfold } from '../support/listGestures.ts';
import { messageFrame } from '../support/messageFrame.ts';
import type { Workbench } from '../support/workbench.ts';

const PANES = ['Tasks', 'Delegates', 'Inbox', 'Compose'];

/** Each shows something in the window of the scene “seven”, and returns what it is about. {@link leave} takes it away again. */
export const views = {
	tasks: async lab => {
		await only(lab, 'Tasks');
		return lab.workbench.pane('Tasks');
	},
	delegates: async lab => {
		await only(lab, 'Delegates');
		return lab.workbench.pane('Delegates');
	},
	compose: async lab => {
		await only(lab, 'Tasks');
		await lab.workbench.row('Tasks', 'Simplify brewing').first().click();
		await only(lab, 'Compose');
		await lab.workbench.webview().locator('#text').fill('Keep the old name as an alias.');
		return lab.workbench.pane('Compose');
	},
	needs: async lab => {
		await lab.workbench.status('nancy.nancy.needs').click();
		return lab.workbench.quick;
	},
	start: async ({ workbench }) => {
		await hub(workbench);
		return workbench.quick;
	},
	agents: async ({ workbench }) => {
		await hub(workbench);
		await workbench.pick(/^\s*Agent/);
		await workbench.quick.getByPlaceholder('Which agent works on it?').waitFor();
		return workbench.quick;
	},
	delegate: async ({ workbench }) => {
		await workbench.ask('nancy.delegate');
		await workbench.answer('Measure the start-up time');
		await workbench.quickRow('Start Delegate').waitFor();
		return workbench.quick;
	},
	cleanUp: async ({ workbench }) => {
		await workbench.command('Nancy: Clean Up');
		await workbench.quickRow('The whole workspace').waitFor();
		return workbench.quick;
	},
	message: async lab => {
		await only(lab, 'Inbox');
		await lab.workbench.row('Inbox', 'Shall I round').click();
		await messageFrame(lab.page);
		return lab.page.locator('.part.editor');
	},
	conversation: async lab => {
		await only(lab, 'Inbox');
		await lab.workbench.contextMenu(lab.workbench.row('Inbox', 'Then run all tests'), 'Show Conversation');
		await messageFrame(lab.page);
		return lab.page.locator('.part.editor');
	},
	review: async lab => {
		await only(lab, 'Delegates');
		await lab.workbench.rowAction(lab.workbench.row('Delegates', 'Add the old presets'), 'Review Changes');
		await lab.page.locator('.multiDiffEntry').filter({ hasText: 'presets.js' }).waitFor();
		return lab.page.locator('.part.editor');
	},
	changes: async lab => {
		await only(lab, 'Delegates');
		const delegate = lab.workbench.row('Delegates', 'Add the old presets');
		const isOpen = await delegate.getAttribute('aria-expanded');
		if (isOpen !== 'true') await delegate.locator('.monaco-tl-twistie').click();
		await lab.workbench.row('Delegates', 'timer.js').click();
		await lab.workbench.tab(/timer\.js · Changes of/).waitFor();
		return lab.page.locator('.part.editor');
	},
	traffic: async ({ workbench }) => {
		await workbench.command('Nancy Traffic: Focus on Traffic View');
		await workbench
			.row('Traffic', /^tool Bash/)
			.first()
			.click();
		await workbench.tab(/tool Bash/).waitFor();
		return workbench.pane('Traffic');
	},
} satisfies Readonly<Record<string, (lab: Lab) => Promise<Locator>>>;

/** Closes what a view has opened, and opens all lists. */
export async function leave({ workbench, page }: Lab): Promise<void> {
	for (let times = 0; times < 3; times++) await page.keyboard.press('Escape');
	await workbench.tidy();
	const panel = page.locator('.part.panel:visible .action-label[aria-label^="Hide Panel"]');
	if ((await panel.count()) > 0) await panel.click();
	await unfold(workbench, ...PANES);
}

/** A view gets the whole sidebar. */
async function only({ workbench, page }: Lab, title: string): Promise<void> {
	const isOpen = async (each: string) => (await workbench.pane(each).locator('.pane-header.expanded').count()) > 0;
	await unfold(workbench, title);
	for (const each of PANES) if (each !== title && (await isOpen(each))) await fold(workbench, each);
	// Over a row, a hover would open.
	await page.mouse.move(0, 0);
}

async function hub(workbench: Workbench): Promise<void> {
	await workbench.ask('nancy.orchestrateTask');
	await workbench.quickInput.fill('Show the minutes left in the page title');
	await showHow(workbench);
}
