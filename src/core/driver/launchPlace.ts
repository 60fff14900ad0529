import type { Version } from '../../base/version.ts';

/** Where and with which hooks an agent is started. */
export interface LaunchPlace {
	version: Version;
	workspaceFolder: string;
	/** The folder that the agent works in. Absolute. */
	cwd: string;
	/** `undefined` for a run without hooks. */
	hooks: LaunchHooks | undefined;
	/** Environment that the agent will inherit. A variable of the launch replaces the user's. */
	env: Readonly<Record<string, string | undefined>>;
}

export interface LaunchHooks {
	/** Absolute path of the stable launcher that hooks call. */
	launcher: string;
	/** Holds the files of `DeploymentPlan.launchFiles`. Absolute. */
	folder: string;
}
