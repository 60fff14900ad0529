import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configFolder } from '../../src/base/folders.ts';
import { ProjectName } from '../../src/protocol/memoryNames.ts';
import { openAgentLab } from '../support/agentWorkbench.ts';
import type { Lab } from '../support/lab.ts';
import { first, long } from '../support/long.ts';
import { seedWaitingNote } from '../support/seedMemory.ts';
import { fold } from '../support/listGestures.ts';
import { chooseTheme } from '../support/themes.ts';
import type { Workbench } from '../support/workbench.ts';

const owned = new AsyncDisposableStack();
const name = ProjectName.parse('my-feature');
const RISKY = 'Always run the tests with DB_URL.';
let lab: Lab;
let workbench: Workbench;
let page: Page;

beforeAll(async () => {
	lab = owned.use(await openAgentLab());
	({ workbench, page } = lab);
});
afterAll(() => owned.disposeAsync());

/** Goes on in the project's terminal, as the palette's command does it. */
async function nextTask(prompt: string): Promise<void> {
	await workbench.command('Nancy: Next Task…');
	await workbench.answer(prompt);
	await workbench.quickRow(/./).first().click();
}

test(
	'a project is turned on, and a risky note of its task is told to the next one after a review as a change of its file',
	first,
	async () => {
		expect(await workbench.pane('Memory').count()).toBe(0);
		await workbench.command('Nancy: Remember This Project…');
		await workbench.answer(name);
		await workbench.row('Memory', /my-feature.*no notes yet/).waitFor();

		const config = configFolder({ HOME: lab.server.home });
		const failures = () => readFileSync(join(config, 'projects', name, 'notes', 'failures.md'), 'utf8');
		const learnt = {
			summary: 'Found out what the tests need.',
			plan: null,
			updates: [
				{
					op: 'add',
					category: 'failures',
					id: null,
					text: RISKY,
					reason: null,
					evidence: [{ ref: 'e1', quote: 'the pool needs DB_URL to be set' }],
				},
			],
		};
		// What the prompt says is in the digest too, and so the model of the extraction plays it. The task's own step is elsewhere: a command
		// that may run unasked, and fails with these words.
		writeFileSync(join(lab.workspace, 'CLAUDE.md'), "[[sh:sleep 'the pool needs DB_URL to be set']]\n");
		await nextTask(`Why do the tests fail? [[tool:StructuredOutput|${JSON.stringify(learnt)}]]`);
		await workbench.row('Memory', /Always run the tests.*tells an agent what to do/).waitFor();
		// One that the mouse is over stays, however long the rest takes.
		const waits = workbench.toast('A note waits for your review');
		await waits.hover();
		rmSync(join(lab.workspace, 'CLAUDE.md'));
		await expect.poll(() => workbench.badge('Nancy').innerText()).toBe('1');
		expect(() => failures()).toThrow();
		await workbench.row('Tasks', /^my-feature \w{8}/).waitFor();
		chooseTheme(lab.server, 'dark');
		await page.locator('.monaco-workbench.vs-dark').waitFor();
		await lab.picture('memory-dark');
		await waits.getByRole('button', { name: 'Review' }).click();
		const title = page.locator('.editor-actions');
		await title.getByRole('button', { name: /^Accept/ }).waitFor();
		await page.locator('.modified .view-lines').getByText('Always run the tests').first().waitFor();
		expect(await workbench.editorText()).toMatch(/Waits: tells an agent what to do\.[^]*needs DB_URL to be set”/);
		await lab.picture('memory-review-dark');
		chooseTheme(lab.server, 'light');
		await page.locator('.monaco-workbench.vs').waitFor();
		await lab.picture('memory-review-light');
		await title.getByRole('button', { name: /^Accept/ }).click();
		await expect.poll(() => failures()).toContain(`- ${RISKY} <!-- n:`);
		await workbench.row('Memory', 'Pitfalls').waitFor();
		expect(await workbench.row('Memory', 'To Review').count()).toBe(0);
		await workbench.tab('failures.md').waitFor({ state: 'detached' });
		await lab.picture('memory-light');

		await nextTask('Try again [[text:Tried again]]');
		await workbench.waitForTerminalText(/my-feature> Try again.*[^]*^Tried again[^]*task 2 is saved/m, 1);
		const told = lab.model.requests.find(({ text }) => text.includes('Try again'));
		expect(told?.text).toContain(`- ${RISKY} (task 1)`);
	},
);

test(
	'several notes are taken at once, shown whole; then a note of the person’s own, and a task in a terminal',
	long,
	async () => {
		const config = configFolder({ HOME: lab.server.home });
		const notes = (file: string) => readFileSync(join(config, 'projects', name, 'notes', file), 'utf8');
		const line = (id: string, text: string) => `- ${text} <!-- n:${id} t:001 by:claude-code -->`;
		const texts = ['Agents must use the pool.', 'You should rest at night.'];
		for (const [at, text] of texts.entries())
			seedWaitingNote(config, name, {
				change: { op: 'put', category: 'decisions', line: line(`0000000${at}`, text) },
			});
		await fold(workbench, 'Tasks', 'Delegates', 'Inbox', 'Compose');
		const rows = texts.map(text => workbench.row('Memory', text));
		for (const row of rows) await row.click({ modifiers: ['Control'] });
		await page.keyboard.press('Control+Enter');
		const dialog = workbench.dialog('Accept these 2 notes?');
		for (const text of texts) await dialog.getByText(text).waitFor();
		await lab.picture('memory-accept');
		await dialog.getByRole('button', { name: 'Accept' }).click();
		await expect.poll(() => notes('decisions.md')).toMatch(/use the pool\..*\n.*rest at night\./);

		writeFileSync(join(lab.workspace, 'pool.ts'), 'const pool = open(4);\n');
		await page.keyboard.press('Control+P');
		await workbench.quickInput.fill('pool.ts');
		await workbench.pick('pool.ts');
		await workbench.tab('pool.ts').waitFor();
		// Until the editor has the keys, they go to the view.
		await page.locator('.monaco-editor.focused').waitFor();
		await page.keyboard.press('Control+A');
		await workbench.page
			.locator('.statusbar-item')
			.filter({ hasText: /selected/ })
			.waitFor();
		await workbench.command('Nancy: Add Note from Selection');
		await workbench.answer('Four connections are enough.');
		await workbench.pick('Decisions');
		await workbench.row('Memory', /Four connections are enough.*pool\.ts:1/).waitFor();
		expect(notes('decisions.md')).toMatch(/Four connections are enough\..* f:pool\.ts:1-1#.* by:user/);

		const own = workbench.row('Memory', /Four connections are enough/);
		writeFileSync(join(lab.workspace, 'pool.ts'), 'const pool = open(8);\n');
		await own.filter({ hasText: 'lines changed' }).waitFor();
		writeFileSync(join(lab.workspace, 'pool.ts'), 'const pool = open(4);\n');
		await workbench.row('Memory', /Four connections are enough\W+pool\.ts:1/).waitFor();
		await workbench.contextMenu(own, 'Share Note in Repository');
		await workbench.toast(/The note is in docs\/agent-notes\/decisions-\w+\.md/).waitFor();
		const [shared] = readdirSync(join(lab.workspace, 'docs', 'agent-notes'));
		expect(shared).toMatch(/^decisions-\w{8}\.md$/);

		await nextTask('Go on [[text:Went on]]');
		await workbench.waitForTerminalText(/Went on[^]*task 3 is saved/, 2);
		expect(lab.model.requests.some(({ text }) => text.includes('Four connections are enough.'))).toBe(true);
		await lab.picture('memory-terminal');
	},
);

test(
	'a note is pinned and retired, the notes of a task are made anew, and a project pauses and goes on',
	long,
	async () => {
		const decisions = join(configFolder({ HOME: lab.server.home }), 'projects', name, 'notes', 'decisions.md');
		const note = workbench.row('Memory', 'Agents must use the pool.');
		await workbench.contextMenu(note, 'Pin Note');
		await note.locator('.custom-view-tree-node-item-icon.codicon-pinned').waitFor();
		await workbench.contextMenu(note, 'Unpin Note');
		await note.locator('.custom-view-tree-node-item-icon.codicon-note').waitFor();
		await workbench.contextMenu(note, 'Retire Note');
		await note.waitFor({ state: 'detached' });
		expect(readFileSync(decisions, 'utf8')).not.toContain('- Agents must use the pool.');

		await workbench.row('Memory', /^Tasks/).click();
		const calls = lab.model.requests.length;
		await workbench.contextMenu(workbench.row('Memory', 'Found out what the tests need.'), 'Extract Now');
		expect(await workbench.toast(/task 1/).innerText()).toContain('Notes of task 1: nothing new.');
		expect(lab.model.requests.length).toBeGreaterThan(calls);

		const project = workbench.row('Memory', /^my-feature/);
		await workbench.contextMenu(project, 'Pause Memory');
		await project.filter({ hasText: 'paused' }).waitFor();
		await workbench.contextMenu(project, 'Resume Memory');
		await project.filter({ hasNotText: 'paused' }).waitFor();
	},
);
