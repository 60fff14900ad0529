import type { Version } from '../../base/version.ts';
import type { Abilities } from './abilities.ts';
import type { Completions } from './completions.ts';
import type { DeploymentPlan, DeploymentRequest, HookSwitch } from './deploymentPlan.ts';
import type { Extractor } from './extractor.ts';
import type { HeadlessFormat } from './headless.ts';
import type { HookMapping } from './hooks.ts';
import type { LaunchModes } from './launchModes.ts';
import type { LaunchHooks, LaunchPlace } from './launchPlace.ts';
import type { ScreenProfile } from './screen.ts';
import type { StatusProbe } from './statusProbe.ts';
import type { TranscriptFormat } from './transcript.ts';
import type { EventWords } from './eventWords.ts';
import type { BudgetUnit } from '../../protocol/budget.ts';
import type { DriverId, SessionId } from '../../protocol/names.ts';

/**
 * Nancy's knowledge of one agent CLI. Mostly data, without optional members: a missing ability is declared as `none`, and the core switches
 * on the value. Nothing outside `src/drivers/<agent>/` names an agent.
 */
export interface Driver extends Abilities {
	readonly id: DriverId;
	readonly displayName: string;
	/** For places with little room. */
	readonly shortName: string;
	/**
	 * `nancy`: a CLI that Nancy knows by itself. `user`: a program that the user's settings name, of whose version and settings nothing is known.
	 * A function makes the driver of such a program, by its name: one driver speaks for them all, and is no agent itself.
	 */
	readonly namedBy: 'nancy' | 'user' | ((name: string) => Driver);
	/**
	 * `runs` means the real program, which Nancy's tests drive. With `source` and `documents`, nobody has tried the CLI: the driver is made
	 * from what these say.
	 */
	readonly knownFrom: 'runs' | 'source' | 'documents';
	/** Executable looked for on PATH when no setting names one. */
	readonly command: string;
	readonly versionArgs: readonly string[];
	/** Nancy refuses to start an older CLI. */
	readonly oldestVersion: Version;
	/** One line that tells a person how to install the CLI. */
	readonly installHint: string;
	/** Arguments and environment of the CLI itself, without Nancy's own variables. */
	launch(request: LaunchRequest): LaunchPlan;
	/** The files that make the CLI report and deliver. */
	deployment(request: DeploymentRequest): DeploymentPlan;
	/** Folder that the CLI reads skills from, relative to the workspace folder; `undefined` if it reads none. */
	readonly skillsFolder: string | undefined;
	/**
	 * Places where only earlier versions of Nancy wrote for this CLI: files of its own, and folders that held its skills. Only files in a
	 * driver's places are ever removed.
	 */
	readonly earlierPlaces: readonly string[];
	/**
	 * Files and folders by which the CLI may run commands or allow them: hooks, plugins, MCP servers, rules, skills. They are relative to
	 * each folder from the one that the CLI works in up to the top of its checkout.
	 */
	readonly executableSettings: readonly string[];
	/**
	 * Files by which the CLI takes modules from elsewhere, relative to the same folders. They deny nothing, so one may be missing. They are
	 * not copied: a project's own tools need them, and some hold a token.
	 */
	readonly moduleSettings: readonly string[];
	/** What the CLI itself adds to them when it starts. Paths are relative to the same folders. */
	readonly completions: Completions;
	readonly hooks: HookMapping;
	/** How people read what its hooks report. */
	readonly eventWords: EventWords;
	/** Settings of the CLI itself that keep it from running hooks, or `none` if no such setting is known. */
	readonly hookSwitch: HookSwitch | 'none';
	/** Reads the CLI's own report of its sessions, or `none` if it has none. */
	readonly probe: StatusProbe | 'none';
	readonly transcript: TranscriptFormat | 'none';
	/** What is known of its use while it works. A budget can be kept by nothing else. */
	readonly tells: Tells;
	/** How its screen shows that it waits for a prompt, or `none` if Nancy cannot read it. */
	readonly screen: ScreenProfile | 'none';
	/** Its screen shows whether it works, waits or asks, where its user has Nancy watch the terminal: see `ScreenStates`. */
	readonly showsState: boolean;
	/** How a person breaks off its turn in a terminal, or `none` if no key does. */
	readonly interrupt: Interrupt | 'none';
	/** What it may do unasked in a terminal, if a person chooses that; `none` if its CLI takes no flag for it. */
	readonly launchModes: LaunchModes | 'none';
	/**
	 * What a launch in a terminal needs so that its questions can be answered from outside, if its user wants that. It is `none` if the
	 * launch needs nothing.
	 */
	readonly answersByChoice: AnswersByChoice | 'none';
	/** What a launch needs so that Nancy talks with it in a terminal of its own, if its user wants that; `none` if Nancy cannot. */
	readonly ownTerminal: OwnTerminal | 'none';
	/** How the first prompt in a terminal gets images, or `none` if no flag of its CLI gives it one. */
	readonly images: ImageFlag | 'none';
	/** How it speaks with Nancy's server of the Model Context Protocol. */
	readonly mcp: McpClient;
	/** How it runs without a terminal, or `none` if it cannot. */
	readonly headless: HeadlessFormat | 'none';
	/** How it answers one question by itself, for the notes of a project, or `none` if Nancy cannot ask it so. */
	readonly extractor: Extractor | 'none';
	/** The CLI sets one of these for its tools, and a person has none. They tell a command of an agent from a person's. */
	readonly marks: readonly string[];
	/** The CLI's package on npm. The path of a process that is the CLI contains its folder. `undefined` for a CLI that npm does not bring. */
	readonly npmPackage: string | undefined;
	/** Names of its processes beside {@link command}. */
	readonly alsoCalled: readonly string[];
	/** Variables that must not be inherited from Nancy's own shell (a nested agent's own marks). */
	readonly foreignVariables: readonly string[];
}

export interface Tells {
	readonly inTerminal: readonly BudgetUnit[];
	readonly headless: readonly BudgetUnit[];
	/** The CLI keeps to a limit of this by itself, if it gets one at the start of a run without a terminal. */
	readonly atStart: readonly BudgetUnit[];
}

interface Program {
	readonly executable: string;
	readonly args: readonly string[];
}

/** Where an agent in a terminal starts. */
export interface StartPlace {
	readonly workspaceFolder: string;
	readonly cwd: string;
	readonly env: Readonly<Record<string, string | undefined>>;
}

export interface LaunchChoice {
	/** The flags of the launch, for the files of {@link DeploymentPlan.launchFiles}. */
	args(hooks: LaunchHooks): readonly string[];
	/** What is started in the place of the CLI; absent where that is the CLI itself. */
	inPlaceOf?(cli: Program, hooks: LaunchHooks, place: StartPlace): Program;
}

/** A program of Nancy's is in the terminal, unless the words of a launch are left to the CLI's own. */
export type OwnTerminal = Required<LaunchChoice>;

export interface AnswersByChoice extends LaunchChoice {
	/** The agent can do nothing in a terminal without it. So it needs no choice, and the agent is never started without hooks. */
	readonly isAlways?: true;
	/** What else the user has to do, and what it brings, in sentences for the setting. */
	readonly explanation: string;
}

export interface ImageFlag {
	/** The beginning of the argument for one image, before its path. */
	readonly flag: string;
	/** The CLI takes a path with this for several. */
	readonly separator: string;
}

export interface McpClient {
	/**
	 * What gives one launch in a terminal a server, by the command to run. It is `none` if no flag does that without a file of the user's,
	 * or if the CLI would call the server's tools unasked. What an agent may do must not grow by a start with Nancy.
	 */
	readonly flags: ((command: readonly [string, ...string[]]) => readonly string[]) | 'none';
	/** How long a call may last before the CLI gives it up, less a margin, in seconds; `heard` if it wants and gets progress. */
	readonly waits: { readonly heard: number; readonly unheard: number };
	/** Where the server finds the session that calls: a variable of its environment, a field beside the request, or `none`. */
	readonly session: { readonly variable: string } | { readonly field: string } | 'none';
}

export interface Interrupt {
	/** One after another, {@link BETWEEN_KEYS_MS} apart. They mean No where a permission question is open. */
	readonly keys: readonly string[];
}

/** In milliseconds. Some CLIs take two keys at once for another key, and two that are half a second apart for one each. */
export const BETWEEN_KEYS_MS = 150;

export interface LaunchRequest extends LaunchPlace {
	prompt: string | undefined;
	/** The id of the new session. Drivers whose CLI picks its own ignore it. */
	session: SessionId;
	/** Set to continue an earlier session instead. */
	resume: SessionId | undefined;
	/** Set to begin the new session as a copy of this one. Only for a CLI that can. */
	fork: SessionId | undefined;
	model: string | undefined;
	/** Name to show for the session, if the CLI supports one. */
	title: string;
	/** The flags of the permissions and the images that a person chose, then the user's own arguments: passed through unchanged. */
	extra: readonly string[];
}

export interface LaunchPlan {
	args: readonly string[];
	env: Readonly<Record<string, string>>;
	/** Whether the session will really have {@link LaunchRequest.session}; otherwise it is bound at its first event. */
	sessionIsKnown: boolean;
}
