import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { Driver } from './driver.ts';
import type { LaunchMode } from './launchModes.ts';
import { modeList } from './modeList.ts';

/** In place of a mode: no flag, also for a conversation that had a mode. */
export const AS_SETTINGS_SAY = 'settings';

/** The modes of an agent in a terminal; none if its CLI takes no such flag. */
export function launchModesOf({ launchModes }: Driver): readonly LaunchMode[] {
	return launchModes === 'none' ? [] : launchModes.modes;
}

/**
 * The flags of a mode; none without one, and the CLI does what its settings say.
 * @param extra the user's own arguments
 * @throws NancyError `bad-usage` if the agent has no such mode, or an argument sets another one
 */
export function modeFlags(driver: Driver, named: string | undefined, extra: readonly string[]): readonly string[] {
	if (named === undefined) return [];
	const { launchModes, displayName } = driver;
	const mode = launchModesOf(driver).find(({ id }) => id === named);
	if (!mode || launchModes === 'none') {
		const known = modeList([
			...launchModesOf(driver),
			{ id: AS_SETTINGS_SAY, detail: phrase`what its own settings say` },
		]);
		throw new NancyError(
			'bad-usage',
			phrase`${displayName} has no permissions "${named}" in a terminal; choose one of --permissions ${known}`,
		);
	}
	const word = extra.find(
		(each, at) =>
			launchModes.replacedBy.test(each) || launchModes.replacedBy.test(`${each}=${extra[at + 1] ?? ''}`),
	);
	if (word === undefined) return mode.args;
	const [option = word] = word.split('=', 1);
	throw new NancyError(
		'bad-usage',
		phrase`${option} would replace the permissions "${named}"; leave it out, or choose --permissions ${AS_SETTINGS_SAY}`,
	);
}
