import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import { noteHooksChoice } from '../core/workspace/hooksChoice.ts';
import type { Folder } from '../ui/ports.ts';
import { hooksChoice } from '../ui/settings.ts';

/**
 * Writes the window's setting for hooks into the workspace's file. If the user removes the setting, the file loses it. The choice
 * is sealed, too. Does nothing in a workspace without Nancy.
 */
export async function keepHooksChoice({ path, workspace }: Folder): Promise<void> {
	if (!vscode.workspace.isTrusted || !existsSync(workspace.paths.root)) return;
	const choice = hooksChoice(path);
	await noteHooksChoice(workspace, choice ?? 'on');
	if ((await workspace.config()).hooks === choice) return;
	await workspace.updateConfig(({ hooks: _before, ...config }) => ({ ...config, ...(choice && { hooks: choice }) }));
}
