import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { identify } from '../../src/base/liveness.ts';
import { dataFolder } from '../../src/base/folders.ts';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { forgetChosenAgents } from '../../src/core/workspace/chosenAgent.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { FIRST_WORKER, ORCHESTRATOR, TaskName, WorkerName } from '../../src/protocol/names.ts';
import type { ModelDouble } from '../double/modelDouble.ts';
import { codexUnderTest } from '../support/agents/codex.ts';
import { chooseAgent, openAgentLab, orchestrate, showHow, startAnew } from '../support/agentWorkbench.ts';
import { showWorkspaceFile } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { killExtensionHost } from '../support/extensionHost.ts';
import { gateIn } from '../support/gate.ts';
import type { Lab } from '../support/lab.ts';
import { gitIn, seedDelegate } from '../support/delegateSeeds.ts';
import { contextKey, focusedRow, inQueue, moveTo, openRow } from '../support/listGestures.ts';
import { long } from '../support/long.ts';
import { questionFrame } from '../support/questionFrame.ts';
import { messageFrame } from '../support/messageFrame.ts';
import { messageContent } from '../support/messageContent.ts';
import { seedWorkspace, spool } from '../support/seedWorkspace.ts';
import type { Workbench } from '../support/workbench.ts';

/** A picture of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const settings = {
	'workbench.colorTheme': 'Default Light Modern',
	// Also where one is installed.
	'nancy.agents.copilot-cli.path': '/opt/nowhere/copilot',
	// It tells its version, and fails at everything else.
	'nancy.agents.gemini-cli.path': join(import.meta.dirname, '../fixtures/children/failingAgent.sh'),
	// It tells its version, and never begins.
	'nancy.agents.qwen-code.path': join(import.meta.dirname, '../fixtures/children/silentAgent.sh'),
};

// One window for all: each test finds an empty folder, and no terminal.
const owned = new AsyncDisposableStack();
let lab: Lab;
let workbench: Workbench;
let page: Page;
let model: ModelDouble;
let workspace: string;

beforeAll(async () => {
	lab = owned.use(await openAgentLab({ agents: [codexUnderTest], settings }));
	({ workbench, page, model, workspace } = lab);
});
afterAll(() => owned.disposeAsync());
beforeEach(() => startAnew(lab));

describe('a task in the sidebar', () => {
	test('starts, steers, survives a reload, wakes, stops and cleans up', async () => {
		const gate = gateIn(workspace);
		await orchestrate(lab, 'Fix the login', `${gate.step}[[sh:touch secret]][[text:All finished]]`);
		await workbench.row('Tasks', /working · Bash/).waitFor();

		await workbench.command('Nancy: Send Message');
		await workbench.answer('Please mind the gap.');
		await workbench.row('Inbox', 'Please mind the gap').waitFor();
		gate.open();
		await workbench.mail(/Please mind the gap.*delivered · (PreToolUse|PostToolBatch)/).waitFor();
		await expect.poll(() => JSON.stringify(model.requests).includes('Please mind the gap.')).toBe(true);
		await workbench.mail(/Please mind the gap.*in context/).click();
		const steps = (await messageFrame(page)).locator('.steps li');
		await expect
			.poll(async () => (await steps.allInnerTexts()).map(step => step.replace(/^[\d:]+ */, '')))
			.toEqual([
				'queued',
				expect.stringMatching(/^delivered at (PreToolUse Bash|PostToolBatch).*: /),
				'in context',
			]);
		await workbench.command('View: Close Editor');

		await workbench.row('Tasks', /Fix the login.*Claude · asks: touch secret/).waitFor();
		const needs = workbench.status('nancy.nancy.needs');
		await expect.poll(() => needs.innerText()).toContain('1 question');
		const question = workbench.toast('An agent asks for your answer');
		await question.getByRole('button', { name: 'Review' }).waitFor();
		await needs.click();
		await workbench.pick(/Fix the login.*asks · Claude Code/);
		await (await questionFrame(page, 'touch secret')).getByRole('button', { name: 'Go to the Terminal' }).click();
		await workbench.waitForTerminalText(/Do you want to proceed/);
		await page.locator('.terminal-wrapper .xterm.focus').waitFor();
		await page.keyboard.press('Enter');
		await workbench.row('Tasks', /idle · All finished/).waitFor();
		await workbench.toast('is done: All finished').waitFor();

		await page.reload();
		await workbench.ready();
		await workbench.row('Tasks', /idle · All finished/).waitFor();
		await needs.filter({ hasText: '1 done' }).waitFor();
		await workbench.row('Tasks', /idle · All finished/).click();
		await workbench.waitForTerminalText(/All finished/);
		await needs.waitFor({ state: 'detached' });
		await workbench.ask('nancy.sendMessage');
		await workbench.answer('Are you awake? [[text:Awake now]]');
		await workbench.mail(/Are you awake.*delivered · UserPromptSubmit/).waitFor();

		await workbench.row('Tasks', /idle · Awake now/).waitFor();
		await workbench.contextMenu(workbench.row('Tasks', /Awake now/), 'Stop Worker');
		await workbench.row('Tasks', /ended/).waitFor();
		expect(existsSync(join(workspace, '.claude'))).toBe(true);
		await workbench.command('Nancy: Clean Up');
		await workbench.pick('The whole workspace');
		await workbench.dialog('Remove what Nancy deployed').getByRole('button', { name: 'Clean Up' }).click();
		await expect.poll(() => existsSync(join(workspace, '.claude'))).toBe(false);
	});

	// Before another agent has hooks here, whose files the next test removes: the doctor would say so.
	test('outlives the extension host, and the doctor repairs what was damaged', long, async () => {
		const report = page.frameLocator('iframe.webview[src*="markdown"]').frameLocator('iframe#active-frame');
		await orchestrate(lab, 'Keep watch', 'Watch. [[text:Watching]]');
		await workbench.row('Tasks', /idle · Watching/).waitFor();

		await killExtensionHost(lab);
		await workbench.row('Tasks', /idle · Watching/).waitFor();
		await workbench.ask('nancy.sendMessage');
		await workbench.answer('Still there? [[text:Still here]]');
		await workbench.row('Tasks', /idle · Still here/).waitFor();
		const after = await model.waitForRequest(({ text }) => text.includes('Still there?'));
		expect(after.text).toContain('Watching');
		await workbench.row('Tasks', /Still here/).click();
		await workbench.waitForTerminalText(/Still here/);

		await workbench.contextMenu(workbench.row('Tasks', /Keep watch/), 'Stop Worker');
		await workbench.row('Tasks', /ended/).waitFor();
		await workbench.command("Nancy: Compare Agents' Abilities");
		await report.getByRole('columnheader', { name: /^Claude Code \d/ }).waitFor();
		await workbench.command('Nancy: Doctor');
		await report.getByText('Nothing is broken.').waitFor();
		writeFileSync(join(workspace, '.claude', 'settings.local.json'), '{}\n');
		const [program] = globSync(join(lab.server.home, '.local/share/nancy/runtime/*/hook/claude-code.js'));
		writeFileSync(program ?? '', 'oops');
		await workbench.command('Nancy: Doctor');
		await report.getByText(/somebody removed the entries of Nancy/).waitFor();
		await report.getByText(/were damaged and have been installed again/).waitFor();
		await workbench.toast('Doctor can repair').getByRole('button', { name: 'Repair' }).click();
		await report.getByText('Nothing is broken.').waitFor();

		// The page of the report takes the focus once it is drawn, and closes a list that opened before.
		await eventually('what to clean up', async () => {
			await workbench.command('Nancy: Clean Up');
			const click = workbench.quickRow('Keep watch').first().click({ timeout: 5000 });
			return click.then(
				() => true,
				() => false,
			);
		});
		await workbench.dialog('Archive “Keep watch”').getByRole('button', { name: 'Clean Up' }).click();
		await expect.poll(() => existsSync(join(workspace, '.claude'))).toBe(false);
	});

	test('whose agent fails at its start says so, and keeps what it printed', long, async () => {
		await orchestrate(lab, 'Fail at once', 'Go [[text:Gone]]', 'Gemini CLI');
		const row = workbench.row('Tasks', /Fail at once.*Gemini.*failed · exit 3/);
		await row.waitFor();
		await workbench.waitForTerminalText(/Unknown option.*The agent ended with exit code 3/s);
		const toast = workbench.toast('Fail at once: Gemini CLI ended with exit code 3.');
		await toast.getByRole('button', { name: 'Show Terminal' }).waitFor();
		await toast.getByRole('button', { name: 'Start Again' }).click();
		// The prompt and the choices are those of the first start, and the same worker starts.
		const start = workbench.quickRow(/^\s*Start Worker.*Fail at once\. Go/s);
		await start.waitFor();
		await page.keyboard.press('Escape');
		const needs = workbench.status('nancy.nancy.needs');
		await needs.filter({ hasText: '1 failed' }).waitFor();
		await needs.click();
		await workbench.quickRow(/Fail at once.*failed · exit 3 · Gemini CLI/).waitFor();
		await page.keyboard.press('Escape');
		await workbench.command('Nancy: Next Agent That Needs You');
		await needs.waitFor({ state: 'detached' });
		await workbench.hoverOf(row, 'Unknown option');
		await page.mouse.move(0, 0);
		// It never began a conversation, so there is none to resume.
		await row.click({ button: 'right' });
		const choices = page.locator('.context-view .action-item');
		await choices.filter({ hasText: 'Start Again' }).first().waitFor();
		expect(await choices.filter({ hasText: 'Resume Worker' }).count()).toBe(0);
		await page.keyboard.press('Escape');
		await workbench.command('Terminal: Kill All Terminals');
		await row.click();
		await workbench.waitForTerminalText(/Unknown option/);
		// What was typed is there after a reload too, and old failures call nobody.
		await page.reload();
		await workbench.ready();
		await row.waitFor();
		expect(await toast.count()).toBe(0);
		await workbench.contextMenu(row, 'Start Again');
		await start.waitFor();
		await chooseAgent(workbench, 'Claude Code');
		await start.click();
		await workbench.row('Tasks', /Fail at once.*Claude · idle · Gone/).waitFor();
		expect(readdirSync(join(workspace, '.nancy/tasks/fail-at-once/workers'))).toEqual(['worker.json']);
		await model.waitForRequest(({ text }) => text.includes('Fail at once. Go'));
	});

	test('whose real agent refuses its options starts again with others', long, async () => {
		const model = async (name: string) => {
			await workbench.pick(/^\s*Model/);
			await workbench.quick.getByText('The model, as the agent names it').first().waitFor();
			await workbench.answer(name);
		};
		await workbench.ask('nancy.orchestrateTask');
		await workbench.quickInput.fill('Take no model. [[text:Taken]]');
		await showHow(workbench);
		await chooseAgent(workbench, 'Codex');
		await model('--nonsense');
		await workbench.pick(/^\s*Start Task/);
		await workbench.row('Tasks', /Take no model.*Codex · failed · exit [12]/).waitFor();
		await workbench.waitForTerminalText(/unexpected argument '--nonsense'.*The agent ended with exit code/s);
		const toast = workbench.toast(/Take no model: Codex ended with exit code [12]\./);
		await toast.getByRole('button', { name: 'Start Again' }).click();
		await workbench.quickRow(/^\s*Model.*--nonsense/).waitFor();
		await model('');
		await workbench.pick(/^\s*Start Worker/);
		const row = workbench.row('Tasks', /Codex · idle · Taken/);
		await row.filter({ hasText: 'Take no model' }).waitFor();

		// Its terminal is the active one, and VS Code can rename that.
		const terminal = page.locator('.single-terminal-tab');
		await terminal.filter({ hasText: 'Take no model' }).waitFor();
		await workbench.contextMenu(row, 'Rename Task…');
		await workbench.answer('Take the default');
		await terminal.filter({ hasText: 'Take the default' }).waitFor();
	});

	test('that is stopped before its agent has begun can start again', async () => {
		await orchestrate(lab, 'Never begin', 'Sit there', 'Qwen Code');
		const row = workbench.row('Tasks', /Never begin/);
		await row.filter({ hasText: 'starting' }).waitFor();
		await workbench.contextMenu(row, 'Stop Worker');
		const question = workbench.dialog('Stop “Never begin”?');
		await question.getByText('can be started again later').waitFor();
		await question.getByRole('button', { name: 'Stop' }).click();
		await row.filter({ hasText: 'ended' }).waitFor();
		await workbench.rowAction(row, 'Start Again');
		await workbench.quickRow(/^\s*Start Worker.*Never begin\. Sit there/s).waitFor();
		await workbench.quickRow(/^\s*Agent.*Qwen Code/).waitFor();
		await page.keyboard.press('Escape');
	});

	test('breaks off a turn and asks what to do instead', async () => {
		const gate = gateIn(workspace);
		await orchestrate(lab, 'Go astray', `${gate.step}[[text:Unreached]]`);
		const working = workbench.row('Tasks', /Go astray.*working · Bash/);
		await working.waitFor();
		await workbench.contextMenu(working, 'Interrupt');
		await workbench.row('Tasks', /Go astray.*idle/).waitFor();
		await workbench.waitForTerminalText(/What should Claude do instead/);
		await workbench.webview().locator('#text:focus').waitFor();
		await page.keyboard.type('Go straight on. [[text:Straight on]]');
		await page.keyboard.press('Control+Enter');
		await workbench.row('Tasks', /Go astray.*idle · Straight on/).waitFor();

		// An agent can write its record, and name a terminal there that is somebody else's.
		await workbench.command('Terminal: Create New Terminal');
		await page.locator('.terminal-wrapper .xterm.focus').waitFor();
		await page.keyboard.type('echo $$ > pid');
		await page.keyboard.press('Enter');
		// A shell makes a file before it writes it.
		const pid = await eventually(
			'its process',
			() => Number(readFileSync(join(workspace, 'pid'), 'utf8')) || false,
		);
		const address = { task: TaskName.parse('go-astray'), worker: FIRST_WORKER };
		await new Workspace(workspace).updateWorker(address, record => record && { ...record, process: identify(pid) });
		// The window may not have read the record yet. Each click closes the last one's toast, so it gets time to be drawn.
		const toast = workbench.toast('runs in another window or terminal');
		await eventually('no terminal is its own', async () => {
			await workbench.row('Tasks', /Go astray/).click();
			await toast.waitFor({ timeout: 5000 });
			return true;
		});
	});

	test('goes on twice after a fork: the first worker stays as it was', long, async () => {
		await orchestrate(lab, 'Try both', 'Remember the blue door. [[text:Remembered]]');
		const first = workbench.row('Tasks', /Try both.*idle · Remembered/);
		await first.waitFor();
		await first.click();
		await workbench.command('Nancy: Fork Conversation');
		await workbench.row('Tasks', /worker-2.*Claude · idle, not yet prompted/).waitFor();
		await workbench.row('Tasks', /worker.*idle · Remembered/).waitFor();
	});

	test('shows what agents write as text: no link, no picture, nothing that hides', async () => {
		const { workspace: store, address } = await seedWorkspace(workspace, {
			title: 'Fix $(flame) [x](command:nancy.doctor)',
			session: 'd0d0d0d0-0000',
			dataFolder: dataFolder({ HOME: lab.server.home }),
		});
		const hostile = '[OK](command:nancy.doctor) $(check) safe\u202etxt.exe pay\u200bpal';
		const shown = '[OK] (command:nancy.doctor) $ (check) safe⟨U+202E⟩txt.exe pay⟨U+200B⟩pal';
		const mine = { ...address, worker: ORCHESTRATOR };
		await workbench.row('Tasks', 'Fix $ (flame) [x] (command:nancy.doctor)').waitFor();
		// It may be told of more than once.
		const note = workbench.toast('writes: ').first();
		// What comes together with the seeds is told of together, without its words.
		await eventually('a note by itself', async () => {
			await workbench.tidy();
			await store.send(mine, messageContent(hostile), {
				is: 'agent',
				worker: `${address.task}/${address.worker}`,
			});
			return note.waitFor({ timeout: 5000 }).then(
				() => true,
				() => false,
			);
		});
		const message = note.locator('.notification-list-item-message');
		expect(await message.innerText()).toContain(shown);
		expect(await message.locator('a, .codicon').count()).toBe(0);

		await workbench.row('Inbox', shown).first().waitFor();
		const tool = { tool_name: 'Bash', tool_input: { command: hostile }, tool_use_id: 'toolu_2' };
		spool(store, 'd0d0d0d0-0000', 'UserPromptSubmit', { prompt: hostile }, '6');
		spool(store, 'd0d0d0d0-0000', 'PreToolUse', tool, '7');
		spool(store, 'd0d0d0d0-0000', 'PermissionRequest', tool, '8');
		const question = workbench.toast('waits for your permission: ');
		await question.waitFor();
		const asked = question.locator('.notification-list-item-message');
		expect(await asked.innerText()).toContain(shown);
		expect(await asked.locator('a, .codicon').count()).toBe(0);
		await workbench.row('Tasks', `Bash ${shown}`).waitFor();

		await workbench.command('Nancy: Clean Up');
		const row = workbench.quickRow('Fix $ (flame) [x] (command:nancy.doctor)');
		await row.waitFor();
		expect(await row.locator('.label-name a, .codicon-flame').count()).toBe(0);
		await lab.picture('hostile-text');
		await page.keyboard.press('Escape');

		const addresses = 'https://evil.example www.evil.example me@evil.example &rlm;';
		await seedDelegate(new Delegates(store), { title: hostile, state: 'failed', error: `${hostile} ${addresses}` });
		const delegate = workbench.row('Delegates', /failed · /);
		await delegate.waitFor();
		expect(await delegate.innerText()).toContain('[OK] (comm');
		expect(await delegate.innerText()).toContain('not queued by you here');
		const hover = await workbench.hoverOf(delegate, 'nancy.doctor');
		const words = await hover.innerText();
		expect(words).toContain('safe⟨U+202E⟩txt.exe');
		expect(words.replaceAll('\u00a0', ' ')).toContain(addresses);
		expect(await hover.locator('a, .codicon-check').count()).toBe(0);
		await delegate.click();
		const terminal = page.locator('.terminal-tabs-entry, .single-terminal-tab').filter({ hasText: '[OK]' }).first();
		await terminal.waitFor();
		expect(await terminal.innerText()).toContain('[OK] (comm');
		expect(await terminal.locator('a[href^="command:"], .codicon-check').count()).toBe(0);
		await workbench.waitForTerminalText(/■ failed · \[OK\]/);
	});

	test('is renamed, opened and deleted by keys, and moves into no other group under the pointer', long, async () => {
		const data = { dataFolder: dataFolder({ HOME: lab.server.home }) };
		const { workspace: store } = await seedWorkspace(workspace, {
			title: 'Fix it',
			session: 'e0e0e0e0-0000',
			...data,
		});
		await seedWorkspace(workspace, { title: 'Fix it again', session: 'e1e1e1e1-0000', ...data });
		const rows = () => workbench.pane('Tasks').locator('[role=treeitem] .label-name').allInnerTexts();
		await expect.poll(rows).toEqual(['Fix it again', 'Fix it']);
		// A row that is drawn anew takes no click, and of many notifications some do not pop up.
		const opens = (label: string, act: () => Promise<void>) =>
			eventually(`the terminal of ${label}`, async () => {
				await act();
				await workbench.toast(`The terminal of ${label} is not known`).waitFor({ timeout: 4000 });
				return true;
			});

		await workbench.command('Nancy: Focus on Tasks View');
		await opens('Fix it again', () => workbench.row('Tasks', 'Fix it again').click());
		await page.keyboard.press('F2');
		await workbench.answer('Fix it');
		await expect.poll(rows).toEqual(['Fix it (2)', 'Fix it']);
		await opens('Fix it (2)', () => page.keyboard.press('Enter'));

		await workbench.command('Nancy: Group Tasks by State');
		await expect.poll(rows).toEqual(['Idle', 'Fix it (2)', 'Fix it']);
		let touchedMs = 0;
		await opens('Fix it', async () => {
			touchedMs = Date.now();
			await workbench.row('Tasks', /^Fix it[^(]*$/).click();
		});
		spool(store, 'e0e0e0e0-0000', 'UserPromptSubmit', { prompt: 'Once more' }, '5');
		await workbench.row('Tasks', /^Fix it[^(]*working/).waitFor();
		await expect.poll(rows).toEqual(['Working', 'Fix it', 'Idle', 'Fix it (2)']);
		// Rows are held for ten seconds after the touch.
		expect(Date.now()).toBeGreaterThanOrEqual(touchedMs + 10_000);
		// What the user has chosen is remembered.
		await page.reload();
		await workbench.ready();
		await expect.poll(rows).toEqual(['Working', 'Fix it', 'Idle', 'Fix it (2)']);
		await workbench.command('Nancy: Show Tasks as List');
		await expect.poll(rows).toEqual(['Fix it (2)', 'Fix it']);

		await workbench.contextMenu(workbench.row('Tasks', /working/), 'Stop Worker');
		await workbench.dialog('Stop “Fix it”?').getByRole('button', { name: 'Cancel' }).click();
		await workbench.row('Tasks', /working/).waitFor();
		// The row with the focus counts, and not the selected one.
		await workbench.row('Tasks', /^Fix it[^(]*$/).click();
		await page.keyboard.press('ArrowUp');
		await page.keyboard.press('Delete');
		await workbench.dialog('Delete the task “Fix it (2)”').getByRole('button', { name: 'Cancel' }).click();
		await page.keyboard.press('Delete');
		await workbench.dialog('Delete the task “Fix it (2)”').getByRole('button', { name: 'Delete' }).click();
		await expect.poll(rows).toEqual(['Fix it']);
	});

	test('starts with a prompt and Enter, on several agents too, as a preset says, and loses nothing typed', async () => {
		await orchestrate(lab, 'First things', '[[text:First done]]');
		await workbench.row('Tasks', /First things.*idle · First done/).waitFor();

		await workbench.ask('nancy.orchestrateTask');
		await workbench.quick.getByText('Enter starts Claude Code.').first().waitFor();
		await workbench.quickInput.fill('Second things. [[text:Second done]]');
		await page.keyboard.press('Escape');
		await workbench.ask('nancy.orchestrateTask');
		expect(await workbench.quickInput.inputValue()).toBe('Second things. [[text:Second done]]');
		await page.keyboard.press('Enter');
		await workbench.row('Tasks', /Second things.*idle · Second done/).waitFor();

		await workbench.ask('nancy.orchestrateTask');
		expect(await workbench.quickInput.inputValue()).toBe('');
		await workbench.quickInput.fill('Third things. [[text:Third done]]');
		await showHow(workbench);
		// There is no git here, so the task cannot start, and the prompt stays.
		await workbench.pick(/^\s*Where/);
		await workbench.pick(/^\s*A worktree of its own\s*A new branch/);
		await workbench.quickRow(/^\s*Where.*A worktree of its own/).waitFor();
		await page.keyboard.press('Enter');
		await workbench.toast(/is not in a git repository/).waitFor();
		await workbench.ask('nancy.orchestrateTask');
		expect(await workbench.quickInput.inputValue()).toBe('Third things. [[text:Third done]]');
		await workbench.quick.getByText('Enter starts Claude Code · A worktree of its own.').first().waitFor();
		await lab.picture('tasks-prompt');
		await showHow(workbench);
		await workbench.pick(/^\s*Where/);
		await workbench.pick('This folder');
		await workbench.pick(/^\s*Agent/);
		await workbench.pick('Several Agents…');
		await workbench.quickAsks('Which agents? Each of them gets the same prompt.');
		await workbench.quickRow(/Codex/).click();
		await page.keyboard.press('Enter');
		await workbench.quickRow(/^\s*Agent.*Claude Code, Codex/).waitFor();
		await workbench.pick(/^\s*Preset.*none/);
		await workbench.pick('Save as Preset…');
		await workbench.quick.getByText('A name for the preset').first().waitFor();
		await workbench.answer('pair');
		await workbench.quickRow(/^\s*Preset.*pair/).waitFor();
		await lab.picture('tasks-hub');
		await workbench.pick(/^\s*Where/);
		await workbench.pick(/^\s*A worktree of its own\s*A new branch/);
		await workbench.pick(/^\s*Preset.*none/);
		await workbench.pick('Save as Preset…');
		await workbench.quick.getByText('A name for the preset').first().waitFor();
		await workbench.answer('pair');
		await workbench.dialog('Replace the preset “pair”?').getByRole('button', { name: 'Replace' }).click();
		await workbench.quickRow(/^\s*Preset.*pair/).waitFor();
		await workbench.pick(/^\s*Where/);
		await workbench.pick('This folder');
		await workbench.pick('Start Task with 2 Workers');
		await workbench.row('Tasks', /Third things.*2 idle/).waitFor();

		await workbench.ask('nancy.orchestrateTask');
		await workbench.quick.getByText('Enter starts Claude Code, Codex.').first().waitFor();
		await showHow(workbench);
		await workbench.pick(/^\s*Agent/);
		await workbench.pick(/^\s*Claude Code/);
		await workbench.pick(/^\s*Permissions.*As its settings say/);
		await lab.picture('tasks-permissions');
		await workbench.pick(/^\s*Plan/);
		await workbench.quickRow(/^\s*Permissions.*Plan/).waitFor();
		await workbench.pick(/^\s*Preset.*none/);
		await workbench.pick(/pair.*Claude Code, Codex/);
		await workbench.quickRow(/^\s*Permissions.*As its settings say/).waitFor();
		await workbench.quickRow('Start Task with 2 Workers').waitFor();
		await workbench.quickRow(/^\s*Where.*A worktree of its own/).waitFor();
		await workbench.pick(/^\s*Preset.*pair/);
		await workbench.pick('Delete a Preset…');
		await workbench.quickAsks('Delete which preset?');
		await workbench.pick('pair');
		await workbench.dialog('Delete the preset “pair”?').getByRole('button', { name: 'Delete' }).click();
		await workbench.quickRow('Save as Preset…').waitFor();
		expect(await workbench.quickRow('pair').count()).toBe(0);
		await page.keyboard.press('Escape');

		await workbench.ask('nancy.orchestrateTask');
		await workbench.quickInput.fill('Fourth things. [[text:Fourth done]]');
		await showHow(workbench);
		await workbench.pick(/^\s*Agent/);
		await workbench.pick(/^\s*Claude Code/);
		await workbench.pick(/^\s*Permissions/);
		await workbench.pick(/^\s*Plan/);
		await workbench.pick('Start Task');
		await workbench.row('Tasks', /Fourth things.*idle · Fourth done/).waitFor();
		const planning = await model.waitForRequest(
			({ text }) => text.includes('Fourth things') && /plan mode/i.test(text),
		);
		expect(planning.text).toContain('Fourth things');
		await workbench.ask('nancy.orchestrateTask');
		await workbench.quick.getByText('Enter starts Claude Code (Plan).').first().waitFor();

		// An image of the folder, for the agent that has a flag for it.
		writeFileSync(join(workspace, 'shot.png'), Buffer.from(PIXEL, 'base64'));
		await workbench.quickInput.fill('Fifth things. [[text:Fifth done]]');
		await showHow(workbench);
		expect(await workbench.quickRow(/^\s*Images/).count()).toBe(0);
		await workbench.pick(/^\s*Agent/);
		await workbench.pick(/^\s*Codex/);
		await workbench.pick(/^\s*Images.*none/);
		await workbench.quickRow('shot.png').click();
		await page.keyboard.press('Enter');
		await workbench.quickRow(/^\s*Images.*shot\.png/).waitFor();
		await workbench.pick('Start Task');
		const seeing = await model.waitForRequest(({ text, hasTools }) => hasTools && text.includes('Fifth things'));
		expect(JSON.stringify(seeing.body)).toContain('"type":"input_image"');
	});

	test(
		'in a repository, shows what has changed in the folder since it began, and takes comments on it',
		long,
		async () => {
			gitIn(workspace, 'init', '-q', '-b', 'main');
			gitIn(workspace, 'commit', '-q', '--allow-empty', '-m', 'first');
			writeFileSync(join(workspace, '.gitignore'), '*.gate\n');
			writeFileSync(join(workspace, 'before.txt'), 'not committed\n');
			const gate = gateIn(workspace);
			await orchestrate(lab, 'Plant a tree', `${gate.step}[[text:It is planted]]`);
			await workbench.row('Tasks', /Plant a tree.*working · Bash/).waitFor();
			writeFileSync(join(workspace, 'tree.txt'), 'green\n');
			gate.open();
			const planted = workbench.row('Tasks', /Plant a tree.*idle.*\+1 −0/);
			await planted.waitFor();

			// The file below the row, by keys.
			await workbench.command('Nancy: Focus on Tasks View');
			await openRow(workbench, 'Tasks', 'Plant a tree');
			await workbench.row('Tasks', /Changed Files.*1/).waitFor();
			await moveTo(workbench, 'Tasks', 'tree.txt');
			await page.keyboard.press('Enter');
			await workbench.tab(/tree\.txt · Changes since “Plant a tree” began/).waitFor();
			await page.locator('.monaco-diff-editor .modified .view-line', { hasText: 'green' }).waitFor();
			await page
				.locator('.monaco-diff-editor .modified .comment-range-glyph')
				.first()
				.waitFor({ state: 'attached' });
			await lab.picture('task-file');
			// The keys of tasks ask nothing there: a question would be in the way of all that follows. They come last, because each runs several
			// commands in turn, and another key may come in between.
			for (const key of ['F2', 'Delete']) {
				await workbench.command('Nancy: Focus on Tasks View');
				await moveTo(workbench, 'Tasks', 'tree.txt');
				await page.keyboard.press(key);
			}
			await workbench.contextMenu(planted, 'Review Changes');
			await workbench.tab(/Changes since “Plant a tree” began/).waitFor();
			const line = page.locator('.multiDiffEntry .modified .view-line', { hasText: 'green' });
			await line.waitFor();
			expect(await page.locator('.multiDiffEntry', { hasText: 'before.txt' }).count()).toBe(0);
			await lab.picture('task-since');
			await line.hover();
			await page.locator('.multiDiffEntry .modified .comment-range-glyph').first().click();
			await page.locator('.review-widget .comment-form .monaco-editor').click();
			await page.keyboard.insertText('Make it red. [[text:It is red]]');
			await page.locator('.review-widget').getByRole('button', { name: 'Add Comment' }).click();
			await page.locator('.review-widget').getByText('Not sent back yet').waitFor();
			await workbench.command('Nancy: Send Comments Back');
			expect((await model.waitForRequest(({ text }) => text.includes('tree.txt:1'))).text).toContain(
				'Make it red.',
			);
			await workbench.row('Tasks', /Plant a tree.*idle.*It is red/).waitFor();

			// Nobody can tell whose a change in a shared folder is.
			await orchestrate(lab, 'Water it', '[[text:It is watered]]');
			await workbench.row('Tasks', /Water it.*idle · It is watered/).waitFor();
			const row = workbench.row('Tasks', /Plant a tree/);
			const hover = await workbench.hoverOf(row, 'since the task began, also yours');
			expect((await hover.innerText()).replaceAll('\u00a0', ' ')).toContain('worked there since: “Water it”');
		},
	);

	test('is led by keys alone, which are never lost', async () => {
		const data = { dataFolder: dataFolder({ HOME: lab.server.home }) };
		for (const [at, title] of ['First', 'Second', 'Third'].entries())
			await seedWorkspace(workspace, { title, session: `e2e2e2e2-000${at}`, ...data });
		const rows = () => workbench.pane('Tasks').locator('[role=treeitem] .label-name').allInnerTexts();
		await expect.poll(rows).toEqual(['Third', 'Second', 'First']);
		await workbench.command('Nancy: Focus on Tasks View');
		await moveTo(workbench, 'Tasks', 'Second');

		await contextKey(workbench, 'Tasks', 'Second', 'Archive Task');
		await workbench.dialog('archive it?').waitFor();
		await page.keyboard.press('Enter');
		await expect.poll(rows).toEqual(['Third', 'First']);
		await focusedRow(workbench, 'Tasks', /Third|First/).waitFor();
		await page.keyboard.press('Home');
		await focusedRow(workbench, 'Tasks', 'Third').waitFor();
		await page.keyboard.press('F2');
		await workbench.answer('Renamed');
		await expect.poll(rows).toEqual(['Renamed', 'First']);
		await page.keyboard.press('Delete');
		await workbench.dialog('Delete the task “Renamed”').waitFor();
		await page.keyboard.press('Enter');
		await expect.poll(rows).toEqual(['First']);
		await focusedRow(workbench, 'Tasks', 'First').waitFor();
		await contextKey(workbench, 'Tasks', 'First', 'Message This Worker');
		await workbench.webview().locator('#text:focus').waitFor();
		await page.keyboard.type('By keys');
		await page.keyboard.press('Control+Enter');
		await workbench.row('Inbox', 'By keys').waitFor();

		// A list of choices says no names of pictures.
		await workbench.ask('nancy.delegate');
		await workbench.answer('Look at it');
		await workbench.quickRow('Start Delegate').waitFor();
		const spoken = await workbench
			.quickRow(/./)
			.evaluateAll(all => all.map(each => each.getAttribute('aria-label')));
		expect(spoken.filter(label => /^(play|robot|folder|shield|gear|symbol-misc)\b/.test(label ?? ''))).toEqual([]);
		expect(spoken[0]).toMatch(/^Start Delegate/);
		await page.keyboard.press('Escape');
	});

	test(
		'takes the open specification and the selection, and a prompt of many lines from an editor',
		long,
		async () => {
			writeFileSync(join(workspace, 'plan.md'), 'Paint it.\nGreen.\n');
			await page.keyboard.press('F1');
			await workbench.quickInput.fill('plan.md');
			await workbench.pick('plan.md');
			await workbench.tab('plan.md').waitFor();
			await workbench.selectLine('Green');

			const button = (label: string) => workbench.quick.locator(`[aria-label^="${label}"]`);
			await workbench.ask('nancy.orchestrateTask');
			await button('Use the open specification: plan.md').click();
			await expect
				.poll(() => workbench.quickInput.inputValue())
				.toBe('Read the specification in plan.md and carry it out.');
			await button('With the selection: plan.md:2').click();
			await showHow(workbench);
			await workbench.quickRow(/With the selection.*plan\.md:2/).waitFor();
			await lab.picture('tasks-selection');
			await page.keyboard.press('Escape');

			await workbench.ask('nancy.orchestrateTask');
			await workbench.quickInput.fill('# Paint the fence');
			await button('Write a longer prompt in an editor').click();
			await workbench.tab(/Paint the fence/).waitFor();
			const lens = page.locator('.codelens-decoration a', { hasText: 'Start Task with This' });
			await lens.waitFor();
			await page.keyboard.insertText('\n\nGreen.\n[[text:It is green]]');
			await lens.click();
			await chooseAgent(workbench, 'Claude Code');
			await workbench.pick('Start Task');
			await workbench.row('Tasks', /Paint the fence.*idle · It is green/).waitFor();
			await workbench.tab(/Paint the fence/).waitFor({ state: 'detached' });
			const asked = await model.waitForRequest(({ text }) => text.includes('Paint the fence'));
			expect(asked.text).toContain('# Paint the fence\n\nGreen.');
		},
	);

	test('composes by keyboard, and edits, moves and withdraws what is queued', async () => {
		// Feedback waits for the stop, which never comes here.
		await orchestrate(lab, 'Think', `${gateIn(workspace).step}[[text:Done]]`);
		await workbench.row('Tasks', /working · Bash/).waitFor();
		const form = workbench.webview();
		const compose = async (text: string) => {
			await form.locator('#text').fill(text);
			await page.keyboard.press('Control+Enter');
			await workbench.row('Inbox', text).waitFor();
		};
		await form.locator('#way').selectOption('feedback');
		await compose('First thought');
		await compose('Second thought');
		const queue = async () => {
			const rows = await workbench.row('Inbox', /thought/).allInnerTexts();
			return inQueue(rows).map(row => /(First|Second|Better) thought/.exec(row)?.[1]);
		};
		expect(await queue()).toEqual(['First', 'Second']);

		await workbench.contextMenu(workbench.row('Inbox', 'Second thought'), 'Deliver Earlier');
		await expect.poll(queue).toEqual(['Second', 'First']);

		// A row that is drawn anew under the mouse takes no click: a person clicks again.
		await eventually('the message in the box', async () => {
			await workbench.rowAction(workbench.row('Inbox', 'Second thought'), 'Edit Message');
			await form.locator('#banner').waitFor({ timeout: 5000 });
			return true;
		});
		await compose('Better thought');
		await expect.poll(queue).toEqual(['Better', 'First']);

		await workbench.contextMenu(workbench.row('Inbox', 'First thought'), 'Withdraw Message');
		await expect.poll(queue).toEqual(['Better']);
		// The Compose form hears of it on its own.
		await expect.poll(() => form.locator('#sent').innerText()).toContain('withdrawn');
		await workbench.command('Nancy: Focus on Inbox View');
		await moveTo(workbench, 'Inbox', 'Better thought');
		await page.keyboard.press('Delete');
		await expect.poll(queue).toEqual([]);
		const withdrawn = join(workspace, '.nancy/tasks/think/comms/worker/withdrawn');
		expect(readdirSync(withdrawn).filter(name => name.endsWith('.md'))).toHaveLength(2);
	});

	test('writes to the human, who sees it unread, and is halted before its next tool runs', async () => {
		const gate = gateIn(workspace);
		const ask = '[[sh:nancy send orchestrator "Which port do you want?"]]';
		const script = `${ask}[[sh:nancy inbox]]${gate.step}[[sh:touch two]][[text:Over]]`;
		await orchestrate(lab, 'Report', script);

		await workbench.row('Inbox', /Which port do you want\?/).waitFor();
		const badge = async () => (await workbench.badge('Nancy').allInnerTexts()).join('');
		await expect.poll(badge).toBe('1');
		await page.keyboard.press('Shift+Alt+N');
		await workbench.tab('Which port do you want?').waitFor();
		await expect.poll(badge).toBe('');
		await workbench.command('View: Close Editor');
		await workbench.command('Nancy: Focus on Inbox View');
		await moveTo(workbench, 'Inbox', /Which port/);
		await page.keyboard.press('Delete');
		await workbench.row('Inbox', /Which port/).waitFor({ state: 'detached' });
		const archived = join(workspace, '.nancy/tasks/report/comms/orchestrator/archive');
		expect(readdirSync(archived).filter(name => name.endsWith('.md'))).toHaveLength(1);

		const form = workbench.webview();
		await form.locator('#text').fill('Stop: touch nothing.');
		await form.locator('#way').selectOption('halt');
		await page.keyboard.press('Control+Enter');
		await workbench.row('Inbox', 'Stop: touch nothing.').waitFor();
		gate.open();
		await workbench.mail(/Stop: touch nothing\..*delivered/).waitFor();
		await model.waitForRequest(({ text }) => text.includes('Stop: touch nothing.'));
		expect(existsSync(join(workspace, 'two'))).toBe(false);
	});

	test('has two workers, each steered for itself, stopped, resumed, archived and deleted', long, async () => {
		const taskRow = workbench.row('Tasks', /Fix the login/);
		const firstRow = workbench.row('Tasks', /^\s*worker(?!-)/);
		const secondRow = workbench.row('Tasks', /worker-2/);
		/** Which workers' conversations a text has reached, known by the words that each began with. */
		const readers = (text: string) => {
			const read = model.requests.filter(request => request.hasTools && request.text.includes(text));
			return ['Repair it.', 'Test it.'].filter(begin => read.some(request => request.text.includes(begin)));
		};

		const gate = gateIn(workspace);
		await orchestrate(lab, 'Fix the login', `Repair it. ${gate.step}[[text:Login repaired]]`);
		await taskRow.filter({ hasText: /working · Bash/ }).waitFor();
		expect(await firstRow.count()).toBe(0);
		await workbench.command('Nancy: Add Worker');
		await workbench.quick.getByText('Add Worker to “Fix the login”').waitFor();
		await workbench.answer('Test it. [[text:Tests are written]]');
		await workbench.quickRow(/^\s*Agent.*Claude Code/).waitFor();
		await workbench.quickRow('Start Worker').waitFor();
		await page.keyboard.press('Enter');
		await secondRow.filter({ hasText: /idle · Tests are written/ }).waitFor();
		await firstRow.filter({ hasText: /working/ }).waitFor();
		await taskRow.filter({ hasText: '1 working, 1 idle' }).waitFor();

		await workbench.ask('nancy.sendMessage');
		await workbench.pick(/worker(?!-)/);
		await workbench.answer('Mind the first gap.');
		await workbench.rowAction(secondRow, 'Message This Worker');
		const form = workbench.webview();
		// The first one was written to before.
		await form.locator('#recipients', { hasText: 'To: Fix the login · worker-2' }).waitFor();
		await form.locator('#text').fill('Mind the second gap. [[text:Second gap minded]]');
		await page.keyboard.press('Control+Enter');
		await secondRow.filter({ hasText: /idle · Second gap minded/ }).waitFor();
		gate.open();
		await firstRow.filter({ hasText: /idle · Login repaired/ }).waitFor();
		expect(readers('Mind the first gap.')).toEqual(['Repair it.']);
		expect(readers('Mind the second gap.')).toEqual(['Test it.']);

		await workbench.contextMenu(secondRow, 'Stop Worker');
		await secondRow.filter({ hasText: /ended/ }).waitFor();
		await firstRow.filter({ hasText: /idle/ }).waitFor();
		await workbench.rowAction(secondRow, 'Message This Worker');
		await form.locator('#recipients', { hasText: 'To: Fix the login · worker-2' }).waitFor();
		// The box is given the keyboard once it is filled.
		await form.locator('#text:focus').waitFor();
		await form.locator('#text').fill('Welcome back. [[text:Here again]]');
		await page.keyboard.press('Control+Enter');
		await workbench.mail(/Welcome back.*held: the agent has ended/).waitFor();
		expect(await workbench.toast('terminated with exit code').count()).toBe(0);
		// As for a worker of an earlier version: its record, which agents can write, does not choose the agent.
		const second = { task: TaskName.parse('fix-the-login'), worker: WorkerName.parse('worker-2') };
		await forgetChosenAgents(new Workspace(workspace, dataFolder({ HOME: lab.server.home })), second);
		await workbench.rowAction(secondRow, 'Resume Worker');
		await workbench.pick('Claude Code');
		await secondRow.filter({ hasText: /idle · Here again/ }).waitFor();
		const resumed = await model.waitForRequest(({ text }) => text.includes('Welcome back.'));
		expect(resumed.text).toContain('Tests are written');
		expect(resumed.text).toContain('Mind the second gap.');

		await workbench.contextMenu(taskRow, 'Archive Task');
		await workbench.dialog('Stop the workers').getByRole('button', { name: 'Stop and Archive' }).click();
		await taskRow.waitFor({ state: 'detached' });
		const folder = join(workspace, '.nancy', 'tasks', 'fix-the-login');
		expect(existsSync(folder)).toBe(true);
		await workbench.command('Nancy: Show Archived Tasks');
		await taskRow.waitFor();
		await workbench.contextMenu(taskRow, 'Delete Task');
		await workbench.dialog('Delete the task').getByRole('button', { name: 'Cancel' }).click();
		await workbench.contextMenu(taskRow, 'Delete Task');
		expect(existsSync(folder)).toBe(true);
		await workbench.dialog('Delete the task').getByRole('button', { name: 'Delete' }).click();
		await taskRow.waitFor({ state: 'detached' });
		expect(existsSync(folder)).toBe(false);
	});

	test(
		'is given to another agent, picked for what it can do, steered, woken, given a delegate, and leaves nothing behind',
		long,
		async () => {
			const gate = gateIn(workspace);
			await workbench.command('Nancy: Orchestrate Task');
			await workbench.quick.getByText('What is to be done').first().waitFor();
			await workbench.quickInput.fill(`Fix the parser. Repair it. ${gate.step}[[text:Parser repaired]]`);
			await showHow(workbench);
			await workbench.pick(/^\s*Agent/);
			await workbench
				.quickRow(/Claude Code.*2\.\d+\.\d+.*Steered at each tool call, wakes when idle$/s)
				.waitFor();
			await lab.picture('agents-picker');
			// An agent that is not there cannot be chosen, and nothing typed is lost.
			await workbench.pick(/GitHub Copilot CLI.*not found.*There is no program at /s);
			await workbench.quickRow(/Set Path.*nancy\.agents\.copilot-cli\.path/s).waitFor();
			await workbench.pick(/Install in Terminal.*npm install -g @github\/copilot/s);
			await workbench.waitForTerminalText(/npm install -g @github\/copilot/);
			await workbench.ask('nancy.orchestrateTask');
			expect(await workbench.quickInput.inputValue()).toContain('Fix the parser. Repair it.');
			await showHow(workbench);
			await workbench.pick(/^\s*Agent/);
			await workbench.pick(/Codex.*0\.\d+\.\d+/);
			await workbench.quickRow(/^\s*Name.*Fix the parser/).waitFor();
			await workbench.pick('Start Task');
			await workbench.row('Tasks', /working · Bash/).waitFor();

			await workbench.ask('nancy.sendMessage');
			await workbench.answer('Mind the strings.');
			await workbench.row('Inbox', /Mind the strings/).waitFor();
			gate.open();
			await model.waitForRequest(({ text }) => text.includes('Mind the strings.'));
			await workbench.mail(/Mind the strings.*delivered · (PreToolUse|PostToolUse)/).waitFor();
			await workbench.row('Tasks', /idle · Parser repaired/).waitFor();
			await workbench.ask('nancy.sendMessage');
			await workbench.answer('Are you awake? [[text:Awake now]]');
			await workbench.row('Tasks', /idle · Awake now/).waitFor();
			await workbench.mail(/Are you awake.*delivered/).waitFor();
			await lab.picture('agents-steered');

			await workbench.contextMenu(workbench.row('Tasks', /Awake now/), 'Delegate…');
			await workbench.quick.getByText('What is to be done').first().waitFor();
			await workbench.answer('Count the words. [[text:There are seven.]]');
			await workbench.quickRow('Start Delegate').waitFor();
			// The agent that wants the result is the first choice.
			await workbench.quickRow(/Agent.*Codex/).waitFor();
			await lab.picture('agents-delegate');
			await workbench.pick('Start Delegate');
			await workbench.row('Delegates', /Count the words.*done/).waitFor();
			const told = await model.waitForRequest(({ text }) => text.includes('[DELEGATE COMPLETE - Task ID:'));
			expect(told.text).toContain('There are seven.');

			// The worker's delegates stand below it, too.
			const parser = workbench.row('Tasks', /Fix the parser.*idle/);
			await parser.locator('.monaco-tl-twistie').click();
			await workbench.row('Tasks', /Count the words.*done/).waitFor();
			await workbench.contextMenu(parser, 'Stop Worker');
			await workbench.row('Tasks', /ended/).waitFor();
			await workbench.command('Nancy: Clean Up');
			await workbench.pick('The whole workspace');
			await workbench.dialog('Remove what Nancy deployed').getByRole('button', { name: 'Clean Up' }).click();
			await expect.poll(() => existsSync(join(workspace, '.agents'))).toBe(false);
		},
	);

	test('shows what an agent has taken, and warns when its budget is nearly and wholly used up', long, async () => {
		const { workspace: store } = await seedWorkspace(workspace, {
			title: 'Count the stars',
			session: 'e0e0e0e0-0000',
			dataFolder: dataFolder({ HOME: lab.server.home }),
		});
		const transcript = join(workspace, 'transcript.jsonl');
		const usage = {
			input_tokens: 1200,
			cache_read_input_tokens: 40_000,
			cache_creation_input_tokens: 0,
			output_tokens: 4000,
		};
		const message = { id: 'msg_1', model: 'claude-test', usage, content: [] };
		writeFileSync(transcript, `${JSON.stringify({ type: 'assistant', message })}\n`);
		spool(store, 'e0e0e0e0-0000', 'Notification', { transcript_path: transcript, message: 'Idle.' }, '9');
		const row = workbench.row('Tasks', /Count the stars.*Claude · idle · 45k · The tests pass\.(?!.*budget)/);
		await row.waitFor();
		expect(await row.getAttribute('aria-label')).toContain('45k tokens');
		await workbench.hoverOf(row, 'Context: 23 % of 200k');
		await workbench.hoverOf(row, 'Tokens: 41.2k in, 4k out');

		const use = workbench.status('nancy.nancy.use');
		await use.filter({ hasText: /^\s*45k$/ }).waitFor();
		await workbench.hoverOf(use, 'Open tasks of today: 45.2k tokens');
		await workbench.hoverOf(use, 'Claude Code: 45.2k tokens');

		const setBudget = async (typed: string) => {
			await workbench.command('Nancy: Set Budget…');
			await page.getByText('Used so far: 45.2k tokens').waitFor();
			await workbench.answer(typed);
		};
		await setBudget('50k');
		await workbench.row('Tasks', /Count the stars.*budget nearly used up/).waitFor();
		await workbench.toast('“Count the stars” has used more than 80 % of its budget of 50k tokens.').waitFor();
		await setBudget('40k');
		await workbench.row('Tasks', /Count the stars.*budget used up/).waitFor();
		const over = workbench.toast('“Count the stars” has used up its budget of 40k tokens. Its agents are paused.');
		await over.getByRole('button', { name: 'Set Budget…' }).click();
		await page.getByText('Used so far: 45.2k tokens').waitFor();
		await workbench.answer('$2');
		await page.getByText('The agent names no dollars while it works. Enter tokens.').waitFor();
		await workbench.answer('1M');
		await row.waitFor();
		await workbench.hoverOf(row, 'Budget: 1M tokens, 5 % used');
	});

	// The last one: it leaves the window at another workspace.
	test('is given to one folder of several, all of which are in sight', async () => {
		// Claude Code trusts what is below a folder that it trusts.
		const [front = '', back = ''] = ['front', 'back'].map(name => {
			mkdirSync(join(workspace, name));
			return join(workspace, name);
		});
		const data = { dataFolder: dataFolder({ HOME: lab.server.home }) };
		await seedWorkspace(front, { title: 'Paint it', session: 'f0f0f0f0-0000', queued: ['In blue'], ...data });
		await seedWorkspace(back, { title: 'Store it', session: 'b0b0b0b0-0000', ...data });
		const file = join(workspace, 'both.code-workspace');
		writeFileSync(file, JSON.stringify({ folders: [{ path: front }, { path: back }] }));

		// High enough for every row of a view.
		await page.setViewportSize({ width: 1400, height: 1800 });
		await showWorkspaceFile(page, lab.server, file);
		await workbench.ready();
		await workbench.command('Nancy: Focus on Tasks View');
		await workbench.row('Tasks', 'front').waitFor();
		await workbench.row('Tasks', 'Store it').waitFor();
		await workbench.row('Inbox', 'In blue').waitFor();
		await workbench.webview().locator('#recipients', { hasText: 'Choose a recipient' }).click();
		await workbench.quickRow('back · Store it').waitFor();
		await page.keyboard.press('Escape');
		await workbench.command('Nancy: Orchestrate Task');
		await workbench.quick.getByText('In which folder?').waitFor();
		await workbench.pick('back');
		await workbench.quick.getByText('What is to be done').first().waitFor();
		await workbench.quickInput.fill('Store it twice. [[text:Stored]]');
		await showHow(workbench);
		await chooseAgent(workbench, 'Claude Code');
		await workbench.pick('Start Task');
		await workbench.row('Tasks', /idle · Stored/).waitFor();
		// Steps of the walkthrough that were taken before it was first opened are done.
		await workbench.command('Nancy: Open Walkthrough');
		const done = page.locator('[data-done-step-id][aria-checked=true]');
		await expect
			.poll(() => done.evaluateAll(steps => steps.map(step => step.dataset['doneStepId']?.split('#').at(-1))))
			.toEqual(['agent', 'orchestrate', 'watch', 'steer']);
		expect([existsSync(join(front, '.claude')), existsSync(join(back, '.claude'))]).toEqual([false, true]);
	});
});
