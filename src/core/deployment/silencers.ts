import { stripComments } from 'jsonc-parser';
import { hasCode } from '../../base/errors.ts';
import type { Driver } from '../driver/driver.ts';
import type { HookSwitch } from '../driver/deploymentPlan.ts';
import type { LaunchPlace } from '../driver/launchPlace.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { jobFor, type DeployRequest } from './job.ts';
import { plannedEdits } from './places.ts';
import { isPlainJson, oursAmong } from './settingsText.ts';
import { readBytes, readText, wayTo } from './target.ts';

/** Sentences about the CLI's settings that keep it from running present hooks. Only the user can cure them. */
export async function silencers(
	workspace: Workspace,
	driver: Driver,
	request: DeployRequest,
	env: LaunchPlace['env'],
): Promise<string[]> {
	const { plan } = await jobFor(workspace, driver, request);
	const sentences: string[] = [];
	for (const { file } of plan.edits) sentences.push(...passedOver(driver, file, await readText(workspace, file)));
	return [...sentences, ...(await switchedOff(workspace.folder, driver, env))];
}

/** Problems of a file that Nancy may edit for the CLI, even if it does not now: hooks in it are not read. */
export async function brokenSettings(workspace: Workspace, driver: Driver): Promise<string | undefined> {
	for (const file of new Set(plannedEdits(workspace, driver, '').map(edit => edit.file))) {
		if ((await wayTo(workspace, file)).is === 'blocked') continue;
		try {
			oursAmong(file, await readText(workspace, file), () => false);
		} catch (error) {
			if (hasCode(error, 'settings-broken')) return error.message;
			throw error;
		}
	}
	return undefined;
}

/** The sentence about a settings file that the CLI may not read, although its content is complete. */
export function passedOver({ displayName, hookSwitch }: Driver, file: string, text: string): string[] {
	const takesComments = hookSwitch !== 'none' && hookSwitch.takesComments;
	if (isPlainJson(takesComments ? stripComments(text) : text)) return [];
	const what = takesComments ? 'trailing commas' : 'comments or trailing commas';
	return [`${file} has ${what}; ${displayName} may ignore the whole file.`];
}

/**
 * The sentence about a setting with which the CLI runs no hook at all. It comes with a clone, or an agent writes it.
 * @param folder that the CLI works in
 */
export async function switchedOff(
	folder: string,
	{ displayName, hookSwitch }: Driver,
	env: LaunchPlace['env'],
): Promise<string[]> {
	if (hookSwitch === 'none') return [];
	for (const file of hookSwitch.files({ workspaceFolder: folder, env })) {
		const choice = hookSwitch.read(await settingsIn(file, hookSwitch), file);
		if (choice?.isOff)
			return [
				`${displayName} runs no hooks here, because "${choice.setting}" in ${file} switches them off: sessions report nothing and get no messages.`,
			];
		if (choice) return [];
	}
	return [];
}

/** The CLI's own view: a file that it cannot read says nothing to it. */
async function settingsIn(file: string, { takesComments }: HookSwitch): Promise<unknown> {
	try {
		const text = (await readBytes(file))?.toString('utf8') ?? '';
		const settings: unknown = JSON.parse(takesComments ? stripComments(text) : text);
		return settings;
	} catch {
		return undefined;
	}
}
