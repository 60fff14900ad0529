import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Workspace, WorkerAddress } from '../../src/core/workspace/workspace.ts';
import { FIRST_WORKER, ORCHESTRATOR, TaskName } from '../../src/protocol/names.ts';
import type { ModelDouble } from '../double/modelDouble.ts';
import { orchestrate } from '../support/agentWorkbench.ts';
import { eventually } from '../support/eventually.ts';
import type { Lab } from '../support/lab.ts';
import { contextKey, dragRow, focusedRow, fold, inQueue, moveTo, unfold } from '../support/listGestures.ts';
import { seedWorkspace, spool } from '../support/seedWorkspace.ts';
import { portsOf } from '../support/portsOf.ts';
import type { Workbench } from '../support/workbench.ts';
import { long } from '../support/long.ts';

const SESSION = 'a1b2c3d4-0000';

export const ARCHIVE_KEY = { key: 'ctrl+alt+shift+f9', command: 'nancy.archiveTask' };
/** Keys for what is switched off in menus of Restricted Mode. Each opens a port elsewhere. */
export const DESK_KEYS = [
	{ key: 'ctrl+alt+shift+f7', command: 'nancy.openDeskInBrowser' },
	{ key: 'ctrl+alt+shift+f8', command: 'nancy.openDeskOnPhone' },
];

interface Mail {
	workspace: Workspace;
	address: WorkerAddress;
}

/** A window on a folder that {@link seedViews} has seeded. */
export interface Seen extends Mail {
	lab: Lab;
	workbench: Workbench;
	page: Page;
	model: ModelDouble;
	/** Names in the folder, and in .nancy, before the window opened. */
	before: { folder: readonly string[]; nancy: readonly string[] };
}

/** A task, messages for its worker, and an event that nobody has collected yet. */
export async function seedViews(project: string): Promise<Mail> {
	const seeded = await seedWorkspace(project, {
		title: 'Fix the login',
		session: SESSION,
		queued: ['First thought', 'Second thought', 'Third thought'],
	});
	spool(seeded.workspace, SESSION, 'UserPromptSubmit', { prompt: 'And one more thing' }, '5');
	return seeded;
}

async function paletteRows(workbench: Workbench, text: string): Promise<string[]> {
	await workbench.page.keyboard.press('F1');
	await workbench.quickInput.fill(`>${text}`);
	await workbench.quickRow('Nancy: Doctor').waitFor();
	const rows = await workbench.quick.locator('.monaco-list-row .label-name').allInnerTexts();
	await workbench.page.keyboard.press('Escape');
	return rows;
}

/** The choices of the context menu that is open, those that can be chosen. */
async function menuChoices(workbench: Workbench): Promise<string[]> {
	await workbench.page.locator('.context-view .action-item').first().waitFor();
	return workbench.page.locator('.context-view .action-item:not(.disabled) .action-label').allInnerTexts();
}

/** The first words of what is queued, on disk and in sight. Both, so that no row is dragged that is about to move. */
async function queue({ workbench, workspace, address }: Seen): Promise<{ onDisk: string[]; inSight: string[] }> {
	const first = (text: string) => /\w+/.exec(text)?.[0] ?? '';
	const { messages } = await workspace.mailbox(address).list();
	const rows = await workbench.row('Inbox', 'thought').allInnerTexts();
	return {
		onDisk: messages.filter(({ state }) => state === 'queued').map(({ content }) => first(content.text)),
		inSight: inQueue(rows).map(text => first(/\w+ thought/.exec(text)?.[0] ?? '')),
	};
}

function queued(...words: string[]): { onDisk: string[]; inSight: string[] } {
	return { onDisk: words, inSight: words };
}

/** What can be seen, and what cannot be done, in a folder that is not trusted. */
export function testRestrictedViews(seen: () => Seen): void {
	test('show everything and let nothing be started, stopped or changed until the folder is trusted', async () => {
		const { workbench, page, workspace, address, before } = seen();
		const project = workspace.folder;
		await workbench.command('Nancy Traffic: Focus on Traffic View');
		// Restricted Mode: everything is there to be read.
		await workbench.row('Tasks', /Fix the login.*idle · The tests pass\./).waitFor();
		await workbench.pane('Tasks').getByText('Restricted Mode: you can look').waitFor();
		await workbench.mail(/First thought.*queued · directive/).waitFor();
		await workbench.row('Traffic', /tool Bash.*npm test · 1\.2 s/).waitFor();
		expect(await workbench.pane('Compose').count()).toBe(0);
		// Nothing can be started, stopped or changed.
		expect(await paletteRows(workbench, 'Nancy: ')).not.toEqual(
			expect.arrayContaining([expect.stringMatching(/Orchestrate|Send|Set Up|Clean Up|Add Worker/)]),
		);
		await workbench.row('Tasks', 'The tests pass').click({ button: 'right' });
		expect(await menuChoices(workbench)).toEqual(['Focus Terminal', 'More']);
		await page.keyboard.press('Escape');
		await workbench.row('Inbox', 'Second thought').click({ button: 'right' });
		expect(await menuChoices(workbench)).toEqual(['Open Message', 'Show Conversation', 'Show File']);
		await page.keyboard.press('Escape');
		await workbench.row('Inbox', 'Second thought').dragTo(workbench.row('Inbox', 'First thought'), { steps: 5 });
		// Reading does not mark as read.
		await workbench.row('Inbox', 'Which port do you want?').click();
		await workbench.tab('Which port do you want?').waitFor();
		await workbench.webview().locator('.text', { hasText: 'Which port do you want?' }).waitFor();
		expect(await workbench.webview().getByRole('button').allInnerTexts()).toEqual([
			'Show Conversation',
			'Show File',
		]);
		await workbench.command('View: Close Editor');
		const mail = await workspace.mailbox({ ...address, worker: ORCHESTRATOR }).list();
		expect(mail.messages.map(({ state }) => state)).toEqual(['queued']);
		expect(await queue(seen())).toEqual(queued('First', 'Second', 'Third'));
		// A key runs also what is switched off in menus.
		await page.keyboard.press('Control+Alt+Shift+F9');
		await workbench.toast('Trust this workspace first').waitFor();
		expect((await workspace.tasks()).tasks.map(({ archivedAt }) => archivedAt)).toEqual([undefined]);
		expect(readdirSync(workspace.paths.root)).toEqual(before.nancy);
		expect(readdirSync(workspace.paths.spool)).toHaveLength(1);
		expect(readdirSync(project)).toEqual(before.folder);
	});
}

/** With the user's own setting for the server. */
export function testRestrictedDesk(seen: () => Seen): void {
	test('opens no port in a folder that is not trusted, by no key', async () => {
		const { workbench, page, lab } = seen();
		const before = await portsOf(lab.server);
		expect(before).toHaveLength(1);
		for (const key of ['F7', 'F8']) {
			await page.keyboard.press(`Control+Alt+Shift+${key}`);
			await workbench.toast('Trust this workspace first').waitFor();
			await workbench.tidy();
		}
		expect(await portsOf(lab.server)).toEqual(before);
	});
}

/** As a test that what opens no port in Restricted Mode would be seen to open one. */
export function testTrustedDesk(seen: () => Seen): void {
	test('opens its port by the same key once the folder is trusted', async () => {
		const { page, lab } = seen();
		const before = await portsOf(lab.server);
		await page.keyboard.press('Control+Alt+Shift+F7');
		await expect.poll(async () => (await portsOf(lab.server)).length).toBeGreaterThan(before.length);
	});
}

/** What can be done once the folder is trusted. */
export function testTrustedViews(seen: () => Seen): void {
	test('need trust alone, without a reload, and deploy nothing by it', async () => {
		const { workbench, workspace, before } = seen();
		await workbench.row('Traffic', /^prompt.*And one more thing/).waitFor();
		await workbench.pane('Compose').waitFor();
		await workbench.pane('Tasks').getByText('Restricted Mode').waitFor({ state: 'detached' });
		expect(readdirSync(workspace.folder)).toEqual(before.folder);
	});

	test('change the queue by mouse and by keyboard', async () => {
		const { workbench } = seen();
		await fold(workbench, 'Tasks', 'Delegates', 'Compose');
		const becomes = (...words: string[]) => expect.poll(() => queue(seen())).toEqual(queued(...words));
		await becomes('First', 'Second', 'Third');
		// While VS Code draws the rows anew, it forgets the dragged one, and nothing is dropped.
		const drag = (onto: string | RegExp, ...words: string[]) =>
			eventually('the new order', async () => {
				await dragRow(workbench, 'Third thought', onto);
				await expect.poll(() => queue(seen()), { timeout: 5000 }).toEqual(queued(...words));
				return true;
			});
		await drag('First thought', 'Third', 'First', 'Second');
		await drag('Second thought', 'First', 'Third', 'Second');
		const row = async () => {
			await workbench.command('Nancy: Focus on Inbox View');
			await moveTo(workbench, 'Inbox', 'Third thought');
		};
		const moveUp = async (...words: string[]) => {
			await contextKey(workbench, 'Inbox', 'Third thought', 'Deliver Earlier');
			// VS Code gives the command no row while it draws the rows anew, and Nancy says so.
			const isLost = workbench.toast('Please choose again');
			await eventually('the new order', async () => {
				if ((await isLost.count()) > 0) {
					await isLost.hover();
					await isLost.locator('.codicon-notifications-clear').click();
					await row();
					await contextKey(workbench, 'Inbox', 'Third thought', 'Deliver Earlier');
				}
				return isDeepStrictEqual(await queue(seen()), queued(...words));
			});
		};
		await row();
		// The moved row keeps the focus, so that it can be moved again.
		await focusedRow(workbench, 'Inbox', 'Third thought').waitFor();
		await moveUp('Third', 'First', 'Second');
	});

	test('write to a worker by keyboard, from its row to its mailbox', async () => {
		const { workbench, page } = seen();
		// The page of a message is a webview, too.
		await workbench.tidy();
		await unfold(workbench, 'Tasks');
		await workbench.command('Nancy: Focus on Tasks View');
		await moveTo(workbench, 'Tasks', /^Fix the login/);
		await contextKey(workbench, 'Tasks', /^Fix the login/, 'Message This Worker');
		await workbench.webview().locator('#text:focus').waitFor();
		await page.keyboard.type('Written without a mouse');
		await page.keyboard.press('Control+Enter');
		await expect.poll(async () => (await queue(seen())).onDisk).toContain('Written');
		// The open box leaves the list little room.
		await fold(workbench, 'Compose');
		await workbench.mail(/Written without a mouse.*queued/).waitFor();
		// Also where the box has to be opened first, and nobody is named.
		await workbench.command('Nancy: Compose Message');
		await workbench.webview().locator('#text:focus').waitFor();
	});

	test('tell of an agent at work, filtered, with the payload and the transcript', long, async () => {
		const { lab, workbench, page, model, workspace } = seen();
		await fold(workbench, 'Inbox', 'Compose');
		const waiting = 'until [ -e go ]; do sleep 0.1; done; echo one';
		await orchestrate(lab, 'Rename it', `[[sh:${waiting}]][[sh:false]][[text:All renamed]]`);
		await workbench.row('Tasks', /working · Bash/).waitFor();
		await workbench.ask('nancy.sendMessage');
		await workbench.pick('Rename it');
		await workbench.answer('Please mind the gap.');
		const mailbox = workspace.mailbox({ task: TaskName.parse('rename-it'), worker: FIRST_WORKER });
		await expect.poll(async () => (await mailbox.list()).messages.length).toBe(1);
		const go = join(workspace.folder, 'go');
		writeFileSync(go, '');
		await model.waitForRequest(({ text }) => text.includes('Please mind the gap.'));
		await workbench.row('Tasks', /idle · All renamed/).waitFor();
		rmSync(go);
		await workbench.command('Nancy Traffic: Focus on Traffic View');
		await fold(workbench, 'Tasks');
		const traffic = (text: string | RegExp) => workbench.row('Traffic', text);
		await traffic(/Message delivered.*Please mind the gap\./).waitFor();
		await traffic(/^stop.*All renamed/).waitFor();
		await page
			.locator('[role=treeitem][aria-label^="tool Bash, done, until "][aria-label*="echo one · "]')
			.waitFor();
		await page.locator('[role=treeitem][aria-label^="tool Bash, failed · false"]').waitFor();

		const filter = async (typed: string, row: string) => {
			await workbench.ask('nancy.filterTraffic');
			await workbench.quickInput.fill(typed);
			// Rows move while the list is narrowed, and once more when the typed text becomes a row.
			if (typed !== '') {
				await workbench.quickRow('session start').waitFor({ state: 'detached' });
				await workbench.quickRow(`Text “${typed}”`).waitFor();
			}
			await workbench.pick(row);
		};
		await filter('rename', 'Rename it');
		await expect.poll(() => traffic(/^Fix the login/).count()).toBe(0);
		// The CLI's own name for what is called otherwise in the rows. Only one of them tells something.
		await filter('POSTTOOLB', 'Text “POSTTOOLB”');
		const batches = () => traffic(/^(tool Bash|tools done)/).count();
		await expect.poll(batches).toBe(1);
		await workbench.command('Nancy: Show All Events');
		await expect.poll(batches).toBe(2);
		await workbench.command('Nancy: Show Main Events Only');
		await expect.poll(batches).toBe(1);
		await workbench.pane('Traffic').getByText('Only: Rename it · “POSTTOOLB”').waitFor();
		await filter('', 'Clear Filter');
		await filter('Stop', 'stop');
		await expect
			.poll(async () => new Set(await traffic(/^(stop|tool Bash|prompt)/).allInnerTexts()))
			.toEqual(new Set(['stopThe tests pass.', 'stopAll renamed']));
		await workbench.command('Nancy: Clear Traffic Filter');
		await traffic(/^Fix the login/).waitFor();

		await traffic(/^tool Bash.*echo one/).click();
		await workbench.tab(/tool Bash/).waitFor();
		await workbench.rowAction(traffic(/^tool Bash.*echo one/), 'Open Payload');
		await workbench.tab(/PreToolUse Bash\.json/).waitFor();
		await expect.poll(() => workbench.editorText()).toContain(`"command": "${waiting}"`);
		await workbench.rowAction(traffic(/^Rename it(?!\.)/), 'Open Transcript');
		await workbench.tab(/\.jsonl/).waitFor();
		await expect.poll(() => workbench.editorText()).toContain('"sessionId"');
	});
}
