import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { SessionId } from '../../src/protocol/names.ts';
import { DeskServer } from '../../src/server/deskServer.ts';
import { programFolder } from '../../src/server/programFolder.ts';
import { ServedFolders } from '../../src/server/servedFolders.ts';
import { toolStep } from '../support/agents/agentUnderTest.ts';
import { answerQuestion } from '../support/answerQuestion.ts';
import { askingDelegate } from '../support/askingDelegate.ts';
import { launchBrowser } from '../support/browser.ts';
import { deployedLab, startedTask, type DeployedLab } from '../support/deployedLab.ts';
import { HANG_MS } from '../support/eventually.ts';
import { contextOf } from '../support/operationContext.ts';
import { repository } from '../support/programs.ts';
import { submit } from '../support/submit.ts';
import type { Terminal } from '../support/terminal.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';
import { long } from '../support/long.ts';

// The real Claude Code in a terminal, and a phone that its user holds. One session for all: each test ends its turn.
const owned = new AsyncDisposableStack();
let lab: DeployedLab;
let claude: Terminal;
let page: Page;

beforeAll(async () => {
	lab = owned.use(await deployedLab());
	const session = SessionId.parse(randomUUID());
	await startedTask(lab, session);
	const { dataFolder } = lab.nancy.own;
	const folder = await programFolder(contextOf(lab.workspace, lab.nancy, { dataFolder }));
	owned.defer(() => folder.close());
	const server = await DeskServer.open({
		served: new ServedFolders(() => [folder], folder.onDidChange, dataFolder),
		owner: { letIn: () => Promise.resolve('answer'), warn: () => undefined },
		pages: join(repository, 'media/desk'),
		dataFolder,
	});
	owned.defer(() => server.close());
	const browser = await launchBrowser();
	owned.defer(() => browser.close());
	page = await browser.newPage({ viewport: { width: 390, height: 844 }, hasTouch: true, reducedMotion: 'reduce' });
	page.setDefaultTimeout(HANG_MS);
	await page.goto(server.invite(server.address));
	await page.locator('.link.live').waitFor();
	claude = await lab.interactive(['--session-id', session]);
});
afterAll(() => owned.disposeAsync());
afterEach(async ({ task }) => {
	if (task.result?.state !== 'fail') return;
	const folder = join(repository, 'out/failures');
	mkdirSync(folder, { recursive: true });
	await page.screenshot({ path: join(folder, `${task.name}.png`) }).catch(() => undefined);
});

const button = (name: string | RegExp) => page.getByRole('button', { name });
const view = (name: string) => page.getByRole('navigation').getByRole('button', { name }).tap();
const made = (file: string) => existsSync(lab.workspace.file(file));
/** What the model has read, request by request. */
const read = () => lab.model.requests.filter(({ hasTools }) => hasTools).map(({ text }) => text);
/** The agent asks, and the phone shows it whole. */
async function ask(command: string, end: string): Promise<void> {
	await submit(claude, `[[sh:${command}]] [[text:${end}]]`);
	await view('Questions');
	await page.locator('.block pre').getByText(command, { exact: true }).waitFor();
}

test('a phone allows what the real agent asks: the tool runs, and the model goes on with its result', async () => {
	// What it prints is not in the prompt: the model reads it in the result alone.
	await ask("touch made && printf 'it is %s' made", 'Finished one');
	expect(made('made')).toBe(false);
	await button('Allow Once').tap();
	await claude.waitForText(/● Finished one/);
	expect(made('made')).toBe(true);
	await page.getByText('Allowed, and done').first().waitFor();
	expect(read()).toHaveLength(2);
	expect(read().at(-1)).toContain('it is made');
});

test('a phone denies with words, which the model reads, and nothing has run', long, async () => {
	await ask('touch other', 'Finished two');
	await button('No, Because').tap();
	await page.getByLabel('what the agent is told').fill('Use the other folder.');
	await button(/^No$/).tap();
	await claude.waitForText(/● Finished two/);
	await page.getByText('Denied, as you answered').first().waitFor();
	expect(read().at(-1)).toContain('The user said no: Use the other folder.');
	expect(made('other')).toBe(false);
});

test('a phone allows nothing with a risk: the person at the terminal does, and the phone says so', async () => {
	await ask("touch .hidden && printf 'it is %s' hidden", 'Finished three');
	await page.getByText('Look closely: it names hidden files, or settings of agents.').waitFor();
	expect(await button(/^Allow /).count()).toBe(0);
	await answerQuestion(claude, /Do you want to proceed/, '1');
	await claude.waitForText(/● Finished three/);
	await page.getByText('Answered with Yes in the agent’s terminal').first().waitFor();
	expect(made('.hidden')).toBe(true);
	expect(read().at(-1)).toContain('it is hidden');
});

test('feedback from a phone is queued while the agent works, delivered at Stop, and its receipt comes live', async () => {
	await ask('touch last', 'Finished four');
	await view('Agents');
	await page.locator('.rows button').tap();
	await page.getByLabel('Write to this agent').fill('Please look at timer.js too.');
	await button('Send Feedback').tap();
	const sent = page.locator('.message', { hasText: 'timer.js' });
	await sent.getByText('queued').waitFor();
	expect(read().some(text => text.includes('timer.js'))).toBe(false);
	await view('Questions');
	await button('Allow Once').tap();
	await view('Agents');
	await page.locator('.rows button').tap();
	await sent.getByText(/delivered at Stop/).waitFor();
	await sent.getByText('in context', { exact: true }).waitFor();
	expect(read().at(-1)).toContain('Please look at timer.js too.');
	expect(made('last')).toBe(true);
});

test('a phone answers what the model asks its user, and the model reads the choice', async () => {
	const options = ['Green', 'Blue'].map(label => ({ label, description: `It is ${label}` }));
	const questions = [{ question: 'Which colour?', header: 'Colour', multiSelect: false, options }];
	await submit(claude, `${toolStep('AskUserQuestion', { questions })} [[text:Finished five]]`);
	await view('Questions');
	await page.getByLabel('Blue').check();
	await button('Send the Answer').tap();
	await claude.waitForText(/● Finished five/);
	await page.getByText('The agent has your answer').first().waitFor();
	expect(read().at(-1)).toMatch(/Which colour\?\W+Blue/);
});

test('a phone sends a plan back with words, and then has it carried out', long, async () => {
	for (const mode of [/accept edits on/, /plan mode on/]) {
		claude.type('\u001b[Z');
		await claude.waitForText(mode);
	}
	await submit(claude, '[[text:Planning]]');
	await claude.waitForText(/● Planning/);
	// The CLI takes the plan from a file that it names to the model.
	const [file] = /\S+\/plans\/[\w.-]+\.md/.exec(read().at(-1) ?? '') ?? expect.unreachable();
	const load = toolStep('ToolSearch', { query: 'select:ExitPlanMode', max_results: 1 });
	const leave = toolStep('ExitPlanMode', {});
	await submit(claude, `[[write:${file}|# Build the timer]] ${load} ${leave} [[text:Revising]]`);
	await view('Questions');
	await page.locator('.block pre').getByText('# Build the timer').waitFor();
	await button('No, Because').tap();
	await page.getByLabel('what the agent is told').fill('Test it first.');
	await button(/^No$/).tap();
	await claude.waitForText(/● Revising/);
	expect(read().at(-1)).toContain('Test it first.');
	await submit(claude, `${leave} [[text:Agreed]]`);
	await view('Questions');
	await button(/^Carry It Out$/).tap();
	await claude.waitForText(/● Agreed/);
	expect(read().at(-1)).toContain('User has approved your plan');
});

test('a phone answers a delegate, which has no terminal: a Yes runs the tool, and the words of a No are read', async () => {
	await using nancy = await NancyCommand.build({ isPackage: true });
	const delegate = await askingDelegate(nancy, lab, '[[sh:touch fifth]] [[sh:touch sixth]] [[text:Finished]]');
	await view('Questions');
	await page.locator('.block pre').getByText('touch fifth', { exact: true }).waitFor();
	await page.getByText('A delegate has no terminal: without an answer, its request is denied.').waitFor();
	await page.getByText('As delegate').waitFor();
	expect(made('fifth')).toBe(false);
	await button('Allow Once').tap();
	await button('Next Question').tap();
	await page.locator('.block pre').getByText('touch sixth', { exact: true }).waitFor();
	expect(made('fifth')).toBe(true);
	await button('No, Because').tap();
	await page.getByLabel('what the agent is told').fill('Five are enough.');
	await button(/^No$/).tap();
	expect(await delegate.ended()).toMatchObject({ status: 'done' });
	expect(read().at(-1)).toContain('The user said no: Five are enough.');
	expect(made('sixth')).toBe(false);
});
