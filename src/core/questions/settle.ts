import { liveness } from '../../base/liveness.ts';
import type { OutcomeState, Question } from '../../protocol/question.ts';
import type { AgentEvent, TrafficRecord } from '../../protocol/traffic.ts';
import type { Driver } from '../driver/driver.ts';
import { brokenOffAt } from '../sessions/recordSearch.ts';
import { hasWaiting } from '../traffic/spoolBound.ts';
import { TrafficFollower } from '../traffic/store.ts';
import type { NancyPaths } from '../files/paths.ts';
import type { Asked, Questions } from './questions.ts';
import { isYes } from './reply.ts';

/** How much of a session's events is read, in bytes. A question that is older than these events stays until its holder ends. */
const TAIL_BYTES = 1024 * 1024;

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

/** @returns whether the question is over now */
export async function settle(questions: Questions, { paths, drivers }: Evidence, asked: Asked): Promise<boolean> {
	const { question, answer } = asked;
	const isUnheld = liveness(question.holder) === 'dead';
	// Before the events are read: the last of them may have come meanwhile.
	const isGone = isUnheld && hasEnded(question) && !hasWaiting(paths.spool);
	const records = await new TrafficFollower(paths, question.session, TAIL_BYTES).next();
	const isLost = isUnheld && !(await questions.isHanded(question.id));
	// No event shows what came of an answer that the CLI never had. A delegate's denial looks like a No that was applied.
	const shown = isLost && answer ? undefined : outcomeIn(asked, records);
	const over =
		shown ??
		(isLost ? { state: alone(question), evidence: 'the process that waited has ended' } : undefined) ??
		(await breakIn(asked, records, drivers)) ??
		(isGone ? { state: 'ended', evidence: 'the agent has ended' } : undefined);
	if (over) await questions.end(question.id, over.state, over.evidence);
	return over !== undefined;
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
	const format = drivers.find(({ id }) => id === question.driver)?.transcript ?? 'none';
	const file = records.flatMap(record => (record.type === 'event' ? (record.event.transcript ?? []) : [])).at(-1);
	if (format === 'none' || file === undefined) return undefined;
	const at = await brokenOffAt(file, format);
	return at !== undefined && at > question.askedAt
		? { state: 'applied', evidence: 'the turn was broken off' }
		: undefined;
}

function hasEnded({ agent }: Question): boolean {
	return agent !== undefined && liveness(agent) === 'dead';
}

/** Of a delegate, and of an agent that has ended, no prompt remains. */
function alone(question: Question): OutcomeState {
	return question.delegate === undefined && !hasEnded(question) ? 'silent' : 'ended';
}

interface Shown {
	state: OutcomeState;
	evidence: string;
}

/** What the events after a question show of it. */
export function outcomeIn(asked: Asked, records: readonly TrafficRecord[]): Shown | undefined {
	const { question, answer } = asked;
	const events = records.flatMap(record =>
		record.type === 'event' && record.event.driver === question.driver ? [record] : [],
	);
	const call =
		question.call ??
		events.findLast(({ at, event }) => at <= question.askedAt && isCall(question, event))?.event.toolUseId;
	for (const { at, event } of events) {
		if (at <= question.askedAt) continue;
		const state = outcomeAt(asked, event, call);
		// A delegate is answered elsewhere only where its tool has run: by a hook of the user's.
		const isDenied = question.delegate !== undefined && !answer && event.kind !== 'tool-end';
		if (state) return { state: isDenied ? 'ended' : state, evidence: event.event };
	}
	return undefined;
}

/** By the cause of the event. It names its call, so it may be another agent's event. */
const answeredBy: Readonly<Record<string, OutcomeState>> = { late: 'late', taken: 'applied', ended: 'applied' };

/** @param call the CLI's id of the tool's call, if the CLI names it or its start was reported */
function outcomeAt({ question, answer }: Asked, event: AgentEvent, call: string | undefined): OutcomeState | undefined {
	if (event.kind === 'session-end') return answer ? 'applied' : 'ended';
	if (event.kind === 'permission-answered' && answer && event.toolUseId === call)
		return answeredBy[event.cause ?? ''];
	if (event.subagent !== question.subagent) return undefined;
	const saidYes = answer && isYes(answer.effect);
	switch (event.kind) {
		case 'tool-end':
		case 'tool-failed':
			// Hooks of some CLIs do not name the call.
			if (
				call === undefined || event.toolUseId === undefined
					? !isCall(question, event)
					: event.toolUseId !== call
			)
				return undefined;
			// A call that is denied fails too.
			if (answer && !saidYes) return event.kind === 'tool-failed' ? 'applied' : 'late';
			return answer ? 'applied' : 'yes-elsewhere';
		case 'batch-end':
		case 'stop':
		case 'stop-failed':
			return answer ? 'applied' : 'yes-elsewhere';
		case 'interrupted':
		case 'prompt':
			if (!answer) return 'no-elsewhere';
			return answer.effect === 'end' ? 'applied' : 'late';
		default:
			return undefined;
	}
}

/** Whether an event tells of the call that is asked about, or of its like. */
function isCall({ tool, title, subagent }: Question, event: AgentEvent): boolean {
	return event.tool === tool && event.subagent === subagent && event.summary === title;
}
