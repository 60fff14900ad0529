import { relative } from 'node:path';
import { NancyError } from '../../base/errors.ts';
import type { Driver } from '../driver.ts';
import { headlessOf } from '../launch.ts';

/**
 * Refuses a place where the agent would have neither its user's trust nor Nancy's hooks: see `HeadlessFormat.runsIn`.
 * @param place the folder to work in, or whose repository gets a worktree; absolute
 * @throws {NancyError} `bad-usage`
 */
export function requirePlace(
	driver: Driver,
	place: { folder: string; isInWorktree: boolean },
	workspaceFolder: string,
): void {
	if (headlessOf(driver).runsIn === 'anywhere') return;
	if (!place.isInWorktree && relative(workspaceFolder, place.folder) === '') return;
	throw new NancyError(
		'bad-usage',
		`${driver.displayName} works as a delegate in the workspace's own folder alone, for it takes trust and hooks from there; ` +
			`let it work in ${workspaceFolder}, or choose another agent`,
	);
}
