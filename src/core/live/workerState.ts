import type { Liveness } from '../../base/liveness.ts';
import type { ProbedStatus } from '../driver/statusProbe.ts';
import type { ShownScreen, WorkerRecord } from '../../protocol/records.ts';
import type { WorkerState } from './overview.ts';
import { NOT_REPORTED, type SessionState } from './sessionState.ts';

/** Evidence beside the events. */
export interface Evidence {
	/** Whether the worker's process lives, and when that was found. Absent if Nancy does not know the process. */
	process?: { liveness: Liveness; at: string } | undefined;
	/** Set if it was stopped on purpose. */
	stoppedAt?: string | undefined;
	/** The agent CLI's own answer, and since when it is so; `unlisted` if it knew the session before and no longer does. */
	probe?: { status: ProbedStatus | 'unlisted'; at: string; since: string } | undefined;
	/** What its terminal shows, and since when, if that is watched. */
	screen?: Omit<ShownScreen, 'version'> | undefined;
	/** The code that its process ended with, where its terminal told. */
	exitCode?: number | undefined;
	/** It was started without a prompt, and reports its start at once or only with the first prompt. */
	unprompted?: WorkerRecord['unprompted'];
	/** It was started without hooks, so no event will ever report its state. */
	hooks?: 'off' | undefined;
	/** When the session's transcript shows that the user broke off (no event tells). */
	interruptedAt?: string | undefined;
}

/** The source of an idle state that the user caused at the agent's own terminal. */
export const INTERRUPTED = 'interrupted in its terminal';

/** The source of the end of a worker whose process has vanished. */
export const PROCESS_GONE = 'process gone';

/** The source of a state that the agent's CLI has told when asked. */
export const OWN_STATUS = "agent's own status";

/** The source of a state that the terminal shows: see src/conversations/watched. */
export const ON_SCREEN = 'screen of its terminal';

const phaseOnScreen = { asking: 'waiting', trust: 'waiting', idle: 'idle', working: 'working' } as const;

/** The source of the state of a delegate that waits for its account. */
export const PARKED = 'parked';
/** The source of the idle state of an agent that was started without a prompt. */
const UNPROMPTED = 'started without a prompt';

/** The source of a state that only the process shows: there are no hooks. */
export const UNHOOKED = 'its process runs; without hooks nothing more is known';

/**
 * The CLI's own answer, and work on its screen after a question, count only this long after the last event, in milliseconds: both can be
 * later than its hooks.
 */
const SETTLES_MS = 1000;

/**
 * The largest clock difference between two machines on one folder, in milliseconds. A later date belongs to a record that came with a folder.
 * It calls nobody, and is no evidence.
 */
export const CLOCKS_DIFFER_MS = 60_000;

/** A worker's state, from its session's events and other evidence: the newest counts. */
export function concludeState(state: SessionState, evidence: Evidence): WorkerState {
	const { process, stoppedAt, probe, interruptedAt } = evidence;
	const eventMs = Date.parse(state.at);
	const screen = screenNews(state, evidence);
	const isUnheard = evidence.hooks === 'off' && state.phase === 'starting' && process !== undefined && !screen;
	const base: WorkerState = isUnheard
		? { ...stateFromEvents(state), phase: 'working', source: UNHOOKED }
		: stateFromEvents(state);
	const isDead = process?.liveness === 'dead';
	if (isDead && stoppedAt !== undefined && Date.parse(stoppedAt) >= eventMs) return ended(base, 'stopped', stoppedAt);
	if (isDead && Date.parse(process.at) >= eventMs)
		return state.phase === 'ended' ? base : gone(base, process.at, evidence.exitCode);
	if (state.phase === 'ended') return base;
	if (isUnprompted(state, evidence) && (screen === undefined || isBeforeAnyTurn(screen)))
		return { ...idle(base, UNPROMPTED, state.at), since: state.since, isUnprompted: true };
	const probeMs = probe ? Date.parse(probe.at) : 0;
	const interruptedMs = interruptedAt === undefined ? 0 : Date.parse(interruptedAt);
	const isProbeNews = probe !== undefined && probeMs >= eventMs + SETTLES_MS;
	const isActive = state.phase === 'working' || state.phase === 'waiting';
	if (
		interruptedAt !== undefined &&
		isActive &&
		interruptedMs > eventMs &&
		(!isProbeNews || interruptedMs >= probeMs)
	) {
		return idle(base, INTERRUPTED, interruptedAt);
	}
	if (screen && (!isProbeNews || Date.parse(screen.at) > probeMs)) return onScreen(base, screen);
	return isProbeNews ? probed(base, probe) : base;
}

type Shown = NonNullable<Evidence['screen']>;

/** A CLI shows its input line, too, before it works on the prompt that it was started with. */
const isBeforeAnyTurn = ({ state, workedAt }: Shown) => state === 'idle' && workedAt === undefined;

/** What the screen tells beside the events. */
function screenNews(state: SessionState, { screen, unprompted }: Evidence): Shown | undefined {
	if (!screen || Date.parse(screen.at) <= Date.parse(state.at)) return undefined;
	const waitsForPrompt = state.phase === 'starting' && unprompted !== undefined;
	return isBeforeAnyTurn(screen) && !waitsForPrompt ? undefined : screen;
}

function onScreen(base: WorkerState, screen: Shown): WorkerState {
	const { state, at, workedAt = '', isBrokenOff } = screen;
	const phase = phaseOnScreen[state];
	// Below a dialog that only a hook knows, the screen can look idle.
	const hasGoneOn = Date.parse(workedAt) >= Date.parse(base.at) + SETTLES_MS;
	const isDialog = base.phase === 'waiting' && phase === 'idle' && !hasGoneOn;
	if (phase === base.phase || isDialog) return base;
	if (phase === 'idle') {
		const source = isBrokenOff ? INTERRUPTED : ON_SCREEN;
		return { ...idle(base, source, at), ...(isBeforeAnyTurn(screen) && { isUnprompted: true }) };
	}
	const isSameTurn = base.phase === 'working' || base.phase === 'waiting';
	return { ...(isSameTurn ? base : wordless(base)), phase, source: ON_SCREEN, at, since: at };
}

function isUnprompted({ phase, source }: SessionState, { process, unprompted, hooks }: Evidence): boolean {
	if (phase !== 'starting' || process?.liveness !== 'alive' || hooks === 'off') return false;
	return unprompted === 'at-first-prompt' || (unprompted === 'at-launch' && source !== NOT_REPORTED);
}

/** A process that no event tells the end of. Code 0 may also be an end by a signal. */
function gone(base: WorkerState, at: string, exitCode: number | undefined): WorkerState {
	const state = ended(base, PROCESS_GONE, at);
	return exitCode === undefined || exitCode === 0 ? state : { ...state, exitCode };
}

function probed(base: WorkerState, { status, at, since: answered }: NonNullable<Evidence['probe']>): WorkerState {
	// The events after the first such answer told otherwise.
	const since = answered > base.at ? answered : base.at;
	if (status === 'unlisted') return { ...ended(base, "agent's own list", at), since };
	// The events already show the same state in more detail.
	if (status.phase === base.phase) return base;
	const source = OWN_STATUS;
	switch (status.phase) {
		case 'idle':
			return { ...idle(base, source, at), since };
		case 'working':
			return { ...base, phase: 'working', source, at, since };
		case 'waiting':
			return {
				...base,
				phase: 'waiting',
				source,
				at,
				since,
				...(status.waitingFor !== undefined && { summary: status.waitingFor }),
			};
	}
}

function stateFromEvents(state: SessionState): WorkerState {
	const tool =
		state.phase === 'waiting'
			? (state.asked ?? state.tools.at(-1))
			: state.phase === 'working'
				? state.tools.at(-1)
				: undefined;
	const summary = state.summary ?? tool?.summary;
	return {
		phase: state.phase,
		source: state.source,
		at: state.at,
		since: state.since,
		...(tool?.name !== undefined && { tool: tool.name }),
		...(summary !== undefined && { summary }),
		...(state.session !== undefined && { session: state.session }),
		...(state.subagents > 0 && { subagents: state.subagents }),
	};
}

function wordless({ tool: _tool, summary: _summary, ...rest }: WorkerState): WorkerState {
	return rest;
}

function idle(base: WorkerState, source: string, at: string): WorkerState {
	return { ...wordless(base), phase: 'idle', source, at, since: at };
}

function ended(base: WorkerState, source: string, at: string): WorkerState {
	const { subagents: _subagents, ...rest } = wordless(base);
	return { ...rest, phase: 'ended', source, at, since: at };
}
