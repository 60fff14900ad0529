import { isAtLeast, type Version } from '../../base/version.ts';
import { floorsSince } from '../floors.ts';

/**
 * Knows every flag and event that is not gated below. 2.1.72 ends at `--name`; 2.1.9 refuses the whole settings file for its
 * `PostCompact`.
 */
export const OLDEST: Version = [2, 1, 76];

/** Reports the end of a batch of tool calls. Not in 2.1.112. */
const BATCH_END: Version = [2, 1, 118];

/** Stop takes context without an error badge. */
const QUIET_STOP: Version = [2, 1, 163];

/** Wakes for a file that has changed. Not 2.1.142, though all that it takes is there by name. */
const WAKE: Version = [2, 1, 145];

/**
 * Lowest version that knows each event. An unknown name switches the whole settings file off in older versions, so an event
 * is written only where it is known. Absent: known since before {@link OLDEST}.
 */
export const eventFloors: Readonly<Record<string, Version>> = {
	StopFailure: [2, 1, 78],
	CwdChanged: WAKE,
	FileChanged: WAKE,
	PermissionDenied: [2, 1, 89],
	PostToolBatch: BATCH_END,
	// Not in 2.1.200.
	PostModelSwitch: [2, 1, 329],
};

export const floors = floorsSince(OLDEST, {
	batchEnd: BATCH_END,
	quietStop: QUIET_STOP,
	wake: WAKE,
	status: WAKE,
});

export function knowsEvent(version: Version, event: string): boolean {
	const floor = eventFloors[event];
	return floor === undefined || isAtLeast(version, floor);
}

/** Undefined counts as new: an unknown version is more likely newer than Nancy than older. */
export function hasQuietStop(version: Version | undefined): boolean {
	return version === undefined || isAtLeast(version, QUIET_STOP);
}
