import type { Version } from '../base/version.ts';
import type { Driver } from '../core/driver/driver.ts';

/** The floors of a CLI that has every ability from one version on, except the named ones. */
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
		answers: oldest,
		status: oldest,
		skills: oldest,
		resume: oldest,
		fork: oldest,
		headless: oldest,
		worktree: oldest,
		tools: oldest,
		...others,
	};
}
