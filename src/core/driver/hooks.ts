import type { Version } from '../../base/version.ts';
import type { Effect } from '../../protocol/message.ts';
import type { SessionId } from '../../protocol/names.ts';
import type { Rung } from '../../protocol/records.ts';
import type { AgentEvent, EventKind } from '../../protocol/traffic.ts';
import type { Slot } from './slot.ts';

/** How hook calls map to Nancy's vocabulary and back. */
export interface HookMapping {
	/** The slot of each event of the main agent; any other event has the slot `never`. */
	readonly slots: Readonly<Partial<Record<EventKind, Slot>>>;
	/** Longest text one answer may carry, in UTF-16 units. */
	readonly contextLimit: number;
	/** Most Stops in a row that may be held back. Further messages wait for the wake. */
	readonly stopCap: number;
	/**
	 * Reads one payload. `silent` means that it is not for Nancy: another CLI runs the same hook file, or the run is Nancy's own. Throws if
	 * the payload does not match its schema.
	 */
	read(call: HookCall): AgentEvent | 'silent';
	/** The answer that hands `delivery` to the agent at `event`. */
	answer(event: AgentEvent, delivery: Delivery): HookAnswer;
	/** The answer to a session's start or change of folder. */
	beginAnswer(event: AgentEvent, beginning: Beginning): HookAnswer;
	/**
	 * Whether a session that is resumed without a prompt watches its doorbell, whatever its user has set. If it may not, Nancy gives it a
	 * first prompt when messages wait.
	 */
	readonly hearsWhenResumed: boolean;
	/** How a hook that waits in the background wakes an idle agent, or `none` if it cannot. */
	readonly wake: HookWake | 'none';
	/**
	 * The file of a workspace folder that its CLI reads anew whenever a session starts or is resumed. The CLI also reads the files that a
	 * line `@path` of it names. It is `none` if the CLI knows no such line.
	 */
	readonly manual: string;
	/** When a session in a terminal reports its start. */
	readonly reportsStart: 'at-launch' | 'at-first-prompt';
	/**
	 * The event at which the guard may hand a prepared message over without the program, as hooks/hand-over does. `none` if a receipt needs
	 * more than the event's name: the guard reads no JSON.
	 */
	readonly prepared: PreparedEvent | 'none';
}

/** What a session may be told when it begins. */
export interface Beginning {
	/** The doorbell to watch, if its CLI can. */
	bell: string;
	/** Words for the model, if its CLI takes context there. Empty if it has read them. */
	words: string;
}

export interface PreparedEvent {
	/** The CLI's own event name. The guard calls it with the slot `boundary`. */
	readonly event: string;
	readonly kind: EventKind;
	/** The other event with that slot. Nothing that is prepared is due there. */
	readonly waitsAt: { readonly event: string; readonly kind: EventKind };
	/**
	 * What the payload of this session's own agent begins with, what else it holds, and what only other payloads hold. It must name this
	 * transcript: the delivery is looked up there, and the worker's record, which says so beforehand, is no proof.
	 */
	payload(session: SessionId, transcript: string): { begins: string; holds: string; lacks: string };
}

export type HookWake =
	/** By the hook's own end: the CLI starts a turn with its output. */
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

/** The output of a hook program, and its end. */
export interface HookAnswer {
	stdout: string;
	stderr: string;
	exitCode: 0 | 2;
	/** Absent when nothing was handed over. */
	rung?: Rung;
	/** It makes the session watch its doorbell. */
	watches?: true;
}

/** The prompt that wakes an idle agent, if one is needed. The messages come with the hook of the prompt. */
export const WAKE_PROMPT = 'Read the messages that Nancy has for you.';

/** The first prompt of an agent that is resumed while messages wait for it. */
export const RESUME_PROMPT = 'Go on. Read the messages that Nancy has for you first.';

export const SILENT: HookAnswer = { stdout: '', stderr: '', exitCode: 0 };
