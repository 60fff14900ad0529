import { isAtLeast, type Version } from '../base/version.ts';
import type { HeadlessFormat } from './headless.ts';
import type { DriverId, SessionId } from '../protocol/names.ts';
import type { Rung } from '../protocol/records.ts';
import type { AgentEvent } from '../protocol/traffic.ts';
import type { Effect } from '../protocol/message.ts';

/**
 * What Nancy knows about one agent CLI. Mostly data; nothing is optional: what a CLI lacks it declares as `none`, and the
 * core switches on the value. Nothing outside `src/drivers/<agent>/` names an agent.
 */
export interface Driver {
	readonly id: DriverId;
	readonly displayName: string;
	/** Executable looked for on PATH when no setting names one. */
	readonly command: string;
	readonly versionArgs: readonly string[];
	/** Below it, Nancy refuses to start the CLI. */
	readonly oldestVersion: Version;
	/** The lowest version for each ability, or `none` where no version has it. */
	readonly floors: Readonly<Record<Capability, Version | 'none'>>;
	/** One line that tells a person how to install the CLI. */
	readonly installHint: string;
	/** Arguments and environment of the CLI itself, without Nancy's own variables. */
	launch(request: LaunchRequest): LaunchPlan;
	/** What is written into the workspace so that the CLI reports and listens. */
	deployment(request: DeploymentRequest): DeploymentPlan;
	/** Folder that the CLI reads skills from, relative to the workspace folder; `undefined` where it reads none. */
	readonly skillsFolder: string | undefined;
	readonly hooks: HookMapping;
	/** Reads what the CLI itself says its sessions are doing, or `none` where it cannot tell. */
	readonly probe: StatusProbe | 'none';
	readonly transcript: TranscriptFormat | 'none';
	/** How it is run without a terminal, or `none` where it cannot be. */
	readonly headless: HeadlessFormat | 'none';
	/** The CLI sets it for what its tools start: by it, a command that an agent calls is told from a person's. */
	readonly toolVariable: string;
	/** Variables that must not be passed on from the shell Nancy runs in (a nested agent's own marks). */
	readonly foreignVariables: readonly string[];
}

export type Capability =
	/** Reports events through hooks. */
	| 'hooks'
	/** Takes a directive between tool calls. */
	| 'steer'
	/** Reports when the tool calls of one step are over. */
	| 'batchEnd'
	/** Takes feedback when it would stop, without an error badge. */
	| 'quietStop'
	/** Can be woken when idle without a key typed. */
	| 'wake'
	/** Reports permission questions. */
	| 'permissions'
	/** Says what its sessions are doing when asked. */
	| 'status'
	| 'skills'
	| 'resume'
	| 'headless';

/** Whether this version of the CLI has an ability. */
export function can(driver: Driver, capability: Capability, version: Version): boolean {
	const floor = driver.floors[capability];
	return floor !== 'none' && isAtLeast(version, floor);
}

export interface LaunchRequest {
	prompt: string | undefined;
	/** The id the new session is to have; drivers whose CLI picks its own ignore it. */
	session: SessionId;
	/** Set to go on with an earlier session instead. */
	resume: SessionId | undefined;
	model: string | undefined;
	/** Name to show for the session, where the CLI has such a thing. */
	title: string;
	/** The user's own arguments, passed through unchanged. */
	extra: readonly string[];
}

export interface LaunchPlan {
	args: readonly string[];
	env: Readonly<Record<string, string>>;
	/** Whether the session will really have {@link LaunchRequest.session}; otherwise it is bound at its first event. */
	sessionIsKnown: boolean;
}

export interface DeploymentRequest {
	version: Version;
	/** Absolute path of the stable launcher that hooks call. */
	launcher: string;
	workspaceFolder: string;
}

/** Edits of the CLI's own configuration in the workspace, as data; `core/deployment` carries them out and back. */
export interface DeploymentPlan {
	edits: readonly SettingsEdit[];
	/** Event names written, for the deployment record. */
	events: readonly string[];
	/** What this version of the CLI cannot do, in sentences for a person. */
	warnings: readonly string[];
}

/** Values appended to arrays of a JSON (with comments) settings file. */
export interface SettingsEdit {
	/** Relative to the workspace folder, with `/`. */
	file: string;
	entries: readonly { path: readonly string[]; value: unknown }[];
}

/** How hook calls map to Nancy's vocabulary and back. */
export interface HookMapping {
	/** Longest text one answer may carry, in UTF-16 units. */
	readonly contextLimit: number;
	/** Most times in a row that a Stop may be held back; beyond it the message waits for the wake. */
	readonly stopCap: number;
	/**
	 * Reads one payload. `silent` means it is not for Nancy: another CLI running the same hook file, or a run of Nancy's own;
	 * throws when it does not match its schema.
	 */
	read(call: HookCall): AgentEvent | 'silent';
	/** The answer that hands `delivery` to the agent at `event`. */
	answer(event: AgentEvent, delivery: Delivery): HookAnswer;
	/** The answer to a session's start or change of folder: from now on it watches its doorbell. */
	watchAnswer(event: AgentEvent, bell: string): HookAnswer;
	/** The answer that wakes an idle agent by this rung, or `none` where a hook cannot. */
	readonly wakeAnswer: ((rung: 'wake' | 'waiter') => HookAnswer) | 'none';
}

export interface HookCall {
	/** Event name the hook was deployed for. */
	event: string;
	payload: unknown;
	env: Readonly<Record<string, string | undefined>>;
}

export interface Delivery {
	text: string;
	effect: Effect;
	version: Version | undefined;
}

/** What a hook program prints, and how it ends. */
export interface HookAnswer {
	stdout: string;
	stderr: string;
	exitCode: 0 | 2;
	/** Absent when nothing was handed over. */
	rung?: Rung;
}

/** The prompt that a person has Nancy type into the terminal of an idle agent that nothing else wakes. */
export const TYPED_WAKE = 'Read the messages that Nancy has for you.';

export const SILENT: HookAnswer = { stdout: '', stderr: '', exitCode: 0 };

export interface StatusProbe {
	args: readonly string[];
	/** Longest time the CLI may take to answer, in milliseconds. */
	timeoutMs: number;
	/** Status of each session named in the CLI's output. */
	read(stdout: string): ReadonlyMap<SessionId, ProbedStatus>;
}

export interface ProbedStatus {
	phase: 'idle' | 'working' | 'waiting';
	waitingFor?: string;
	pid?: number;
}

/** How to read a CLI's own record of a session: a file of JSON lines. */
export interface TranscriptFormat {
	/** Folds one line into what is known so far. Lines it does not know leave it unchanged. */
	fold(known: TranscriptFacts, line: unknown): TranscriptFacts;
}

export interface TranscriptFacts {
	model: string | undefined;
	/** Tokens in the context window after the last reply. */
	contextTokens: number | undefined;
	contextWindow: number | undefined;
	inputTokens: number;
	outputTokens: number;
	costUsd: number | undefined;
	/** Texts that hooks put into the conversation, to match against what was delivered. */
	deliveredTexts: readonly string[];
	/** The user broke off the turn (no hook tells). */
	interruptedAt: string | undefined;
	/** Id of the last reply counted, so that records repeating it are not counted twice. */
	lastReply: string | undefined;
}

export const NO_FACTS: TranscriptFacts = {
	model: undefined,
	contextTokens: undefined,
	contextWindow: undefined,
	inputTokens: 0,
	outputTokens: 0,
	costUsd: undefined,
	deliveredTexts: [],
	interruptedAt: undefined,
	lastReply: undefined,
};
