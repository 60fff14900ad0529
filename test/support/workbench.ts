import type { Locator, Page } from 'playwright-core';
import { eventually, HANG_MS } from './eventually.ts';

/** In milliseconds: after these, a menu that has lost the focus is opened again. Such a step is tried often. */
const MENU_MS = 5000;
const STEP_MS = HANG_MS / 4;

/**
 * The user's own keys in a window for tests. The palette costs half a second of a core each time that it opens: it is for the
 * steps of which it is the point.
 */
const SHORTCUTS = {
	tidy: 'Control+Alt+Shift+F1',
	'nancy.orchestrateTask': 'Control+Alt+Shift+F2',
	'nancy.sendMessage': 'Control+Alt+Shift+F3',
	'nancy.delegate': 'Control+Alt+Shift+F4',
	'nancy.filterTraffic': 'Control+Alt+Shift+F5',
} as const;

const TIDY = ['workbench.action.terminal.killAll', 'workbench.action.closeAllEditors', 'notifications.clearAll'];

/** As VS Code's keybindings.json has them. */
export const shortcutKeys = Object.entries(SHORTCUTS).map(([command, chord]) => ({
	key: chord.toLowerCase().replace('control', 'ctrl'),
	...(command === 'tidy' ? { command: 'runCommands', args: { commands: TIDY } } : { command }),
}));

/** Also while a terminal has the keyboard. */
export const shortcutSettings = {
	'terminal.integrated.commandsToSkipShell': ['runCommands', ...Object.keys(SHORTCUTS)],
};

/** VS Code's window as a person uses it. The selectors are VS Code's own class names and labels. */
export class Workbench {
	readonly page: Page;

	constructor(page: Page) {
		this.page = page;
	}

	/** The window is drawn. Extensions come up to three seconds later: also wait for what the test needs. */
	async ready(): Promise<void> {
		await this.page.locator('.monaco-workbench .statusbar-item').first().waitFor();
	}

	// Palette, quick pick and input box are one widget.

	get quick(): Locator {
		return this.page.locator('.quick-input-widget:visible');
	}

	get quickInput(): Locator {
		return this.quick.locator('input[type=text]');
	}

	quickRow(text: string | RegExp): Locator {
		return this.quick.locator('.quick-input-list .monaco-list-row').filter({ hasText: text });
	}

	/**
	 * Runs a command by its title, as shown: 'Nancy: Start Agent'. The palette lists what is enabled when it opens, so in a
	 * window that is still starting it is opened again until the command is there.
	 */
	async command(title: string): Promise<void> {
		const row = this.quickRow(title).first();
		await eventually(
			`${title} in the palette`,
			async () => {
				// A webview that is just being drawn keeps the keys to itself: as after a click beside it.
				await this.page.evaluate(leaveWebview);
				await this.page.keyboard.press('F1');
				// Whatever takes the focus closes it again, as a webview does that has just been drawn.
				await this.quickInput.fill(`>${title}`, { timeout: 5000 });
				const isThere = await row.waitFor({ timeout: 2000 }).then(
					() => true,
					() => false,
				);
				if (!isThere) await this.page.keyboard.press('Escape');
				// Into its own input: in the meantime the focus may have gone, and the palette with it.
				else await this.quickInput.press('Enter', { timeout: 5000 });
				return isThere;
			},
			{ everyMs: 300 },
		);
	}

	/** Runs a command that asks for something, by its key. */
	async ask(command: Exclude<keyof typeof SHORTCUTS, 'tidy'>): Promise<void> {
		// What was asked before may still be closing.
		await this.quick.waitFor({ state: 'hidden' });
		await this.#press(SHORTCUTS[command], `the question of ${command}`, async () => {
			// The first one asks each CLI for its version. Pressed again meanwhile, a second box would take the place of the first.
			await this.quickInput.waitFor({ timeout: 20_000 });
			return true;
		});
	}

	/** Closes every terminal, editor and notification. */
	async tidy(): Promise<void> {
		const left = this.page.locator('.terminal-wrapper, .tabs-container .tab, .notification-toast');
		await this.#press(SHORTCUTS.tidy, 'a tidy window', async () => {
			await eventually('nothing', async () => (await left.count()) === 0, { timeoutMs: 3000, everyMs: 100 });
			return true;
		});
	}

	/** Presses it again where nothing came of it: a window that is still starting does not know all its keys. */
	async #press(chord: string, what: string, isDone: () => Promise<boolean>): Promise<void> {
		await eventually(
			what,
			async () => {
				// A webview that is just being drawn keeps the keys to itself: as after a click beside it.
				await this.page.evaluate(leaveWebview);
				await this.page.keyboard.press(chord);
				return isDone();
			},
			{ everyMs: 300 },
		);
	}

	/** Chooses a row of the quick pick that is open. */
	async pick(text: string | RegExp): Promise<void> {
		await this.quickRow(text).first().click();
	}

	/** Waits until the quick pick asks this. The rows of the one before, with the same names, take no click any more. */
	async quickAsks(question: string): Promise<void> {
		await this.quick.getByPlaceholder(question).waitFor();
	}

	/** Fills in the input box that is open and accepts it. */
	async answer(text: string): Promise<void> {
		await this.quickInput.waitFor();
		await this.quickInput.fill(text);
		await this.page.keyboard.press('Enter');
	}

	// Activity bar and views

	/** A view container's icon. Click this, not the link in it: a badge covers the link. */
	activity(title: string): Locator {
		return this.page.locator(`.activitybar li.action-item:has(a[aria-label^="${title}"])`);
	}

	badge(title: string): Locator {
		return this.activity(title).locator('.badge-content');
	}

	/** A view in a sidebar or panel, by its heading. */
	pane(title: string): Locator {
		return this.page.locator('.pane').filter({ has: this.page.locator('.pane-header', { hasText: title }) });
	}

	/** Rows of a tree view that are scrolled into sight. */
	row(paneTitle: string, text: string | RegExp): Locator {
		return this.pane(paneTitle).locator('[role=treeitem]').filter({ hasText: text });
	}

	/** Rows of the Inbox by their spoken names, which have the receipt: `Directive to Fix it, Mind the gap, delivered · PreToolUse`. */
	mail(name: string | RegExp): Locator {
		return this.pane('Inbox').getByRole('treeitem', { name });
	}

	/** The text that rests over a row, once it has this text. A row that is drawn again under a mouse that rests shows none, and closes it. */
	async hoverOf(row: Locator, text: string): Promise<Locator> {
		const hover = this.page.locator('.workbench-hover:visible').filter({ hasText: text });
		await eventually(`the hover ${text}`, async () => {
			await this.page.mouse.move(700, 300);
			await row.hover();
			return hover.waitFor({ timeout: 3000 }).then(
				() => true,
				() => false,
			);
		});
		return hover;
	}

	/** An action on a tree row, which appears when the mouse is over it. */
	async rowAction(row: Locator, label: string): Promise<void> {
		await row.hover();
		await row.locator(`.action-item a[aria-label^="${label}"]`).click();
	}

	/** Chooses in a row's context menu: see {@link inContextMenu}. */
	async contextMenu(row: Locator, label: string): Promise<void> {
		await this.inContextMenu(row, label, entry => entry.click({ timeout: STEP_MS }));
	}

	/**
	 * Does something with a choice in a row's context menu. Whatever takes the focus closes the menu, such as a terminal that a click has
	 * just asked for or an editor that was just opened. It is opened again then. So it is while the choice is still switched off: a menu
	 * does not follow what its extension tells VS Code later, such as right after a reload.
	 */
	async inContextMenu(row: Locator, label: string, act: (entry: Locator) => Promise<unknown>): Promise<void> {
		const entry = this.page.locator('.context-view .action-item:not(.disabled)', { hasText: label }).first();
		await eventually(
			`${label} in the context menu`,
			async () => {
				await row.click({ button: 'right', timeout: STEP_MS });
				// A menu takes no click in its first 100 ms, so that the one which opened it does not choose.
				await this.page.waitForTimeout(250);
				const isChosen = await entry
					.waitFor({ timeout: MENU_MS })
					.then(() => act(entry))
					.then(
						() => true,
						() => false,
					);
				if (!isChosen) await this.page.keyboard.press('Escape');
				return isChosen;
			},
			{ everyMs: 300, timeoutMs: 3 * HANG_MS },
		);
	}

	/** Selects a line of the active editor. By keys: on a busy machine, three clicks are not always one. */
	async selectLine(text: string): Promise<void> {
		await this.page.locator('.view-line', { hasText: text }).click();
		await this.page.keyboard.press('Home');
		await this.page.keyboard.press('Shift+End');
	}

	// Everything around

	/** Id: publisher, extension and the item's own id, joined by dots. */
	status(id: string): Locator {
		return this.page.locator(`.statusbar-item[id="${id}"]`);
	}

	/** A notification that has popped up. Its buttons: `.getByRole('button', { name })`. */
	toast(text: string | RegExp): Locator {
		return this.page.locator('.notification-toast .notification-list-item').filter({ hasText: text });
	}

	/** A modal dialog. */
	dialog(text: string | RegExp): Locator {
		return this.page.locator('.monaco-dialog-box').filter({ hasText: text });
	}

	/** An editor's tab. */
	tab(name: string | RegExp): Locator {
		return this.page.locator('.tabs-container .tab').filter({ hasText: name });
	}

	/** The text of the active editor's visible lines. */
	async editorText(): Promise<string> {
		const lines = await this.page.locator('.editor-instance .view-lines .view-line').allInnerTexts();
		return lines.join('\n').replaceAll('\u00a0', ' ');
	}

	/** The content of the webview view or panel that is visible. */
	webview(): ReturnType<Page['frameLocator']> {
		return this.page.frameLocator('iframe.webview').frameLocator('iframe#active-frame');
	}

	// Terminals

	/** Everything in a terminal, scrollback included; terminals count in the order of the DOM. */
	async terminalText(index = 0): Promise<string> {
		return this.page.evaluate(readTerminal, index);
	}

	/**
	 * Clicks a row that shows something in a terminal. VS Code draws the row of a running delegate anew each second. A click in that moment
	 * finds no command or no row any more, and does nothing, so a person clicks again.
	 * @param count of terminals that there are then
	 */
	async clickForTerminal(row: Locator, count: number): Promise<void> {
		const terminals = this.page.locator('.terminal-wrapper');
		await eventually(
			'the terminal',
			async () => {
				await row.click();
				const opened = () => terminals.count().then(now => now >= count);
				for (let look = 0; look < 20 && !(await opened()); look++) await this.page.waitForTimeout(250);
				return opened();
			},
			{ everyMs: 0 },
		);
	}

	async waitForTerminalText(pattern: RegExp, index = 0): Promise<string> {
		let last = '';
		try {
			return await eventually(`${pattern} in the terminal`, async () => {
				last = await this.terminalText(index);
				return pattern.test(last) && last;
			});
		} catch (error) {
			throw new Error(`${pattern} did not appear in the terminal:\n${last}`, { cause: error });
		}
	}

	/** Types into a terminal like a person. */
	async typeInTerminal(text: string, index = 0): Promise<void> {
		const wrapper = this.page.locator('.terminal-wrapper').nth(index);
		await wrapper.locator('.xterm').click();
		// What is typed before the focus has arrived is lost.
		await wrapper.locator('textarea.xterm-helper-textarea:focus').waitFor({ state: 'attached' });
		await this.page.keyboard.type(text);
	}
}

/** Runs in the page. */
function leaveWebview(): void {
	if (document.activeElement instanceof HTMLIFrameElement) document.activeElement.blur();
}

/** Runs in the page. VS Code hangs its xterm.js terminal on the element. */
function readTerminal(index: number): string {
	interface Line {
		translateToString(trim: boolean): string;
	}
	interface WithTerminal {
		xterm?: { buffer: { active: { length: number; getLine(at: number): Line | undefined } } };
	}
	const wrapper = document.querySelectorAll('.terminal-wrapper')[index] as (Element & WithTerminal) | undefined;
	const element = wrapper?.querySelector('.xterm') as (Element & WithTerminal) | null | undefined;
	const buffer = (wrapper?.xterm ?? element?.xterm)?.buffer.active;
	const lines: string[] = [];
	for (let at = 0; buffer && at < buffer.length; at++) lines.push(buffer.getLine(at)?.translateToString(true) ?? '');
	return lines.join('\n').trimEnd();
}
