import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { isInside } from '../../base/inside.ts';
import { askText, type BoxButton, type StepFrame } from '../kit/inputs.ts';
import type { Folder } from '../ports.ts';
import type { Selection } from './askSelection.ts';
import { withSpecification } from './specification.ts';
import type { HubRow } from './startHub.ts';
import type { StartMemory } from './startMemory.ts';

/** The user wants to write the prompt in an editor. */
export class PromptNeedsEditor extends Error {
	/** @param text typed so far */
	constructor(readonly text: string) {
		super('the prompt is written in an editor');
	}
}

/** The user wants to change how it starts. */
class HowPressed extends Error {
	constructor(readonly text: string) {
		super('the user changes how it starts');
	}
}

/** A selection that the prompt may get. The user can change that. */
export type OfferedSelection = Selection & { isTaken: boolean };

export interface PromptQuestion {
	/** What stands in the box at first, unless a draft does. */
	typed: string;
	prompt: string;
	placeholder: string;
	mayBeEmpty: boolean;
	/** Whether Enter starts at once. Then a button leads to the choice. */
	isDirect: boolean;
	/** Where what is typed is kept until it has started: see {@link StartMemory.draft}. */
	draft: string;
	selection: OfferedSelection | undefined;
	/** The open specification, relative to the folder. */
	specification: string | undefined;
}

/**
 * Asks for a prompt. What is typed is kept as a draft from the first key on.
 * @returns the prompt, and whether the user wants to look at the choice first
 * @throws {PromptNeedsEditor}
 */
export async function askPrompt(
	frame: StepFrame,
	question: PromptQuestion,
	memory: StartMemory,
): Promise<{ prompt: string; changesHow: boolean }> {
	const { typed, prompt, placeholder, mayBeEmpty, draft } = question;
	try {
		const text = await askText(frame, {
			value: typed || memory.draft(draft),
			prompt,
			placeholder,
			validate: value => (mayBeEmpty || value.trim() !== '' ? undefined : l10n.t('Say what is to be done.')),
			buttons: buttonsOf(question),
			keep: value => void memory.keepDraft(draft, value),
		});
		return { prompt: text.trim(), changesHow: text.trim() === '' };
	} catch (error) {
		if (error instanceof HowPressed) return { prompt: error.text.trim(), changesHow: true };
		throw error;
	}
}

function buttonsOf({ isDirect, selection, specification }: PromptQuestion): BoxButton[] {
	const how: BoxButton = {
		icon: 'settings-gear',
		tooltip: l10n.t('Choose how it starts'),
		isInside: true,
		press: typed => {
			throw new HowPressed(typed);
		},
	};
	const write: BoxButton = {
		icon: 'edit',
		tooltip: l10n.t('Write a longer prompt in an editor'),
		press: typed => {
			throw new PromptNeedsEditor(typed);
		},
	};
	return [
		...(selection ? [selectionButton(selection)] : []),
		...(specification === undefined ? [] : [specificationButton(specification)]),
		write,
		...(isDirect ? [how] : []),
	];
}

function selectionButton(selection: OfferedSelection): BoxButton {
	return {
		icon: 'selection',
		tooltip: l10n.t('With the selection: {0}', selection.where),
		isOn: selection.isTaken,
		press: () => {
			selection.isTaken = !selection.isTaken;
			return undefined;
		},
	};
}

/** The same choice in the list. */
export function selectionRow(selection: OfferedSelection): HubRow {
	return {
		icon: selection.isTaken ? 'pass-filled' : 'circle-large-outline',
		label: l10n.t('With the selection'),
		description: selection.where,
		act() {
			selection.isTaken = !selection.isTaken;
		},
	};
}

function specificationButton(file: string): BoxButton {
	return {
		icon: 'file',
		tooltip: l10n.t('Use the open specification: {0}', file),
		press: typed => withSpecification(typed, file),
	};
}

/** The open text file of the user in this folder, relative to it. An open message does not count. */
export function specificationIn(folder: Folder): string | undefined {
	const document = vscode.window.activeTextEditor?.document;
	if (document?.uri.scheme !== 'file' || !['markdown', 'plaintext'].includes(document.languageId)) return undefined;
	const file = document.uri.fsPath;
	const isOwn = isInside(folder.path, file) && !isInside(folder.workspace.paths.root, file);
	return isOwn ? relative(folder.path, file).replaceAll(sep, '/') : undefined;
}
