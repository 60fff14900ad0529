import type { SessionId } from '../../protocol/names.ts';
import type { LaunchPlace } from './launchPlace.ts';

/** How a CLI is run without a terminal, and what its output means. Part of the driver contract. */
export interface HeadlessFormat {
	/** What the agent may do unasked, most careful first. What a mode does not allow is denied: nobody is there to ask. */
	readonly permissionModes: readonly PermissionMode[];
	/** What holds beside the modes, whichever is chosen: a sentence for a person, '' where nothing does. */
	readonly beside: string;
	/**
	 * `workspace`: the CLI takes its user's trust or Nancy's hooks from the folder it works in, so that it can work in the
	 * workspace's own alone. In a new worktree it would refuse to run, or run deaf.
	 */
	readonly runsIn: 'anywhere' | 'workspace';
	launch(request: HeadlessRequest): HeadlessLaunch;
	/** Begins to read the output of one run. */
	reader(): HeadlessReader;
}

/** Reads one run's output. It comes from a program that anybody can write: nothing in it may make these throw. */
export interface HeadlessReader {
	/** What one line of standard output tells, nothing for a line that tells nothing. */
	read(line: string): readonly HeadlessEvent[];
	/**
	 * What the end of the output means, for a CLI that prints no result of its own; nothing for one that does.
	 * @param exitCode of the CLI, `null` where a signal ended it
	 */
	end(exitCode: number | null): readonly HeadlessEvent[];
}

export interface PermissionMode {
	id: string;
	label: string;
	/** What it allows, in a sentence. */
	detail: string;
	/** How much it allows: 0 is the most careful, and of two the larger one allows more. */
	width: number;
}

export interface HeadlessRequest extends LaunchPlace {
	session: SessionId;
	/** Set to go on with an earlier session instead. */
	resume: SessionId | undefined;
	model: string | undefined;
	/** One of {@link HeadlessFormat.permissionModes}. */
	permissions: string;
	extra: readonly string[];
	prompt: string;
}

export interface HeadlessLaunch {
	args: readonly string[];
	/** Goes to standard input, which is then closed. A prompt may be a megabyte long, an argument may not. */
	stdin: string;
	env: Readonly<Record<string, string>>;
	/** Files of Nancy's own that the arguments name, by absolute path: written anew before each start. Absent where there are none. */
	files?: readonly { path: string; content: string }[];
	/** Whether the session will really have {@link HeadlessRequest.session}; otherwise its first event says which it is. */
	sessionIsKnown: boolean;
}

export type HeadlessEvent =
	| { is: 'session'; session: SessionId; model?: string | undefined }
	/** What the agent says on its way. */
	| { is: 'text'; text: string }
	| { is: 'tool'; tool: string; file?: string | undefined; summary?: string | undefined }
	| { is: 'tool-failed'; reason: string }
	/** The agent wanted to do something that its permissions do not allow. */
	| { is: 'denied'; tool: string; reason: string }
	| { is: 'retrying'; reason: string; afterMs: number }
	/** No more is to be had of the account until it resets; Unix milliseconds, where the CLI tells. */
	| { is: 'quota'; resetsAtMs?: number | undefined }
	| { is: 'result'; result: HeadlessResult };

/** A sum to which some may have told nothing; `undefined` where nobody has. */
export function toldSum(known: number | undefined, told: number | undefined): number | undefined {
	return told === undefined ? known : (known ?? 0) + told;
}

export interface HeadlessResult {
	/** The agent's last words: its answer, or what it says went wrong. */
	text: string;
	/** What the CLI does not tell stays undefined: 0 would be a fact. */
	inputTokens: number | undefined;
	outputTokens: number | undefined;
	costUsd: number | undefined;
	/** Absent when it ended well. */
	failure?: HeadlessFailure | undefined;
}

export interface HeadlessFailure {
	reason: string;
	/**
	 * `too-many`: more requests than allowed; after a `quota` event try again when it resets, without one a little later.
	 * `transient`: try again soon. `final`: trying again would end the same.
	 */
	kind: 'too-many' | 'transient' | 'final';
}
