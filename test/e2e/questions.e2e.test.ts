import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dataFolder } from '../../src/base/folders.ts';
import { Questions } from '../../src/core/questions/questions.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import type { ModelDouble } from '../double/modelDouble.ts';
import { seedQuestions } from '../pictures/questions.ts';
import { toolStep } from '../support/agents/agentUnderTest.ts';
import { openAgentLab, orchestrate, startAnew } from '../support/agentWorkbench.ts';
import type { Lab } from '../support/lab.ts';
import { long } from '../support/long.ts';
import { cutIn, violationsIn } from '../support/looks.ts';
import { portsOf } from '../support/portsOf.ts';
import { questionFrame } from '../support/questionFrame.ts';
import { seedQuestion } from '../support/seedQuestion.ts';
import { chooseSetting, chooseTheme } from '../support/themes.ts';
import type { Workbench } from '../support/workbench.ts';

// One window for all: each test finds an empty folder, and no terminal.
const owned = new AsyncDisposableStack();
let lab: Lab;
let workbench: Workbench;
let page: Page;
let model: ModelDouble;
let workspace: string;

beforeAll(async () => {
	lab = owned.use(await openAgentLab());
	({ workbench, page, model, workspace } = lab);
});
afterAll(() => owned.disposeAsync());
beforeEach(() => startAnew(lab));

/** What it prints is not in the prompt: the model reads it in the result alone. */
const MAKES = "touch made && printf 'it is %s' made";
/** What the model has read, request by request. */
const read = () => model.requests.filter(({ hasTools }) => hasTools).map(({ text }) => text);

describe('a question of the real agent', () => {
	test('comes as a row, is shown whole and allowed once; then the tool runs and the model goes on', async () => {
		expect(await workbench.pane('Questions').count()).toBe(0);
		await orchestrate(lab, 'Fix the login', `[[sh:${MAKES}]][[text:All finished]]`);
		const row = workbench.row('Questions', 'Bash: touch made');
		await row.waitFor();
		await workbench.row('Tasks', /Fix the login.*Claude · asks: touch made/).waitFor();
		await workbench.status('nancy.nancy.needs').filter({ hasText: '1 question' }).waitFor();
		await expect.poll(() => workbench.badge('Nancy').innerText()).toBe('1');

		await row.click();
		const frame = await questionFrame(page, 'touch made');
		expect(await frame.locator('.block pre').first().innerText()).toBe(MAKES);
		expect(await frame.locator('h1').innerText()).toBe('Fix the login asks for Bash');
		await frame.getByText('Its terminal is open in this window.').waitFor();
		expect(await frame.evaluate(() => document.activeElement?.tagName)).not.toBe('BUTTON');
		await lab.picture('question');
		expect(existsSync(join(workspace, 'made'))).toBe(false);
		await frame.getByRole('button', { name: 'Allow Once' }).click();
		await frame.getByText('Allowed, and done').waitFor();
		expect(existsSync(join(workspace, 'made'))).toBe(true);
		await workbench.row('Tasks', /idle · All finished/).waitFor();
		await workbench.pane('Questions').waitFor({ state: 'detached' });
		expect(read()).toHaveLength(2);
		expect(read().at(-1)).toContain('it is made');
	});

	test('is denied with words, which the model reads, and then the next question is offered', async () => {
		await orchestrate(lab, 'Fix the login', '[[sh:touch made]][[sh:touch other]][[text:All finished]]');
		await workbench.row('Questions', 'touch made').waitFor();
		await page.keyboard.press('Shift+Alt+Q');
		const hidden = await questionFrame(page, 'touch made');
		await hidden.getByRole('button', { name: 'No, Because' }).click();
		await hidden.getByLabel('With a No').fill('Use the other folder.');
		// VS Code throws the page of a hidden tab away.
		await workbench.command('File: New Untitled Text File');
		await expect.poll(() => hidden.isDetached()).toBe(true);
		await page.keyboard.press('Shift+Alt+Q');
		const frame = await questionFrame(page, 'touch made');
		expect(await frame.getByLabel('With a No').inputValue()).toBe('Use the other folder.');
		expect(await frame.getByRole('button', { name: 'Allow Once' }).count()).toBe(0);
		await frame.getByRole('button', { name: 'No', exact: true }).click();
		await frame.getByText('Denied, as you answered').waitFor();
		await frame.getByRole('button', { name: 'Next Question' }).click();
		await questionFrame(page, 'touch other');
		expect(read().at(-1)).toContain('The user said no: Use the other folder.');
		expect(existsSync(join(workspace, 'made'))).toBe(false);
		await frame.getByRole('button', { name: 'No, Because' }).click();
		await frame.getByRole('button', { name: 'No, and End the Turn' }).click();
		// The agent reports no event of it, until it hears the next prompt.
		await frame.getByText('Sent: No, and End the Turn').waitFor();
		await workbench.row('Tasks', /Claude · idle/).waitFor();
		expect(existsSync(join(workspace, 'other'))).toBe(false);
	});

	test('is answered with a chosen option and words of the person’s own, which the model reads', long, async () => {
		const asked = toolStep('AskUserQuestion', {
			questions: [
				{
					question: 'Which colour?',
					header: 'Colour',
					multiSelect: false,
					options: ['Green', 'Blue'].map(label => ({ label, description: `It is ${label}` })),
				},
				{
					question: 'Which sounds?',
					header: 'Sounds',
					multiSelect: true,
					options: ['Bell', 'Gong'].map(label => ({ label, description: `A ${label}` })),
				},
			],
		});
		await orchestrate(lab, 'Fix the timer', `${asked}[[text:All finished]]`);
		await workbench.row('Questions', 'Which colour?').click();
		const frame = await questionFrame(page, 'Which sounds?');
		const send = frame.getByRole('button', { name: 'Send the Answer' });
		await frame.getByLabel('Blue').check();
		await frame.getByLabel('Gong').check();
		expect(await send.isEnabled()).toBe(true);
		await frame.getByLabel('Your own answer').nth(1).fill('A whistle');
		await lab.picture('question-choice');
		await send.click();
		await frame.getByText('The agent has your answer').waitFor();
		await expect.poll(() => read().at(-1)).toMatch(/Which colour\?\W+Blue/);
		expect(read().at(-1)).toMatch(/Which sounds\?\W+Gong, A whistle/);
	});

	test('is told in one notification, and the panel says that it was answered in the terminal', long, async () => {
		await orchestrate(lab, 'Fix the login', `[[sh:${MAKES}]][[text:All finished]]`);
		const toast = workbench.toast('An agent asks for your answer');
		await toast.getByRole('button', { name: 'Review' }).click();
		const frame = await questionFrame(page, 'touch made');
		await workbench.waitForTerminalText(/Do you want to proceed/);
		await frame.getByRole('button', { name: 'Go to the Terminal' }).click();
		await page.locator('.terminal-wrapper .xterm.focus').waitFor();
		await page.keyboard.press('Enter');
		await frame.getByText('Answered with Yes in the agent’s terminal').waitFor();
		expect(await frame.getByRole('button', { name: 'Allow Once' }).count()).toBe(0);
		expect(existsSync(join(workspace, 'made'))).toBe(true);
		await workbench.row('Tasks', /idle · All finished/).waitFor();
		expect(read().at(-1)).toContain('it is made');
	});

	test('waits through a reload of the window, which ends the window’s server', long, async () => {
		const ports = async () => (await portsOf(lab.server)).length;
		chooseSetting(lab.server, 'nancy.server.enabled', true);
		await orchestrate(lab, 'Fix the login', `[[sh:${MAKES}]][[text:All finished]]`);
		await workbench.row('Questions', 'Bash: touch made').waitFor();
		const before = await ports();
		await workbench.command('Nancy: Open the Desk on a Phone');
		// VS Code in a browser has no address for it.
		await workbench.toast('Let a tunnel of your own lead to port').waitFor();
		expect(await ports()).toBeGreaterThan(before);
		await page.reload();
		await workbench.ready();
		await workbench.row('Questions', 'Bash: touch made').click();
		const frame = await questionFrame(page, 'touch made');
		await expect.poll(ports).toBe(before);
		expect(existsSync(join(workspace, 'made'))).toBe(false);
		await frame.getByRole('button', { name: 'Allow Once' }).click();
		await frame.getByText('Allowed, and done').waitFor();
		expect(existsSync(join(workspace, 'made'))).toBe(true);
		await workbench.row('Tasks', /idle · All finished/).waitFor();
		expect(read().at(-1)).toContain('it is made');
	});

	test('is harmless text, whatever it says', async () => {
		const data = dataFolder({ HOME: lab.server.home });
		await orchestrate(lab, 'Fix the login', '[[text:All finished]]');
		const hostile = '[x](command:nancy.doctor) $(flame) <b>bold</b> \u202etxt.exe\u202c \u001b[2K a\u200bb';
		const shown = '<b>bold</b> ⟨U+202E⟩txt.exe⟨U+202C⟩ \\x1b[2K a⟨U+200B⟩b';
		const store = new Workspace(workspace, data);
		const question = await seedQuestion(store, {
			title: hostile,
			body: hostile,
			also: [{ name: hostile, value: hostile }],
			choices: [
				{ effect: 'once' },
				{ effect: 'session', rule: hostile },
				{ effect: 'folder', rule: hostile, keptIn: hostile },
				{ effect: 'no' },
			],
		});
		const row = workbench.row('Questions', 'Claude Code');
		await row.waitFor();
		expect(await row.innerText()).toContain(`[x] (command:nancy.doctor) $ (flame) ${shown}`);
		expect(await row.locator('.label-name a, .codicon-flame, b').count()).toBe(0);
		await row.click();
		const frame = await questionFrame(page, 'txt.exe');
		const texts = await frame.locator('pre').allInnerTexts();
		expect(texts).toEqual([1, 2, 3, 4].map(() => `[x](command:nancy.doctor) $(flame) ${shown}`));
		expect(await frame.locator('main a, main b, main img').count()).toBe(0);
		await lab.picture('question-hostile');
		await frame.getByRole('button', { name: 'No', exact: true }).click();
		await frame.getByText('Sent: No').waitFor();
		expect((await new Questions(store.own).readAnswer(question.id))?.effect).toBe('no');
		await new Questions(store.own).end(question.id, 'ended', 'the test is over');
	});

	test('is whole in sight at every width and in every theme, and axe-core finds nothing', long, async () => {
		const store = new Workspace(workspace, dataFolder({ HOME: lab.server.home }));
		await seedQuestions(store, [], 5);
		await workbench.row('Questions', 'echo long').waitFor();
		const shown = ['rm -rf build', 'minutes = 4', 'Run **all** tests', 'Which sounds?', 'long words'];
		for (const [at, theme] of (['light', 'contrast', 'dark'] as const).entries()) {
			chooseTheme(lab.server, theme);
			for (const [step, request] of shown.entries()) {
				await page.keyboard.press('Shift+Alt+Q');
				const frame = await questionFrame(page, request);
				await frame.locator(`body.${CLASSES[theme]}`).waitFor();
				// No theme moves anything.
				for (const width of at === 0 ? WIDTHS : []) {
					await narrow(frame, width);
					expect([theme, request, width, await cutIn(frame)]).toEqual([theme, request, width, []]);
				}
				await narrow(frame, WIDTHS[(at + step) % WIDTHS.length]!);
				expect([theme, request, await violationsIn(frame)]).toEqual([theme, request, []]);
				await lab.picture(`question-${theme}-${step}`);
			}
		}
		for (const { question } of await new Questions(store.own).open())
			await new Questions(store.own).end(question.id, 'ended', 'the test is over');
	});
});

const CLASSES = { light: 'vscode-light', dark: 'vscode-dark', contrast: 'vscode-high-contrast' } as const;
const WIDTHS = [240, 390, 768, 1280] as const;

/** Makes the tab so wide, in pixels. */
async function narrow(frame: Frame, width: number): Promise<void> {
	const outer = await frame.parentFrame()?.frameElement();
	await outer?.evaluate((element, pixels) => {
		if (element instanceof HTMLElement) element.style.width = `${pixels}px`;
	}, width);
	await expect.poll(() => frame.evaluate(() => innerWidth)).toBe(width);
}
