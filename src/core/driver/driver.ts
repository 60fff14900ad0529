import { isAtLeast, type Version } from '../../base/version.ts';
import type { Slot } from '../mailbox/due.ts';
import type { HeadlessFormat } from './headless.ts';
import type { DriverId, SessionId } from '../../protocol/names.ts';
import type { Receipt, Rung } from '../../protocol/records.ts';
import type { AgentEvent, EventKind } from '../../protocol/traffic.ts';
import type { Effect } from '../../protocol/message.ts';

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
	/** Why an ability is missing or only half there, in a sentence for a person. */
	readonly limits: Readonly<Partial<Record<Capability, string>>>;
	/** One line that tells a person how to install the CLI. */
	readonly installHint: string;
	/** Arguments and environment of the CLI itself, without Nancy's own variables. */
	launch(request: LaunchRequest): LaunchPlan;
	/** What is written so that the CLI reports and listens. */
	deployment(request: DeploymentRequest): DeploymentPlan;
	/** Folder that the CLI reads skills from, relative to the workspace folder; `undefined` where it reads none. */
	readonly skillsFolder: string | undefined;
	/**
	 * Where earlier versions of Nancy wrote for this CLI and the present one does not: files of its own, and folders that held its
	 * skills. Only what stands in a driver's places is ever removed.
	 */
	readonly earlierPlaces: readonly string[];
	/**
	 * Files and folders, relative to each folder from the one that the CLI works in up to the top of its checkout, by which it may run
	 * commands or allow them: hooks, plugins, MCP servers, rules, skills.
	 */
	readonly executableSettings: readonly string[];
	readonly hooks: HookMapping;
	/** What in the CLI's own settings keeps it from running hooks, or `none` where nothing is known to. */
	readonly hookSwitch: HookSwitch | 'none';
	/** Reads what the CLI itself says its sessions are doing, or `none` where it cannot tell. */
	readonly probe: StatusProbe | 'none';
	readonly transcript: TranscriptFormat | 'none';
	/** How it is run without a terminal, or `none` where it cannot be. */
	readonly headless: HeadlessFormat | 'none';
	/** The CLI sets one of them for what its tools start, and a person has none: by them, a command that an agent calls is told from a person's. */
	readonly marks: readonly string[];
	/** What the CLI's package is called on npm: its folder stands in the path of a process that is the CLI. */
	readonly npmPackage: string;
	/** Variables that must not be passed on from the shell Nancy runs in (a nested agent's own marks). */
	readonly foreignVariables: readonly string[];
}

/** What a CLI may be able to do, in the order in which people are told. */
export const CAPABILITIES = [
	/** Reports events through hooks. */
	'hooks',
	/** Takes a directive between tool calls. */
	'steer',
	/** Lets a tool call be denied with a directive as the reason. */
	'halt',
	/** Takes feedback when it would stop, and goes on with it. */
	'feedback',
	/** Reports when the tool calls of one step are over. */
	'batchEnd',
	/** Shows no error badge when feedback keeps it going. */
	'quietStop',
	/** Can be woken when idle without a key typed. */
	'wake',
	/** Reports permission questions. */
	'permissions',
	/** Says what its sessions are doing when asked. */
	'status',
	'skills',
	'resume',
	'headless',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Whether this version of the CLI has an ability. */
export function can(driver: Driver, capability: Capability, version: Version): boolean {
	const floor = driver.floors[capability];
	return floor !== 'none' && isAtLeast(version, floor);
}

/** What this version of the CLI cannot do at all, and what only in part. */
export function shortcomings(driver: Driver, version: Version): { lacks: Capability[]; limits: Capability[] } {
	const hasIt = (each: Capability) => can(driver, each, version);
	return {
		lacks: CAPABILITIES.filter(each => !hasIt(each)),
		limits: CAPABILITIES.filter(each => hasIt(each) && driver.limits[each] !== undefined),
	};
}

/** Where and with which hooks an agent is started. */
export interface LaunchPlace {
	version: Version;
	workspaceFolder: string;
	/** `undefined` for a run without hooks. */
	hooks: LaunchHooks | undefined;
	/** Environment that the agent will inherit; what a launch sets replaces a variable of the user's. */
	env: Readonly<Record<string, string | undefined>>;
}

export interface LaunchHooks {
	/** Absolute path of the stable launcher that hooks call. */
	launcher: string;
	/** Holds what {@link DeploymentPlan.launchFiles} names. Absolute. */
	folder: string;
}

export interface LaunchRequest extends LaunchPlace {
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
	/** `launch`: for what Nancy itself starts. `workspace`: also for sessions that the user starts in this folder. */
	scope: DeploymentScope;
}

export type DeploymentScope = 'launch' | 'workspace';

/**
 * What is written for a CLI, as data; `core/deployment` carries it out and back. A CLI that takes hooks per launch gets them so from
 * {@link Driver.launch}, and nothing is written into the CLI's own places in the scope `launch`. The plan for `workspace` holds all that
 * the one for `launch` does: once a folder is set up, starts are deployed with it too.
 */
export interface DeploymentPlan {
	edits: readonly SettingsEdit[];
	/** Whole files of Nancy's own in the CLI's places in the workspace, which no other driver names; git does not see them. */
	files: readonly OwnFile[];
	/** Whole files of Nancy's own, relative to the launch folder, which a launch points the CLI to. Nothing else stays in that folder. */
	launchFiles: readonly OwnFile[];
	/** Event names written, for the deployment record. */
	events: readonly string[];
	/**
	 * What this version of the CLI cannot do or first wants of its user, in sentences for a person. Told at Set Up, and at a start
	 * that has written something.
	 */
	warnings: readonly string[];
}

/**
 * Values appended to arrays of a JSON (with comments) settings file. Each holds a string that begins with the launcher (see
 * `LAUNCHER_PATTERN`) and calls it as `'…/nancy-hook' <driver> …`: by that it is known again, also beside other drivers'.
 */
export interface SettingsEdit {
	/** Relative to the workspace folder, with `/`. */
	file: string;
	entries: readonly { path: readonly string[]; value: unknown }[];
}

/** A file that nobody but Nancy writes. With the launcher's path between quotes in it, it is known also when its record is gone. */
export interface OwnFile {
	/** Relative, with `/`. */
	file: string;
	content: string;
}

/** Settings by which a CLI passes over hooks that are in their place. */
export interface HookSwitch {
	/** Whether it reads a settings file with comments in it. Without, it passes over the whole file, and the hooks with it. */
	readonly takesComments: boolean;
	/** Files that may hold the switch, absolute: the one that counts most first. */
	files(place: Pick<LaunchPlace, 'workspaceFolder' | 'env'>): readonly string[];
	/** What one of them says of hooks; `undefined` where it says nothing, and the next one counts. */
	read(settings: unknown, file: string): HookChoice | undefined;
}

export interface HookChoice {
	/** As the file names it. */
	setting: string;
	isOff: boolean;
}

/** How hook calls map to Nancy's vocabulary and back. */
export interface HookMapping {
	/** What may be handed over at which events of the main agent; `never` at any other. */
	readonly slots: Readonly<Partial<Record<EventKind, Slot>>>;
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
	/** The answer to a session's start or change of folder, by which it watches its doorbell; `none` where it cannot. */
	readonly watchAnswer: ((event: AgentEvent, bell: string) => HookAnswer) | 'none';
	/**
	 * Whether a session that is resumed without a prompt hears its doorbell, whatever its user has set. Where it may not, Nancy gives
	 * it a first prompt when messages wait.
	 */
	readonly hearsWhenResumed: boolean;
	/** How a hook that waits in the background wakes an idle agent, or `none` where it cannot. */
	readonly wake: HookWake | 'none';
}

export type HookWake =
	/** By the hook's own end: the CLI starts a turn on what it printed. */
	| { readonly by: 'answer'; answer(rung: 'wake' | 'waiter'): HookAnswer }
	/** By a command of the CLI, run with the environment of the hook: it starts a turn with {@link WAKE_PROMPT}. */
	| { readonly by: 'command'; command(session: SessionId): WakeCommand };

export interface WakeCommand {
	args: readonly string[];
	/** Longest time the CLI may take, in milliseconds. */
	timeoutMs: number;
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

/** The prompt that wakes an idle agent, where words are needed; the messages come with the hook of the prompt. */
export const WAKE_PROMPT = 'Read the messages that Nancy has for you.';

/** The first prompt of an agent that is resumed while messages wait for it. */
export const RESUME_PROMPT = 'Go on. Read the messages that Nancy has for you first.';

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
	/**
	 * Whether what was delivered so is in the record at the latest when its turn is over, and stays in it. Then a text that is not there
	 * never reached the model.
	 */
	keepsDelivery(receipt: Pick<Receipt, 'event' | 'parts'>): boolean;
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
	/** Those that the model has not answered yet, where the CLI may take them back with a prompt that is broken off before the answer. */
	unansweredTexts: readonly string[];
	/** The user broke off the turn (no hook tells). */
	interruptedAt: string | undefined;
	/** When a turn was last seen to be over: broken off by the user, or followed by another prompt. UTC, ISO 8601. */
	turnOverAt: string | undefined;
	/** What the newest prompt follows, where the record is a tree: another prompt that follows the same takes its place. */
	promptParent: string | undefined;
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
	unansweredTexts: [],
	promptParent: undefined,
	interruptedAt: undefined,
	turnOverAt: undefined,
	lastReply: undefined,
};
