import type { DeployedEntry } from '../../protocol/deployment.ts';
import { plannedEdits, type Writer } from './places.ts';
import type { DeploymentRecords } from './records.ts';
import { driverIn, installedLauncher, LAUNCHER_PATTERN, launcherIn, launcherOf } from './launcher.ts';
import { oursAmong, stringsIn } from './settingsText.ts';

/** The strings in a settings file that make the entry around them Nancy's. */
export interface OwnEntries {
	/** Of the driver that is asked for. */
	isOwn: (value: string) => boolean;
	/** Of any driver. */
	isNancys: (value: string) => boolean;
	/** The entries that other drivers have in the file, as Nancy wrote them. */
	others: DeployedEntry[];
}

/**
 * Tells a driver's entries from everybody else's. A line is Nancy's if a sealed record says that Nancy wrote it. It is also Nancy's if it
 * is word for word what the driver writes for a runtime of this user. Only event and workspace folder may differ. A line that begins so and
 * goes on otherwise is somebody else's.
 */
export async function ownEntries(
	records: DeploymentRecords,
	driver: Writer,
	file: string,
	text: string,
): Promise<OwnEntries> {
	const noted = (await records.all()).flatMap(record =>
		record.files.filter(each => each.file === file).map(each => ({ ...each, driver: record.driver })),
	);
	const own = new Set(
		noted
			.filter(each => each.driver === driver.id)
			.flatMap(each => [...linesIn(each.entries), ...(each.before ?? [])]),
	);
	const theirs = noted.filter(each => each.driver !== driver.id);
	const theirLines = new Set(theirs.flatMap(each => [...linesIn(each.entries), ...(each.before ?? [])]));
	const shapes = new Set(
		plannedEdits(records.workspace, driver, installedLauncher(records.dataFolder, '0')).flatMap(edit =>
			linesIn(edit.entries).map(shapeOf),
		),
	);
	const isOwn = (value: string) =>
		own.has(value) ||
		(!theirLines.has(value) &&
			isInstalled(value, records.dataFolder) &&
			driverIn(value) === driver.id &&
			shapes.has(shapeOf(value)));
	const present = new Set(theirs.length === 0 ? [] : oursAmong(file, text, value => theirLines.has(value)));
	return {
		isOwn,
		isNancys: value => isOwn(value) || theirLines.has(value),
		others: theirs
			.flatMap(({ entries }) => entries)
			.filter(entry => linesIn([entry]).some(line => present.has(line))),
	};
}

/** The strings of entries by which they are known. */
export function linesIn(entries: readonly { value: unknown }[]): string[] {
	return entries.flatMap(({ value }) => stringsIn(value)).filter(value => LAUNCHER_PATTERN.test(value));
}

function isInstalled(line: string, dataFolder: string): boolean {
	const launcher = launcherIn(line);
	return launcher !== undefined && launcher.file === installedLauncher(dataFolder, launcher.version);
}

/** A line without the parts that differ between entries and places: the runtime, the event, and the workspace folder. */
function shapeOf(line: string): string {
	return line
		.replaceAll(launcherOf(line), 'LAUNCHER')
		.replace(/LAUNCHER ([a-z][a-z0-9-]*) [A-Za-z]+ [a-z-]+(?: '(?:[^']|'\\'')*')?/, 'LAUNCHER $1');
}
