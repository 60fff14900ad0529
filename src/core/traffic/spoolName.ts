import { DriverId } from '../../protocol/names.ts';

/**
 * Names of the files in `.nancy/spool/`: `<driver>~<event>~<anything>.json`, for example
 * `claude-code~PreToolUse~4711-1763709798.123456789.json`. The guard writes a hook's stdin there whole, and needs no JSON of its own to
 * name the event. Nancy's own notes use any event name, and are recognised by their `nancy` field. A file counts as soon as it holds a
 * whole JSON value, and may be gone a moment later. A writer that needs the payload again must keep it open, or keep a copy elsewhere.
 * Names that start with a dot are never looked at, so a writer may also fill `.<anything>` and rename it.
 */
export interface SpoolName {
	driver: DriverId;
	/** The agent CLI's own event name, as the hook was deployed for it. */
	event: string;
}

const SPOOL_FILE = /^([a-z][a-z0-9-]{0,31})~([A-Za-z][A-Za-z0-9_.:-]{0,63})~[^/\\~]{1,128}\.json$/;

export function spoolFileName(driver: DriverId, event: string, unique: string): string {
	return `${driver}~${event}~${unique}.json`;
}

/** What a spool file's name says, or `undefined` for a file that is not Nancy's. */
export function parseSpoolFileName(name: string): SpoolName | undefined {
	const match = SPOOL_FILE.exec(name);
	const driver = DriverId.safeParse(match?.[1]);
	if (!match?.[2] || !driver.success) return undefined;
	return { driver: driver.data, event: match[2] };
}
