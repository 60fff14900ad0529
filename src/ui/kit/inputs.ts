import * as vscode from 'vscode';
import { visible } from '../../base/visible.ts';
import { plainLine } from './plain.ts';

/** Questions in VS Code's input boxes and lists. Their texts may quote anybody, so no text becomes a link or a picture. */

/** A row of a list. Its picture has a field of its own, because no text becomes a picture. */
export interface Choice {
	label: string;
	description?: string;
	detail?: string;
	icon?: string;
	kind?: vscode.QuickPickItemKind;
	alwaysShow?: boolean;
	/** Whether the row is chosen at first, in a list where the user can choose several. */
	picked?: boolean;
}

/** A row in VS Code's form, with the row that it was made of. */
interface Shown<T extends Choice> extends vscode.QuickPickItem {
	choice: T;
}

function shown<T extends Choice>(choice: T): Shown<T> {
	const { label, description, detail, icon, kind, alwaysShow, picked } = choice;
	return {
		choice,
		label: plainLine(label),
		...(description !== undefined && { description: plainLine(description) }),
		...(detail !== undefined && { detail: plainLine(detail) }),
		...(icon !== undefined && { iconPath: new vscode.ThemeIcon(icon) }),
		...(kind !== undefined && { kind }),
		...(alwaysShow !== undefined && { alwaysShow }),
		...(picked !== undefined && { picked }),
	};
}

/** Shown if the user can go back one step. */
export class BackPressed extends Error {}

/** Lets a question's list be shown again after {@link BackPressed}. Throws every other error. */
export function ignoreBack(error: unknown): void {
	if (!(error instanceof BackPressed)) throw error;
}

/** A button of a text box. */
export interface BoxButton {
	icon: string;
	tooltip: string;
	/** Inside the box, at its end, instead of in the title. */
	isInside?: boolean;
	/** For a button that is on or off: what it is at first. */
	isOn?: boolean;
	/**
	 * Called with what is typed so far. Returns what stands in the box from then on, or `undefined` if that stays. The question ends with
	 * what this throws.
	 */
	press(typed: string): string | undefined;
}

export interface StepFrame {
	title: string;
	step: number;
	totalSteps: number;
}

/**
 * Asks for a text. Throws {@link vscode.CancellationError} if the user cancels, {@link BackPressed} for the way back, and what a button
 * throws.
 */
export function askText(
	frame: StepFrame,
	options: {
		value: string;
		prompt: string;
		placeholder: string;
		validate(value: string): string | undefined;
		buttons?: readonly BoxButton[];
		/** Called at each change of a text that is to be kept. Such a text is not selected, for the next key would replace it. */
		keep?(value: string): void;
	},
): Promise<string> {
	const box = vscode.window.createInputBox();
	const end = options.value.length;
	Object.assign(box, {
		value: options.value,
		prompt: plainLine(options.prompt),
		placeholder: plainLine(options.placeholder),
		...(options.keep && { valueSelection: [end, end] }),
	});
	const buttons = new Map((options.buttons ?? []).map(button => [shownButton(button), button]));
	return ask(box, frame, [...buttons.keys()], (accept, fail) => {
		box.onDidChangeValue(value => {
			options.keep?.(value);
			box.validationMessage = plainLine(options.validate(value) ?? '');
		});
		box.onDidTriggerButton(pressed => {
			try {
				const text = buttons.get(pressed)?.press(box.value);
				if (text === undefined) return;
				box.value = text;
				options.keep?.(text);
			} catch (error) {
				fail(error);
			}
		});
		box.onDidAccept(() => {
			const problem = options.validate(box.value);
			box.validationMessage = plainLine(problem ?? '');
			if (problem === undefined) accept(box.value);
		});
	});
}

function shownButton({ icon, tooltip, isInside, isOn }: BoxButton): vscode.QuickInputButton {
	return {
		iconPath: new vscode.ThemeIcon(icon),
		tooltip: plainLine(tooltip),
		...(isInside && { location: vscode.QuickInputButtonLocation.Input }),
		...(isOn !== undefined && { toggle: { checked: isOn } }),
	};
}

/** Asks for a choice. Throws as {@link askText} does. */
export function askChoice<T extends Choice>(
	frame: StepFrame,
	options: { items: readonly T[]; active: T | undefined; placeholder: string },
): Promise<T> {
	const pick = vscode.window.createQuickPick<Shown<T>>();
	pick.items = options.items.map(shown);
	pick.placeholder = plainLine(options.placeholder);
	pick.matchOnDescription = true;
	const active = pick.items.filter(({ choice }) => choice === options.active);
	// Without an active row, Enter would choose nothing.
	if (active.length > 0) pick.activeItems = active;
	return ask(pick, frame, [], accept => {
		pick.onDidAccept(() => {
			const [chosen] = pick.selectedItems;
			if (chosen) accept(chosen.choice);
		});
	});
}

/**
 * A text, or `undefined` if the user cancels.
 * @param offered to be taken or changed. Then the text must not be empty: `empty` says so
 */
export function askLine(
	title: string,
	prompt: string,
	offered?: { value: string; empty?: string; refuse?: (typed: string) => string | undefined },
): Thenable<string | undefined> {
	return vscode.window.showInputBox({
		title: plainLine(title),
		prompt: plainLine(prompt),
		ignoreFocusOut: true,
		...(offered && {
			// As a whole and as it is: what the user leaves is taken for the user's own words.
			value: visible(offered.value).replace(/[ \t\r\n]+/g, ' '),
			validateInput: typed => {
				const reason = typed.trim() === '' ? offered.empty : offered.refuse?.(typed.trim());
				return reason === undefined ? undefined : plainLine(reason);
			},
		}),
	});
}

/** One of the rows, or `undefined` if the user cancels. */
export async function pickOne<T extends Choice>(title: string, rows: readonly T[]): Promise<T | undefined> {
	const options = { title: plainLine(title), matchOnDescription: true };
	return (await vscode.window.showQuickPick(rows.map(shown), options))?.choice;
}

/** Any number of the rows, or `undefined` if the user cancels. */
export async function pickSeveral<T extends Choice>(
	title: string,
	placeholder: string,
	rows: readonly T[],
): Promise<T[] | undefined> {
	const picked = await vscode.window.showQuickPick(rows.map(shown), {
		title: plainLine(title),
		placeHolder: plainLine(placeholder),
		canPickMany: true,
		ignoreFocusOut: true,
	});
	return picked?.map(({ choice }) => choice);
}

/**
 * One of the rows. The rows depend on the typed text.
 * @throws {vscode.CancellationError}
 */
export async function pickTyped<T extends Choice>(
	title: string,
	placeholder: string,
	rowsFor: (typed: string) => readonly T[],
): Promise<T> {
	const pick = vscode.window.createQuickPick<Shown<T>>();
	pick.title = plainLine(title);
	pick.placeholder = plainLine(placeholder);
	pick.items = rowsFor('').map(shown);
	pick.onDidChangeValue(typed => {
		pick.items = rowsFor(typed.trim()).map(shown);
	});
	try {
		return await new Promise<T>((resolve, reject) => {
			pick.onDidAccept(() => {
				const [chosen] = pick.selectedItems;
				if (chosen) resolve(chosen.choice);
			});
			pick.onDidHide(() => reject(new vscode.CancellationError()));
			pick.show();
		});
	} finally {
		pick.dispose();
	}
}

type Question = vscode.InputBox | vscode.QuickPick<vscode.QuickPickItem>;

async function ask<T>(
	input: Question,
	frame: StepFrame,
	buttons: readonly vscode.QuickInputButton[],
	listen: (accept: (value: T) => void, fail: (error: unknown) => void) => void,
): Promise<T> {
	Object.assign(input, { ...frame, title: plainLine(frame.title) });
	input.ignoreFocusOut = true;
	input.buttons = [...(frame.step > 1 ? [vscode.QuickInputButtons.Back] : []), ...buttons];
	try {
		return await new Promise<T>((resolve, reject) => {
			listen(resolve, reject);
			input.onDidTriggerButton(button => {
				if (button === vscode.QuickInputButtons.Back) reject(new BackPressed());
			});
			input.onDidHide(() => reject(new vscode.CancellationError()));
			input.show();
		});
	} finally {
		input.dispose();
	}
}

/** Asks questions one after another. Back goes to the question before. Each question keeps its own answer. */
export async function inOrder(questions: readonly ((step: number) => Promise<void>)[]): Promise<void> {
	for (let at = 0; at < questions.length;) {
		try {
			await questions[at]?.(at + 1);
			at++;
		} catch (error) {
			if (!(error instanceof BackPressed) || at === 0) throw error;
			at--;
		}
	}
}
