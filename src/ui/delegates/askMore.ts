import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { l10n } from 'vscode';
import type { DelegateChoice } from './delegateChoice.ts';
import { isInside } from '../../base/inside.ts';
import { askText, inOrder } from '../kit/inputs.ts';

/** Choices that most delegates leave at their defaults. */
export function moreWords({ within, wallMinutes, idleMinutes }: DelegateChoice): string {
	const limits = l10n.t('{0} min, {1} min without output', wallMinutes, idleMinutes);
	return within === '' ? limits : `${within} · ${limits}`;
}

/** Asks for one choice after another. Going back from the first throws: see {@link inOrder}. */
export async function askMore(choice: DelegateChoice, workspace: string): Promise<void> {
	// The steps count from the second, so that the user can go back from the first question too.
	const frame = (step: number) => ({ title: l10n.t('Delegate'), step: step + 1, totalSteps: 4 });
	const askMinutes = async (step: number, prompt: string, value: number) =>
		Number(
			await askText(frame(step), {
				value: String(value),
				prompt,
				placeholder: '',
				validate: typed =>
					Number(typed) > 0 && Number(typed) < 1e5 ? undefined : l10n.t('A number of minutes.'),
			}),
		);
	await inOrder([
		async step => {
			choice.within = (
				await askText(frame(step), {
					value: choice.within,
					prompt: l10n.t(
						'The folder to work in, below the workspace folder. Leave empty for the workspace folder.',
					),
					placeholder: 'packages/parser',
					validate: typed =>
						isFolderBelow(workspace, typed.trim())
							? undefined
							: l10n.t('There is no such folder in the workspace.'),
				})
			).trim();
		},
		async step => {
			const prompt = l10n.t('The longest time that it may work, in minutes.');
			choice.wallMinutes = await askMinutes(step, prompt, choice.wallMinutes);
		},
		async step => {
			const prompt = l10n.t('The longest time without any output, in minutes.');
			choice.idleMinutes = await askMinutes(step, prompt, choice.idleMinutes);
		},
	]);
}

function isFolderBelow(workspace: string, within: string): boolean {
	const folder = resolve(workspace, within);
	return isInside(workspace, folder) && (statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false);
}
