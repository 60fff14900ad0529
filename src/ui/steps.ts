import * as vscode from 'vscode';

/** Shown where the user can go back to the step before. */
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
	Object.assign(box, { value: options.value, prompt: options.prompt, placeholder: options.placeholder });
	return ask(box, frame, options.elsewhere ? [options.elsewhere] : [], accept => {
		box.onDidChangeValue(value => {
			box.validationMessage = options.validate(value) ?? '';
		});
		box.onDidAccept(() => {
			const problem = options.validate(box.value);
			box.validationMessage = problem ?? '';
			if (problem === undefined) accept(box.value);
		});
	});
}

/** One question with a choice for an answer. */
export function askChoice<T extends vscode.QuickPickItem>(
	frame: StepFrame,
	options: { items: readonly T[]; active: T | undefined; placeholder: string },
): Promise<T> {
	const pick = vscode.window.createQuickPick<T>();
	pick.items = options.items;
	pick.placeholder = options.placeholder;
	pick.matchOnDescription = true;
	pick.activeItems = options.active ? [options.active] : [];
	return ask(pick, frame, [], accept => {
		pick.onDidAccept(() => {
			const [chosen] = pick.selectedItems;
			if (chosen) accept(chosen);
		});
	});
}

type Question = vscode.InputBox | vscode.QuickPick<vscode.QuickPickItem>;

async function ask<T>(
	input: Question,
	frame: StepFrame,
	buttons: readonly vscode.QuickInputButton[],
	listen: (accept: (value: T) => void) => void,
): Promise<T> {
	Object.assign(input, frame);
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
