import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataFolder } from '../../src/base/folders.ts';
import { ownIdentity } from '../../src/base/liveness.ts';
import { idTime } from '../../src/core/mailbox/messageId.ts';
import { deleteTask } from '../../src/core/sessions/deletion.ts';
import type { WorkerAddress, Workspace } from '../../src/core/workspace/workspace.ts';
import { FIRST_WORKER, ORCHESTRATOR, type WorkerName } from '../../src/protocol/names.ts';
import { eventually } from '../support/eventually.ts';
import { openLab, type Lab } from '../support/lab.ts';
import { focusedRow, fold, unfold } from '../support/listGestures.ts';
import { violationsIn } from '../support/looks.ts';
import { messageFrame } from '../support/messageFrame.ts';
import { BY_USER, messageContent } from '../support/messageContent.ts';
import { seedWorkspace } from '../support/seedWorkspace.ts';
import type { Workbench } from '../support/workbench.ts';

const owned = new AsyncDisposableStack();
let lab: Lab;
let workbench: Workbench;
let page: Page;
let store: Workspace;
let docs: WorkerAddress;

beforeAll(async () => {
	lab = owned.use(await openLab({ size: { width: 1200, height: 900 } }));
	({ workbench, page } = lab);
	const home = dataFolder({ HOME: lab.server.home });
	mkdirSync(join(lab.workspace, 'src'));
	writeFileSync(join(lab.workspace, 'src', 'brewing.ts'), '');
	for (const leaf of ['assam', 'ceylon', 'darjeeling', 'earl', 'genmaicha', 'matcha', 'oolong', 'sencha'])
		writeFileSync(join(lab.workspace, 'src', `leaf-${leaf}.ts`), '');
	await seedWorkspace(lab.workspace, { title: 'Fix the login', session: 'c0c0c0c0-0001', dataFolder: home });
	const seed = { title: 'Write the docs', session: 'c0c0c0c0-0002', dataFolder: home };
	({ workspace: store, address: docs } = await seedWorkspace(lab.workspace, seed));
	await workbench.activity('Nancy').click();
	await workbench.row('Tasks', 'Write the docs').first().waitFor();
	await fold(workbench, 'Delegates');
	await unfold(workbench, 'Compose');
});
afterAll(() => owned.disposeAsync());

const form = () => workbench.webview();
const recipients = (text: string | RegExp) => form().locator('#recipients', { hasText: text }).waitFor();

/** Selects a task's row. A click is lost if VS Code draws the row anew in that moment: a person clicks again. */
async function select(task: string): Promise<void> {
	const row = workbench.row('Tasks', task).first();
	await eventually('the selected row', async () => {
		await row.click();
		return row
			.and(page.locator('.selected'))
			.waitFor({ timeout: 3000 })
			.then(
				() => true,
				() => false,
			);
	});
}

/** The page itself, for what is measured and checked in it. */
async function composeFrame(): Promise<Frame> {
	const frame = await (await form().locator('body').elementHandle())?.ownerFrame();
	if (!frame) throw new Error('there is no compose page');
	return frame;
}

test('follows the selected row until something is written, which a reload keeps', async () => {
	await recipients('Choose a recipient');
	await select('Write the docs');
	await recipients('To: Write the docs');
	await form().locator('#when', { hasText: 'wakes now' }).waitFor();
	await form().locator('#way').selectOption('pause');
	await form().locator('#when', { hasText: 'held' }).waitFor();
	await form().locator('#timing', { hasText: 'Held: The agent is idle already' }).waitFor();
	await form().locator('#way').selectOption('none');
	await form().locator('#timing').waitFor({ state: 'hidden' });

	await form().locator('#text').fill('One line\nand another');
	await select('Fix the login');
	await recipients('To: Write the docs');
	// VS Code stores an extension's state a moment later, and not at a reload.
	await page.waitForTimeout(1500);
	await page.reload();
	await workbench.ready();
	await recipients('To: Write the docs');
	await expect.poll(() => form().locator('#text').inputValue()).toBe('One line\nand another');
	// With an empty box, the selected row counts again. The words of each stay with each.
	await form().locator('#text').fill('');
	await select('Fix the login');
	await recipients('To: Fix the login');
	await lab.picture('compose-one');
});

test('completes a file, and sends to several chosen by their titles', async () => {
	const text = form().locator('#text');
	await text.click();
	await page.keyboard.type('Look at @brew');
	await form().locator('[role=option][aria-selected=true]', { hasText: 'src/brewing.ts' }).waitFor();
	await lab.picture('compose-files');
	await page.keyboard.press('Enter');
	expect(await text.inputValue()).toBe('Look at @src/brewing.ts ');

	await form().locator('#recipients').click();
	await workbench.quickRow('Fix the login').waitFor();
	expect((await workbench.quick.locator('.label-name').allInnerTexts()).toSorted()).toEqual([
		'All workers',
		'Fix the login',
		'Write the docs',
	]);
	await lab.picture('compose-choose');
	await workbench.pick('All workers');
	await workbench.quick.getByRole('button', { name: 'OK' }).click();
	await recipients('To: all 2 workers');
	await form().locator('#when', { hasText: 'wakes now' }).waitFor();
	expect(await text.inputValue()).toBe('Look at @src/brewing.ts ');
	await form().locator('#text:focus').waitFor();
	await page.keyboard.press('Control+Enter');
	await form().locator('#note', { hasText: 'Sent to 2.' }).waitFor();
	await expect.poll(() => workbench.row('Inbox', 'Look at @src/brewing.ts').count()).toBe(2);
	expect(await text.inputValue()).toBe('');
	await lab.picture('compose-sent');
});

test('offers no file that Nancy keeps or has deployed', async () => {
	mkdirSync(join(lab.workspace, '.claude/skills/mine'), { recursive: true });
	writeFileSync(join(lab.workspace, '.claude/skills/mine/SKILL.md'), 'Mine.');
	writeFileSync(join(lab.workspace, 'src', 'task.json'), '{}');
	await workbench.command('Nancy: Set Up Workspace');
	await eventually('the skills', () => existsSync(join(lab.workspace, '.claude/skills/delegate/SKILL.md')));
	const offered = async (query: string) => {
		await form().locator('#text').fill('');
		await form().locator('#text').pressSequentially(query);
		await form().locator('[role=option]').first().waitFor();
		return form().locator('[role=option]').allInnerTexts();
	};
	await expect.poll(() => offered('@SKILL')).toEqual(['.claude/skills/mine/SKILL.md']);
	expect(await offered('@task.json')).toEqual(['src/task.json']);
	await form().locator('#text').fill('');
});

test('says whom a reply answers, until it is dropped', async () => {
	const banner = form().locator('#banner', { hasText: 'Reply to Write the docs: “Which port do you want?”' });
	// A row that is drawn anew takes no click: its message is marked as queued and as held meanwhile.
	await eventually('the reply', async () => {
		await workbench.rowAction(workbench.row('Inbox', 'Which port do you want?').first(), 'Reply');
		await banner.waitFor({ timeout: 5000 });
		return true;
	});
	await recipients('To: Write the docs');
	await form().locator('#text:focus').waitFor();
	await lab.picture('compose-reply');
	// Escape ends the composition of an input method, and not the reply.
	await (
		await composeFrame()
	).evaluate(() => {
		const escape = { key: 'Escape', isComposing: true, bubbles: true };
		document.getElementById('text')?.dispatchEvent(new KeyboardEvent('keydown', escape));
	});
	await form().locator('#text').pressSequentially('8080');
	await banner.waitFor();
	await page.keyboard.press('Escape');
	await form().locator('#banner').waitFor({ state: 'hidden' });
	expect(await form().locator('#text').inputValue()).toBe('8080');
	await form().locator('#text').fill('');
});

test('asks before it drops the changed words of an edit', async () => {
	const queued = await store.send(docs, messageContent('Wait for me', { effect: 'pause' }), BY_USER);
	const text = form().locator('#text');
	const editing = form().locator('#banner', { hasText: 'Editing the message for Write the docs' });
	const edit = () =>
		eventually('the edit', async () => {
			await workbench.rowAction(workbench.row('Inbox', 'Wait for me').first(), 'Edit');
			await editing.waitFor({ timeout: 5000 });
			return true;
		});
	await edit();
	await form().locator('#text:focus').waitFor();
	// Nothing has changed: nothing is asked.
	await page.keyboard.press('Escape');
	await editing.waitFor({ state: 'hidden' });
	await edit();
	await text.fill('Wait no more');
	await page.keyboard.press('Escape');
	const question = workbench.dialog('Discard what you have changed in the message?');
	await question.getByRole('button', { name: 'Cancel' }).click();
	await form().locator('#text:focus').waitFor();
	expect(await text.inputValue()).toBe('Wait no more');
	await page.keyboard.press('Escape');
	await question.getByRole('button', { name: 'Discard Changes' }).click();
	await editing.waitFor({ state: 'hidden' });
	expect(await text.inputValue()).toBe('');
	const { messages } = await store.mailbox(docs).list(['queued']);
	expect(messages.find(({ id }) => id === queued)?.content.text).toBe('Wait for me');
});

test('keeps the words for a worker that is gone, and sends them to nobody else', async () => {
	await select('Write the docs');
	await recipients('To: Write the docs');
	await form().locator('#text').fill('Only for the docs');
	await deleteTask(store, docs.task);
	await workbench.row('Tasks', 'Write the docs').waitFor({ state: 'detached' });
	await recipients('Choose a recipient');
	await form().locator('#send').click();
	await form().locator('#note', { hasText: 'Choose a recipient.' }).waitFor();
	expect(await form().locator('#text').inputValue()).toBe('Only for the docs');
	await form().locator('#text').fill('');
	await recipients('To: Fix the login');
});

test('has its text and Send in sight where it is lowest, and nothing that axe-core finds', async () => {
	const frame = await composeFrame();
	expect(await violationsIn(frame)).toEqual([]);

	await form().locator('#text').fill('Many\nlines\nthat\ndo\nnot\nfit\nthere');
	await page.setViewportSize({ width: 1200, height: 500 });
	await unfold(workbench, 'Tasks', 'Inbox');
	await expect.poll(() => frame.evaluate(() => innerHeight)).toBeLessThan(170);
	const seen = () =>
		frame.evaluate(() =>
			['text', 'recipients', 'send'].map(id => {
				const box = document.getElementById(id)?.getBoundingClientRect();
				return box !== undefined && box.top >= 0 && box.bottom <= innerHeight && box.height > 20;
			}),
		);
	await expect.poll(seen).toEqual([true, true, true]);
	await lab.picture('compose-low');

	// The list of files leaves in sight what is being typed.
	await form().locator('#text').fill('');
	await form().locator('#text').pressSequentially('@leaf');
	await expect.poll(() => form().locator('[role=option]').count()).toBe(8);
	const [typed, files] = await Promise.all(['#text', '#files'].map(id => form().locator(id).boundingBox()));
	expect(files!.y).toBeGreaterThanOrEqual(typed!.y + typed!.height);
	await lab.picture('compose-low-files');
	await page.keyboard.press('Escape');
});

test('shows a message as a page without links, pictures or HTML, and what was written to and fro', async () => {
	await page.setViewportSize({ width: 1200, height: 900 });
	await form().locator('#text').fill('');
	await fold(workbench, 'Compose');
	const task = (await store.tasks()).tasks.map(({ name }) => name).find(name => name.startsWith('fix'));
	if (task === undefined) throw new Error('there is no such task');
	const hostile = '[look](command:workbench.action.quit) ![p](https://evil.example/p.png) <b onclick="x()">bold</b>';
	await store.send(
		{ task, worker: ORCHESTRATOR },
		messageContent(`Shall I round **up**?\n\n- one\n- \`two\`\n\n${hostile}\n\n${'x'.repeat(300)}`),
		{ is: 'agent', worker: `${task}/${FIRST_WORKER}` },
	);
	const row = workbench.row('Inbox', 'Fix the login asks · Shall I round');
	await row.waitFor();
	await workbench.mail(/^Unread message, from Fix the login, Shall I round/).waitFor();
	await row.click();
	const frame = await messageFrame(page);
	await frame.locator('strong', { hasText: 'up' }).waitFor();
	await frame.locator('.steps li', { hasText: 'read' }).waitFor();
	expect(await frame.locator('.text li code').innerText()).toBe('two');
	expect(await frame.locator('.text').innerText()).toContain('look (command:workbench.action.quit)');
	expect(await frame.locator('main').evaluate(main => main.querySelectorAll('a, img, b, [onclick]').length)).toBe(0);
	expect(await violationsIn(frame)).toEqual([]);
	await lab.picture('message-page');

	await frame.getByRole('button', { name: 'Show Conversation' }).click();
	await frame.locator('h1', { hasText: 'Fix the login and you' }).waitFor();
	const texts = await frame.locator('article .text').allInnerTexts();
	const begun = texts.map(text => /^[\w @]+/.exec(text)?.[0]);
	expect(begun).toContain('Which port do you want');
	expect(begun.at(-1)).toBe('Shall I round up');
	expect(await violationsIn(frame)).toEqual([]);
	await page.setViewportSize({ width: 640, height: 900 });
	await expect.poll(() => frame.evaluate(() => innerWidth)).toBeLessThan(350);
	expect(await frame.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
	await lab.picture('message-narrow');
	await page.setViewportSize({ width: 1200, height: 900 });
	await frame.locator('article', { hasText: 'Shall I round' }).getByRole('button', { name: 'Archive' }).focus();
	await page.keyboard.press('Enter');
	await row.waitFor({ state: 'detached' });
	await workbench.command('Nancy: Show All Messages');
	await row.waitFor();
	await workbench.command('Nancy: Show Only Messages to You');
	await row.waitFor({ state: 'detached' });
	await workbench.row('Inbox', 'Look at @src').first().waitFor({ state: 'detached' });
	await workbench.command('Nancy: Show Current Messages');
	await workbench.row('Inbox', 'Look at @src').first().waitFor();
	await frame.locator('article', { hasText: 'Shall I round' }).locator('.steps', { hasText: 'archived' }).waitFor();

	await frame.locator('article', { hasText: 'Which port' }).getByRole('button', { name: 'Reply' }).click();
	const banner = async () => {
		const all = page.frames().map(each =>
			each
				.locator('#banner-words')
				.innerText({ timeout: 1000 })
				.catch(() => ''),
		);
		return (await Promise.all(all)).join('');
	};
	await expect.poll(banner).toBe('Reply to Fix the login: “Which port do you want?”');
});

test('moves no row when a message is read, and shows each of two messages with one name from its top', async () => {
	await fold(workbench, 'Compose');
	const [task] = (await store.tasks()).tasks;
	if (!task) throw new Error('there is no task');
	const write = (worker: WorkerName, folder: string, id: string, text: string) => {
		const into = join(store.mailbox({ task: task.name, worker }).folder, folder);
		mkdirSync(into, { recursive: true });
		writeFileSync(join(into, `${id}.md`), `${text}\n\n${'More of it.\n\n'.repeat(200)}`);
	};
	const hoursAgo = (hours: number) => idTime(Date.now() - hours * 60 * 60_000);
	write(ORCHESTRATOR, 'inbox', `${hoursAgo(30)}-newer`, 'Read me late');
	write(ORCHESTRATOR, 'inbox', `${hoursAgo(31)}-older`, 'Leave me there');
	const [late, next] = ['Read me late', 'Leave me there'].map(text => workbench.row('Inbox', text));
	const before = await next?.boundingBox();
	await late?.click();
	const opened = (await messageFrame(page)).locator('article', { hasText: 'Read me late' });
	await opened.locator('.steps li', { hasText: 'read' }).waitFor();
	await workbench.mail(/^Message, .*Read me late/).waitFor();
	expect(await next?.boundingBox()).toEqual(before);

	const twin = `${hoursAgo(0)}-twin`;
	write(FIRST_WORKER, 'delivered', twin, 'The first twin');
	write(FIRST_WORKER, 'archive', twin, 'The second twin');
	await workbench.command('Nancy: Show All Messages');
	// The list is drawn anew for it, and an element of it then shows another row.
	for (const text of ['The second twin', 'Shall I round']) await workbench.row('Inbox', text).waitFor();
	for (const text of ['The first twin', 'The second twin']) {
		await workbench.row('Inbox', text).click();
		const frame = await messageFrame(page);
		await frame.locator('.text', { hasText: text }).waitFor();
		expect(await frame.evaluate(() => document.documentElement.scrollTop)).toBe(0);
		await frame.evaluate(() => scrollTo(0, 500));
	}
	await workbench.command('Nancy: Show Current Messages');
	await late?.waitFor({ state: 'detached' });
});

test('shows a hundred messages, and more when asked', async () => {
	const [task] = (await store.tasks()).tasks;
	if (!task) throw new Error('there is no task');
	const mailbox = store.mailbox({ task: task.name, worker: FIRST_WORKER });
	for (let minute = 0; minute < 130; minute++) {
		const id = `${idTime(Date.now() - (minute + 60) * 60_000)}-${minute}`;
		writeFileSync(join(mailbox.folder, 'delivered', `${id}.md`), `Old ${minute}.\n`);
	}
	await fold(workbench, 'Tasks');
	const more = focusedRow(workbench, 'Inbox', /Show More.*\d\d older/);
	// A key that comes while the list is drawn anew is lost.
	await eventually('the oldest message', async () => {
		await workbench.command('Nancy: Focus on Inbox View');
		await page.keyboard.press('End');
		if (await more.isVisible()) await page.keyboard.press('Enter');
		return workbench.row('Inbox', 'Old 129.').isVisible();
	});
});

test('names a task by its title in an error', async () => {
	const [task] = (await store.tasks()).tasks;
	if (!task) throw new Error('there is no task');
	// Nothing proves that this is its agent, so Nancy does not end it.
	await store.updateWorker(
		{ task: task.name, worker: FIRST_WORKER },
		record => record && { ...record, process: ownIdentity() },
	);
	await unfold(workbench, 'Tasks');
	await workbench.contextMenu(workbench.row('Tasks', task.title).first(), 'Delete Task');
	await workbench.dialog('Delete the task “Fix the login”?').getByRole('button', { name: 'Delete' }).click();
	await workbench.toast('the record of “Fix the login” names it').waitFor();
});
