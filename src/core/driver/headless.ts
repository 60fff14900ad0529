import type { Phrase } from '../../base/phrase.ts';
import type { BudgetUnit } from '../../protocol/budget.ts';
import type { SessionId } from '../../protocol/names.ts';
import type { LaunchPlace } from './launchPlace.ts';

/** How a CLI runs without a terminal, and the meaning of its output. Part of the driver contract. */
export interface HeadlessFormat {
	/** The agent's permissions, most careful first. Anything else is denied, unless the mode asks. */
	readonly permissionModes: readonly PermissionMode[];
	/** Limits of every mode: a sentence for a person, '' if there are none. */
	readonly beside: string;
	/**
	 * Arguments with which a run also takes the hooks of this settings file, in whatever folder. The file is as `DeploymentPlan.edits` writes
	 * it. `none` for a CLI that takes hooks only from the places that it knows.
	 */
	readonly settingsFrom: ((file: string) => readonly string[]) | 'none';
	/**
	 * What a run needs of the user's home where the rest of it is hidden, for isolated delegates. `none` for a CLI of which nobody has tried
	 * it: it is not run isolated.
	 */
	readonly homeFolders: ((place: HomePlace) => HomeFolders) | 'none';
	launch(request: HeadlessRequest): HeadlessLaunch;
	/** Begins to read the output of one run. @param permissions with which it was launched */
	reader(permissions?: string): HeadlessReader;
}

export interface HomePlace {
	readonly home: string;
	readonly env: Readonly<Record<string, string | undefined>>;
	/** The folder that the agent works in, by its real path. */
	readonly cwd: string;
}

/** Absolute paths. A file or folder that is missing stays missing. */
export interface HomeFolders {
	/** Login and settings. None of the settings can be changed: the user's own agents would run what an isolated one writes there. */
	readonly readable: readonly string[];
	/** What a CLI writes in place: a login that it renews. */
	readonly writable: readonly string[];
	/** The folders of {@link writable} that are made if they are missing: its records. */
	readonly folders: readonly string[];
}

/** Reads one run's output. Anybody can write the output of a program, so nothing in it may make these functions throw. */
export interface HeadlessReader {
	/** The meaning of one line of standard output; nothing for a meaningless line. */
	read(line: string): readonly HeadlessEvent[];
	/**
	 * The meaning of the end of the output, for a CLI that prints no result of its own; nothing for one that does.
	 * @param exitCode of the CLI, `null` if a signal ended it
	 */
	end(exitCode: number | null): readonly HeadlessEvent[];
}

export interface PermissionMode {
	id: string;
	label: Phrase;
	/** Its permissions, in a sentence. */
	detail: Phrase;
	/** How much it allows unasked: 0 is the most careful, and of two the larger one allows more. */
	width: number;
	/** What it does not allow waits at the desk for a person's answer. Needs hooks, and belongs to delegates alone. */
	asks?: true;
	/** What its runs tell while they work, if that is not what those of the other modes do. */
	tells?: readonly BudgetUnit[];
}

export interface HeadlessRequest extends LaunchPlace {
	session: SessionId;
	/** Set to continue an earlier session instead. */
	resume: SessionId | undefined;
	model: string | undefined;
	/** One of {@link HeadlessFormat.permissionModes}. */
	permissions: string;
	/** What the run may cost, for a CLI that keeps to it itself. */
	maxCostUsd?: number | undefined;
	extra: readonly string[];
	prompt: string;
}

export interface HeadlessLaunch {
	args: readonly string[];
	/** Goes to standard input, which is then closed. A prompt may be a megabyte long, an argument may not. */
	stdin: string;
	env: Readonly<Record<string, string>>;
	/** Where its process starts, if not where the agent works. */
	startsIn?: string;
	/** Files of Nancy's own that the arguments name, by absolute path: written anew before each start. Absent where there are none. */
	files?: readonly { path: string; content: string }[];
	/** Nancy's own program talks with the agent, and is started with these arguments in the CLI's place. Otherwise the CLI would ask nobody. */
	talks?: true;
	/** Whether the session will really have {@link HeadlessRequest.session}; otherwise its first event says which it is. */
	sessionIsKnown: boolean;
}

export type HeadlessEvent =
	| { is: 'session'; session: SessionId; model?: string | undefined }
	/** The agent's events during the run. */
	| { is: 'text'; text: string }
	| { is: 'tool'; tool: string; file?: string | undefined; summary?: string | undefined }
	| { is: 'tool-failed'; reason: string }
	/** The agent wanted an action that its permissions do not allow. */
	| { is: 'denied'; tool: string; reason: string }
	| { is: 'retrying'; reason: string; afterMs: number }
	/** The account gives nothing more until it resets; Unix milliseconds, if the CLI reports the time. */
	| { is: 'quota'; resetsAtMs?: number | undefined }
	/** What the run has taken so far, from a CLI that tells before the end. */
	| { is: 'use'; use: RunUse }
	| { is: 'result'; result: HeadlessResult };

/** A sum of figures, some of which may be unknown; `undefined` if all are. */
export function toldSum(known: number | undefined, told: number | undefined): number | undefined {
	return told === undefined ? known : (known ?? 0) + told;
}

/** Figures of one run. A figure that the CLI does not report stays undefined: 0 would be a fact. */
export interface RunUse {
	inputTokens: number | undefined;
	outputTokens: number | undefined;
	costUsd: number | undefined;
}

export interface HeadlessResult extends RunUse {
	/** The agent's last text: its answer, or its description of the failure. */
	text: string;
	/** Absent when it ended well. */
	failure?: HeadlessFailure | undefined;
}

export interface HeadlessFailure {
	reason: string;
	/**
	 * `too-many`: more requests than allowed. After a `quota` event try again when it resets; without one, a little later. `transient`: try
	 * again soon. `final`: another try would end the same.
	 */
	kind: 'too-many' | 'transient' | 'final';
}
