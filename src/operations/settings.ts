import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import type { Folder } from '../ui/ports.ts';
import { hooksChoice, tokenThreshold } from '../ui/settings.ts';

/** The user's choice, else the workspace's own. */
export async function hasHooks({ path, workspace }: Folder): Promise<boolean> {
	return (hooksChoice(path) ?? (await workspace.config()).hooks) !== 'off';
}

/** The `nancy` command reads the workspace's file, not VS Code's settings. */
export async function keepSettings({ path, workspace }: Folder): Promise<void> {
	const config = await workspace.config();
	const threshold = tokenThreshold(path) ?? config.tokenThreshold;
	const hooks = hooksChoice(path) ?? config.hooks;
	if (config.tokenThreshold === threshold && config.hooks === hooks) return;
	await workspace.updateConfig(known => ({ ...known, tokenThreshold: threshold, ...(hooks && { hooks }) }));
}

/** A choice that the user takes back is the workspace's no more. Does nothing where Nancy is not used yet. */
export async function keepHooksChoice({ path, workspace }: Folder): Promise<void> {
	if (!vscode.workspace.isTrusted || !existsSync(workspace.paths.root)) return;
	const choice = hooksChoice(path);
	if ((await workspace.config()).hooks === choice) return;
	await workspace.updateConfig(({ hooks: _before, ...config }) => ({ ...config, ...(choice && { hooks: choice }) }));
}
