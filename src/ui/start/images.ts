import { basename, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { visible } from '../../base/visible.ts';
import { pickSeveral } from '../kit/inputs.ts';
import { inform } from '../kit/messages.ts';
import type { AgentChoice, Folder } from '../ports.ts';
import { agentsOf, type StartChoice } from './startChoice.ts';
import type { HubRow } from './startHub.ts';

const IMAGES = '**/*.{png,PNG,jpg,JPG,jpeg,JPEG,gif,GIF,webp,WEBP}';
/** Beside `files.exclude`. */
const EXCLUDED = '**/{node_modules,.git,.nancy}/**';
/** What is typed filters them. */
const MOST_FOUND = 2000;

/** Images for the first prompt: absolute paths. */
export interface WithImages {
	images: readonly string[];
}

/** Nothing if none of the agents takes an image at its start. */
export function imagesRow(
	title: string,
	{ path }: Pick<Folder, 'path'>,
	chosen: WithImages,
	choice: StartChoice,
	agents: readonly AgentChoice[],
): HubRow[] {
	const all = agentsOf(choice, agents);
	if (!all.some(({ takesImages }) => takesImages)) return [];
	const without = all.filter(({ takesImages }) => !takesImages).map(({ displayName }) => displayName);
	const isPartial = without.length > 0 && chosen.images.length > 0;
	return [
		{
			icon: 'file-media',
			label: l10n.t('Images'),
			description: chosen.images.map(file => basename(file)).join(', ') || l10n.t('none'),
			...(isPartial && { detail: l10n.t('{0} starts without them: it takes no images.', without.join(', ')) }),
			async act() {
				chosen.images = await askImages(title, path, chosen.images);
			},
		},
	];
}

async function askImages(title: string, folder: string, before: readonly string[]): Promise<readonly string[]> {
	const pattern = new vscode.RelativePattern(folder, IMAGES);
	const found = await vscode.workspace.findFiles(pattern, EXCLUDED, MOST_FOUND);
	const rows = [...new Set([...before, ...found.map(({ fsPath }) => fsPath)])]
		.map(fsPath => ({ fsPath, path: relative(folder, fsPath).split(sep).join('/') }))
		// A name that hides something is not offered: what is shown is what is handed over.
		.filter(({ path }) => visible(path) === path)
		.toSorted((a, b) => (a.path < b.path ? -1 : 1))
		.map(({ fsPath, path }) => ({ icon: 'file-media', label: path, picked: before.includes(fsPath), fsPath }));
	if (rows.length === 0) {
		void inform(l10n.t('There is no image in this folder.'));
		return before;
	}
	const picked = await pickSeveral(title, l10n.t('Which images does the prompt get?'), rows);
	return picked?.map(({ fsPath }) => fsPath) ?? before;
}
