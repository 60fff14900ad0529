import { resolve } from 'node:path';
import * as z from 'zod/mini';
import type { HookSwitch } from '../core/driver/deploymentPlan.ts';
import type { HookCall } from '../core/driver/hooks.ts';
import { parseLooseJson } from '../core/files/looseJson.ts';
import { readPlainText } from '../core/files/plainFile.ts';
import { valuesOf } from './valuesOf.ts';

const Settings = z.looseObject({
	context: z.optional(z.looseObject({ includeDirectories: z.optional(z.array(z.string())) })),
});

/** The folders of `--include-directories`, and of settings with the key `context.includeDirectories`. */
export async function includedFolders(
	hookSwitch: HookSwitch,
	{ env }: HookCall,
	workspaceFolder: string,
	args: readonly string[],
): Promise<string[]> {
	const named = ['--include-directories', '--add-dir'].flatMap(option => valuesOf(option, args));
	const files = hookSwitch.files({ workspaceFolder, env });
	const texts = await Promise.all(files.map(file => readPlainText(file).catch(() => undefined)));
	return [...named.flatMap(value => value.split(',')), ...texts.flatMap(foldersIn)].map(folder =>
		resolve(workspaceFolder, folder),
	);
}

function foldersIn(text: string | undefined): readonly string[] {
	try {
		return Settings.parse(parseLooseJson(text ?? '{}')).context?.includeDirectories ?? [];
	} catch {
		return [];
	}
}
