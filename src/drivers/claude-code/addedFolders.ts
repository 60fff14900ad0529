import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import * as z from 'zod/mini';
import { readPlainText } from '../../core/files/plainFile.ts';
import type { HookCall } from '../../core/driver/hooks.ts';
import { valuesOf } from '../valuesOf.ts';
import { hookSwitch } from './hookSwitch.ts';

const Settings = z.looseObject({
	permissions: z.optional(z.looseObject({ additionalDirectories: z.optional(z.array(z.string())) })),
});

/**
 * The folders that the CLI was given besides its own: by `--add-dir`, and by `additionalDirectories` of its settings files. In these files
 * it also keeps the folders of a “don't ask again”. The folders of `/add-dir` are left out: they are in the CLI's memory alone.
 * @param args of its process, if they can be seen
 */
export async function addedFolders(
	{ env }: HookCall,
	workspaceFolder: string,
	args: readonly string[],
): Promise<string[]> {
	const home = env['HOME'] || homedir();
	const start = env['CLAUDE_PROJECT_DIR'] || workspaceFolder;
	const texts = await Promise.all([
		...hookSwitch.files({ workspaceFolder: start, env }).map(textOf),
		...valuesOf('--settings', args).map(value =>
			value.trim().startsWith('{') ? value : textOf(resolve(start, value)),
		),
	]);
	return [...valuesOf('--add-dir', args), ...texts.flatMap(foldersIn)].map(folder =>
		folder === '~' || folder.startsWith('~/') ? join(home, folder.slice(1)) : resolve(start, folder),
	);
}

/** The CLI ignores a file that it cannot read, whole. */
function foldersIn(text: string): readonly string[] {
	try {
		return Settings.parse(JSON.parse(text)).permissions?.additionalDirectories ?? [];
	} catch {
		return [];
	}
}

async function textOf(file: string): Promise<string> {
	return (await readPlainText(file).catch(() => undefined)) ?? '';
}
