import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ownIdentity } from '../../src/base/liveness.ts';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { Questions } from '../../src/core/questions/questions.ts';
import { keepNote } from '../../src/core/traffic/keepInSpool.ts';
import { DriverId, ORCHESTRATOR, SessionId } from '../../src/protocol/names.ts';
import { launchBrowser } from '../support/browser.ts';
import { seedDelegate, seedWorktree } from '../support/delegateSeeds.ts';
import { bothLooks, pairedPage } from '../support/deskBrowser.ts';
import { BY_USER, messageContent } from '../support/messageContent.ts';
import { repository } from '../support/programs.ts';
import { seedQuestion } from '../support/seedQuestion.ts';
import { seedWorkspace, spool } from '../support/seedWorkspace.ts';
import { servedDesk, type ServedDesk } from '../support/servedDesk.ts';
import { taskRecord } from '../support/taskRecord.ts';

const SESSION = 'c0c0c0c0-0001';
const HOSTILE = '<img src=x onerror="hit()"><script>hit()</script>';

const owned = new AsyncDisposableStack();
let browser: Browser;
let desk: ServedDesk;
let store: Delegates;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
	const source = Array.from({ length: 400 }, (_, at) => `const line${at + 1} = ${at + 1};`).join('\n');
	desk = owned.use(
		await servedDesk(
			{ pages: join(repository, 'media/desk') },
			{ 'src/timer.js': `${source}\n`, 'src/html.ts': `export const html = '${HOSTILE}';\n` },
		),
	);
	await seedWorkspace(desk.workspace.folder, {
		title: 'Fix the login',
		session: SESSION,
		dataFolder: desk.folder.file('data'),
	});
	store = new Delegates(desk.workspace);
	browser = await launchBrowser();
	owned.defer(() => browser.close());
	page = await pairedPage(browser, desk, text => complaints.push(text));
	await page.context().grantPermissions(['notifications']);
});
afterAll(() => owned.disposeAsync());
afterEach(async ({ task }) => {
	if (task.result?.state !== 'fail') return;
	const folder = join(repository, 'out/failures');
	mkdirSync(folder, { recursive: true });
	await page.screenshot({ path: join(folder, `${task.name}.png`) }).catch(() => undefined);
});

const button = (name: string | RegExp) => page.getByRole('button', { name });
const view = (name: string) => page.getByRole('navigation').getByRole('button', { name }).click();
const main = () => page.locator('main');
const foreign = () => main().locator('script, img, iframe, style, a, object, link').count();
const violations = () => bothLooks(page);

test('shows a delegate’s changes file by file, and sends comments on their lines in one message', async () => {
	const { delegate, folder } = await seedWorktree(
		store,
		desk.folder.file('data'),
		{ title: 'Timer' },
		{
			'src/timer.js': `const line1 = 1;\nconst hostile = '${HOSTILE}';\n`,
			'new.txt': 'new\n',
		},
	);
	const { task, agent } = delegate.record;
	await desk.workspace.createTask(taskRecord(task, agent));
	const place = { is: 'folder', folder } as const;
	const busy = await seedDelegate(store, { title: 'Timer again', state: 'running', place, runner: ownIdentity() });
	await desk.served.refresh();
	await view('Delegates');
	await main().getByText('Timer again').click();
	await main().locator('details[open]').getByRole('button', { name: 'Changes' }).click();
	await main().getByText('2 files, +2 −399').waitFor();
	await main().getByText('src/timer.js').click();
	await main().locator('.added', { hasText: 'onerror' }).waitFor();
	expect(await main().locator('.added').allTextContents()).toEqual([`+const hostile = '${HOSTILE}';`]);
	expect(await foreign()).toBe(0);
	await button('Comment on line 2').click();
	await page.getByLabel('What should it change in line 2?').fill('No markup here.');
	await button('Add Comment').click();
	expect(await violations()).toEqual([]);
	await main().getByText('new.txt').click();
	await main().locator('.added', { hasText: '+new' }).waitFor();
	await button('Comment on line 1').first().click();
	await page.getByLabel('What should it change in line 1?').fill('Why this file?');
	await button('Add Comment').click();
	await page.reload();
	await page.locator('.link.live').waitFor();
	await view('Delegates');
	await main().getByText('Timer again').click();
	await main().locator('details[open]').getByRole('button', { name: 'Changes' }).click();
	await button('Send the Comments (2)').click();
	await main().getByText('Sent: it reads your comments').waitFor();
	const { messages } = await desk.workspace.mailbox(busy.record).list(['queued']);
	expect(messages.map(({ content }) => [content.kind, content.text])).toEqual([
		[
			'feedback',
			'A person has reviewed the changes and comments on them.\n\nnew.txt:1\nWhy this file?\n\nsrc/timer.js:2\nNo markup here.',
		],
	]);
	expect(await button(/^Send the Comments/).count()).toBe(0);
});

test('stops a delegate after asking once more', async () => {
	const waiting = await seedDelegate(store, { title: 'Later', state: 'queued' });
	await desk.served.refresh();
	await view('Delegates');
	await main().getByText('Later').click();
	const row = main().locator('details', { hasText: 'Later' });
	await row.getByRole('button', { name: 'Stop …' }).click();
	await row.getByText('Stop “Later”?').waitFor();
	expect((await store.get(waiting.record.id)).state).toBe('queued');
	await row.getByRole('button', { name: 'Stop It' }).click();
	await row.getByText('cancelled').waitFor();
	expect((await store.get(waiting.record.id)).state).toBe('failed');
});

test('shows an agent’s traffic, live, and leads to the file that it names', async () => {
	await view('Agents');
	await page.getByRole('button', { name: /idle/ }).click();
	await main().getByText('Traffic').click();
	await main().getByText('PostToolUse Bash: npm test (1200 ms)').waitFor();
	const edit = {
		tool_name: 'Edit',
		tool_input: { file_path: join(desk.workspace.folder, 'src/html.ts') },
		tool_use_id: 't',
	};
	spool(desk.workspace, SESSION, 'PreToolUse', { ...edit, tool_name: `Edit${HOSTILE}` }, '9');
	await main().locator('.traffic > li').first().getByText('Edit<img').waitFor();
	expect(await foreign()).toBe(0);
	expect(await violations()).toEqual([]);
	await main().locator('.traffic').getByRole('button', { name: 'src/html.ts' }).click();
	await main().locator('.numbered', { hasText: 'onerror' }).waitFor();
	expect(await main().locator('.numbered').textContent()).toBe(`export const html = '${HOSTILE}';\n`);
	expect(await main().locator('.numbered .t-keyword').allTextContents()).toEqual(['export', 'const']);
	expect(await foreign()).toBe(0);
});

test('shows what an agent says of its work and what its CLI tells the user, until the next prompt', async () => {
	const [says, tells] = [`Waiting for the key ${HOSTILE}`, `Claude needs your attention ${HOSTILE}`];
	const { workspace } = desk;
	const about = { driver: DriverId.parse('claude-code'), session: SessionId.parse(SESSION), event: 'send_status' };
	keepNote(workspace, about, {
		nancy: 'status',
		at: new Date().toISOString(),
		...about,
		text: says,
		state: 'blocked',
	});
	spool(workspace, SESSION, 'Notification', { message: tells, notification_type: 'push_notification' }, 'n');
	await view('Agents');
	const row = main().getByRole('button', { name: /Waiting for the key/ });
	await row.getByText('needs your attention').waitFor();
	expect(await foreign()).toBe(0);
	expect(await violations()).toEqual([]);
	spool(workspace, SESSION, 'UserPromptSubmit', { prompt: 'Go on' }, 'p');
	await row.waitFor({ state: 'detached' });
	expect(await main().getByText('needs your attention').count()).toBe(0);
});

test('opens the lines that a message names, turns to later ones, and makes a picture of them', async () => {
	const { workspace } = desk;
	const [task] = (await workspace.tasks()).tasks;
	if (!task) throw new Error('there is no task');
	const text = 'Look at src/timer.js:10-12, not at https://evil.example/x.js:1.\n\n```js\nlet a = 1;\n```';
	await workspace.send({ task: task.name, worker: ORCHESTRATOR }, messageContent(text), BY_USER);
	await view('Inbox');
	const links = main().locator('.code-links').first();
	await links.waitFor();
	expect(await links.locator('button').allTextContents()).toEqual(['src/timer.js:10-12']);
	await main().getByRole('button', { name: 'src/timer.js:10-12' }).click();
	await main().getByText('Lines 10 to 12 of 400').waitFor();
	expect(
		await main()
			.locator('.numbered .number')
			.evaluateAll(all => all.map(each => each.dataset['number'])),
	).toEqual(['10', '11', '12']);
	expect(await violations()).toEqual([]);
	const saved = page.waitForEvent('download');
	await button('Share as Picture').click();
	const download = await saved;
	expect(download.suggestedFilename()).toBe('src-timer.js-10-12.png');
	const png = readFileSync(await download.path());
	expect(png.toString('latin1', 1, 4)).toBe('PNG');
	expect(png.length).toBeGreaterThan(2000);
	await button('Later Lines').click();
	await main().getByText('Lines 13 to 312 of 400').waitFor();
	expect(await drawnBy(() => button('Share as Picture').click())).toContain(
		'… 100 more lines are not in this picture.',
	);
	await page.getByLabel('File, with lines').fill('../data/x');
	await button('Open').click();
	await main().getByText('is no path from the workspace folder').waitFor();
});

/** The text of the picture that a page draws. */
async function drawnBy(share: () => Promise<void>): Promise<string> {
	await page.evaluate(() => {
		const make = URL.createObjectURL.bind(URL);
		Object.assign(globalThis, { drawn: [] });
		URL.createObjectURL = (blob: Blob) => {
			if (blob.type === 'image/svg+xml') Reflect.get(globalThis, 'drawn').push(blob.text());
			return make(blob);
		};
	});
	const saved = page.waitForEvent('download');
	await share();
	await saved;
	const svg = await page.evaluate(() => Promise.all<string>(Reflect.get(globalThis, 'drawn')));
	return svg
		.join('')
		.replaceAll(/<[^>]*>/g, '')
		.replaceAll('\u00a0', ' ');
}

test('lists what answers have allowed, who answered, and the devices', async () => {
	const questions = new Questions(desk.workspace.own);
	const { id, digest } = await seedQuestion(desk.workspace, {
		session: SessionId.parse(SESSION),
		title: HOSTILE,
		body: 'git push',
		choices: [
			{ effect: 'once' },
			{ effect: 'folder', rule: 'Bash(git push:*)', keptIn: '.claude/settings.local.json' },
		],
	});
	await questions.answer({
		version: 1,
		question: id,
		digest,
		effect: 'folder',
		by: 'vscode',
		at: new Date().toISOString(),
	});
	await questions.end(id, 'applied', 'PostToolUse');
	await view('Allowed');
	await main().getByText('Bash(git push:*)').waitFor();
	await main().getByText('Allowed, and done (PostToolUse).').waitFor();
	await main().getByText('this one').waitFor();
	expect(await main().textContent()).toContain('Linux, Chrome');
	expect(await foreign()).toBe(0);
	expect(await violations()).toEqual([]);
});

test('tells of a question while it is out of sight, and not what is asked for', async () => {
	await view('Allowed');
	await page.getByLabel('Tell me of questions').check();
	// This Chromium has no desktop to show it on, and so none to list.
	await page.evaluate(`{
		window.told = [];
		const { prototype } = ServiceWorkerRegistration;
		const { showNotification } = prototype;
		prototype.showNotification = function (title, options) {
			told.push([title, options.body]);
			return showNotification.call(this, title, options);
		};
	}`);
	const shown = () => page.evaluate('told');
	const hide = (state: string) =>
		page.evaluate(visibility => {
			Object.defineProperty(document, 'visibilityState', { value: visibility, configurable: true });
			document.dispatchEvent(new Event('visibilitychange'));
		}, state);
	const ask = () =>
		seedQuestion(desk.workspace, {
			session: SessionId.parse(SESSION),
			title: 'rm -rf build',
			body: 'rm -rf build',
		});
	const questions = new Questions(desk.workspace.own);
	const seen = await ask();
	await expect.poll(() => page.title()).toBe('(1) Nancy');
	expect(await shown()).toEqual([]);
	await questions.end(seen.id, 'ended', 'Stop');
	await expect.poll(() => page.title()).toBe('Nancy');
	await hide('hidden');
	const unseen = await ask();
	await expect.poll(shown).toEqual([['Fix the login asks for Bash', 'Claude Code']]);
	await hide('visible');
	await questions.end(unseen.id, 'ended', 'Stop');
});

test('can be installed, and keeps nothing that could be out of date', async () => {
	const client = await page.context().newCDPSession(page);
	const { errors } = await client.send('Page.getAppManifest');
	expect(errors).toEqual([]);
	const { installabilityErrors } = await client.send('Page.getInstallabilityErrors');
	expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);
	expect(await page.evaluate(async () => (await caches.keys()).length)).toBe(0);
});

test('goes on after a sleep, with what has happened meanwhile', async () => {
	const client = await page.context().newCDPSession(page);
	await client.send('Page.setWebLifecycleState', { state: 'frozen' });
	const question = await seedQuestion(desk.workspace, {
		session: SessionId.parse(SESSION),
		title: 'make',
		body: 'make',
	});
	await client.send('Page.setWebLifecycleState', { state: 'active' });
	await expect.poll(() => page.title()).toBe('(1) Nancy');
	await new Questions(desk.workspace.own).end(question.id, 'ended', 'Stop');
	await expect.poll(() => page.title()).toBe('Nancy');
});

test('loads its second file only when something of it is looked at', async () => {
	const context = await browser.newContext();
	owned.defer(() => context.close());
	const fresh = await context.newPage();
	const asked: string[] = [];
	fresh.on('request', request => asked.push(new URL(request.url()).pathname));
	await fresh.goto(desk.server.invite(desk.server.address));
	await fresh.locator('.link.live').waitFor();
	expect(asked.filter(path => path.includes('rooms'))).toEqual([]);
	await fresh.getByRole('navigation').getByRole('button', { name: 'Code' }).click();
	await fresh.getByLabel('File, with lines').waitFor();
	expect(asked.filter(path => path.includes('rooms'))).toHaveLength(1);
});

test('met nothing that its policy forbids', () => {
	// Chromium notes each refused request. One was made on purpose.
	expect(complaints.filter(text => !text.includes('status of 404'))).toEqual([]);
});
