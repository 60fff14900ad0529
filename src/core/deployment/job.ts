import type { Version } from '../../base/version.ts';
import type { DriverId } from '../../protocol/names.ts';
import type { Deployment } from '../../protocol/records.ts';
import type { DeploymentPlan, DeploymentScope, Driver } from '../driver/driver.ts';
import { driverIn, LAUNCHER_PATTERN, type Runtime } from './runtime.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { AskGit } from './gitExclude.ts';

export interface DeployRequest {
	runtime: Runtime;
	agentVersion: Version;
	/** What it must serve at least: a deployment of scope `workspace` stays one. */
	scope: DeploymentScope;
	/** True while a permission answer is in flight: the CLI itself rewrites its settings file then. */
	isBusy?: () => boolean;
	/** Keeps files of Nancy's own out of the user's commits; without it git is left alone. */
	askGit?: AskGit | undefined;
}

/** One driver being deployed into one workspace. */
export interface Job {
	workspace: Workspace;
	driver: Driver;
	request: DeployRequest;
	plan: DeploymentPlan;
}

/** What a deployment does or finds, for the user: files and folders relative to the workspace folder, and sentences. */
export interface Outcome {
	changed: string[];
	warnings: string[];
}

export function jobFor(
	workspace: Workspace,
	driver: Driver,
	request: DeployRequest,
	record: Deployment | undefined,
): Job {
	const scope = record?.scope === 'workspace' ? 'workspace' : request.scope;
	const planFor = (asked: DeploymentScope) =>
		driver.deployment({
			version: request.agentVersion,
			launcher: request.runtime.launcher,
			workspaceFolder: workspace.folder,
			scope: asked,
		});
	// What the user was told at Set Up need not be told again at each start.
	const { warnings } = planFor(request.scope);
	return { workspace, driver, request: { ...request, scope }, plan: { ...planFor(scope), warnings } };
}

/** A string in another tool's settings that makes the entry around it Nancy's, of whatever version and driver. */
export const isOurs = (value: string): boolean => LAUNCHER_PATTERN.test(value);

/** Tells the entries of one driver from those that another one has in the same file. */
export const isOursFor =
	(driver: DriverId) =>
	(value: string): boolean =>
		isOurs(value) && (driverIn(value) ?? driver) === driver;
