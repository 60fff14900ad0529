import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { formatVersion, type Version } from '../../base/version.ts';
import { can } from '../driver/abilities.ts';
import type { Driver } from '../driver/driver.ts';

/**
 * Refuses a place in which this version of the agent would have neither its user's trust nor Nancy's hooks.
 * @param place the folder to work in, or whose repository gets a worktree; absolute
 * @throws {NancyError} `bad-usage`
 */
export function requirePlace(
	driver: Driver,
	version: Version,
	place: { folder: string; isInWorktree: boolean },
	workspaceFolder: string,
): void {
	if (can(driver, 'worktree', version)) return;
	if (!place.isInWorktree && real(workspaceFolder) === real(place.folder)) return;
	throw new NancyError(
		'bad-usage',
		phrase`${driver.displayName} ${formatVersion(version)} works in the workspace's own folder alone, for it takes trust and hooks from there;
			let it work in ${workspaceFolder}, or choose another agent`,
	);
}

/** One folder has several names. A runner gets its own without links. */
function real(folder: string): string {
	return existsSync(folder) ? realpathSync(folder) : resolve(folder);
}
