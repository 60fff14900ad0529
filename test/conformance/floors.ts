import { formatVersion } from '../../src/base/version.ts';
import { CAPABILITIES, type Capability } from '../../src/core/driver/abilities.ts';
import type { Driver } from '../../src/core/driver/driver.ts';
import type { Cell } from './cell.ts';

/** The versions that an ability of the CLI begins with, in the order of the abilities. */
export function floorVersions(driver: Driver): string[] {
	const floors = CAPABILITIES.map(capability => driver.floors[capability]);
	return [...new Set(floors.flatMap(floor => (floor === 'none' ? [] : [formatVersion(floor)])))];
}

/** The abilities that begin with a version. */
export function beginningWith(driver: Driver, version: string): Capability[] {
	return CAPABILITIES.filter(capability => {
		const floor = driver.floors[capability];
		return floor !== 'none' && formatVersion(floor) === version;
	});
}

/** Whether a cell shows one of these abilities. */
export function shows(cell: Cell, capabilities: readonly Capability[]): boolean {
	return capabilities.some(each => cell.about === each || cell.needs.includes(each));
}
