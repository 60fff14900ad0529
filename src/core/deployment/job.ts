import type { Version } from '../../base/version.ts';
import type { DeploymentPlan, DeploymentScope } from '../driver/deploymentPlan.ts';
import type { Driver } from '../driver/driver.ts';
import { recordsFor } from './found.ts';
import type { DeploymentRecords } from './records.ts';
import type { Runtime } from './runtime.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { AskGit } from './gitView.ts';

export interface DeployRequest {
	runtime: Runtime;
	agentVersion: Version;
	/** The least scope. A deployment of scope `workspace` stays one. */
	scope: DeploymentScope;
	/** True while a permission answer is in flight: the CLI itself rewrites its settings file then. */
	isBusy?: () => boolean;
	/** Keeps files of Nancy's own out of the user's commits. Without it git is left alone. */
	askGit?: AskGit | undefined;
}

/** One driver being deployed into one workspace. */
export interface Job {
	records: DeploymentRecords;
	workspace: Workspace;
	driver: Driver;
	request: DeployRequest;
	plan: DeploymentPlan;
}

/** A deployment's changes and findings, for the user: files and folders relative to the workspace folder, and sentences. */
export interface Outcome {
	changed: string[];
	warnings: string[];
}

export async function jobFor(workspace: Workspace, driver: Driver, request: DeployRequest): Promise<Job> {
	const records = await recordsFor(workspace, driver, request.runtime.dataFolder);
	const record = await records.of(driver.id);
	const scope = record?.scope === 'workspace' ? 'workspace' : request.scope;
	const planFor = (asked: DeploymentScope) =>
		driver.deployment({
			version: request.agentVersion,
			launcher: request.runtime.launcher,
			workspaceFolder: workspace.folder,
			scope: asked,
		});
	// A start does not repeat the sentences of Set Up.
	const { warnings } = planFor(request.scope);
	return { records, workspace, driver, request: { ...request, scope }, plan: { ...planFor(scope), warnings } };
}
