import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, extname, join, relative, sep } from 'node:path';
import { configFolder } from '../base/folders.ts';
import { NancyError } from '../base/errors.ts';
import { isInside } from '../base/inside.ts';
import type { Driver } from '../core/driver/driver.ts';
import type { PermissionMode } from '../core/driver/headless.ts';
import { headlessOf } from '../core/driver/launch.ts';
import { UserSettingsFile } from '../core/files/userSettings.ts';
import type { CommonSettings } from '../protocol/settings.ts';
import type { DelegateId } from '../protocol/delegate.ts';
import type { Context } from './command.ts';
import { findOrChooseWorkspace } from './place.ts';

/** A duration in seconds from the command line. */
export function seconds(option: string, typed: string): number {
	const value = Number(typed);
	if (Number.isFinite(value) && value > 0 && value < 10_000_000) return value;
	throw new NancyError('bad-usage', `${option} needs a number of seconds, not "${typed}"`);
}

/** What the user has set for delegates and headless runs in a folder, in VS Code or by hand. */
export function settingsFor(folder: string, { env }: Context): Promise<CommonSettings> {
	return settingsFile(env).forFolder(folder);
}

/** What a swarm calls a worker whose prompt is in this file. */
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

/** Who asks for a permission, as far as the environment tells. An agent that is allowed to change its own is not held by this. */
export interface Asking {
	context: Context;
	settings: CommonSettings;
	/** Every agent that Nancy knows: one may call for another. */
	drivers: readonly Driver[];
}

/**
 * A permission mode that the agent has; its most careful one where none is named. An agent gets no wider one for another agent
 * than the user has set: it may be allowed to run `nancy` unasked, and must not get around its own permissions by it.
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

/** Arguments for an agent CLI can carry any permission, so that an agent needs the widest mode to pass some on. */
export function refuseExtraFromAgent(driver: Driver, extra: readonly string[], asking: Asking): void {
	if (extra.length === 0 || !isAgent(asking) || driver.headless === 'none' || mayAll(driver, asking)) return;
	throw notAllowed(driver, asking, 'with arguments after --, which can change its permissions');
}

/**
 * The user's commands for worktrees run over files that an agent may just have changed, outside of what holds it: `npm ci` runs
 * what a package.json says. With the widest mode it could run them itself.
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

/** Where a run works and what it reads and writes, absolute. */
export interface Places {
	/** Folders that it works in, whose agent settings it therefore takes on. */
	folders: readonly string[];
	promptFile?: string | undefined;
	outputFile?: string | undefined;
}

/**
 * An agent that may run `nancy` unasked must not reach further by it than its own workspace and the worktrees beside it (of a worktree
 * of Nancy's, those beside the checkout that it was made from), and must not have anything hidden written there, nor what agents take
 * settings from: settings of agents and tools, git's hooks, Nancy's records. Another agent works for it where it works itself, or in the same place of a worktree: in a folder below, it can have written settings that widen what the other
 * may do. Only with the widest mode.
 */
export async function refusePlacesFromAgent(driver: Driver, places: Places, asking: Asking): Promise<void> {
	if (!isAgent(asking) || mayAll(driver, asking)) return;
	// Where its shell is, for a folder named with -C is what is asked about.
	const { folder } = findOrChooseWorkspace({ ...asking.context, cwd: process.cwd(), isFolderGiven: false });
	const root = foldersUpFrom(folder).find(each => existsSync(join(each, '.git')));
	const { homeCheckout } = await import('../git/homeCheckout.ts');
	const worktrees = root === undefined ? undefined : real(`${await homeCheckout(real(root))}.worktrees`);
	const own = [real(folder), ...(worktrees === undefined ? [] : [worktrees])];
	const within = (place: string) => own.filter(each => isInside(each, place)).map(each => relative(each, place))[0];
	const { folders, promptFile, outputFile } = places;
	for (const place of [...folders, ...(promptFile === undefined ? [] : [promptFile])]) {
		if (within(real(place)) === undefined) throw notAllowed(driver, asking, `with ${place}, outside its workspace`);
	}
	const prefix = root === undefined ? '' : relative(real(root), real(folder));
	for (const place of folders) {
		const [, ...inside] = worktrees === undefined ? [] : relative(worktrees, real(place)).split(sep);
		const isInWorktree = worktrees !== undefined && isInside(worktrees, real(place));
		if (isInWorktree ? inside.join(sep) === prefix : real(place) === real(folder)) continue;
		throw notAllowed(driver, asking, `in ${place}; let it work in ${folder}, and say in the prompt where`);
	}
	if (outputFile === undefined) return;
	// The file itself is replaced, also where it is a link.
	const path = within(join(real(dirname(outputFile)), basename(outputFile)));
	if (path === undefined) throw notAllowed(driver, asking, `that writes ${outputFile}, outside its workspace`);
	if (path.split(sep).some(name => name.startsWith('.')))
		throw notAllowed(driver, asking, `that writes ${outputFile}, which is hidden or in a hidden folder`);
	const reader = asking.drivers.find(({ openSettings }) => openSettings.includes(basename(path).toLowerCase()));
	if (reader)
		throw notAllowed(driver, asking, `that writes ${outputFile}, which ${reader.displayName} takes settings from`);
}

function foldersUpFrom(folder: string): string[] {
	const parent = dirname(folder);
	return parent === folder ? [folder] : [folder, ...foldersUpFrom(parent)];
}

/** Without links, of what is there; a link that leads nowhere leads out. */
function real(path: string): string {
	if (lstatSync(path, { throwIfNoEntry: false })) return existsSync(path) ? realpathSync(path) : sep;
	return dirname(path) === path ? path : join(real(dirname(path)), basename(path));
}

export function isAgent({ context: { env, caller }, drivers }: Pick<Asking, 'context' | 'drivers'>): boolean {
	return caller.is === 'worker' || drivers.some(({ toolVariable }) => Boolean(env[toolVariable]));
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
