import { isAtLeast, type Version } from '../../base/version.ts';
import { floorsSince } from '../floors.ts';

/**
 * The oldest tried version with the two necessary abilities. At PostToolBatch a directive is recorded at once, and there is a record of
 * everything that hooks hand over. 2.1.76 has neither, 2.1.72 ends at `--name`, and 2.1.9 refuses the whole settings file for
 * `PostCompact`.
 */
export const OLDEST: Version = [2, 1, 118];

/** Stop takes context without an error badge. */
const QUIET_STOP: Version = [2, 1, 163];

/** Wakes for a changed file. 2.1.142 has all the names but does not wake. */
const WAKE: Version = [2, 1, 145];

/** Runs the hooks of the main checkout in a linked worktree, also without a terminal. 2.1.210 does not. */
const WORKTREE: Version = [2, 1, 211];

/** Where a person's answer was carried to it. Earlier versions were not tried. */
const ANSWERS: Version = [2, 1, 329];

/** Where its question before a call of Nancy's tools was seen. Earlier versions were not tried. */
const TOOLS: Version = [2, 1, 329];

/**
 * Lowest version that knows each event. An unknown name switches the whole settings file off in older versions, so an event
 * is written only where it is known. Absent: known since before {@link OLDEST}.
 */
export const eventFloors: Readonly<Record<string, Version>> = {
	CwdChanged: WAKE,
	FileChanged: WAKE,
	// Not in 2.1.200.
	PostModelSwitch: [2, 1, 329],
};

export const floors = floorsSince(OLDEST, {
	quietStop: QUIET_STOP,
	wake: WAKE,
	status: WAKE,
	worktree: WORKTREE,
	answers: ANSWERS,
	tools: TOOLS,
});

export function knowsEvent(version: Version, event: string): boolean {
	const floor = eventFloors[event];
	return floor === undefined || isAtLeast(version, floor);
}

/** Undefined counts as new: an unknown version is more likely newer than Nancy than older. */
export function hasQuietStop(version: Version | undefined): boolean {
	return version === undefined || isAtLeast(version, QUIET_STOP);
}
