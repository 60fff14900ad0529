import { isDeepStrictEqual } from 'node:util';
import type { DeployedEntry } from '../../protocol/deployment.ts';
import { plannedEdits, type Writer } from './places.ts';
import type { DeploymentRecords } from './records.ts';
import { driverIn, installedLauncher, LAUNCHER_PATTERN, launcherIn, launcherOf } from './launcher.ts';
import { oursAmong, stringsIn } from './settingsText.ts';

/** The strings in a settings file that make the entry around them Nancy's. */
export interface OwnEntries {
	/**
	 * Whether the string is from the driver that is asked for.
	 * @param key of the property that holds the string: in another one it is somebody else's text
	 */
	isOwn: (value: string, key: string | undefined) => boolean;
	/** Whether the string is from any driver. */
	isNancys: (value: string, key: string | undefined) => boolean;
	/** Whether an entry is word for word one that Nancy writes into this file: nothing in it is anybody else's. */
	isWhole: (entry: DeployedEntry) => boolean;
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
	const planned = plannedEdits(records.workspace, driver, installedLauncher(records.dataFolder, '0'));
	const shapes = new Set(planned.flatMap(edit => linesIn(edit.entries).map(shapeOf)));
	const entries = noted.flatMap(each => each.entries);
	const keys = new Set(keysIn([...entries, ...planned.flatMap(edit => edit.entries)]));
	const isLine = (key: string | undefined) => key !== undefined && keys.has(key);
	const isOwn: OwnEntries['isOwn'] = (value, key) =>
		isLine(key) &&
		(own.has(value) ||
			(!theirLines.has(value) &&
				isInstalled(value, records.dataFolder) &&
				driverIn(value) === driver.id &&
				shapes.has(shapeOf(value))));
	const shaped = (value: unknown): unknown =>
		mapped(value, text => (isInstalled(text, records.dataFolder) ? text.replaceAll(launcherOf(text), HERE) : text));
	const wholes = planned
		.filter(edit => edit.file === file)
		.flatMap(edit => edit.entries.map(({ path, value }) => ({ path, value: shaped(value) })));
	const present = new Set(theirs.length === 0 ? [] : oursAmong(file, text, value => theirLines.has(value)));
	return {
		isOwn,
		isNancys: (value, key) => isOwn(value, key) || (isLine(key) && theirLines.has(value)),
		isWhole: ({ path, value }) =>
			[...entries, ...wholes].some(
				each =>
					isDeepStrictEqual(each.path, path) &&
					(isDeepStrictEqual(each.value, value) || isDeepStrictEqual(each.value, shaped(value))),
			),
		others: theirs
			.flatMap(({ entries }) => entries)
			.filter(entry => linesIn([entry]).some(line => present.has(line))),
	};
}

/** The strings of entries by which they are known. */
export function linesIn(entries: readonly { value: unknown }[]): string[] {
	return entries.flatMap(({ value }) => stringsIn(value)).filter(value => LAUNCHER_PATTERN.test(value));
}

/** The names of the properties whose strings entries are known by. */
export function keysIn(entries: readonly { value: unknown }[]): string[] {
	return entries.flatMap(({ value }) => keysOf(value));
}

function keysOf(value: unknown, key?: string): string[] {
	if (typeof value === 'string') return key !== undefined && LAUNCHER_PATTERN.test(value) ? [key] : [];
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([name, each]) => keysOf(each, Array.isArray(value) ? key : name));
}

/** The same value with other strings. */
function mapped(value: unknown, change: (text: string) => string): unknown {
	if (typeof value === 'string') return change(value);
	if (Array.isArray(value)) return value.map(each => mapped(each, change));
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapped(each, change)]));
}

function isInstalled(line: string, dataFolder: string): boolean {
	if (line.includes(HERE)) return false;
	const launcher = launcherIn(line);
	return launcher !== undefined && launcher.file === installedLauncher(dataFolder, launcher.version);
}

/** Stands for the launcher: no path, and so no quoted folder, has this character. */
const HERE = '\0';

/** A line without the parts that differ between entries and places: the runtime, the event, and the workspace folder. */
function shapeOf(line: string): string {
	return line
		.replaceAll(launcherOf(line), HERE)
		.replace(/\0 ([a-z][a-z0-9-]*) [A-Za-z]+ [a-z-]+(?: '(?:[^'\0]|'\\'')*')?/, '\0 $1');
}
