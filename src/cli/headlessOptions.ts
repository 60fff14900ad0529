import { basename, extname } from 'node:path';
import { configFolder } from '../base/folders.ts';
import { NancyError } from '../base/errors.ts';
import type { Driver } from '../core/driver.ts';
import type { PermissionMode } from '../core/headless.ts';
import { headlessOf } from '../core/launch.ts';
import { UserSettingsFile } from '../core/userSettings.ts';
import type { CommonSettings } from '../protocol/settings.ts';
import type { Context } from './command.ts';

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
	if (extra.length === 0 || !isAgent(asking) || driver.headless === 'none') return;
	const all = Math.max(...driver.headless.permissionModes.map(({ width }) => width));
	if ((widestFromAgents(driver, asking)?.width ?? 0) === all) return;
	throw notAllowed(driver, asking, 'with arguments after --, which can change its permissions');
}

function isAgent({ context: { env, caller }, drivers }: Asking): boolean {
	return caller.is === 'worker' || drivers.some(({ toolVariable }) => Boolean(env[toolVariable]));
}

function widestFromAgents(driver: Driver, { settings }: Asking): PermissionMode | undefined {
	const { permissionModes } = headlessOf(driver);
	const chosen = settings.permissionsFromAgents?.[driver.id];
	return permissionModes.find(({ id }) => id === chosen) ?? permissionModes[0];
}

function notAllowed({ id, displayName }: Driver, { context }: Asking, what: string): NancyError {
	return new NancyError(
		'not-trusted',
		`an agent may not start ${displayName} ${what}. The user can allow more: setting nancy.agents.${id}.permissionsFromAgents ` +
			`in VS Code, or delegates.permissionsFromAgents.${id} in ${settingsFile(context.env).file}`,
	);
}

function settingsFile(env: Context['env']): UserSettingsFile {
	return new UserSettingsFile(configFolder(env), env['HOME']);
}
