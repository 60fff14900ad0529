import type { Version } from '../../base/version.ts';
import type { DeploymentPlan, DeploymentScope, Driver } from '../driver.ts';
import { LAUNCHER_PATTERN, type Runtime } from '../runtime.ts';
import type { Workspace } from '../workspace.ts';

export interface DeployRequest {
	runtime: Runtime;
	agentVersion: Version;
	scope: DeploymentScope;
	/** True while a permission answer is in flight: the CLI itself rewrites its settings file then. */
	isBusy?: () => boolean;
}

/** One driver being deployed into one workspace. */
export interface Job {
	workspace: Workspace;
	driver: Driver;
	request: DeployRequest;
	plan: DeploymentPlan;
}

/** A string in another tool's settings that makes the entry around it Nancy's, of whatever version. */
export const isOurs = (value: string): boolean => LAUNCHER_PATTERN.test(value);
