import type { SessionId } from '../../protocol/names.ts';
import type { AgentEvent, EventKind, TrafficRecord } from '../../protocol/traffic.ts';
import type { Alert, Phase, Said } from './overview.ts';

/** The conclusion from one session's events so far. Immutable: each event makes the next one. */
export interface SessionState {
	readonly phase: Phase;
	/** Time of the newest supporting event. UTC, ISO 8601. */
	readonly at: string;
	/** When the phase began, or the question that it waits with. UTC, ISO 8601. */
	readonly since: string;
	readonly source: string;
	readonly summary?: string | undefined;
	readonly session?: SessionId | undefined;
	/** Main-agent tools that have started and not ended, oldest first, by their id. */
	readonly tools: readonly OpenTool[];
	/** The tool that waits for permission. Its id is unknown if the CLI does not report it. */
	readonly asked?: OpenTool | undefined;
	/** Subagents at work: shown, never a reason for a phase. */
	readonly subagents: number;
	/** Its phase when compaction began, to return to. */
	readonly beforeCompact?: Phase | undefined;
	/** The CLI's own event that made it idle. Feedback delivered there sets it to work again. */
	readonly idleEvent?: string | undefined;
	/** How many turns have ended: several may lie between two looks. */
	readonly stops: number;
	/** When the last turn ended, while nothing has happened since, and if no person broke it off. UTC, ISO 8601. */
	readonly turnEndedAt?: string | undefined;
	/** What the agent itself has last said of its work in this turn. Shown, never evidence for a phase. */
	readonly said?: Said | undefined;
	/** The newest notification of its CLI in this turn whose words are for the user. Never evidence for a phase. */
	readonly alert?: Alert | undefined;
	/** The newest sign of work. An end or another start does not take it away. UTC, ISO 8601. */
	readonly workedAt?: string | undefined;
}

export interface OpenTool {
	readonly id: string | undefined;
	readonly name: string | undefined;
	readonly summary: string | undefined;
}

/** The source of a state before any event. */
export const NOT_REPORTED = 'started';

export function startingState(at: string, session?: SessionId): SessionState {
	return { phase: 'starting', at, since: at, source: NOT_REPORTED, session, tools: [], subagents: 0, stops: 0 };
}

/** The state after one more record. */
export function foldTraffic(state: SessionState, record: TrafficRecord): SessionState {
	const next = foldRecord(state, record);
	if (next === state) return state;
	const isAtWork = next.phase === 'working' || next.phase === 'waiting';
	const workedAt = isAtWork ? record.at : state.workedAt;
	return { ...next, workedAt, ...(!goesOn(state, next) && { since: record.at }) };
}

/** Whether it is still in the same turn, the same rest or the same question. */
function goesOn(before: SessionState, now: SessionState): boolean {
	const isSameQuestion = before.asked?.name === now.asked?.name && before.asked?.summary === now.asked?.summary;
	return before.phase === now.phase && before.stops === now.stops && isSameQuestion;
}

function foldRecord(state: SessionState, record: TrafficRecord): SessionState {
	switch (record.type) {
		case 'event':
			return foldEvent(state, record.event, record.at);
		case 'delivery': {
			// Feedback handed over at Stop keeps the agent going; its next event may be a minute away.
			const { event, rung } = record.delivery;
			const isOfStop = rung === 'hook' || rung === 'prompt';
			const keepsGoing = state.phase === 'idle' && event === state.idleEvent && isOfStop;
			return keepsGoing ? working(state, record.at, 'feedback delivered') : state;
		}
		case 'trouble':
			return state;
		case 'status': {
			const { text, state: word } = record.status;
			return { ...state, said: { text, ...(word && { word }), at: record.at } };
		}
	}
}

function stopped(state: SessionState, event: AgentEvent, at: string): SessionState {
	const rest = resting(state, at, describe(event), event.event);
	return { ...rest, summary: event.summary, stops: state.stops + 1, turnEndedAt: at };
}

type Step = (state: SessionState, event: AgentEvent, at: string) => SessionState;

const unchanged: Step = state => state;

const toolIsOver: Step = (state, event, at) => {
	// A late report (hooks may run beside the agent). It does not start an ended turn again.
	if (state.phase !== 'working' && state.phase !== 'waiting') return state;
	const tools = withoutTool(state.tools, event);
	if (state.phase === 'waiting' && !isAnswer(state.asked, event)) return { ...state, tools };
	return { ...working(state, at, describe(event)), tools };
};

const steps: Readonly<Record<EventKind, Step>> = {
	'session-start': (state, event, at) => {
		const source = describe(event);
		if (event.cause === 'compact') return { ...backFromCompaction(state), session: event.session };
		if (event.cause === 'clear') return { ...resting(state, at, source), session: event.session, subagents: 0 };
		// A session starts up once. Gemini CLI runs this hook beside the first turn, and on a busy machine it is the later one to report.
		if (event.cause === 'startup' && (state.phase === 'working' || state.phase === 'waiting')) return state;
		return { ...startingState(at, event.session), since: state.since, source, stops: state.stops };
	},
	// The same process continues with a new session, whose start follows.
	'session-end': (state, event, at) =>
		event.cause === 'clear'
			? state
			: { ...resting(state, at, describe(event)), phase: 'ended', subagents: 0, summary: event.cause },
	prompt: (state, event, at) =>
		working({ ...state, tools: [], said: undefined, alert: undefined }, at, describe(event)),
	'tool-start': (state, event, at) => {
		const tool = { id: event.toolUseId, name: event.tool, summary: event.summary };
		const tools = [...state.tools.filter(open => open.id === undefined || open.id !== tool.id), tool];
		// A parallel call starting does not answer the question of another.
		if (state.phase === 'waiting') return { ...state, tools };
		return { ...working(state, at, describe(event)), tools };
	},
	'tool-end': toolIsOver,
	'tool-failed': toolIsOver,
	'batch-end': (state, event, at) => working({ ...state, tools: [] }, at, describe(event)),
	'permission-check': unchanged,
	'permission-asked': (state, event, at) => {
		const open = state.tools.findLast(tool =>
			event.toolUseId === undefined ? tool.name === event.tool : tool.id === event.toolUseId,
		);
		const asked = {
			id: open?.id ?? event.toolUseId,
			name: event.tool ?? open?.name,
			summary: event.summary ?? open?.summary,
		};
		return {
			...state,
			phase: 'waiting',
			at,
			source: describe(event),
			asked,
			summary: undefined,
			idleEvent: undefined,
		};
	},
	'permission-denied': toolIsOver,
	'permission-answered': (state, event, at) =>
		state.phase === 'waiting' && event.cause !== 'ended' ? working(state, at, describe(event)) : state,
	notification: (state, event, at) => {
		if (event.tells === 'idle')
			return state.phase === 'idle' ? state : resting(state, at, describe(event), event.event);
		if (event.tells === 'answered') return state.phase === 'waiting' ? working(state, at, describe(event)) : state;
		if (event.tells === 'alert')
			return event.summary === undefined ? state : { ...state, alert: { text: event.summary, at } };
		if (event.tells === undefined) return state;
		// It comes seconds after the question itself, which had more detail.
		if (state.phase === 'waiting') return { ...state, at };
		return {
			...state,
			phase: 'waiting',
			at,
			source: describe(event),
			summary: event.summary,
			asked: undefined,
			idleEvent: undefined,
		};
	},
	stop: stopped,
	'stop-failed': stopped,
	interrupted: (state, event, at) => ({ ...stopped(state, event, at), turnEndedAt: undefined }),
	'compact-start': (state, event, at) => ({
		...state,
		phase: 'working',
		at,
		source: describe(event),
		summary: 'compacting',
		beforeCompact: state.beforeCompact ?? state.phase,
	}),
	'compact-end': (state, _event, at) => ({ ...backFromCompaction(state), at }),
	// It may be late, and says only that there was text.
	'message-shown': (state, event, at) => (state.phase === 'starting' ? working(state, at, describe(event)) : state),
	'subagent-start': unchanged,
	'subagent-stop': unchanged,
	'folder-changed': unchanged,
	'watch-asked': unchanged,
	doorbell: unchanged,
	'model-changed': unchanged,
	'settings-changed': unchanged,
	other: unchanged,
};

function foldEvent(state: SessionState, event: AgentEvent, at: string): SessionState {
	if (event.kind === 'subagent-start') return { ...state, subagents: state.subagents + 1 };
	if (event.kind === 'subagent-stop') return { ...state, subagents: Math.max(0, state.subagents - 1) };
	if (event.subagent !== undefined) return state;
	// An ended session starts again only by a start. Other events were late.
	if (state.phase === 'ended' && event.kind !== 'session-start') return state;
	return steps[event.kind](state, event, at);
}

function working(state: SessionState, at: string, source: string): SessionState {
	return {
		...state,
		phase: 'working',
		at,
		source,
		asked: undefined,
		summary: undefined,
		idleEvent: undefined,
		turnEndedAt: undefined,
		beforeCompact: undefined,
	};
}

function resting(state: SessionState, at: string, source: string, idleEvent?: string): SessionState {
	return { ...working(state, at, source), phase: 'idle', tools: [], idleEvent };
}

function backFromCompaction(state: SessionState): SessionState {
	return { ...state, phase: state.beforeCompact ?? state.phase, beforeCompact: undefined, summary: undefined };
}

function isAnswer(asked: OpenTool | undefined, event: AgentEvent): boolean {
	if (asked === undefined) return true;
	if (asked.id !== undefined && event.toolUseId !== undefined) return asked.id === event.toolUseId;
	return asked.name === undefined || event.tool === undefined || asked.name === event.tool;
}

function withoutTool(tools: readonly OpenTool[], event: AgentEvent): readonly OpenTool[] {
	const index = tools.findIndex(tool =>
		event.toolUseId === undefined ? tool.name === event.tool : tool.id === event.toolUseId,
	);
	return index === -1 ? tools : tools.toSpliced(index, 1);
}

/** The CLI's own words for what happened: `PreToolUse Bash`. */
function describe(event: AgentEvent): string {
	const detail = event.tool ?? event.notification ?? event.cause;
	return detail === undefined ? event.event : `${event.event} ${detail}`;
}
