import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openAgentLab, orchestrate } from '../support/agentWorkbench.ts';
import { bubblewrap } from '../support/bubblewrap.ts';
import { claudeExecutable, claudeHome } from '../support/claudeHome.ts';
import { gitIn, smallRepository } from '../support/delegateSeeds.ts';
import { gateIn } from '../support/gate.ts';
import type { Lab } from '../support/lab.ts';
import { sshLab, type SshLab } from '../support/sshLab.ts';
import { tempFolder } from '../support/tempFolder.ts';
import type { Workbench } from '../support/workbench.ts';
import { long } from '../support/long.ts';

const claudeSettings = { prefersReducedMotion: true, permissions: { defaultMode: 'default', allow: ['Bash'] } };
const USUAL_PATH = '/usr/local/bin:/usr/bin:/bin';

const { skipped, folder: sandboxes } = bubblewrap();

const owned = new AsyncDisposableStack();
let there: SshLab;
let lab: Lab;
let workbench: Workbench;

beforeAll(async () => {
	const folder = owned.use(tempFolder('ne-'));
	const workspace = smallRepository(folder, { 'notes.txt': 'one\n' });
	const tools = [dirname(claudeExecutable), dirname(process.execPath), USUAL_PATH];
	there = owned.use(
		await sshLab({
			CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
			DISABLE_AUTOUPDATER: '1',
			PATH: tools.join(delimiter),
		}),
	);
	// As if the user had started VS Code in a terminal: it asks no login shell for another PATH then.
	const path = [there.bin, sandboxes, process.env['PATH'] ?? USUAL_PATH];
	const env = { PATH: path.join(delimiter), VSCODE_CLI: '1' };
	lab = owned.use(await openAgentLab({ workspace, env, claudeSettings }));
	({ workbench } = lab);
	const own = claudeHome({ home: there.home, trusted: [], modelUrl: lab.model.url, settings: claudeSettings });
	for (const name of ['ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY'])
		appendFileSync(join(there.home, '.profile'), `export ${name}='${own.env[name]}'\n`);
	mkdirSync(join(lab.server.home, '.ssh'));
	writeFileSync(join(lab.server.home, '.ssh', 'config'), 'Host lab\nHost *.example\nHost other\n');
});
afterAll(() => owned.disposeAsync());
beforeEach(async () => {
	// What a test that failed has left open.
	await lab.page.keyboard.press('Escape');
	// A report that is still being drawn takes the focus, and VS Code closes a list that loses it.
	await workbench.tidy();
});

/** VS Code's preview of the report. */
const page = () => lab.page.frameLocator('iframe.webview[src*="markdown"]').frameLocator('iframe#active-frame');
const settingsFile = () => join(lab.server.home, '.config', 'nancy', 'settings.json');
const executorsNow = () => JSON.parse(readFileSync(settingsFile(), 'utf8')).delegates.executors;

test('without a machine of the user’s, nobody is asked where a delegate runs', async () => {
	await workbench.ask('nancy.delegate');
	await workbench.answer('Fix it.');
	await workbench.quickRow('Start Delegate').waitFor();
	await workbench.pick(/^\s*Where/);
	await workbench.quickAsks('Where does it work?');
	await workbench.quickRow('This folder').and(lab.page.locator('.focused')).waitFor();
	expect(await workbench.quick.locator('.monaco-list-row').count()).toBe(3);
	await lab.page.keyboard.press('Escape');
});

test('a host of ~/.ssh/config is added to the user’s settings, and is checked only when a person says so', async () => {
	await workbench.command('Nancy: Executors');
	await workbench.quickRow('other').waitFor();
	await lab.picture('executors-hosts');
	await workbench.pick('lab');
	await workbench.answer('big');
	const added = workbench.toast('Delegates can run on “big” from now on.');
	await added.waitFor();
	expect(executorsNow()).toEqual({ big: { type: 'ssh', host: 'lab' } });
	await added.getByRole('button', { name: 'Check' }).click();
	const report = page();
	await report.getByRole('heading', { name: /✓ big — ready/ }).waitFor();
	await report.getByText(`Node ${process.version}`).waitFor();
	await lab.picture('executors-ready');
});

test('machines that lack something or cannot be reached say what, and how to get it, and their words are no links', async () => {
	const settings = JSON.parse(readFileSync(settingsFile(), 'utf8'));
	settings.delegates.executors.gone = { type: 'ssh', host: 'gone.invalid', max: 2 };
	writeFileSync(settingsFile(), JSON.stringify(settings), { mode: 0o600 });
	const tool = join(there.home, 'git');
	writeFileSync(tool, "#!/bin/sh\necho 'git [x](command:nancy.setUp) <b>1</b>'\n", { mode: 0o755 });
	const profile = readFileSync(join(there.home, '.profile'), 'utf8');
	onTestFinished(() => writeFileSync(join(there.home, '.profile'), profile));
	appendFileSync(join(there.home, '.profile'), `export PATH='${there.home}:${USUAL_PATH}'\n`);
	await workbench.command('Nancy: Executors');
	await workbench.quickRow(/gone.*ssh:gone\.invalid · at most 2 delegates at once/s).waitFor();
	// One that is named is offered no more.
	await workbench.quickRow('other').waitFor();
	expect(await workbench.quickRow(/^\s*lab/).count()).toBe(0);
	await lab.picture('executors-named');
	await workbench.pick('Check All Machines');
	const report = page();
	await report.getByRole('heading', { name: /✗ big — not ready/ }).waitFor();
	await report.getByText(/finds no Claude Code, the only agent that was tried/).waitFor();
	await report.getByText('git [x] (command:nancy.setUp) <b>1</b>').waitFor();
	await report.getByRole('heading', { name: /✗ gone — not reached/ }).waitFor();
	await report.getByText(/Connect once in a terminal: ssh gone\.invalid/).waitFor();
	expect(await report.locator('a').count()).toBe(0);
	await lab.picture('executors-lacks');
});

test('a delegate is started on another machine by “Where”, says that it is not seen, and comes back with its work', async () => {
	const gate = gateIn(there.home);
	await workbench.ask('nancy.delegate');
	await workbench.answer(`Make it there. [[write:made.txt|there]] ${gate.step} [[text:Done there.]]`);
	const where = workbench.quickRow(/^\s*Where/);
	await where.filter({ hasText: 'This folder' }).waitFor();
	await where.click();
	await workbench.quickRow('This folder').and(lab.page.locator('.focused')).waitFor();
	await workbench.quickRow('big · A worktree of its own, with uncommitted changes').waitFor();
	await lab.picture('executors-where');
	await workbench.pick(/^\s*big · A worktree of its own/);
	await where.filter({ hasText: 'big · A worktree of its own' }).waitFor();
	await workbench.pick(/^\s*Permissions/);
	await workbench.quickRow('Edit').first().waitFor();
	// From there nobody asks.
	expect(await workbench.quickRow('Ask me').count()).toBe(0);
	await workbench.pick(/^\s*Edit/);
	await workbench.pick('Start Delegate');
	const row = workbench.row('Delegates', /running · ssh:lab/);
	await workbench.row('Delegates', /running · ssh:lab · 2 tool calls/).waitFor();
	await there.stop();
	await workbench.row('Delegates', /running · ssh:lab · not seen since \d\d:\d\d/).waitFor();
	await lab.picture('executors-not-seen');
	await there.start();
	await row.filter({ hasNotText: 'not seen' }).waitFor();
	gate.open();
	await workbench.row('Delegates', /done · ssh:lab/).waitFor();
	const branch = gitIn(lab.workspace, 'branch', '--list', '--format=%(refname)', 'nancy/*').trim();
	expect(gitIn(lab.workspace, 'show', `${branch}:made.txt`)).toBe('there');
	await lab.picture('executors-done');
});

test(
	'a delegate on another machine is steered, goes on while the window is closed, tells who asked, and is reviewed and merged',
	long,
	async () => {
		await orchestrate(lab, 'Lead it', 'Wait. [[text:Waiting for results]]');
		const parent = workbench.row('Tasks', /idle · Waiting for results/);
		await parent.waitFor();
		await workbench.contextMenu(parent, 'Delegate…');
		const folder = join(there.home, 'gates');
		mkdirSync(folder);
		const gate = gateIn(folder);
		// Longer than a title: the model must not play the script again when the result names it.
		const longer = 'so that it is there '.repeat(6);
		await workbench.answer(
			`Make two files ${longer}${gate.step}[[write:two.txt|two]][[text:All of it is made there.]]`,
		);
		await workbench.pick(/^\s*Where/);
		await workbench.quickAsks('Where does it work?');
		await workbench.pick(/^\s*big · A worktree of its own/);
		await workbench.pick(/^\s*Permissions/);
		await workbench.pick(/^\s*Edit/);
		await workbench.pick('Start Delegate');
		const row = workbench.row('Delegates', /Make two files/);
		await row.filter({ hasText: /running · ssh:lab · 1 tool call/ }).waitFor();

		await workbench.rowAction(row, 'Message This Delegate');
		const form = workbench.webview();
		await form.locator('#recipients', { hasText: 'To: Delegate: Make two files' }).waitFor();
		await form.locator('#text').fill('Be brief.');
		await lab.page.keyboard.press('Control+Enter');
		await form.locator('#note', { hasText: 'Sent to Delegate: Make two files' }).waitFor();
		await lab.page.goto('about:blank');
		gate.open();
		const steered = await lab.model.waitForRequest(({ text }) => text.includes('Be brief.'));
		expect(steered.text).toContain('Make two files');
		await lab.page.goBack();
		await workbench.ready();
		await workbench.activity('Nancy').click();

		const told = await lab.model.waitForRequest(
			({ text }) => text.includes('[DELEGATE COMPLETE - Task ID:') && text.includes('Waiting for results'),
		);
		expect(told.text).toContain('All of it is made there.');
		await row.filter({ hasText: /done · ssh:lab · 2 tool calls/ }).waitFor();
		await workbench.mail(/Make two files.*Be brief\..*delivered/).waitFor();
		await workbench.rowAction(row, 'Review Changes');
		await workbench.tab(/Changes of/).waitFor();
		await lab.page.locator('.multiDiffEntry').filter({ hasText: 'two.txt' }).waitFor();
		await lab.picture('executors-review');
		await lab.page.locator('.editor-actions .action-label[aria-label^="Merge"]').click();
		await workbench.quick.getByText(/1 file, \+1 −0, into main/).waitFor();
		await lab.page.keyboard.press('Enter');
		await row.filter({ hasText: /merged/ }).waitFor();
		expect(readFileSync(join(lab.workspace, 'two.txt'), 'utf8')).toBe('two');
	},
);

test.skipIf(skipped !== '')(
	`a delegate is started in a sandbox by “Isolation”, and its row says so${skipped}`,
	long,
	async () => {
		await workbench.ask('nancy.delegate');
		await workbench.answer('Look around. [[sh:cat ~/.ssh/config 2>&1 | tail -n 1 > seen.txt]] [[text:Looked.]]');
		const isolation = workbench.quickRow(/^\s*Isolation/);
		await isolation.filter({ hasText: 'No sandbox' }).waitFor();
		await lab.picture('isolation-hub');
		await isolation.click();
		await workbench.quickRow('In a sandbox without network').waitFor();
		await lab.picture('isolation-choice');
		await workbench.pick(/^\s*In a sandbox(?! without)/);
		await isolation.filter({ hasText: 'In a sandbox' }).waitFor();
		const where = workbench.quickRow(/^\s*Where/);
		await where.click();
		await workbench.pick(/^\s*This folder/);
		await workbench.pick('Start Delegate');
		await workbench.row('Delegates', /done · isolated \(bwrap\)/).waitFor();
		expect(readFileSync(join(lab.workspace, 'seen.txt'), 'utf8')).toMatch(/No such file/);
		await lab.picture('isolation-done');
	},
);
