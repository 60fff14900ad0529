import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dataFolder } from '../../src/base/folders.ts';
import type { Delegate } from '../../src/core/delegates/delegate.ts';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { deleteDelegate } from '../../src/core/delegates/deleteDelegate.ts';
import { Tickets } from '../../src/core/delegates/tickets.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { stopDelegate } from '../../src/delegates/delegateQueue.ts';
import { ORCHESTRATOR } from '../../src/protocol/names.ts';
import type { ModelDouble } from '../double/modelDouble.ts';
import { chooseAgent, openAgentLab, orchestrate, showHow, trust } from '../support/agentWorkbench.ts';
import { killExtensionHost } from '../support/extensionHost.ts';
import { gitIn, seedDelegate, seedWorktree, smallRepository } from '../support/delegateSeeds.ts';
import { eventually } from '../support/eventually.ts';
import type { Lab } from '../support/lab.ts';
import { focusedRow, moveTo, unfold, openRow } from '../support/listGestures.ts';
import { long } from '../support/long.ts';
import { BY_USER, messageContent } from '../support/messageContent.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';
import type { Workbench } from '../support/workbench.ts';
import {
	ARCHIVE_KEY,
	DESK_KEYS,
	seedViews,
	testRestrictedDesk,
	testRestrictedViews,
	testTrustedDesk,
	testTrustedViews,
	type Seen,
} from './views.ts';

/** High enough for every row and every choice of a menu. */
const size = { width: 1500, height: 1300 };
/** High enough for every row of all views. */
const tall = { width: 1500, height: 1800 };
/** Delegates wait by a loop, which would be asked about. */
const claudeSettings = { prefersReducedMotion: true, permissions: { defaultMode: 'default', allow: ['Bash'] } };
const EDIT = { Where: 'A worktree of its own', Permissions: 'Edit' };
const USER_SETTINGS = {
	'nancy.server.enabled': true,
	'nancy.terminal.host': 'watched',
	'nancy.delegates.max': 8,
	'nancy.delegates.worktreeSetUp': 'true',
	'nancy.agents.claude-code.permissionsFromAgents': 'acceptEdits',
};
/** What a repository may bring along. */
const WORKSPACE_SETTINGS = {
	'nancy.terminal.host': 'direct',
	'nancy.delegates.swarmWorker': false,
	'nancy.delegates.max': 200,
	'nancy.delegates.worktreeSetUp': 'sh bad.sh',
	'nancy.delegates.worktreeTearDown': 'sh bad.sh',
	'nancy.agents.claude-code.permissionsFromAgents': 'bypassPermissions',
};
/** The user's, as the `nancy` command reads them. */
const FOR_COMMAND = {
	max: 8,
	worktreeSetUp: 'true',
	permissionsFromAgents: { 'claude-code': 'acceptEdits' },
	terminalHost: 'watched',
};
/** Not text in any encoding. */
const BINARY = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff, 0xfe, 0, 1, 2, 3, 0xc3, 0x28]);

// One window for all: each test has delegates of its own in it.
const owned = new AsyncDisposableStack();
let folder: TempFolder;
let lab: Lab;
let project: string;
let store: Delegates;
let workbench: Workbench;
let page: Page;
let model: ModelDouble;
let views: Seen;
let gates = 0;

beforeAll(async () => {
	folder = owned.use(tempFolder('nd-'));
	project = smallRepository(folder, {
		'notes.txt': 'one\ntwo\nthree\n',
		'picture.png': Buffer.from([0, 1, 2]),
		'.vscode/settings.json': JSON.stringify(WORKSPACE_SETTINGS),
	});
	store = new Delegates(new Workspace(project));
	await seedList();
	const mail = await seedViews(project);
	const before = { folder: readdirSync(project), nancy: readdirSync(store.workspace.paths.root) };
	const settings = { 'workbench.colorTheme': 'Default Dark Modern', ...USER_SETTINGS };
	const keybindings = [ARCHIVE_KEY, ...DESK_KEYS];
	const options = { workspace: project, size: tall, restricted: true, claudeSettings, settings, keybindings };
	lab = owned.use(await openAgentLab(options));
	({ workbench, page, model } = lab);
	views = { ...mail, lab, workbench, page, model, before };
});
afterAll(() => owned.disposeAsync());

let trusting: Promise<void> | undefined;
/** The user trusts the folder, once. Tests of one tag may run without those before them. */
const trusted = () => (trusting ??= trust(workbench));

const row = (text: string | RegExp) => workbench.row('Delegates', text);
const all = async (): Promise<Delegate[]> => (await store.list()).delegates;
const titled = async (start: string): Promise<Delegate[]> =>
	(await all()).filter(({ record }) => record.title.startsWith(start));

/** Ends and deletes whatever a test that failed has left, so that it fails alone. */
async function clear(): Promise<void> {
	const tickets = new Tickets(dataFolder({ HOME: lab.server.home }), store.workspace.folder);
	for (const { record } of await all()) await stopDelegate(store, tickets, record.id);
	for (const { record } of await all()) await deleteDelegate(store, tickets, record.id, () => Promise.resolve());
}

/** What a delegate's script waits at until the test lets it go on. */
function gate(): { step: string; open(): void } {
	const file = folder.file(`gate-${++gates}`);
	return { step: `[[sh:until [ -e ${file} ]; do sleep 0.1; done]]`, open: () => writeFileSync(file, '') };
}

/** Chooses how, where that is not so already, and starts. */
async function start(choices: Readonly<Record<string, string>>): Promise<void> {
	for (const [what, choice] of Object.entries(choices)) {
		const isAsked = workbench.quickRow('Start Delegate');
		await isAsked.waitFor();
		const chosen = workbench.quickRow(what).filter({ has: page.getByText(choice, { exact: true }) });
		if ((await chosen.count()) > 0) continue;
		await workbench.answer(what);
		await isAsked.waitFor({ state: 'detached' });
		await workbench.quickRow(choice).first().waitFor();
		await workbench.answer(choice);
		await chosen.waitFor();
	}
	await workbench.pick('Start Delegate');
}

/** Answers the questions of “Delegate…”. */
async function delegate(prompt: string, choices: Readonly<Record<string, string>>): Promise<void> {
	await workbench.quick.getByText('What is to be done').first().waitFor();
	await workbench.answer(prompt);
	await start(choices);
}

/** The choices of a row's context menu that can be chosen, and those below “More”. */
async function menuOf(of: Locator): Promise<{ choices: string[]; more: string[] }> {
	const labels = '.action-item:not(.disabled) .action-label:not(.separator)';
	const found: { choices: string[]; more: string[] } = { choices: [], more: [] };
	await workbench.inContextMenu(of, 'More', async entry => {
		found.choices = await page.locator(`.context-view ${labels}`).allInnerTexts();
		await entry.hover({ timeout: 5000 });
		await page.locator('.monaco-submenu .action-item').first().waitFor({ timeout: 5000 });
		found.more = await page.locator(`.monaco-submenu ${labels}`).allInnerTexts();
	});
	await page.keyboard.press('Escape');
	if ((await page.locator('.context-view .action-item').count()) > 0) await page.keyboard.press('Escape');
	await page.locator('.context-view .action-item').first().waitFor({ state: 'detached' });
	// Over a row that the mouse rests on, a hover opens and covers other rows.
	await page.mouse.move(0, 0);
	return found;
}

const labelsOf = (rows: Locator) => rows.locator('.label-name').allInnerTexts();

/** Where the second click of a hand that presses Stop twice falls, in milliseconds after the first. */
const SECOND_CLICK_MS = 453;

/** Stops a delegate. After each click of the way, the same spot is clicked again, as a hurried hand does, and nothing else happens. */
async function stopAndClickAgain(of: Locator): Promise<void> {
	const states = async () => (await all()).map(({ record, state }) => [record.id, state]);
	const before = {
		states: await states(),
		head: gitIn(project, 'rev-parse', 'HEAD'),
		rows: await labelsOf(row(/./)),
	};
	const clickTwice = async (target: Locator) => {
		await target.waitFor();
		await page.waitForTimeout(250);
		const box = await target.boundingBox();
		if (!box) throw new Error('nothing to click');
		const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
		await page.mouse.click(x, y);
		await page.waitForTimeout(SECOND_CLICK_MS);
		await page.mouse.click(x, y);
	};
	await workbench.inContextMenu(of, 'Stop Delegate', clickTwice);
	const question = workbench.dialog(/Stop the delegate/);
	await question.waitFor();
	await lab.picture('delegates-stop');
	expect(await states()).toEqual(before.states);
	await clickTwice(question.getByRole('button', { name: 'Stop', exact: true }));
	await expect.poll(async () => (await states()).filter(([, state]) => state === 'running').length).toBe(0);
	expect((await states()).map(([id]) => id)).toEqual(before.states.map(([id]) => id));
	expect(gitIn(project, 'rev-parse', 'HEAD')).toBe(before.head);
	// No row has moved, and no question is open.
	expect(await labelsOf(row(/./))).toEqual(before.rows);
	expect(await workbench.quickInput.isVisible()).toBe(false);
	expect(await page.locator('.monaco-dialog-box').count()).toBe(0);
}

test('are only shown in a folder that is not trusted', async () => {
	const before = readdirSync(store.folder);
	await row(/Translate the help/).waitFor();
	const rows = workbench.pane('Delegates').locator('[role=treeitem]');
	const texts = async () => (await rows.allInnerTexts()).map(text => text.replaceAll(/\s+/g, ' '));
	const states = async () => (await texts()).map(text => /(running|queued|parked|failed|done)/.exec(text)?.[0]);
	// VS Code draws only rows in sight, and shares out the room to the views while it starts.
	await expect.poll(states).toEqual(['running', 'queued', 'parked', 'done', 'failed', 'done']);
	expect((await texts())[0]).toMatch(
		/^Write tests for the par…running · not queued by you here · 12 tool calls · Edit src\/parser\.ts/,
	);
	const label = /^Delegate Write tests for the parser, running · not queued by you here · 12 tool calls/;
	expect(await rows.nth(0).getAttribute('aria-label')).toMatch(label);
	// A row that is drawn anew under a mouse that rests shows no hover: a hand moves on.
	await eventually('the hover', async () => {
		await rows.nth(1).hover();
		await rows.nth(0).hover();
		const hover = page.getByText('Not allowed: Bash');
		await hover.waitFor({ timeout: 2000 });
		// As it was chosen, and not as the CLI names it.
		await page.getByText('Permissions: Read only').waitFor({ timeout: 2000 });
		return true;
	});
	await lab.picture('delegates-restricted');
	expect(await menuOf(rows.nth(0))).toEqual({
		choices: ['Show Delegate Output', 'More'],
		more: ['Open Log', 'Open Prompt', 'Copy ID'],
	});
	// No terminal: VS Code would ask for trust.
	await rows.nth(5).click();
	await workbench.tab(/\.output$/).waitFor();
	// The keyboard stays in the list.
	await page.keyboard.press('Delete');
	expect(readdirSync(store.folder)).toEqual(before);
});

/** What was set in VS Code, in the file that the `nancy` command reads. */
function setInEditor(): unknown {
	const file = join(lab.server.home, '.config', 'nancy', 'settings.json');
	return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).editor : undefined;
}

test('say nothing of what seems to want somebody in a folder that is not trusted', async () => {
	const { workspace, address } = views;
	const to = { task: address.task, worker: ORCHESTRATOR };
	const id = await workspace.send(
		to,
		messageContent('A stranger’s note', { from: `${address.task}/worker` }),
		BY_USER,
	);
	await workbench.row('Inbox', 'A stranger’s note').waitFor();
	// Longer than the window gathers what it will say.
	await page.waitForTimeout(1500);
	expect(await workbench.toast('A stranger’s note').count()).toBe(0);
	const { messages } = await workspace.mailbox(to).list();
	for (const { file } of messages.filter(each => each.id === id)) rmSync(file);
	await workbench.row('Inbox', 'A stranger’s note').waitFor({ state: 'detached' });
});

test('heed the user’s settings alone while the folder is not trusted', async () => {
	await expect.poll(setInEditor).toEqual({ delegates: FOR_COMMAND, folders: {} });
});

describe('all views', () => {
	testRestrictedViews(() => views);
});

describe('the desk', () => {
	testRestrictedDesk(() => views);
});

describe('in a trusted folder, all views', () => {
	beforeAll(trusted);
	testTrustedViews(() => views);
	testTrustedDesk(() => views);
});

describe('in a trusted folder, delegates', () => {
	beforeAll(async () => {
		await trusted();
		await workbench.tidy();
		await page.setViewportSize(size);
		await unfold(workbench, 'Tasks', 'Delegates', 'Inbox', 'Compose');
		// An agent that ends may still write.
		await eventually('nothing in the folder', async () => {
			for (const name of ['.nancy', '.claude']) rmSync(join(project, name), { recursive: true, force: true });
			return (await workbench.pane('Tasks').locator('[role=treeitem]').count()) === 0;
		});
		await workbench.pane('Delegates').getByText('No delegates yet').waitFor();
	});
	beforeEach(async () => {
		// What a test that failed has left open.
		await page.keyboard.press('Escape');
		await workbench.tidy();
	});
	afterEach(async ({ task }) => {
		if (task.result?.state === 'fail') await clear();
	});

	test('heed settings of the workspace too, but for commands, permissions and limits, also when they change', async () => {
		const inFolder = (swarmWorker: boolean) => ({
			delegates: FOR_COMMAND,
			folders: { [project]: { swarmWorker } },
		});
		await expect.poll(setInEditor).toEqual(inFolder(false));
		const file = join(project, '.vscode', 'settings.json');
		const before = readFileSync(file, 'utf8');
		writeFileSync(file, JSON.stringify({ ...WORKSPACE_SETTINGS, 'nancy.delegates.swarmWorker': true }));
		await expect.poll(setInEditor).toEqual(inFolder(true));
		writeFileSync(file, before);
		await expect.poll(setInEditor).toEqual(inFolder(false));
	});

	test('bring their result to the idle worker that asked, and their changes through review into the folder', async () => {
		await orchestrate(lab, 'Lead it', 'Wait. [[text:Waiting for results]]');
		const parent = workbench.row('Tasks', /idle · Waiting for results/);
		await parent.waitFor();

		await workbench.contextMenu(parent, 'Delegate…');
		const made = gate();
		// Longer than a title: the model must not play the script again when the result names it.
		const script = `${'so that it is there '.repeat(6)}${made.step}[[write:made.txt|by the delegate]][[text:All of it is made.]]`;
		await delegate(`Make a file ${script}`, EDIT);
		await row(/Make a file.*running · 1 tool call · Bash/).waitFor();
		await expect.poll(() => workbench.status('nancy.nancy.delegates').innerText()).toContain('1 delegate');
		// It has a view of its own, and is no worker of the task.
		expect(await workbench.row('Tasks', /delegate-1/).count()).toBe(0);
		await workbench.clickForTerminal(row(/Make a file/), 2);
		await workbench.waitForTerminalText(/● Bash until/, 1);
		await lab.picture('delegates-running');
		made.open();

		// One that the mouse is over stays, however long the rest takes.
		await workbench.toast(/A delegate is done: Make a file/).hover();
		const request = await model.waitForRequest(
			({ text }) => text.includes('[DELEGATE COMPLETE - Task ID:') && text.includes('Waiting for results'),
		);
		expect(request.text).toContain('All of it is made.');
		await row(/Make a file.*done · 2 tool calls/).waitFor();
		await workbench.waitForTerminalText(/All of it is made\.\s+■ done · 2 tool calls/, 1);
		expect((await workbench.terminalText(1)).match(/All of it is made\./g)).toHaveLength(1);
		await expect.poll(() => workbench.status('nancy.nancy.delegates').count()).toBe(0);
		expect(existsSync(`${project}/made.txt`)).toBe(false);

		// Its changes, and a comment on a line of them.
		await workbench
			.toast(/A delegate is done/)
			.getByRole('button', { name: 'Review Changes' })
			.click();
		await workbench.tab(/Changes of/).waitFor();
		await page.locator('.multiDiffEntry').filter({ hasText: 'made.txt' }).waitFor();
		await lab.picture('delegates-review');
		// Git is asked at most every ten seconds. A notification stays no longer than that.
		await row(/Make a file.*done · 2 tool calls.*\+1 −0/).waitFor();
		const line = page.locator('.multiDiffEntry .modified .view-line', { hasText: 'by the delegate' });
		await line.waitFor();
		await line.hover();
		await page.locator('.multiDiffEntry .modified .comment-range-glyph').first().click();
		await page.locator('.review-widget .comment-form .monaco-editor').click();
		await page.keyboard.insertText('Say more. [[write:made.txt|by the delegate, twice]][[text:Said more.]]');
		await lab.picture('delegates-comment');
		await page.locator('.review-widget').getByRole('button', { name: 'Add Comment' }).click();
		await page.locator('.review-widget').getByText('Not sent back yet').waitFor();
		await workbench.command('Nancy: Send Comments Back');
		const again = await model.waitForRequest(({ text }) => text.includes('made.txt:1'));
		expect(again.text).toContain('Say more.');
		const second = row(/Make a file.*done · 1 tool call/);
		await second.waitFor();
		const [first, next] = await titled('Make a file');
		const worktree = first?.status.worktree?.folder ?? '';
		expect(readFileSync(`${worktree}/made.txt`, 'utf8')).toBe('by the delegate, twice');
		expect(next?.record.parent).toEqual(first?.record.parent);

		// Two rows of one title, told apart.
		await row(/Make a file so that it.*· round 2/).waitFor();
		expect(await row(/Make a file/).count()).toBe(2);

		// Review, merge, Enter: three acts. The box says what comes and where.
		const before = gitIn(project, 'rev-parse', 'HEAD');
		await workbench.rowAction(second, 'Review Changes');
		await workbench.tab(/Changes of.*round 2/).waitFor();
		// As it is by now, though VS Code has shown the first round.
		const newest = page.locator('.multiDiffEntry .modified .view-line', { hasText: 'by the delegate, twice' });
		await newest.waitFor();
		await page.locator('.editor-actions .action-label[aria-label^="Merge"]').click();
		await workbench.quick.getByText(/Merge “Make a file.*round 2”: 1 file, \+1 −0, into main/).waitFor();
		expect(await workbench.quickInput.inputValue()).toMatch(/^Make a file so that it is there.{1,50}$/);
		await lab.picture('delegates-merge');
		await page.keyboard.press('Escape');
		await workbench.quickInput.waitFor({ state: 'hidden' });
		expect(gitIn(project, 'rev-parse', 'HEAD')).toBe(before);
		await page.locator('.editor-actions .action-label[aria-label^="Merge"]').click();
		await workbench.quick.getByText(/1 file, \+1 −0, into main/).waitFor();
		await page.keyboard.press('Enter');
		const merged = workbench.toast(/Merged “Make a file.*1 file, \+1 −0, into main/);
		await merged.waitFor();
		await row(/Make a file.*merged · 1 tool call/).waitFor();
		await row(/Make a file.*merged · 2 tool calls/).waitFor();
		await lab.picture('delegates-merged');
		expect(gitIn(project, 'log', '-1', '--format=%s')).toMatch(/^Make a file so that it is there.{1,50}\n$/);
		expect(existsSync(`${project}/made.txt`)).toBe(true);

		// Undone by the toast, then merged and undone by the row, also after a reload.
		await merged.getByRole('button', { name: 'Undo' }).click();
		await workbench.toast(/The merge of .* is undone/).waitFor();
		await second.waitFor();
		expect(existsSync(`${project}/made.txt`)).toBe(false);
		expect(gitIn(project, 'rev-parse', 'HEAD')).toBe(before);
		await workbench.contextMenu(second, 'Merge…');
		await workbench.quick.getByText(/into main/).waitFor();
		await workbench.quickInput.fill('Have it made');
		await page.keyboard.press('Enter');
		const mergedAgain = row(/Make a file.*merged · 1 tool call/);
		await mergedAgain.waitFor();
		expect(gitIn(project, 'log', '-1', '--format=%s')).toBe('Have it made\n');
		await page.reload();
		await workbench.ready();
		await mergedAgain.waitFor();
		// After a reload, VS Code knows a moment later that the folder is trusted.
		await expect
			.poll(async () => (await menuOf(mergedAgain)).choices)
			.toEqual([
				'Show Delegate Output',
				'Delegate Again',
				'Review Changes',
				'Send Comments Back',
				'Undo Merge',
				'More',
				'Discard…',
				'Delete…',
			]);
		writeFileSync(`${project}/made.txt`, 'changed since');
		await workbench.contextMenu(mergedAgain, 'Undo Merge');
		const refused = workbench.toast(/was not undone: its files have changed since \(made\.txt\)/);
		await refused.getByRole('button', { name: 'Merge Again' }).click();
		await workbench.toast(/nothing left to merge/).waitFor();
		gitIn(project, 'checkout', '--', 'made.txt');
		await workbench.contextMenu(mergedAgain, 'Undo Merge');
		await second.waitFor();
		expect(gitIn(project, 'rev-parse', 'HEAD')).toBe(before);
		await workbench.tidy();
		// The user's own git takes it off the branch: it can be merged again.
		await workbench.contextMenu(second, 'Merge…');
		await workbench.quick.getByText(/into main/).waitFor();
		await page.keyboard.press('Enter');
		await mergedAgain.waitFor();
		gitIn(project, 'reset', '-q', '--hard', before.trim());
		await workbench.contextMenu(mergedAgain, 'Undo Merge');
		await workbench.toast(/The branch does not have the merge of .* any more/).waitFor();
		await second.waitFor();
		await workbench.tidy();

		// Into the folder, and the worktree goes; then there is nothing left to merge or to undo.
		await workbench.contextMenu(second, 'Merge…');
		await workbench.quick.getByText(/into main/).waitFor();
		await page.keyboard.press('Enter');
		await workbench
			.toast(/Merged “Make a file/)
			.getByRole('button', { name: 'Remove Worktree' })
			.click();
		await expect.poll(() => existsSync(worktree)).toBe(false);
		expect(readFileSync(`${project}/made.txt`, 'utf8')).toBe('by the delegate, twice');
		expect(gitIn(project, 'status', '--porcelain')).not.toContain('made.txt');
		await workbench.toast(/Nothing was lost/).waitFor();
		for (const each of [mergedAgain, row(/Make a file.*merged · 2 tool calls/)]) {
			// The row learns of the removal after the notification.
			await expect
				.poll(() => menuOf(each))
				.toEqual({
					choices: ['Show Delegate Output', 'Delegate Again', 'More', 'Delete…'],
					more: ['Open Log', 'Open Prompt', 'Open Output', 'Copy ID'],
				});
		}
	});

	test('outlive the window and a crash of what runs Nancy in it, are stopped, started again, and discarded only when asked', async () => {
		const [first, second, never] = [gate(), gate(), gate()];
		await workbench.command('Nancy: Delegate…');
		await delegate(`Take long ${first.step}${second.step}[[text:It was long.]]`, {
			Where: 'This folder',
			Permissions: 'Edit',
		});
		await workbench.ask('nancy.delegate');
		await delegate(`Waste it [[write:waste.txt|waste]]${never.step}`, EDIT);
		await row(/Take long.*running · 1 tool call/).waitFor();
		// One of them works in a worktree.
		await row(/Waste it.*running · 2 tool calls/).waitFor();
		await killExtensionHost(lab);
		first.open();
		await row(/Take long.*running · 2 tool calls · Bash/).waitFor();
		await page.reload();
		await workbench.ready();
		second.open();

		await row(/Waste it.*running · 2 tool calls/).waitFor();
		await row(/Take long.*done/).waitFor();
		await stopAndClickAgain(row(/Waste it/));
		await row(/Waste it.*stopped by you/).waitFor();
		// For the human, where no worker asked.
		await workbench.row('Inbox', /Delegate done: Take long/).waitFor();
		const [wasted] = await titled('Waste it');
		const worktree = wasted?.status.worktree?.folder ?? '';
		expect(existsSync(worktree)).toBe(true);

		expect((await menuOf(row(/Waste it/))).choices).not.toContain('Merge…');
		await workbench.contextMenu(row(/Waste it/), 'Discard…');
		await workbench
			.dialog(/Files not committed: waste\.txt/)
			.getByRole('button', { name: 'Cancel' })
			.click();
		expect(existsSync(worktree)).toBe(true);
		await workbench.contextMenu(row(/Waste it/), 'Discard…');
		await workbench.dialog('Remove the worktree').getByRole('button', { name: 'Remove, Keep Branch' }).click();
		await expect.poll(() => existsSync(worktree)).toBe(false);
		expect(gitIn(project, 'show', `${wasted?.status.worktree?.branch}:waste.txt`)).toBe('waste');

		await workbench.contextMenu(row(/Waste it/), 'Delegate Again');
		await expect.poll(async () => (await titled('Waste it')).length).toBe(2);
		await row(/Waste it.*running/).waitFor();
		await workbench.contextMenu(row(/Waste it.*running/), 'Stop Delegate');
		await workbench
			.dialog(/Stop the delegate/)
			.getByRole('button', { name: 'Stop', exact: true })
			.click();
		await expect.poll(() => row(/Waste it.*stopped by you/).count()).toBe(2);
		expect(new Set(await labelsOf(row(/Waste it/))).size).toBe(2);
		await lab.picture('delegates-life');
	});

	test('take a selection along, and hear what is said while they work', long, async () => {
		const explained = gate();
		await page.keyboard.press('F1');
		await workbench.quickInput.fill('notes.txt');
		await workbench.pick('notes.txt');
		await workbench.tab('notes.txt').waitFor();
		await workbench.selectLine('two');
		await workbench.contextMenu(page.locator('.view-line', { hasText: 'two' }), 'Delegate…');
		await workbench.quick.getByText('What is to be done with notes.txt:2').first().waitFor();
		await delegate(`Explain it ${explained.step}[[text:Explained]]`, {
			Where: 'A worktree of its own, with uncommitted changes',
		});
		const asked = await model.waitForRequest(({ text }) => text.includes('Explain it'));
		expect(asked.text).toContain('notes.txt:2:\n\n```\ntwo');

		await row(/Explain it.*running · 1 tool call/).waitFor();
		await workbench.rowAction(row(/Explain it/), 'Message This Delegate');
		await workbench.webview().locator('#recipients', { hasText: 'To: Delegate: Explain it' }).waitFor();
		await workbench.webview().locator('#text').fill('Be brief.');
		await page.keyboard.press('Control+Enter');
		// The Inbox may be too low for its row to be drawn.
		await workbench.webview().locator('#note', { hasText: 'Sent to Delegate: Explain it' }).waitFor();
		await workbench.contextMenu(row(/Explain it/), 'Send Comments Back');
		await workbench.answer('And now in verse. [[text:In verse]]');
		await workbench.toast(/reads your comments before it is done/).waitFor();
		explained.open();
		await row(/Explain it.*done/).waitFor();
		const told = await model.waitForRequest(({ text }) => text.includes('And now in verse.'));
		expect(told.text).toContain('Be brief.');
		const [only, ...others] = await titled('Explain it');
		expect(others).toEqual([]);
		expect(readFileSync(only?.files.output ?? '', 'utf8')).toBe('In verse');
	});

	test('take a prompt of many lines from an editor, which then closes', long, async () => {
		await workbench.ask('nancy.delegate');
		await workbench.quick.getByText('What is to be done').first().waitFor();
		await workbench.quickInput.fill('# Paint the fence');
		await workbench.quick
			.locator('.quick-input-titlebar .action-label[aria-label^="Write a longer prompt"]')
			.click();
		await workbench.tab(/Paint the fence/).waitFor();
		// Later than the tab, and than what takes keys.
		const lens = page.locator('.codelens-decoration a', { hasText: 'Delegate This' });
		await lens.waitFor();
		await page.keyboard.insertText('\n\nGreen.\n[[text:It is green.]]');
		await lab.picture('delegates-prompt');
		mkdirSync(join(project, 'garden'), { recursive: true });
		await lens.click();
		await workbench.answer('More Options');
		for (const [question, typed] of [
			['The folder to work in', 'garden'],
			['The longest time that it may work', '7'],
			['The longest time without any output', '3'],
		] as const) {
			await workbench.quick.getByText(question).first().waitFor();
			await workbench.answer(typed);
		}
		await workbench.quickRow('garden · 7 min, 3 min without output').waitFor();
		await start({ Where: 'This folder' });
		await workbench.tab(/Paint the fence/).waitFor({ state: 'detached' });
		await row(/Paint the fence.*done/).waitFor();
		const [painted] = await titled('Paint the fence');
		expect(readFileSync(painted!.files.prompt, 'utf8')).toBe('# Paint the fence\n\nGreen.\n[[text:It is green.]]');
		expect(painted?.record).toMatchObject({
			place: { is: 'folder', folder: join(project, 'garden') },
			limits: { wallSeconds: 420, idleSeconds: 180 },
		});
	});

	test('list the changed files below their row, and open the changes of one', async () => {
		const moved = readFileSync(join(project, 'notes.txt'));
		const files = {
			'notes.txt': undefined,
			'moved.txt': moved,
			'.vscode/settings.json': undefined,
			'new.bin': BINARY,
			// Shown as it is, this name would look like that of a text.
			'made\u202etxt.sh': 'one\ntwo\n',
			// VS Code would show the file that it leads to.
			'to.txt': { link: 'moved.txt' },
		};
		await seedWorktree(store, dataFolder({ HOME: lab.server.home }), { title: 'List the files' }, files);
		await row(/List the files.*done.*\+3 −1/).waitFor();
		await workbench.command('Nancy: Focus on Delegates View');
		// The key does nothing until git has told which files there are.
		await row(/List the files/)
			.and(page.locator('[aria-expanded=false]'))
			.waitFor();
		await openRow(workbench, 'Delegates', 'List the files');
		await row('moved.txt').waitFor();
		// The letters come later than the rows.
		await row('moved.txt').locator('[class*="monaco-decoration"]').first().waitFor({ state: 'attached' });
		await lab.picture('delegates-files');
		const spoken = await workbench
			.pane('Delegates')
			.locator('[role=treeitem][aria-level="2"]')
			.evaluateAll(rows => rows.map(each => each.getAttribute('aria-label') ?? ''));
		expect(spoken.map(each => each.replace(/ {2}.*/, ''))).toEqual([
			'File settings.json, deleted, 0 lines added, 1 removed, .vscode',
			'File made⟨U+202E⟩txt.sh, added, 2 lines added, 0 removed',
			'File moved.txt, renamed, before: notes.txt',
			'File new.bin, added, binary',
			'File to.txt, added, 1 line added, 0 removed',
		]);

		await moveTo(workbench, 'Delegates', 'made');
		// The key of delegates says nothing here.
		await page.keyboard.press('Delete');
		await page.keyboard.press('Enter');
		await workbench.tab(/made.*txt\.sh · Changes of “List the files”/).waitFor();
		await page.locator('.monaco-diff-editor .modified .view-line', { hasText: 'two' }).waitFor();
		await page.locator('.monaco-diff-editor .modified .comment-range-glyph').first().waitFor({ state: 'attached' });
		await lab.picture('delegates-file-added');
		expect(await workbench.toast('Choose a delegate').count()).toBe(0);
		// It has no text any more.
		await row('settings.json').click();
		await workbench.tab(/settings\.json · Changes of “List the files”/).waitFor();
		await page.locator('.monaco-diff-editor .original .view-line', { hasText: 'swarmWorker' }).waitFor();
		await row('new.bin').click();
		await workbench.tab(/new\.bin$/).waitFor();
		await workbench.contextMenu(row('moved.txt'), 'Open File');
		await workbench.tab(/moved\.txt$/).waitFor();
		await workbench.tidy();
		await clear();
	});

	test(
		'say what stands in the way of a merge or a removal, and lose nothing by it or by being deleted',
		long,
		async () => {
			const data = dataFolder({ HOME: lab.server.home });
			const clash = await seedWorktree(
				store,
				data,
				{ title: 'Clash with it', tearDown: 'echo the port is still open; exit 1' },
				{ 'notes.txt': 'one\n2\nthree\n', 'picture.png': BINARY, 'new.bin': BINARY },
			);
			const easy = await seedWorktree(store, data, { title: 'Go easily' }, { 'easy.txt': 'easy\n' });
			await seedDelegate(store, { title: 'Look only', state: 'failed', error: 'timeout: it took too long' });
			writeFileSync(join(project, 'notes.txt'), 'one\nzwei\nthree\n');
			gitIn(project, 'commit', '-q', '-a', '--allow-empty', '-m', 'in German');
			await row(/Look only/).waitFor();

			// Files that are no text stand in the review beside those that are.
			await eventually('the review', async () => {
				await workbench.rowAction(row(/Clash with it/), 'Review Changes');
				const review = workbench.tab(/Changes of “Clash with it”/).waitFor({ timeout: 5000 });
				const isOpen = await review.then(
					() => true,
					() => false,
				);
				// Rows follow the commit. While VS Code asks for them anew, it knows none, and a click on one asks whose changes.
				if (!isOpen) await page.keyboard.press('Escape');
				return isOpen;
			});
			const entry = (name: string) => page.locator('.multiDiffEntry').filter({ hasText: name });
			for (const name of ['new.bin', 'notes.txt', 'picture.png']) await entry(name).waitFor();
			await entry('notes.txt').locator('.modified .view-line', { hasText: /^2$/ }).waitFor();
			// Not as if it had been renamed.
			expect(await entry('notes.txt').getByText('R', { exact: true }).count()).toBe(0);
			await lab.picture('delegates-binary');

			await workbench.contextMenu(row(/Clash with it/), 'Merge…');
			await workbench.quick.getByText(/3 files, \+\d+ −1, into main/).waitFor();
			await page.keyboard.press('Enter');
			await workbench.toast(/Nothing was merged: it conflicts .*notes\.txt/).waitFor();
			await lab.picture('delegates-conflict');
			expect(readFileSync(join(project, 'notes.txt'), 'utf8')).toBe('one\nzwei\nthree\n');
			expect(gitIn(project, 'status', '--porcelain', '--untracked-files=no')).toBe('');
			expect(readFileSync(join(clash.folder, 'notes.txt'), 'utf8')).toBe('one\n2\nthree\n');

			await workbench.contextMenu(row(/Clash with it/), 'Delete…');
			// The merge that was tried has committed it, there.
			const question = workbench.dialog(/Delete the delegate “Clash with it”\?.*exists only there:.*Commits: 1/s);
			await question.waitFor();
			await lab.picture('delegates-delete');
			await question.getByRole('button', { name: 'Delete' }).click();
			await workbench
				.toast(/Not deleted: “Clash with it”: The tear-down command failed.*port is still open/)
				.waitFor();
			expect(existsSync(join(clash.folder, 'new.bin'))).toBe(true);

			await workbench.contextMenu(row(/Clash with it/), 'Discard…');
			await workbench.dialog('Remove the worktree').getByRole('button', { name: 'Remove, Keep Branch' }).click();
			const failed = workbench.toast(
				/The tear-down command failed, so the worktree stays: the port is still open/,
			);
			await failed.getByRole('button', { name: 'Remove Anyway' }).click();
			await expect.poll(() => existsSync(clash.folder)).toBe(false);
			expect(gitIn(project, 'show', `${clash.branch}:notes.txt`)).toBe('one\n2\nthree\n');

			// What has ended goes, but for what still has to be merged; that goes when it is chosen, and its branch stays.
			await workbench.command('Nancy: Clear Ended Delegates');
			const clear = workbench.dialog(
				/Delete (one|\d+) delegates? that ha(s|ve) ended\?.*These stay.*“Go easily”/s,
			);
			await clear.waitFor();
			await lab.picture('delegates-clear');
			await clear.getByRole('button', { name: 'Delete' }).click();
			await row(/Clash with it|Look only/)
				.first()
				.waitFor({ state: 'detached' });
			// The one that was stopped at its first step may have written its file before.
			const left = await row(/./).allInnerTexts();
			expect(left.filter(text => !text.includes('Waste it'))).toEqual([expect.stringContaining('Go easily')]);
			for (const title of ['Look again', 'Look last'])
				await seedDelegate(store, { title, state: 'failed', error: 'timeout: it took too long' });
			await row(/Look again/).click();
			// The click opened its output and the keyboard went along: back to the list. The row with the focus counts, and not the selected one.
			await row(/Go easily/).click({ modifiers: ['ControlOrMeta'] });
			await row(/Go easily/).click({ modifiers: ['ControlOrMeta'] });
			await page.keyboard.press('Delete');
			const one = workbench.dialog(/Delete the delegate “Go easily”\?/);
			await one.getByRole('button', { name: 'Cancel' }).click();
			await moveTo(workbench, 'Delegates', 'Look again');
			await page.keyboard.press('Delete');
			await workbench.dialog(/Delete the delegate “Look again”\?/).waitFor();
			await page.keyboard.press('Enter');
			await row(/Look again/).waitFor({ state: 'detached' });
			await focusedRow(workbench, 'Delegates', /Look last|Go easily/).waitFor();
			await page.keyboard.press('ControlOrMeta+a');
			await page.keyboard.press('Delete');
			const all = workbench.dialog(/Delete \d delegates\?.*easy\.txt/s);
			await all.getByRole('button', { name: 'Delete' }).click();
			await workbench.pane('Delegates').getByText('No delegates yet').waitFor();
			expect(gitIn(project, 'show', `${easy.branch}:easy.txt`)).toBe('easy\n');
			// The row goes with the record, its files after it.
			await expect
				.poll(() => readdirSync(store.folder).filter(name => !/^queue\.lock|^parked/.test(name)))
				.toEqual([]);
		},
	);
});

describe('a task in a worktree of its own', () => {
	beforeAll(trusted);

	test('works there, is reviewed and commented, merged, taken back and discarded', long, async () => {
		await workbench.tidy();
		await workbench.ask('nancy.orchestrateTask');
		await workbench.quick.getByText('What is to be done').first().waitFor();
		await workbench.quickInput.fill('Grow a tree. [[sh:echo green > tree.txt]][[text:It has grown.]]');
		await showHow(workbench);
		await chooseAgent(workbench, 'Claude Code');
		await workbench.pick(/^\s*Where/);
		await workbench.pick(/A worktree of its own(?!,)/);
		await workbench.pick(/^\s*Start /);
		// The user trusts a new folder in the agent's own terminal.
		const task = (text: RegExp) => workbench.row('Tasks', text);
		await workbench.waitForTerminalText(/trust|It has grown/i, 0);
		if (!(await task(/Grow a tree.*idle/).count())) await page.keyboard.press('Enter');
		const grown = task(/Grow a tree.*idle.*\+1 −0/);
		await grown.waitFor();
		expect(existsSync(join(project, 'tree.txt'))).toBe(false);
		expect(gitIn(project, 'worktree', 'list')).toContain('[nancy/grow-a-tree]');
		await lab.picture('task-worktree');

		await workbench.contextMenu(grown, 'Review Changes');
		await workbench.tab(/Changes of “Grow a tree”/).waitFor();
		const line = page.locator('.multiDiffEntry .modified .view-line', { hasText: 'green' });
		await line.waitFor();
		await line.hover();
		await page.locator('.multiDiffEntry .modified .comment-range-glyph').first().click();
		await page.locator('.review-widget .comment-form .monaco-editor').click();
		await page.keyboard.insertText('Make it red. [[sh:echo red > tree.txt]][[text:It is red.]]');
		await page.locator('.review-widget').getByRole('button', { name: 'Add Comment' }).click();
		await page.locator('.review-widget').getByText('Not sent back yet').waitFor();
		await workbench.command('Nancy: Send Comments Back');
		expect((await model.waitForRequest(({ text }) => text.includes('tree.txt:1'))).text).toContain('Make it red.');
		await task(/Grow a tree.*idle.*It is red/).waitFor();

		await workbench.contextMenu(task(/Grow a tree/), 'Merge…');
		await workbench.quick.getByText(/Merge “Grow a tree”: 1 file, \+1 −0, into main/).waitFor();
		await page.keyboard.press('Enter');
		await task(/Grow a tree.*merged/).waitFor();
		expect(readFileSync(join(project, 'tree.txt'), 'utf8')).toBe('red\n');
		await workbench.contextMenu(task(/Grow a tree/), 'Undo Merge');
		await workbench.toast(/The merge of “Grow a tree” is undone/).waitFor();
		expect(existsSync(join(project, 'tree.txt'))).toBe(false);

		await workbench.contextMenu(task(/Grow a tree/), 'Stop Worker');
		await task(/Grow a tree.*ended/).waitFor();
		await workbench.contextMenu(task(/Grow a tree/), 'Discard…');
		const question = workbench.dialog('Remove the worktree of “Grow a tree”?');
		await question.getByText(/Commits: 1/).waitFor();
		await question.getByRole('button', { name: 'Discard Everything' }).click();
		await expect.poll(() => gitIn(project, 'worktree', 'list')).not.toContain('grow-a-tree');
		await workbench.contextMenu(task(/Grow a tree/), 'Delete Task');
		await workbench.dialog('Delete the task “Grow a tree”').getByRole('button', { name: 'Delete' }).click();
		await task(/Grow a tree/).waitFor({ state: 'detached' });
	});
});

/** Every state that there is, as a runner or a repository may have left it. */
async function seedList(): Promise<void> {
	const read = 'Check the parser for strings without an end';
	await seedDelegate(store, { title: read, state: 'done', tool_calls: 31, cost_usd: 0.42 });
	await seedDelegate(store, {
		title: 'Find out why the build is slow',
		state: 'failed',
		tool_calls: 3,
		error: 'timeout: it took too long',
	});
	for (const _ of [1, 2])
		await seedDelegate(store, { title: 'Paint the shed', state: 'done', tool_calls: 4, group: 'shed' });
	await seedDelegate(store, {
		title: 'Translate the help',
		state: 'parked',
		parked_until: '2026-01-01T12:00:00.000Z',
		tool_calls: 7,
	});
	await seedDelegate(store, { title: 'Rename the table', state: 'queued' });
	await seedDelegate(store, {
		title: 'Write tests for the parser',
		state: 'running',
		tool_calls: 12,
		last_tool: 'Edit',
		last_file: `${project}/src/parser.ts`,
		denied: ['Bash'],
		input_tokens: 12_345,
		output_tokens: 678,
	});
}
