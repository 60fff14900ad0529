import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import { configFolder, dataFolder } from '../base/folders.ts';
import { errorText, NancyError } from '../base/errors.ts';
import { isInside } from '../base/inside.ts';
import { SeenSettings } from '../core/asker/seenSettings.ts';
import type { Driver } from '../core/driver/driver.ts';
import type { PermissionMode } from '../core/driver/headless.ts';
import { headlessOf } from '../core/driver/launch.ts';
import { UserSettingsFile } from '../core/files/userSettings.ts';
import type { CommonSettings } from '../protocol/settings.ts';
import type { DelegateId } from '../protocol/delegate.ts';
import type { Context } from './command.ts';
import { findOrChooseWorkspace, placeFrom } from './place.ts';

/** A duration in seconds from the command line. */
export function seconds(option: string, typed: string): number {
	const value = Number(typed);
	if (Number.isFinite(value) && value > 0 && value < 10_000_000) return value;
	throw new NancyError('bad-usage', `${option} needs a number of seconds, not "${typed}"`);
}

/** The user's settings for delegates and headless runs in a folder, from VS Code or written by hand. */
export function settingsFor(folder: string, { env }: Context): Promise<CommonSettings> {
	return settingsFile(env).forFolder(folder);
}

/** @throws NancyError `bad-usage` where there is no such folder */
export function workingFolder(named: string | undefined, { cwd }: Context): string {
	const folder = resolve(cwd, named ?? '.');
	if (lstatSync(real(folder), { throwIfNoEntry: false })?.isDirectory()) return folder;
	throw new NancyError('bad-usage', `there is no folder ${folder} to work in; name one with --working-dir`);
}

/** A swarm's name for a worker whose prompt is in this file. */
export function featureOf(promptFile: string | undefined): string | undefined {
	return promptFile === undefined ? undefined : basename(promptFile, extname(promptFile));
}

/** How long a run may take, in seconds: as typed, else as set. */
export function limitsOf(
	typed: { timeout?: string | undefined; 'idle-timeout'?: string | undefined },
	settings: CommonSettings,
): { wallSeconds?: number; idleSeconds?: number } {
	const limit = (option: 'timeout' | 'idle-timeout', minutes: number | undefined) => {
		const value = typed[option];
		return value === undefined ? minutes && minutes * 60 : seconds(`--${option}`, value);
	};
	const wallSeconds = limit('timeout', settings.timeoutMinutes);
	const idleSeconds = limit('idle-timeout', settings.idleMinutes);
	return { ...(wallSeconds !== undefined && { wallSeconds }), ...(idleSeconds !== undefined && { idleSeconds }) };
}

/** Who asks for a permission, and what the user has set. */
export interface Asking {
	context: Context;
	settings: CommonSettings;
}

/**
 * A permission mode that the agent has; its most careful one by default. An agent gets no wider mode for another agent than the user has
 * set. It may be allowed to run `nancy` unasked, and must not get around its own permissions by that.
 */
export function permissionMode(driver: Driver, named: string | undefined, asking: Asking): string {
	const { permissionModes } = headlessOf(driver);
	const mode = named === undefined ? permissionModes[0] : permissionModes.find(({ id }) => id === named);
	if (!mode) {
		const known = permissionModes.map(({ id, detail }) => `${id} (${detail})`).join(', ');
		throw new NancyError('bad-usage', `${driver.displayName} has no permission mode "${named}"; it has ${known}`);
	}
	if (!isAgent(asking)) return mode.id;
	const widest = widestFromAgents(driver, asking);
	if (mode.width <= (widest?.width ?? 0)) return mode.id;
	throw notAllowed(driver, asking, `with the permissions "${mode.id}"; "${widest?.id}" is the widest it may give`);
}

/** Arguments for an agent CLI can carry any permission. So an agent needs the widest mode to pass arguments. */
export function refuseExtraFromAgent(driver: Driver, extra: readonly string[], asking: Asking): void {
	if (extra.length === 0 || !isAgent(asking) || driver.headless === 'none' || mayAll(driver, asking)) return;
	throw notAllowed(driver, asking, 'with arguments after --, which can change its permissions');
}

/**
 * The user's commands for worktrees run over files that an agent may just have changed, outside its sandbox: `npm ci` runs the scripts of a
 * package.json. With the widest mode the agent could run them itself.
 */
export function mayRunCommands(driver: Driver, asking: Asking): boolean {
	return !isAgent(asking) || mayAll(driver, asking);
}

/** @throws NancyError `not-trusted` for an agent that would have a tear-down command run: see {@link mayRunCommands} */
export function refuseTearDownFromAgent(driver: Driver, id: DelegateId, asking: Asking): void {
	if (mayRunCommands(driver, asking)) return;
	const what = `delete ${id}, whose tear-down command would run over files that agents have changed`;
	throw refusal(driver, asking, what);
}

/**
 * An agent that may run `nancy` unasked must not reach further by it than by itself. It starts its own CLI, and another one only if the
 * user has set that CLI's mode for agents. The new agent works in the asker's own workspace, or in the same place of a worktree beside it.
 * The worktrees of a Nancy worktree are beside the checkout that it was made from. In a folder below, the asker could have written settings
 * that widen the new agent's permissions. With the widest mode there is no such limit.
 * @param folders that the new agent works in, absolute
 */
export async function permitStart(driver: Driver, folders: readonly string[], asking: Asking): Promise<void> {
	const { context, settings } = asking;
	const { asker } = context;
	if (asker.is === 'human') {
		for (const folder of folders) await noteSeen(driver, folder, context);
		return;
	}
	findOrChooseWorkspace(context);
	if (asker.driver !== driver.id && settings.permissionsFromAgents?.[driver.id] === undefined)
		throw refusal(driver, asking, `start ${driver.displayName}: an agent starts its own CLI alone`);
	if (mayAll(driver, asking)) return;
	const { folder } = findOrChooseWorkspace({ ...context, isFolderGiven: false });
	const root = foldersUpFrom(folder).find(each => existsSync(join(each, '.git')));
	const { homeCheckout } = await import('../git/homeCheckout.ts');
	const worktrees = root === undefined ? undefined : real(`${await homeCheckout(real(root))}.worktrees`);
	const prefix = root === undefined ? '' : relative(real(root), real(folder));
	for (const place of folders) {
		const isInWorktree = worktrees !== undefined && isInside(worktrees, real(place));
		const [, ...inside] = isInWorktree ? relative(worktrees, real(place)).split(sep) : [];
		if (isInWorktree ? inside.join(sep) === prefix : real(place) === real(folder)) continue;
		if (!isInWorktree && !isInside(real(folder), real(place)))
			throw notAllowed(driver, asking, `in ${place}, outside its workspace`);
		throw notAllowed(driver, asking, `in ${place}; let it work in ${folder}, and say in the prompt where`);
	}
	for (const place of folders) await new SeenSettings(dataFolder(context.env), folder).require(driver, place);
}

/** A person starts the agent there, or sets it up: see {@link SeenSettings}. A failure of the note does not stop the person. */
export async function noteSeen(driver: Driver, folder: string, context: Context): Promise<void> {
	const seen = new SeenSettings(dataFolder(context.env), placeFrom(folder, context).folder);
	await seen
		.note(driver, folder)
		.catch((error: unknown) => context.note(`agents cannot start ${driver.displayName} here: ${errorText(error)}`));
}

function foldersUpFrom(folder: string): string[] {
	const parent = dirname(folder);
	return parent === folder ? [folder] : [folder, ...foldersUpFrom(parent)];
}

/** The real path, as far as it exists. A link that leads nowhere leads out. */
function real(path: string): string {
	if (lstatSync(path, { throwIfNoEntry: false })) return existsSync(path) ? realpathSync(path) : sep;
	return dirname(path) === path ? path : join(real(dirname(path)), basename(path));
}

function isAgent({ context: { asker } }: Asking): boolean {
	return asker.is === 'agent';
}

/** Whether the user lets agents start this one with any permission. */
function mayAll(driver: Driver, asking: Asking): boolean {
	if (driver.headless === 'none') return false;
	const all = Math.max(...headlessOf(driver).permissionModes.map(({ width }) => width));
	return (widestFromAgents(driver, asking)?.width ?? 0) === all;
}

function widestFromAgents(driver: Driver, { settings }: Asking): PermissionMode | undefined {
	const { permissionModes } = headlessOf(driver);
	const chosen = settings.permissionsFromAgents?.[driver.id];
	return permissionModes.find(({ id }) => id === chosen) ?? permissionModes[0];
}

function notAllowed(driver: Driver, asking: Asking, what: string): NancyError {
	return refusal(driver, asking, `start ${driver.displayName} ${what}`);
}

function refusal({ id }: Driver, { context }: Asking, what: string): NancyError {
	return new NancyError(
		'not-trusted',
		`an agent may not ${what}. The user can allow more: setting nancy.agents.${id}.permissionsFromAgents ` +
			`in VS Code, or delegates.permissionsFromAgents.${id} in ${settingsFile(context.env).file}`,
	);
}

function settingsFile(env: Context['env']): UserSettingsFile {
	return new UserSettingsFile(configFolder(env), env['HOME']);
}
