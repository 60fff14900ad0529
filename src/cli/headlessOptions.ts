import { NancyError } from '../base/errors.ts';
import type { Driver } from '../core/driver.ts';
import { headlessOf } from '../core/launch.ts';

/** A duration in seconds from the command line. */
export function seconds(option: string, typed: string): number {
	const value = Number(typed);
	if (Number.isFinite(value) && value > 0 && value < 10_000_000) return value;
	throw new NancyError('bad-usage', `${option} needs a number of seconds, not "${typed}"`);
}

/** A permission mode that the agent has; its most careful one where none is named. */
export function permissionMode(driver: Driver, named: string | undefined): string {
	const { permissionModes } = headlessOf(driver);
	const mode = named === undefined ? permissionModes[0] : permissionModes.find(({ id }) => id === named);
	if (mode) return mode.id;
	const known = permissionModes.map(({ id, detail }) => `${id} (${detail})`).join(', ');
	throw new NancyError('bad-usage', `${driver.displayName} has no permission mode "${named}"; it has ${known}`);
}
