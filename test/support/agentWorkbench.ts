import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { waitForProgram } from './gate.ts';
import { openLab, type Lab, type LabOptions } from './lab.ts';
import type { Workbench } from './workbench.ts';

/** What the agent may do unasked; it asks before everything else. */
const claudeSettings = {
	// Its turning signs keep a window that is drawn without a graphics card busy.
	prefersReducedMotion: true,
	permissions: {
		defaultMode: 'default',
		allow: ['Bash(nancy:*)', 'Bash(sleep *)', 'Bash(echo *)', `Bash(${waitForProgram} *)`],
	},
};

/** VS Code with Nancy and her container in sight, the real agent CLI, and a model that plays scripts. */
export async function openAgentLab(options: LabOptions = {}): Promise<Lab> {
	const lab = await openLab({ claudeSettings, size: { width: 1500, height: 1000 }, ...options });
	try {
		await lab.workbench.activity('Nancy').click();
		await lab.workbench.pane('Tasks').waitFor();
		return lab;
	} catch (error) {
		await lab[Symbol.asyncDispose]();
		throw error;
	}
}

/** What each test of one window finds: an empty folder, no terminal, and nothing open that a test which failed has left. */
export async function startAnew({ page, workbench, workspace }: Lab): Promise<void> {
	await page.keyboard.press('Escape');
	await workbench.tidy();
	// An agent that ends may still write.
	await eventually('an empty folder', async () => {
		for (const name of readdirSync(workspace)) rmSync(join(workspace, name), { recursive: true, force: true });
		return (await workbench.pane('Tasks').locator('[role=treeitem]').count()) === 0;
	});
}

/**
 * Starts a task as a person does, by a key. Its terminal opens; the agent needs a few seconds more.
 * @param task a title. It becomes the prompt's first sentence
 */
export async function orchestrate(
	{ workbench }: Lab,
	task: string,
	prompt: string,
	agent = 'Claude Code',
): Promise<void> {
	await workbench.ask('nancy.orchestrateTask');
	await workbench.quick.getByText('What is to be done').first().waitFor();
	await workbench.quickInput.fill(`${task}. ${prompt}`);
	await showHow(workbench);
	await chooseAgent(workbench, agent);
	await workbench.pick(/^\s*Start /);
}

/** From the prompt to the list of choices. The button is there once a task was started; before, Enter does it. */
export async function showHow(workbench: Workbench): Promise<void> {
	const button = workbench.quick.locator('[aria-label^="Choose how it starts"]');
	if ((await button.count()) > 0) await button.click();
	else await workbench.page.keyboard.press('Enter');
	await workbench.quickRow(/^\s*Start /).waitFor();
}

/** In the list of choices. */
export async function chooseAgent(workbench: Workbench, agent: string): Promise<void> {
	const row = workbench.quickRow(/^\s*Agent/);
	const chosen = row.filter({ has: workbench.page.getByText(agent, { exact: true }) });
	if ((await chosen.count()) > 0) return;
	await row.click();
	await workbench.quick.getByPlaceholder('Which agent works on it?').waitFor();
	await workbench.pick(agent);
	await chosen.waitFor();
}

/** What VS Code asks nobody about in a window for tests: the user trusts the folder by hand. */
export async function trust(workbench: Workbench): Promise<void> {
	await workbench.command('Workspaces: Manage Workspace Trust');
	await workbench.page.getByRole('button', { name: 'Trust', exact: true }).first().click();
	await workbench.page.getByText('You trust this').first().waitFor();
	await workbench.page
		.locator('.monaco-modal-editor-block')
		.getByRole('button', { name: /^Close/ })
		.click();
}
