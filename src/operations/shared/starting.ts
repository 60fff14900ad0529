import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { configFolder } from '../../base/folders.ts';
import { isInside } from '../../base/inside.ts';
import type { Asker } from '../../core/asker/asker.ts';
import { SeenSettings } from '../../core/asker/seenSettings.ts';
import { gitPrograms } from '../../git/gitPrograms.ts';
import type { Driver } from '../../core/driver/driver.ts';
import type { PermissionMode } from '../../core/driver/headless.ts';
import { allowsAll, headlessOf } from '../../core/driver/headlessOf.ts';
import { isTalkedWith } from '../../core/driver/talkedWith.ts';
import { modeList } from '../../core/driver/modeList.ts';
import { UserSettingsFile } from '../../core/files/userSettings.ts';
import { leadsTo, ownName, placeBeside } from '../../git/placeBeside.ts';
import type { SettingsToSee } from '../../process/seenRun.ts';
import type { DelegateId, Limits } from '../../protocol/delegate.ts';
import type { CommonSettings } from '../../protocol/settings.ts';
import type { OperationContext } from '../operation.ts';

/** The asker of a start, the place, and the user's settings. */
export interface Asking {
	asker: Asker;
	settings: CommonSettings;
	context: OperationContext;
}

/**
 * A permission mode that the agent has; its most careful one by default. An agent gets no wider mode for another agent than the user has
 * set. It may be allowed to run `nancy` unasked, and must not get around its own permissions by that.
 */
export function permissionMode(driver: Driver, named: string | undefined, asking: Asking): string {
	const mode = knownMode(driver, named);
	if (!isAgent(asking)) return mode.id;
	const widest = widestFromAgents(driver, asking);
	if (mode.width <= (widest?.width ?? 0)) return mode.id;
	throw notAllowed(driver, asking, `with the permissions "${mode.id}"; "${widest?.id}" is the widest it may give`);
}

/** @throws NancyError `bad-usage` for a permission mode that the agent does not have */
export function knownMode(driver: Driver, named: string | undefined): PermissionMode {
	const { permissionModes } = headlessOf(driver);
	const mode = named === undefined ? permissionModes[0] : permissionModes.find(({ id }) => id === named);
	if (mode) return mode;
	throw new NancyError(
		'bad-usage',
		phrase`${driver.displayName} has no permission mode "${named}"; it has ${modeList(permissionModes)}`,
	);
}

/** @throws NancyError `bad-usage` for a mode in which a question waits at the desk: only a delegate's reaches it */
export function refuseAsking(driver: Driver, named: string | undefined): void {
	const { permissionModes } = headlessOf(driver);
	if (!permissionModes.some(({ id, asks }) => id === named && asks)) return;
	throw new NancyError(
		'bad-usage',
		phrase`with the permissions "${named}" a question waits for you, and that is for delegates alone; choose of ${modeList(permissionModes.filter(({ asks }) => !asks))}`,
	);
}

/** @throws NancyError `bad-usage` for an agent that Nancy talks with: a run has no worker, whose session could be told */
export function refuseTalkedWith(driver: Driver): void {
	if (!isTalkedWith(driver)) return;
	throw new NancyError(
		'bad-usage',
		phrase`${driver.displayName} works without a terminal as a delegate alone; use "nancy delegate"`,
	);
}

/** @throws NancyError `bad-usage` where nobody knows how a model is named */
export function refuseModel({ displayName, namedBy }: Driver, model: string | undefined): void {
	if (namedBy !== 'user' || model === undefined) return;
	throw new NancyError(
		'bad-usage',
		phrase`${displayName} takes no model from Nancy; name it in its own settings, or among its "args" in "agentServers"`,
	);
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
 * @param folder that the new agent works in, absolute
 * @returns the same folder, by a name that the asker cannot give to another one
 */
export async function permitStart(driver: Driver, folder: string, asking: Asking): Promise<string> {
	const { asker, settings, context } = asking;
	if (asker.is === 'human') return folder;
	if (driver.namedBy === 'user')
		throw new NancyError(
			'not-trusted',
			phrase`an agent may not start ${driver.displayName}: it is a program of the setting "agentServers", and nobody knows what it would read and run here; ask the user to start it`,
		);
	if (driver.knownFrom !== 'runs')
		throw new NancyError(
			'not-trusted',
			phrase`an agent may not start ${driver.displayName}: Nancy was never tried with it, and nobody knows what it would read and run here; ask the user to start it`,
		);
	if (asker.driver !== driver.id && settings.permissionsFromAgents?.[driver.id] === undefined)
		throw refusal(driver, asking, `start ${driver.displayName}: an agent starts its own CLI alone`);
	const own = context.workspace.folder;
	if (mayAll(driver, asking)) return ownName(own, folder);
	const place = await placeBeside(own, folder);
	if (place === undefined && !isInside(leadsTo(own), leadsTo(folder)))
		throw notAllowed(driver, asking, `in ${folder}, outside its workspace`);
	if (place === undefined)
		throw notAllowed(driver, asking, `in ${folder}; let it work in ${own}, and say in the prompt where`);
	const seen = new SeenSettings(context.dataFolder, own, gitPrograms);
	for (const each of new Set([own, place])) await seen.require(driver, each);
	return place;
}

/**
 * A CLI that takes modules from the folder that it starts in runs what an agent puts among the packages there. A delegate of it starts
 * elsewhere.
 * @throws NancyError `not-trusted` for a start in a terminal that an agent asks for
 */
export function refuseModules(driver: Driver, asking: Asking): void {
	if (asking.asker.is === 'human' || driver.moduleSettings.length === 0 || mayAll(driver, asking)) return;
	throw notAllowed(driver, asking, 'in a terminal, where it runs modules of the workspace; use nancy delegate');
}

/** The settings that must stay as a person has seen them when an agent's start is carried out; `undefined` if any may. */
export function settingsToSee(driver: Driver, asking: Asking): SettingsToSee | undefined {
	const { asker, context } = asking;
	if (asker.is === 'human' || mayAll(driver, asking)) return undefined;
	const { folder } = context.workspace;
	const seen = new SeenSettings(context.dataFolder, folder, gitPrograms);
	return { seen, driver, workspaceFolder: folder, isInOwnWorktree: false };
}

function isAgent({ asker }: Asking): boolean {
	return asker.is === 'agent';
}

/** Whether the user lets agents start this one with any permission. */
function mayAll(driver: Driver, asking: Asking): boolean {
	return driver.headless !== 'none' && allowsAll(driver, widestFromAgents(driver, asking)?.id);
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
	const text =
		`an agent may not ${what}. The user can allow more: setting nancy.agents.${id}.permissionsFromAgents ` +
		`in VS Code, or delegates.permissionsFromAgents.${id} in ${new UserSettingsFile(configFolder(context.env)).file}`;
	return new NancyError('not-trusted', text);
}

/** In seconds: the requested limit, else the user's. An agent gets no longer time than the user has set. */
export function limitsFor(
	asked: Partial<Record<keyof Limits, number | undefined>> | undefined,
	{ asker, settings }: Pick<Asking, 'asker' | 'settings'>,
): Partial<Limits> {
	const within = (wanted: number | undefined, minutes: number | undefined) => {
		const set = minutes === undefined ? undefined : minutes * 60;
		if (wanted === undefined || set === undefined) return wanted ?? set;
		return asker.is === 'agent' ? Math.min(wanted, set) : wanted;
	};
	const wallSeconds = within(asked?.wallSeconds, settings.timeoutMinutes);
	const idleSeconds = within(asked?.idleSeconds, settings.idleMinutes);
	const retries = asked?.retries;
	return {
		...(wallSeconds !== undefined && { wallSeconds }),
		...(idleSeconds !== undefined && { idleSeconds }),
		...(retries !== undefined && { retries }),
	};
}
