import { formatVersion } from '../../src/base/version.ts';
import type { Driver } from '../../src/core/driver/driver.ts';
import { drivers } from '../../src/drivers/index.ts';
import { cells } from './cells.ts';
import { lackOf, limitOf } from './judge.ts';

/** A CLI that cannot be tried here: its column says what its driver takes from elsewhere. */
export interface Untried {
	readonly displayName: string;
	readonly version: string;
	/** Where that is from. */
	readonly from: Exclude<Driver['knownFrom'], 'runs'>;
	/** By the cell's id. */
	readonly cells: Readonly<Record<string, { readonly isPossible: boolean; readonly because: string | undefined }>>;
}

/** What no ability of the driver says: the reasons by the cell's id, by the driver's. */
const MISSING: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	kiro: { 'memory-compacted': 'The Agent Client Protocol tells no compaction.' },
	'amazon-q': {
		interrupted:
			'Amazon Q runs no hook when its user breaks a turn off: it shows as working until its next turn has ended.',
		'memory-compacted': 'Amazon Q runs no hook at a compaction.',
		'headless-denied': 'A tool that is not trusted ends the run with an error, and nothing else tells of it.',
	},
};

export const untried: readonly Untried[] = drivers.flatMap(driver => {
	const { id, knownFrom: from, displayName, oldestVersion } = driver;
	if (from === 'runs') return [];
	const found = cells.map(cell => {
		const lack = lackOf(cell, driver, oldestVersion) ?? MISSING[id]?.[cell.id];
		return [cell.id, { isPossible: lack === undefined, because: lack ?? limitOf(cell, driver) }] as const;
	});
	return [{ displayName, version: formatVersion(oldestVersion), from, cells: Object.fromEntries(found) }];
});
