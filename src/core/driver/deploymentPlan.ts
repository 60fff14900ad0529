import type { Version } from '../../base/version.ts';
import type { LaunchPlace } from './launchPlace.ts';

export interface DeploymentRequest {
	version: Version;
	/** Absolute path of the stable launcher that hooks call. */
	launcher: string;
	workspaceFolder: string;
	/** `launch`: only for agents that Nancy starts. `workspace`: also for sessions that the user starts in this folder. */
	scope: DeploymentScope;
}

export type DeploymentScope = 'launch' | 'workspace';

/**
 * The files for a CLI, as data; `core/deployment` writes and removes them. A CLI that takes hooks per launch gets them from
 * `Driver.launch`, and in the scope `launch` nothing is written into its own places. The plan for `workspace` includes the one for
 * `launch`: once a folder is set up, starts are deployed with it too.
 */
export interface DeploymentPlan {
	edits: readonly SettingsEdit[];
	/** Whole files of Nancy's own in the CLI's places in the workspace, which no other driver names; git does not see them. */
	files: readonly OwnFile[];
	/** Whole files of Nancy's own, relative to the launch folder, which a launch names to the CLI. Nothing else stays in that folder. */
	launchFiles: readonly OwnFile[];
	/** Event names written, for the deployment record. */
	events: readonly string[];
	/**
	 * Limits of this version of the CLI, and steps that it first needs from its user, in sentences for a person. Shown at Set Up, and at a
	 * start that has written something.
	 */
	warnings: readonly string[];
}

/**
 * Values appended to arrays of a JSON (with comments) settings file. Each has a string that begins with the launcher (see
 * `LAUNCHER_PATTERN`) and calls it as `'…/nancy-hook' <driver> …`. This identifies the entry, also beside other drivers' entries.
 */
export interface SettingsEdit {
	/** Relative to the workspace folder, with `/`. */
	file: string;
	entries: readonly { path: readonly string[]; value: unknown }[];
}

/** A file that only Nancy writes. With the launcher's path between quotes in it, it is known even if its record is gone. */
export interface OwnFile {
	/** Relative, with `/`. */
	file: string;
	content: string;
}

/** Settings that make a CLI ignore present hooks. */
export interface HookSwitch {
	/** Whether it reads a settings file with comments. If not, it ignores the whole file, and the hooks with it. */
	readonly takesComments: boolean;
	/** Files that may hold the switch, absolute: the one with the highest precedence first. */
	files(place: Pick<LaunchPlace, 'workspaceFolder' | 'env'>): readonly string[];
	/** The answer of one file; `undefined` if it says nothing, and the next one counts. */
	read(settings: unknown, file: string): HookChoice | undefined;
}

export interface HookChoice {
	/** As the file names it. */
	setting: string;
	isOff: boolean;
}
