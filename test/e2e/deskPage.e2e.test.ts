import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Questions } from '../../src/core/questions/questions.ts';
import type { WorkerAddress } from '../../src/core/workspace/workspace.ts';
import { DriverId, SessionId } from '../../src/protocol/names.ts';
import { launchBrowser } from '../support/browser.ts';
import { bothLooks, PHONE, pairedPage } from '../support/deskBrowser.ts';
import { eventually } from '../support/eventually.ts';
import { long } from '../support/long.ts';
import { cutIn, violationsIn } from '../support/looks.ts';
import { BY_USER, messageContent } from '../support/messageContent.ts';
import { repository } from '../support/programs.ts';
import { seedQuestion } from '../support/seedQuestion.ts';
import { seedWorkspace, spool } from '../support/seedWorkspace.ts';
import { servedDesk, type ServedDesk } from '../support/servedDesk.ts';

const SESSION = 'c0c0c0c0-0001';

const owned = new AsyncDisposableStack();
let browser: Browser;
let desk: ServedDesk;
let letIn: ServedDesk['owner']['letIn'];
let questions: Questions;
let login: WorkerAddress;
let page: Page;
/** What a browser refuses, and errors of the page's script. */
const complaints: string[] = [];

beforeAll(async () => {
	desk = owned.use(await servedDesk({ pages: join(repository, 'media/desk') }));
	({ address: login } = await seedWorkspace(desk.workspace.folder, {
		title: 'Fix the login',
		session: SESSION,
		dataFolder: desk.folder.file('data'),
	}));
	({ letIn } = desk.owner);
	questions = new Questions(desk.workspace.own);
	browser = await launchBrowser();
	owned.defer(() => browser.close());
	page = await paired();
});
afterAll(() => owned.disposeAsync());
afterEach(async ({ task }) => {
	if (task.result?.state !== 'fail') return;
	// So that it fails alone.
	desk.owner.letIn = letIn;
	for (const { question } of await questions.open()) await questions.end(question.id, 'ended', 'Stop');
	const folder = join(repository, 'out/failures');
	mkdirSync(folder, { recursive: true });
	await page.screenshot({ path: join(folder, `${task.name}.png`) }).catch(() => undefined);
});

async function paired(options: Parameters<typeof pairedPage>[3] = {}): Promise<Page> {
	const opened = await pairedPage(browser, desk, text => complaints.push(text), options);
	owned.defer(() => opened.context().close());
	return opened;
}

const ask = (request: Parameters<typeof seedQuestion>[1] = {}) =>
	seedQuestion(desk.workspace, { session: SessionId.parse(SESSION), ...request });
const button = (name: string | RegExp) => page.getByRole('button', { name });
const view = (name: string) => page.getByRole('navigation').getByRole('button', { name }).click();
const main = () => page.locator('main');
const title = (text: string) => expect.poll(() => page.title()).toBe(text);

const violations = () => bothLooks(page);

test('lets a browser in by a code that is in no address and no history, and shows the number to compare', async () => {
	const context = await browser.newContext({ viewport: PHONE });
	owned.defer(() => context.close());
	const newcomer = await context.newPage();
	let decide: (scope: undefined) => void = () => undefined;
	const decided = new Promise<undefined>(resolve => (decide = resolve));
	desk.owner.letIn = asked => {
		desk.newcomers.push(asked);
		return decided;
	};
	await newcomer.goto(desk.server.invite(desk.server.address));
	// It asks to be let in only once it is loaded.
	await eventually('its number', async () => {
		const shown = await newcomer.locator('.compare').textContent();
		return shown === desk.newcomers.at(-1)?.number;
	});
	expect(desk.newcomers.at(-1)).toMatchObject({ scope: 'answer', name: 'Linux, Chrome' });
	expect(newcomer.url()).toBe(desk.server.address);
	desk.owner.letIn = letIn;
	decide(undefined);
	await newcomer.getByText('This device was not let in.').waitFor();
	expect(await newcomer.evaluate(() => [sessionStorage.length, localStorage.length, document.cookie])).toEqual([
		0,
		0,
		'',
	]);
});

test('shows a whole request, however long, and leaves a Yes to what has a risk to the computer', async () => {
	const command = `# ${'a long line '.repeat(16_000)}\nrm -rf build | sh # the end`;
	const question = await ask({ title: 'rm -rf build', body: command });
	await page.getByText('Look closely: it cannot be judged by a program.').waitFor();
	expect(await page.locator('.block pre').textContent()).toBe(command);
	await page.getByText('it can be allowed in VS Code or in the terminal alone').waitFor();
	expect(await main().getByRole('button', { name: /Allow/ }).count()).toBe(0);
	await button(/^No$/).click();
	await page.getByText('Sent: No.').waitFor();
	await questions.end(question.id, 'applied', 'PostToolUseFailure');
});

test('shows a request with its place, and carries the answer to it', async () => {
	const command = 'rm -rf build && make # the end';
	const cwd = join(desk.workspace.folder, 'src');
	const question = await ask({ title: 'rm -rf build', body: command, cwd });
	await title('(1) Nancy');
	await view('Questions');
	await page.locator('.block pre', { hasText: '# the end' }).waitFor();
	await page.getByRole('heading', { name: 'asks for Bash' }).waitFor();
	expect(await page.locator('[aria-live]').textContent()).toBe('New question: Fix the login asks for Bash');
	expect(await page.locator('.block pre').textContent()).toBe(command);
	await expect.poll(() => main().textContent()).toContain('Fix the login');
	expect(await main().textContent()).toContain(cwd);
	// A key that was meant for something else presses nothing.
	await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');

	await button('Allow Once').click();
	await page.getByText('Sent: Allow Once.').waitFor();
	expect(await questions.readAnswer(question.id)).toMatchObject({
		effect: 'once',
		digest: question.digest,
		by: 'page',
	});
	expect(await button('Allow Once').count()).toBe(0);
	await questions.end(question.id, 'applied', 'PostToolUse');
	await page.getByText('Allowed, and done (PostToolUse).').waitFor();
	await title('Nancy');
});

test('says No with words to the agent, and what became of a question that was answered elsewhere', async () => {
	const first = await ask({ title: 'git push', body: 'git push' });
	const second = await ask({ title: 'git tag', body: 'git tag' });
	await title('(2) Nancy');
	await view('Questions');
	await page.getByRole('button', { name: 'git push' }).click();
	await button('No, Because').click();
	expect(await button('Allow Once').count()).toBe(0);
	await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
	await page.getByLabel('what the agent is told').fill('Not before the tests are green.');
	await button(/^No$/).click();
	await page.getByText('Sent: No.').waitFor();
	const words = 'Not before the tests are green.';
	expect(await questions.readAnswer(first.id)).toMatchObject({ effect: 'no', words });

	await button('Next Question').click();
	await page.locator('.block pre', { hasText: 'git tag' }).waitFor();
	expect(await violations()).toEqual([]);
	await questions.end(second.id, 'no-elsewhere', 'PermissionDenied');
	await page.getByText('Answered with No in the agent’s terminal (PermissionDenied).').waitFor();
	expect(await button('Allow Once').count()).toBe(0);
	await questions.end(first.id, 'late', 'PostToolUse');
	await button(/^All$/).click();
	await page.getByText('Too late: the agent had its answer already (PostToolUse).').waitFor();
});

test('takes no answer in the moment in which a question comes to sight', async () => {
	const own = await paired();
	const now = page;
	page = own;
	// However late this test looks, the page has noted how the answer was when it came.
	await page.evaluate(() => {
		new MutationObserver((_, observer) => {
			const answer = document.querySelector('.answer');
			if (!answer) return;
			document.body.dataset['first'] = String(answer.matches('[inert]'));
			observer.disconnect();
		}).observe(document.body, { subtree: true, childList: true });
	});
	const question = await ask({ title: 'make one', body: 'make one' });
	await page.locator('.answer:not([inert])').waitFor();
	const first = await page.evaluate(() => document.body.dataset['first']);
	await questions.end(question.id, 'ended', 'Stop');
	await own.context().close();
	page = now;
	expect(first).toBe('true');
});

test('answers others of the same agent with it, each shown whole and ticked by the person', async () => {
	const touch = (name: string, more: Parameters<typeof ask>[0] = {}) =>
		ask({ title: `touch ${name}`, body: `touch ${name}`, ...more });
	const [first, second, third] = [await touch('one'), await touch('two'), await touch('three')];
	const other = await touch('four', { session: SessionId.parse('c0c0c0c0-0002') });
	await title('(4) Nancy');
	await view('Questions');
	await page.locator('.rows').first().getByRole('button').first().click();
	const box = page.locator('.alike');
	await box.waitFor();
	expect(await box.locator('pre').allTextContents()).toEqual(['touch two', 'touch three']);
	await box.getByLabel('This one too: touch two').check();
	expect(await violations()).toEqual([]);
	await button('Allow Once (2)').click();
	await page.getByText('Sent: Allow Once.').waitFor();
	const effects = async () =>
		Promise.all([first, second, third, other].map(async ({ id }) => (await questions.readAnswer(id))?.effect));
	expect(await effects()).toEqual(['once', 'once', undefined, undefined]);
	for (const { id } of [first, second, third, other]) await questions.end(id, 'ended', 'Stop');
	await title('Nancy');
});

test('sends what was chosen of a model’s questions', async () => {
	const question = await ask({
		kind: 'choice',
		tool: 'AskUserQuestion',
		title: 'Which colour?',
		body: '',
		fields: [
			{ question: 'Which colour?', isMultiple: false, options: [{ label: 'Green' }, { label: 'Blue' }] },
			{ question: 'Which sounds?', isMultiple: true, options: [{ label: 'Bell' }, { label: 'Gong' }] },
		],
		choices: [{ effect: 'once' }, { effect: 'no' }],
	});
	await view('Questions');
	await page.getByRole('heading', { name: 'asks you' }).waitFor();
	expect(await button('Send the Answer').isDisabled()).toBe(true);
	await page.getByLabel('Blue').check();
	await page.getByLabel('Bell').check();
	await page.getByLabel('Your own answer').last().fill('and a whistle');
	expect(await violations()).toEqual([]);
	await button('Send the Answer').click();
	await page.getByText('Sent: Send the Answer.').waitFor();
	const values = { 'Which colour?': ['Blue'], 'Which sounds?': ['Bell', 'and a whistle'] };
	expect(await questions.readAnswer(question.id)).toMatchObject({ effect: 'once', values });
	await questions.end(question.id, 'applied', 'PostToolUse');
});

test('sends feedback, and shows its receipt when it comes', async () => {
	await view('Agents');
	await page.getByRole('button', { name: /idle/ }).click();
	expect(await button('Send Feedback').isDisabled()).toBe(true);
	await page.getByLabel('Write to this agent').fill('Please look at **timer.js** too.');
	await button('Send Feedback').click();
	await page.getByText('Queued').first().waitFor();
	const sent = page.locator('.message', { hasText: 'timer.js' });
	await sent.getByText('queued').waitFor();
	expect(await sent.locator('strong').allTextContents()).toEqual(['You', 'timer.js']);
	expect(await violations()).toEqual([]);
	const [claim] = await desk.workspace.mailbox(login).claim(() => 'take');
	expect(claim?.content).toMatchObject({ kind: 'feedback', text: 'Please look at **timer.js** too.' });
	claim?.deliver({
		deliveredAt: new Date().toISOString(),
		event: 'Stop',
		rung: 'hook',
		driver: DriverId.parse('claude-code'),
		session: SessionId.parse(SESSION),
	});
	await sent.getByText('delivered at Stop').waitFor();
});

test('shows what an agent has written, and answers it', async () => {
	await view('Inbox');
	await main().getByText('Which port do you want?').waitFor();
	expect(await violations()).toEqual([]);
	await button('Reply').click();
	await page.getByLabel('Reply to Fix the login').fill('Take 8080.');
	await button('Steer Now').click();
	await eventually('the reply', async () => {
		const { messages } = await desk.workspace.mailbox(login).list(['queued']);
		return messages.some(({ content }) => content.kind === 'directive' && content.text === 'Take 8080.');
	});
});

test('greys every button while the connection is lost, and has what it missed when it is back', async () => {
	const question = await ask({ title: 'make two', body: 'make two' });
	await view('Questions');
	await button('Allow Once').waitFor();
	await page.context().setOffline(true);
	await page.getByText('connection lost').waitFor();
	expect(await button('Allow Once').isDisabled()).toBe(true);
	await questions.end(question.id, 'ended', 'SessionEnd');
	await ask({ title: 'make three', body: 'make three' }).then(({ id }) => questions.end(id, 'ended', 'SessionEnd'));
	await page.context().setOffline(false);
	await page.locator('.link.live').waitFor();
	await page.getByText('Nobody is asked any more (SessionEnd).').first().waitFor();
	await title('Nancy');
	complaints.length = 0;
});

test('is back after an hour without a network, with what is asked meanwhile, and answers it', async () => {
	const own = await paired();
	await own.clock.install();
	await own.reload();
	await own.locator('.link.live').waitFor();
	await own.context().setOffline(true);
	await own.getByText('connection lost').waitFor();
	// As a closed lid does it: what is due comes once.
	await own.clock.fastForward('01:00:00');
	const { id } = await ask({ title: 'make late', body: 'make late' });
	await own.context().setOffline(false);
	await own.locator('.link.live').waitFor();
	await own.getByRole('navigation').getByRole('button', { name: 'Questions' }).click();
	await own.locator('.block pre').getByText('make late', { exact: true }).waitFor();
	await own.getByRole('button', { name: 'Allow Once' }).click();
	await eventually('its answer', async () => (await questions.readAnswer(id))?.effect === 'once');
	await questions.end(id, 'applied', 'PostToolUse');
	await title('Nancy');
	complaints.length = 0;
});

test('connects again where the network is lost between the server’s proof and its welcome', long, async () => {
	const own = await paired();
	let sockets = 0;
	await own.routeWebSocket(/\/live$/, socket => {
		const isLost = ++sockets === 1;
		const server = socket.connectToServer();
		server.onMessage(message => {
			if (!isLost || String(message).includes('"proof"')) socket.send(message);
		});
	});
	await own.reload();
	await own.locator('.link.live').waitFor();
	expect(sockets).toBe(2);
});

/** Narrower than any phone, a phone, a tablet and a desktop, each in another look. */
const LOOKS = [
	{ width: 240, media: { colorScheme: 'dark', contrast: 'no-preference' } },
	{ width: 390, media: { colorScheme: 'light', contrast: 'no-preference' } },
	{ width: 768, media: { colorScheme: 'light', contrast: 'more' } },
	{ width: 1280, media: { colorScheme: 'dark', contrast: 'more' } },
] as const;

test('is whole at every width in every look, with no question, one that is long, and twelve', long, async () => {
	const own = await paired();
	const look = async (state: string) => {
		for (const { width, media } of LOOKS) {
			await own.setViewportSize({ width, height: 844 });
			await own.emulateMedia({ ...media, reducedMotion: 'reduce' });
			expect([state, width, await cutIn(own)]).toEqual([state, width, []]);
			expect([state, width, await violationsIn(own)]).toEqual([state, width, []]);
		}
	};
	await look('none');
	const long = await ask({
		title: 'echo',
		body: `echo ${'x'.repeat(200_000)}`,
		files: ['/home/me/shop/src/timer.js'],
	});
	await own.getByRole('heading', { name: 'asks for Bash' }).waitFor();
	await look('one');
	const more = await Promise.all(Array.from({ length: 11 }, (_, at) => ask({ title: `make step-${at}` })));
	await own.setViewportSize(PHONE);
	await own.getByRole('button', { name: 'All', exact: true }).click();
	await own.getByText('make step-10').waitFor();
	await look('twelve');
	for (const { id } of [long, ...more]) await questions.end(id, 'ended', 'Stop');
	await own.context().close();
});

/** Each one runs something, loads something or hides something where a text becomes more than text. */
const HOSTILE = [
	'<img src=x onerror="hit()">',
	'<script>hit()</script>',
	'<svg onload=hit()>',
	'"><iframe srcdoc="<script>parent.hit()</script>">',
	'[press](javascript:hit())',
	'[press](https://evil.example/)',
	'![alt](https://evil.example/p.png)',
	'{{constructor.constructor("hit()")()}}',
	'<style>*{display:none}</style>',
	'</textarea><script>hit()</script>',
	'\u202egnp.exe \u200bhidden \u001b[2Jgone',
].join('\n\n');

test('keeps every text of an agent a text', async () => {
	// Those of the last test.
	await title('Nancy');
	const requested: string[] = [];
	page.on('request', request => requested.push(request.url()));
	await desk.workspace.send(login, messageContent(HOSTILE), BY_USER);
	const hostile = {
		title: HOSTILE,
		tool: `Bash${HOSTILE}`,
		cwd: HOSTILE,
		files: [HOSTILE],
		subagent: 'a',
		subagentName: HOSTILE,
	};
	const command = await ask({ ...hostile, body: HOSTILE, also: [{ name: HOSTILE, value: HOSTILE }] });
	const plan = await ask({ ...hostile, kind: 'plan', body: HOSTILE, bodyIs: 'plan' });
	const diff = await ask({ ...hostile, body: `@@ -1 +1 @@\n+${HOSTILE}`, bodyIs: 'diff' });
	await title('(3) Nancy');
	const foreign = () =>
		page.locator('main').locator('script, img, svg, iframe, style, a, object, form, link').count();
	const seen: string[] = [];
	for (const at of [0, 1, 2]) {
		await view('Questions');
		await page.locator('.rows').first().getByRole('button').nth(at).click();
		await page.locator('.question').waitFor();
		expect(await foreign()).toBe(0);
		seen.push((await main().textContent()) ?? '');
	}
	for (const { id } of [command, plan, diff]) await questions.end(id, 'ended', 'Stop');
	await view('Agents');
	await page.getByRole('button', { name: /idle/ }).click();
	await page.locator('.message', { hasText: 'onerror' }).waitFor();
	expect(await foreign()).toBe(0);
	seen.push((await main().textContent()) ?? '');
	for (const text of seen) {
		expect(text).toContain('<img src=x onerror="hit()">');
		expect(text).toContain('⟨U+202E⟩gnp.exe ⟨U+200B⟩hidden \\x1b[2Jgone');
	}
	expect(requested.filter(url => !url.startsWith(desk.server.address))).toEqual([]);
	expect(complaints).toEqual([]);
});

test('sends a person to the terminal of an agent that asks what no desk can answer', async () => {
	await view('Questions');
	await page.getByRole('heading', { name: 'Nobody is asking' }).waitFor();
	const tool = { tool_name: 'Bash', tool_input: { command: 'npm publish' }, tool_use_id: 'toolu_t' };
	spool(desk.workspace, SESSION, 'PreToolUse', tool, '7');
	spool(desk.workspace, SESSION, 'PermissionRequest', tool, '8');
	const row = main().getByRole('button', { name: /It asks something that Nancy cannot answer: open its terminal/ });
	await row.waitFor();
	expect(await row.innerText()).toContain('Bash: npm publish');
	expect(await page.getByRole('heading', { name: 'Nobody is asking' }).count()).toBe(0);
	expect(await violations()).toEqual([]);
	await row.click();
	await main().getByText('It asks something that Nancy cannot answer: open its terminal.').waitFor();
	spool(desk.workspace, SESSION, 'Stop', { last_assistant_message: 'Done.' }, '9');
	await view('Questions');
	await page.getByRole('heading', { name: 'Nobody is asking' }).waitFor();
});

test('says to a browser with a code that was used or is too old where to get another', async () => {
	const used = desk.server.invite(desk.server.address);
	const own = await browser.newPage();
	owned.defer(() => own.close());
	await own.goto(used);
	await own.locator('.link.live').waitFor();
	const late = desk.server.invite(desk.server.address);
	desk.server.invite(desk.server.address);
	for (const address of [used, late]) {
		const context = await browser.newContext({ viewport: PHONE });
		const newcomer = await context.newPage();
		await newcomer.goto(address);
		await newcomer.getByText('The code has expired, or was used. Take a new one at the computer').waitFor();
		expect(await newcomer.locator('nav').count()).toBe(0);
		await context.close();
	}
});

test.each(['view', 'feedback'] as const)('says to a device that may %s what it may not, and the cure', async scope => {
	const question = await ask({ title: 'make four', body: 'make four' });
	desk.owner.allow = scope;
	const own = await paired().finally(() => (desk.owner.allow = 'answer'));
	const mayWrite = scope === 'feedback';
	await own.getByText('This device may not answer. Answer in VS Code or in the agent’s terminal, or let').waitFor();
	expect(await own.locator('.answer').count()).toBe(0);
	await own.getByRole('navigation').getByRole('button', { name: 'Agents' }).click();
	await own.locator('.rows button').first().click();
	await own.getByRole('heading', { name: 'Messages' }).waitFor();
	const note = own.getByText('This device may only look. If it is to write too, let it in again at the computer.');
	expect([await note.count(), await own.getByLabel('Write to this agent').count()]).toEqual(
		mayWrite ? [0, 1] : [1, 0],
	);
	expect(await bothLooks(own)).toEqual([]);
	await own.context().close();
	await questions.end(question.id, 'ended', 'SessionEnd');
});

test('speaks the language of the browser', async () => {
	const german = await paired({ locale: 'de-DE' });
	await german.getByRole('navigation').getByText('Fragen').waitFor();
	expect(await german.locator('html').getAttribute('lang')).toBe('de');
	await german.context().close();
});

test('shows nothing of a program that took the server’s place, and says no token to it', async () => {
	const own = await paired();
	const heard: string[] = [];
	await own.routeWebSocket(/live/, socket =>
		socket.onMessage(message => {
			heard.push(String(message));
			socket.send(JSON.stringify({ v: 1, type: 'proof', proof: 'ab'.repeat(32) }));
			socket.send(
				JSON.stringify({ v: 1, type: 'welcome', scope: 'answer', device: 'x', now: new Date().toISOString() }),
			);
		}),
	);
	await own.reload();
	await own.getByText('another program answers here').waitFor();
	expect(await own.locator('nav').count()).toBe(0);
	expect(heard.map(text => JSON.parse(text).type)).toEqual(['hello']);
	await own.context().close();
});

test('shows nothing more when the device is taken out', async () => {
	const own = await paired();
	const device = desk.server.paired().at(-1);
	if (!device) throw new Error('no device is paired');
	await desk.server.revoke(device.id);
	await own.getByText('This device was taken out.').waitFor();
	expect(await own.locator('nav').count()).toBe(0);
	expect(await own.evaluate(() => sessionStorage.length)).toBe(0);
});
