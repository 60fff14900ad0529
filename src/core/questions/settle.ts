import { liveness } from '../../base/liveness.ts';
import type { Answer, OutcomeState, Question } from '../../protocol/question.ts';
import type { AgentEvent, TrafficRecord } from '../../protocol/traffic.ts';
import type { Driver } from '../driver/driver.ts';
import { transcriptIn } from '../driver/driverIn.ts';
import type { Decider } from '../driver/transcript.ts';
import { brokenOffAt, deciderOf } from '../sessions/recordSearch.ts';
import { hasWaiting } from '../traffic/spoolBound.ts';
import { TrafficFollower } from '../traffic/store.ts';
import type { NancyPaths } from '../files/paths.ts';
import type { Asked, Questions } from './questions.ts';
import { isYes } from './reply.ts';

/** How much of a session's events is read, in bytes. A question that is older than these events stays until its holder ends. */
const TAIL_BYTES = 1024 * 1024;

/** How long after an event of a call its result may come to the CLI's record, in milliseconds. */
const RECORDED_MS = 3000;

/** Evidence of a record: no event tells. */
const BROKEN_OFF = 'the turn was broken off';

/** Where the agents' own words about a question are. */
export interface Evidence {
	readonly paths: NancyPaths;
	readonly drivers: readonly Pick<Driver, 'id' | 'transcript'>[];
}

/**
 * Ends the open questions that are over as the agents' own events and records show. Agents can write these. They decide what is shown, and
 * nothing else: an outcome allows nothing.
 */
export async function settleAll(questions: Questions, evidence: Evidence): Promise<void> {
	for (const asked of await questions.open()) await settle(questions, evidence, asked);
}

/**
 * @returns whether the question is over now; `soon` if only the CLI's record has to say how. What agents wrote and nobody can read shows
 * nothing: it must not hide the questions of others
 */
export async function settle(questions: Questions, evidence: Evidence, asked: Asked): Promise<boolean | 'soon'> {
	const over = await shownOver(questions, evidence, asked).catch(() => undefined);
	if (over === 'soon') return over;
	if (over) await questions.end(asked.question.id, over.state, over.evidence);
	return over !== undefined;
}

/** How a question is over, if it is. */
async function shownOver(
	questions: Questions,
	{ paths, drivers }: Evidence,
	asked: Asked,
): Promise<Shown | 'soon' | undefined> {
	const { question, answer } = asked;
	const isUnheld = !(await questions.holders.isAlive(question.holder));
	// Of a machine that is silent nobody knows whether its agents have ended.
	const hasEnded = question.agent !== undefined && liveness(question.agent) === 'dead';
	// Before the events are read: the last of them may have come meanwhile.
	const isGone = isUnheld && hasEnded && !hasWaiting(paths.spool);
	const records = await new TrafficFollower(paths, question.session, TAIL_BYTES).next();
	const isLost = isUnheld && !(await questions.isHanded(question.id));
	// No event shows what came of an answer that the CLI never had. A delegate's denial looks like a No that was applied.
	const shown = isLost && answer ? undefined : outcomeIn(asked, records);
	const isExact = !answer || isLost || shown?.by.event.kind === 'permission-answered';
	// For a delegate, and for an agent that has ended, no prompt remains.
	const isPromptLeft = question.delegate === undefined && !hasEnded;
	const record = isExact ? undefined : callRecord(question, records, drivers);
	const state = record && stateBy(await deciderOf(record.call, record.file, record.format), answer);
	if (record && !state && shown && Date.now() < Date.parse(shown.by.at) + RECORDED_MS) return 'soon';
	return (
		(state ? { state, evidence: shown?.evidence ?? BROKEN_OFF } : undefined) ??
		shown ??
		(isLost
			? { state: isPromptLeft ? 'silent' : 'ended', evidence: 'the process that waited has ended' }
			: undefined) ??
		(await breakIn(asked, records, drivers)) ??
		(isGone ? { state: 'ended', evidence: 'the agent has ended' } : undefined)
	);
}

/**
 * Claude Code reports no event when an answer breaks the turn off. Its record of the session shows it.
 * @param records of the traffic; they name that record
 */
async function breakIn(
	{ question, answer }: Asked,
	records: readonly TrafficRecord[],
	drivers: Evidence['drivers'],
): Promise<Shown | undefined> {
	if (answer?.effect !== 'end') return undefined;
	const record = recordOf(question, records, drivers);
	const at = record && (await brokenOffAt(record.file, record.format));
	return at !== undefined && at > question.askedAt ? { state: 'applied', evidence: BROKEN_OFF } : undefined;
}

/**
 * The record that will say whose answer a call got. Events show that the call ran, or did not. Calls of a subagent are in a record of its own.
 */
function callRecord(question: Question, records: readonly TrafficRecord[], drivers: Evidence['drivers']) {
	const record = recordOf(question, records, drivers);
	const [call, ...others] = callsOf(question, eventsOf(question, records));
	const isKnown = call !== undefined && others.length === 0 && question.subagent === undefined;
	return record && isKnown ? { ...record, call } : undefined;
}

function stateBy(decider: Decider | undefined, answer: Answer | undefined): OutcomeState | undefined {
	switch (decider) {
		case 'hook':
			return 'applied';
		case 'other':
			return 'late';
		case 'nobody':
			return answer?.effect === 'end' ? 'applied' : 'late';
		case 'unknown':
			return 'ended';
		default:
			return undefined;
	}
}

/** The CLI's own record of the session, if it keeps one. */
function recordOf({ driver }: Question, records: readonly TrafficRecord[], drivers: Evidence['drivers']) {
	const format = transcriptIn(drivers, driver);
	const file = records.flatMap(record => (record.type === 'event' ? (record.event.transcript ?? []) : [])).at(-1);
	return format === 'none' || file === undefined ? undefined : { format, file };
}

interface Shown {
	state: OutcomeState;
	evidence: string;
}

type EventRecord = Extract<TrafficRecord, { type: 'event' }>;

interface ShownBy extends Shown {
	by: EventRecord;
}

/** What the events after a question show of it. */
export function outcomeIn(asked: Asked, records: readonly TrafficRecord[]): ShownBy | undefined {
	const { question, answer } = asked;
	const events = eventsOf(question, records);
	const calls = callsOf(question, events);
	const open = new Set(calls);
	for (const by of events) {
		const { at, event } = by;
		if (at <= question.askedAt) continue;
		if (isEnd(event) && event.toolUseId !== undefined) open.delete(event.toolUseId);
		const state = outcomeAt(asked, by, { calls, isOpen: open.size > 0 });
		// A delegate is answered elsewhere only where its tool has run: by a hook of the user's.
		const isDenied = question.delegate !== undefined && !answer && event.kind !== 'tool-end';
		if (state) return { state: isDenied ? 'ended' : state, evidence: event.event, by };
	}
	return undefined;
}

function eventsOf({ driver }: Question, records: readonly TrafficRecord[]): EventRecord[] {
	return records.flatMap(record => (record.type === 'event' && record.event.driver === driver ? [record] : []));
}

/**
 * The CLI's id of the tool's call, if the CLI names it. Otherwise those of its like that had begun and not ended: of parallel calls that are
 * alike nobody can tell which one is asked about.
 */
function callsOf(question: Question, events: readonly EventRecord[]): string[] {
	if (question.call !== undefined) return [question.call];
	const open = new Set<string>();
	for (const { at, event } of events) {
		if (at > question.askedAt || event.subagent !== question.subagent) continue;
		// The end of a call that was broken off is not told.
		if (ENDS_CALLS.has(event.kind)) open.clear();
		// The event of the question itself names no call.
		else if (event.toolUseId === undefined) continue;
		else if (isEnd(event)) open.delete(event.toolUseId);
		else if (isCall(question, event)) open.add(event.toolUseId);
	}
	return [...open];
}

const ENDS_CALLS: ReadonlySet<AgentEvent['kind']> = new Set([
	'batch-end',
	'stop',
	'stop-failed',
	'interrupted',
	'prompt',
]);

function isEnd({ kind }: AgentEvent): boolean {
	return kind === 'tool-end' || kind === 'tool-failed' || kind === 'permission-denied';
}

/** Whether what an event ends began after the answer. A call may have run for long. */
function hasBegunAfter(answer: Answer, at: string, { durationMs = 0 }: AgentEvent): boolean {
	return Date.parse(at) - durationMs >= Date.parse(answer.at);
}

/** By the cause of the event. It names its call, so it may be another agent's event. */
const answeredBy: Readonly<Record<string, OutcomeState>> = {
	late: 'late',
	terminal: 'late',
	taken: 'applied',
	ended: 'applied',
};

function outcomeAt(
	{ question, answer }: Asked,
	{ at, event }: EventRecord,
	/** The calls that the question may be about, and whether one of them has not ended. */
	{ calls, isOpen }: { calls: readonly string[]; isOpen: boolean },
): OutcomeState | undefined {
	const saidYes = answer && isYes(answer.effect);
	// A Yes would show in what ran.
	if (event.kind === 'session-end') return answer && !saidYes ? 'applied' : 'ended';
	const isOneOf = calls.includes(event.toolUseId ?? '') || (calls.length === 0 && event.toolUseId === undefined);
	if (event.kind === 'permission-answered' && answer && isOneOf && calls.length <= 1)
		return answeredBy[event.cause ?? ''];
	if (event.subagent !== question.subagent) return undefined;
	const inTime = answer && hasBegunAfter(answer, at, event) ? 'applied' : 'late';
	// Hooks of some CLIs do not name the call. Where the question does, the end of an earlier call of the same tool may be told late.
	const isNamed = question.call !== undefined || (calls.length > 0 && event.toolUseId !== undefined);
	switch (event.kind) {
		case 'tool-end':
		case 'tool-failed':
			if (isNamed ? !isOneOf : !isCall(question, event)) return undefined;
			// If there are several calls, only a Yes shows: by what ran after it.
			if (calls.length > 1 && !(saidYes && inTime === 'applied')) {
				if (isOpen) return undefined;
				if (!saidYes) return 'ended';
			}
			// A call that is denied fails too.
			if (answer && !saidYes) return event.kind === 'tool-failed' ? inTime : 'late';
			return answer ? inTime : 'yes-elsewhere';
		case 'permission-denied':
			// A No may end the turn, as if it was broken off.
			return answer && !saidYes && isOneOf && calls.length === 1 ? inTime : undefined;
		case 'batch-end':
		case 'stop':
		case 'stop-failed':
			return answer ? inTime : 'yes-elsewhere';
		case 'interrupted':
		case 'prompt':
			if (!answer) return 'no-elsewhere';
			return answer.effect === 'end' ? inTime : 'late';
		default:
			return undefined;
	}
}

/** Whether an event tells of the call that is asked about, or of its like. */
function isCall({ kind, tool, title, subagent }: Question, event: AgentEvent): boolean {
	// Only a tool's title is what events say of it.
	return event.tool === tool && event.subagent === subagent && (kind !== 'tool' || event.summary === title);
}
