import { mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Workspace, WorkerAddress } from '../../src/core/workspace.ts';
import { ORCHESTRATOR } from '../../src/protocol/names.ts';
import { orchestrate, trust, withAgent } from '../support/agentWorkbench.ts';
import { eventually } from '../support/eventually.ts';
import { seedWorkspace, spool } from '../support/seedWorkspace.ts';
import { tempFolder } from '../support/tempFolder.ts';
import type { Workbench } from '../support/workbench.ts';

const SESSION = 'a1b2c3d4-0000';
/** High enough for every row of a view. */
const size = { width: 1400, height: 1800 };

const ARCHIVE_KEY = { key: 'ctrl+alt+shift+f9', command: 'nancy.archiveTask' };

interface Seen {
	workbench: Workbench;
	workspace: Workspace;
	address: WorkerAddress;
}

/** Leaves the room to the other views: how VS Code shares it out is not always the same, and it draws only rows in sight. */
async function fold(workbench: Workbench, ...paneTitles: readonly string[]): Promise<void> {
	for (const title of paneTitles) await workbench.pane(title).locator('.pane-header.expanded h3').click();
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
	const rows = await workbench
		.row('Inbox', 'thought')
		.evaluateAll(all => all.map(row => ({ at: Number(row.dataset['index']), text: row.textContent ?? '' })));
	return {
		onDisk: messages.filter(({ state }) => state === 'queued').map(({ content }) => first(content.text)),
		inSight: rows.toSorted((a, b) => a.at - b.at).map(({ text }) => first(text)),
	};
}

function queued(...words: string[]): { onDisk: string[]; inSight: string[] } {
	return { onDisk: words, inSight: words };
}

/** Does it again, as a person would, where it came to nothing at all: on a busy machine a gesture may end before the list sees it. */
async function until(expected: ReturnType<typeof queued>, seen: Seen, gesture: () => Promise<void>): Promise<void> {
	const before = await queue(seen);
	for (let attempt = 1; ; attempt++) {
		await gesture();
		const isSo = async () => isDeepStrictEqual(await queue(seen), expected);
		if (await eventually('the order', isSo, { timeoutMs: 8000 }).catch(() => false)) return;
		if (attempt === 3 || !isDeepStrictEqual(await queue(seen), before)) {
			expect(await queue(seen)).toEqual(expected);
			return;
		}
	}
}

/** Like a hand: a list takes note of what comes over it only while it moves. */
async function dragRow(workbench: Workbench, from: string, onto: string | RegExp): Promise<void> {
	await workbench.row('Inbox', from).dragTo(workbench.row('Inbox', onto), { steps: 5 });
}

/** Moves through the list that has the focus until this row has it. */
async function moveTo(workbench: Workbench, paneTitle: string, text: string | RegExp): Promise<void> {
	const focused = workbench.pane(paneTitle).locator('.monaco-list-row.focused').filter({ hasText: text });
	await workbench.page.keyboard.press('Home');
	for (let step = 0; step < 30 && (await focused.count()) === 0; step++) {
		await workbench.page.keyboard.press('ArrowDown');
	}
	await focused.waitFor();
}

/** Chooses from the focused row's context menu without a mouse. */
async function contextKey({ page }: Workbench, label: string): Promise<void> {
	// A menu that opens while its view is drawn anew closes at once.
	await eventually('the menu', async () => {
		await page.keyboard.press('Shift+F10');
		await page.locator('.context-view .action-item').first().waitFor({ timeout: 5000 });
		return true;
	});
	const chosen = page.locator('.context-view .action-item.focused').filter({ hasText: label });
	for (let step = 0; step < 15 && (await chosen.count()) === 0; step++) await page.keyboard.press('ArrowDown');
	await chosen.waitFor();
	await page.keyboard.press('Enter');
}

describe('the views', () => {
	test('look but do not touch until the folder is trusted, then work by mouse and by keyboard', async () => {
		await using folder = tempFolder('nx-');
		mkdirSync(folder.file('project'));
		const project = realpathSync(folder.file('project'));
		const { workspace, address } = await seedWorkspace(project, {
			title: 'Fix the login',
			session: SESSION,
			queued: ['First thought', 'Second thought', 'Third thought'],
		});
		spool(workspace, SESSION, 'UserPromptSubmit', { prompt: 'And one more thing' }, '5');
		const before = readdirSync(workspace.paths.root);

		await withAgent(
			'views',
			async (lab, model) => {
				const { workbench, page } = lab;
				const seen = { workbench, workspace, address };
				await workbench.pane('Traffic').locator('.pane-header').click();

				// Restricted Mode: everything is there to be read.
				await workbench.row('Tasks', /worker.*idle · The tests pass\./).waitFor();
				await workbench.pane('Tasks').getByText('Restricted Mode: Nancy shows what is here').waitFor();
				await workbench.row('Inbox', /First thought.*queued · directive/).waitFor();
				await workbench.row('Traffic', /Bash.*npm test · 1\.2 s/).waitFor();
				expect(await workbench.pane('Compose').count()).toBe(0);
				// Nothing can be started, stopped or changed.
				expect(await paletteRows(workbench, 'Nancy: ')).not.toEqual(
					expect.arrayContaining([expect.stringMatching(/Orchestrate|Send|Set Up|Clean Up|Add Worker/)]),
				);
				await workbench.row('Tasks', 'The tests pass').click({ button: 'right' });
				expect(await menuChoices(workbench)).toEqual(['Focus Terminal', 'Open Transcript', 'Copy Session ID']);
				await page.keyboard.press('Escape');
				await workbench.row('Inbox', 'Second thought').click({ button: 'right' });
				expect(await menuChoices(workbench)).toEqual(['Open File']);
				await page.keyboard.press('Escape');
				await dragRow(workbench, 'Second thought', 'First thought');
				// Reading does not mark as read.
				await workbench.row('Inbox', 'Which port do you want?').click();
				await workbench.tab(/\.md/).waitFor();
				expect(await workbench.editorText()).toContain('Which port do you want?');
				const mail = await workspace.mailbox({ ...address, worker: ORCHESTRATOR }).list();
				expect(mail.messages.map(({ state }) => state)).toEqual(['queued']);
				expect(await queue(seen)).toEqual(queued('First', 'Second', 'Third'));
				// A key runs also what is switched off in menus.
				await page.keyboard.press('Control+Alt+Shift+F9');
				await workbench.toast('Trust this workspace first').waitFor();
				expect((await workspace.tasks()).tasks.map(({ archivedAt }) => archivedAt)).toEqual([undefined]);
				expect(readdirSync(workspace.paths.root)).toEqual(before);
				expect(readdirSync(workspace.paths.spool)).toHaveLength(1);
				expect(readdirSync(project)).toEqual(['.nancy']);

				// Trust is enough, without a reload; it alone deploys nothing.
				await trust(workbench);
				await workbench.row('Traffic', /UserPromptSubmit.*And one more thing/).waitFor();
				await workbench.pane('Compose').waitFor();
				expect(await workbench.pane('Tasks').getByText('Restricted Mode').count()).toBe(0);
				expect(readdirSync(project)).toEqual(['.nancy']);

				// The queue by mouse …
				await fold(workbench, 'Tasks', 'Compose', 'Traffic');
				const drag = (onto: string | RegExp) => () => dragRow(workbench, 'Third thought', onto);
				await until(queued('Third', 'First', 'Second'), seen, drag('First thought'));
				await until(queued('First', 'Second', 'Third'), seen, drag(/^Queued/));
				// … and by keyboard.
				await workbench.command('Nancy: Focus on Inbox View');
				await moveTo(workbench, 'Inbox', 'Third thought');
				const moveUp = () => contextKey(workbench, 'Move Up');
				await until(queued('First', 'Third', 'Second'), seen, moveUp);
				// The moved row keeps the focus, so that it can be moved again.
				await until(queued('Third', 'First', 'Second'), seen, moveUp);

				// Writing to a worker, from its row to its mailbox.
				await workbench.command('Nancy: Focus on Tasks View');
				await moveTo(workbench, 'Tasks', /^worker/);
				await contextKey(workbench, 'Message This Worker');
				await workbench.webview().locator('#text:focus').waitFor();
				await page.keyboard.type('Written without a mouse');
				await page.keyboard.press('Control+Enter');
				await workbench.row('Inbox', /Written without a mouse.*queued/).waitFor();
				// Also where the box has to be opened first, and nobody is named.
				await fold(workbench, 'Compose');
				await workbench.command('Nancy: Compose Message');
				await workbench.webview().locator('#text:focus').waitFor();

				// The traffic of an agent at work.
				await fold(workbench, 'Inbox', 'Compose');
				await orchestrate(lab, 'Rename it', '[[sh:sleep 5; echo one]][[sh:false]][[text:All renamed]]');
				await workbench.row('Tasks', /working · Bash/).waitFor();
				await workbench.command('Nancy: Send Message');
				await workbench.pick('rename-it');
				await workbench.answer('Please mind the gap.');
				await model.waitForRequest(({ text }) => text.includes('Please mind the gap.'));
				await workbench.row('Tasks', /idle · All renamed/).waitFor();
				await workbench.command('Nancy: Focus on Traffic View');
				await fold(workbench, 'Tasks');
				const traffic = (text: string | RegExp) => workbench.row('Traffic', text);
				await traffic(/Message delivered.*Please mind the gap\./).waitFor();
				await traffic(/^Stop.*All renamed/).waitFor();
				await page.locator('[role=treeitem][aria-label^="Bash, done, sleep 5; echo one · "]').waitFor();
				await page.locator('[role=treeitem][aria-label^="Bash, failed, false"]').waitFor();

				const filter = async (typed: string, row: string) => {
					await workbench.command('Nancy: Filter Traffic');
					await workbench.quickInput.fill(typed);
					await workbench.pick(row);
				};
				await filter('rename', 'rename-it');
				await expect.poll(() => traffic(/^fix-the-login/).count()).toBe(0);
				await filter('POSTTOOLB', 'Text “POSTTOOLB”');
				await expect.poll(() => traffic(/^(Bash|PostToolBatch)/).count()).toBe(2);
				expect(await workbench.pane('Traffic').locator('.pane-header').innerText()).toContain(
					'rename-it · “POSTTOOLB”',
				);
				await filter('', 'Clear Filter');
				await filter('Stop', 'Stop');
				await expect
					.poll(async () => new Set(await traffic(/^(Stop|Bash|UserPromptSubmit)/).allInnerTexts()))
					.toEqual(new Set(['StopThe tests pass.', 'StopAll renamed']));
				await workbench.command('Nancy: Clear Traffic Filter');
				await traffic(/^fix-the-login/).waitFor();

				await workbench.rowAction(traffic(/^Bash.*echo one/), 'Open Payload');
				await workbench.tab(/PreToolUse Bash\.json/).waitFor();
				await expect.poll(() => workbench.editorText()).toContain('"command": "sleep 5; echo one"');
				await workbench.rowAction(traffic(/^rename-it/), 'Open Transcript');
				await workbench.tab(/\.jsonl/).waitFor();
				await expect.poll(() => workbench.editorText()).toContain('"sessionId"');
			},
			{ workspace: project, restricted: true, size, keybindings: [ARCHIVE_KEY] },
		);
	});
});
