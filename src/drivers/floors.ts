import type { Version } from '../base/version.ts';
import type { Driver } from '../core/driver/driver.ts';

/** The floors of a CLI that can do everything from one version on, but for what is named. */
export function floorsSince(oldest: Version, others: Partial<Driver['floors']>): Driver['floors'] {
	return {
		hooks: oldest,
		steer: oldest,
		halt: oldest,
		feedback: oldest,
		batchEnd: oldest,
		quietStop: oldest,
		wake: oldest,
		permissions: oldest,
		status: oldest,
		skills: oldest,
		resume: oldest,
		headless: oldest,
		...others,
	};
}
