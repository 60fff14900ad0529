import { formatVersion } from '../../src/base/version.ts';
import { CAPABILITIES, type Capability } from '../../src/core/driver/abilities.ts';
import type { Driver } from '../../src/core/driver/driver.ts';
import type { Cell } from './cell.ts';

/** The oldest version of the CLI, then those that a further ability begins with, in the order of the abilities. */
export function floorVersions(driver: Driver): string[] {
	const floors = [driver.oldestVersion, ...CAPABILITIES.map(capability => driver.floors[capability])];
	return [...new Set(floors.flatMap(floor => (floor === 'none' ? [] : [formatVersion(floor)])))];
}

/** The abilities that begin with a version. */
function beginningWith(driver: Driver, version: string): Capability[] {
	return CAPABILITIES.filter(capability => {
		const floor = driver.floors[capability];
		return floor !== 'none' && formatVersion(floor) === version;
	});
}

/** Whether a cell shows one of these abilities. */
export function shows(cell: Cell, capabilities: readonly Capability[]): boolean {
	const shown = [cell.about, ...cell.needs, ...(cell.alsoShows ?? [])];
	return capabilities.some(each => shown.includes(each));
}

/** The cells of the column of one of these versions, in the order of the table. What needs no ability belongs to the oldest version. */
export function cellsOfFloor(cells: readonly Cell[], driver: Driver, version: string): Cell[] {
	const abilities = beginningWith(driver, version);
	const isOldest = version === formatVersion(driver.oldestVersion);
	return cells.filter(cell => shows(cell, abilities) || (isOldest && cell.needs.length === 0));
}
