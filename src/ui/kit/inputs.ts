import * as vscode from 'vscode';
import { plainLine } from './plain.ts';

/** Questions in VS Code's input boxes and lists. What they show may quote anybody: it becomes no link and no picture. */

/** A row of a list. Its picture is named here: no text makes one. */
export interface Choice {
	label: string;
	description?: string;
	detail?: string;
	icon?: string;
	kind?: vscode.QuickPickItemKind;
	alwaysShow?: boolean;
	/** Where several can be chosen: chosen from the start. */
	picked?: boolean;
}

/** A row as VS Code gets it, which finds its way back to the one it was made of. */
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

/** The answer is given elsewhere. */
export class ElsewherePressed extends Error {
	/** @param text what has been typed so far */
	constructor(readonly text: string) {
		super();
	}
}

interface StepFrame {
	title: string;
	step: number;
	totalSteps: number;
}

/**
 * One question with a text for an answer. Cancelling throws {@link vscode.CancellationError}, back {@link BackPressed}, and the
 * button `elsewhere` {@link ElsewherePressed}.
 */
export function askText(
	frame: StepFrame,
	options: {
		value: string;
		prompt: string;
		placeholder: string;
		validate(value: string): string | undefined;
		elsewhere?: vscode.QuickInputButton;
	},
): Promise<string> {
	const box = vscode.window.createInputBox();
	Object.assign(box, {
		value: options.value,
		prompt: plainLine(options.prompt),
		placeholder: plainLine(options.placeholder),
	});
	return ask(box, frame, options.elsewhere ? [options.elsewhere] : [], accept => {
		box.onDidChangeValue(value => {
			box.validationMessage = plainLine(options.validate(value) ?? '');
		});
		box.onDidAccept(() => {
			const problem = options.validate(box.value);
			box.validationMessage = plainLine(problem ?? '');
			if (problem === undefined) accept(box.value);
		});
	});
}

/** One question with a choice for an answer. */
export function askChoice<T extends Choice>(
	frame: StepFrame,
	options: { items: readonly T[]; active: T | undefined; placeholder: string },
): Promise<T> {
	const pick = vscode.window.createQuickPick<Shown<T>>();
	pick.items = options.items.map(shown);
	pick.placeholder = plainLine(options.placeholder);
	pick.matchOnDescription = true;
	pick.activeItems = pick.items.filter(({ choice }) => choice === options.active);
	return ask(pick, frame, [], accept => {
		pick.onDidAccept(() => {
			const [chosen] = pick.selectedItems;
			if (chosen) accept(chosen.choice);
		});
	});
}

/** A text, or `undefined` when it was cancelled. */
export function askLine(title: string, prompt: string): Thenable<string | undefined> {
	return vscode.window.showInputBox({ title: plainLine(title), prompt: plainLine(prompt), ignoreFocusOut: true });
}

/** One of the rows, or `undefined` when it was cancelled. */
export async function pickOne<T extends Choice>(title: string, rows: readonly T[]): Promise<T | undefined> {
	const options = { title: plainLine(title), matchOnDescription: true };
	return (await vscode.window.showQuickPick(rows.map(shown), options))?.choice;
}

/** Any number of the rows, or `undefined` when it was cancelled. */
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
 * One of the rows, which depend on what has been typed.
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
	listen: (accept: (value: T) => void) => void,
): Promise<T> {
	Object.assign(input, { ...frame, title: plainLine(frame.title) });
	input.ignoreFocusOut = true;
	input.buttons = [...(frame.step > 1 ? [vscode.QuickInputButtons.Back] : []), ...buttons];
	try {
		return await new Promise<T>((resolve, reject) => {
			listen(resolve);
			input.onDidTriggerButton(button =>
				reject(
					button === vscode.QuickInputButtons.Back ? new BackPressed() : new ElsewherePressed(input.value),
				),
			);
			input.onDidHide(() => reject(new vscode.CancellationError()));
			input.show();
		});
	} finally {
		input.dispose();
	}
}

/** Runs questions one after another; back goes to the one before. Each keeps its own answer. */
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
