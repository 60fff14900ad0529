import type { Version } from '../../base/version.ts';
import type { Driver } from './driver.ts';

/** An agent CLI as found on this machine. */
export interface InstalledAgent {
	executable: string;
	version: Version;
}

/** An agent CLI that Nancy knows and that is on this machine. */
export interface FoundAgent {
	driver: Driver;
	agent: InstalledAgent;
}
